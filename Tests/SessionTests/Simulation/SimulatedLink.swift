import Bytes
import Timeline
import WebSocket

/// One transport, and the server behind it: bytes are on the way for a while, and may get lost.
final class SimulatedLink {
  /// How many messages were acknowledged when the link began; the server must hear the next ones.
  let base: Int
  let server: ScriptedServer
  /// Bytes that the kernel has taken and the server's hasn't.
  private(set) var upstream = ByteQueue()
  /// Lines that the server's frames must become, and where each frame ends in its stream.
  private(set) var frames: [(line: String, end: Int)] = []
  /// The kernel's room for what the server doesn't take.
  static let upstreamLimit = 2000
  /// When the server's machine came to a standstill: nothing is read since, nothing said.
  var frozenSince: Instant?
  var isFrozen: Bool { frozenSince != nil }
  /// When the kernel gives it up (TCP_USER_TIMEOUT).
  var kernelDeadline: Instant? { frozenSince.map { $0 + .seconds(30) } }

  init(base: Int, _ answer: ScriptedServer.Answer) {
    self.base = base
    server = ScriptedServer(answer)
  }

  /// The bytes the client has taken hold so many frames.
  var handedOverLines: [String] {
    frames.prefix { $0.end <= server.takenCount }.map(\.line)
  }

  func takeUpstream(_ bytes: [UInt8]) {
    upstream.append(contentsOf: bytes)
  }

  /// Lets some bytes arrive.
  func arrive(_ limit: Int, _ now: Instant) {
    let count = min(limit, upstream.count)
    guard count > 0, !isFrozen else { return }
    let bytes = upstream.withUnsafeBytes { Array($0.prefix(count)) }
    upstream.consume(count)
    server.receive(bytes, now)
  }

  /// Sends a frame that must become `line`.
  func send(_ kind: MessageKind, _ payload: [UInt8], line: String, _ now: Instant) {
    guard server.machine?.isOpen ?? false, !isFrozen else { return }
    server.send(kind, payload, now)
    frames.append((line, server.takenCount + server.output.count))
  }
}
