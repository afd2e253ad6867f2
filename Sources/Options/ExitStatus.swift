/// The exit statuses of every `wsii` command, with one meaning each.
///
/// The numbers are those of sysexits(3). Help and manual print this list, so nothing else may
/// invent a number.
package enum ExitStatus: Int32, CaseIterable, Sendable {
  case done = 0
  case usage = 64
  case badInput = 65
  case unavailable = 69
  case notAccepted = 73
  case inputOutput = 74
  case notDelivered = 75
  case protocolError = 76
  case refused = 77
  case configuration = 78

  /// What the number tells a script, as one line for help and manual.
  package var meaning: String {
    switch self {
    case .done: "done"
    case .usage: "the command line makes no sense"
    case .badInput: "bad input, or a message refused for good"
    case .unavailable: "no connection and no more tries, or messages not delivered"
    case .notAccepted: "not accepted, nothing left behind"
    case .inputOutput: "reading or writing failed"
    case .notDelivered: "not delivered yet, safely queued"
    case .protocolError: "the server broke the protocol"
    case .refused: "refused: 401, 403, a proxy's 407, or a fatal close code"
    case .configuration: "bad configuration file, environment or combination"
    }
  }

  /// The statuses that a command ends with today, for its help. Nothing is queued on disk yet, so
  /// that nothing is safely queued, or not accepted.
  package static func statuses(of command: Command) -> [ExitStatus] {
    switch command {
    case .run:
      [
        .done, .usage, .badInput, .unavailable, .inputOutput, .protocolError, .refused,
        .configuration,
      ]
    case .hub: [.done, .usage, .unavailable, .inputOutput, .configuration]
    case .help: [.done, .usage]
    }
  }
}
