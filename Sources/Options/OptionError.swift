/// A command line, environment or configuration file that can't be used.
///
/// The message is one line, without the program's name and without a line break; it names the
/// option, where its value came from and what is allowed. Secret values are never in it.
package struct OptionError: Error, Equatable, Sendable {
  package let message: String
  /// `usage` for what stands on the command line, `configuration` for all else.
  package let status: ExitStatus

  package init(_ message: String, status: ExitStatus) {
    self.message = message
    self.status = status
  }

  package static func usage(_ message: String) -> OptionError {
    OptionError(message, status: .usage)
  }

  package static func configuration(_ message: String) -> OptionError {
    OptionError(message, status: .configuration)
  }

  /// The error for a run that names no connection, given the names that are configured.
  package static func missingConnection(configured: [String]) -> OptionError {
    var message =
      "wsii run needs a NAME or a URL, as in: wsii run ws://127.0.0.1:7717;"
      + " with --demo it starts a hub to talk in"
    if !configured.isEmpty {
      message += "; configured: " + configured.map(Quoted.bare).joined(separator: ", ")
    }
    return .usage(message)
  }

  /// The error for a name without a configuration file.
  package static func missingConfiguration(name: String, path: String) -> OptionError {
    .configuration(
      "no connection \(Quoted.text(name)): \(Quoted.bare(path)) doesn't exist"
        + " (a URL begins with ws:// or wss://)")
  }
}
