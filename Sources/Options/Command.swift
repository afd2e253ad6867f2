/// The commands that exist, in the order in which help lists them.
package enum Command: String, CaseIterable, Sendable {
  case run
  case hub
  case help

  /// What follows the command's name on a usage line.
  package var operands: String {
    switch self {
    case .run: "[NAME|URL] [OPTION...]"
    case .hub: "[OPTION...]"
    case .help: "[COMMAND]"
    }
  }

  /// One line for the overview.
  package var summary: String {
    switch self {
    case .run: "bridge a server to stdin and stdout"
    case .hub: "a chat server to talk over, or to try things"
    case .help: "explain a command, with all its options"
    }
  }
}
