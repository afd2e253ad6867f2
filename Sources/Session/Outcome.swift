/// How a run ends, for whoever turns it into an exit status.
package enum Outcome: Equatable, Sendable {
  case done
  /// At least one line of the input was refused.
  case badInput
  /// No further attempt is made and the server can't be reached, or messages were not delivered.
  case unavailable
  /// Reading or writing failed.
  case inputOutputError
  case protocolViolation
  /// The server does not want us.
  case refused
  /// The server takes us for somebody else than whose messages wait.
  case otherUser
  /// INT: the process cleans up and dies by the signal.
  case interrupted
  /// The reader of standard output went away: the process dies by SIGPIPE.
  case brokenPipe
}

/// What went wrong so far; the gravest decides.
package struct Verdict: Equatable, Sendable {
  package var hasBadInput = false
  package var isUnavailable = false
  package var hasInputOutputError = false
  package var hasProtocolViolation = false
  package var isRefused = false
  package var hasOtherUser = false
  /// Ends that override every other: nobody is left who would read a status.
  package var isInterrupted = false
  package var hasBrokenPipe = false

  package init() {}

  /// The order is the contract's: 77, 76, 74, 69, 65; 78 stands beside 77, since both need a person.
  package var outcome: Outcome {
    if isInterrupted { return .interrupted }
    if hasBrokenPipe { return .brokenPipe }
    if isRefused { return .refused }
    if hasOtherUser { return .otherUser }
    if hasProtocolViolation { return .protocolViolation }
    if hasInputOutputError { return .inputOutputError }
    if isUnavailable { return .unavailable }
    return hasBadInput ? .badInput : .done
  }
}
