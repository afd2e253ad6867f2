/// What became of one read, write, receive or send on a descriptor that must not block.
package enum IOResult: Equatable, Sendable {
  /// So many bytes were moved; fewer than asked for is normal, and none only when none were asked for.
  case bytes(Int)
  /// Nothing can be moved now; the descriptor's readiness tells when to try again.
  case wouldBlock
  /// Reading only: the other side has ended.
  case end
  case failed(SystemError)
}
