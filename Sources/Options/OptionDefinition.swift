/// What kind of argument an option takes, and which values it allows.
package enum ArgumentKind: Equatable, Sendable {
  /// No argument: the option is on or off.
  case flag
  /// Any text on one line.
  case text
  /// A file's path. In a configuration file it is relative to the file's directory.
  case path
  /// A connection's name.
  case connectionName
  /// A `ws` or `wss` URL.
  case url
  /// An environment variable's name.
  case variable
  /// A length of time, or the given word instead.
  case duration(ClosedRange<Duration>, or: String?)
  /// Two lengths of time, `1s..30s`, each within the limits.
  case durationRange(ClosedRange<Duration>)
  /// A number of bytes.
  case size(ClosedRange<Int>)
  /// A number, or the given word instead.
  case count(ClosedRange<Int>, or: String?)
  /// One of the words.
  case word([String])
  /// `NAME: VALUE`, where `@FILE` as the value reads it from a file.
  case header
  /// `NAME=VALUE`, where `@FILE` as the value reads it from a file.
  case queryItem
  /// A token of RFC 9110, section 5.6.2.
  case token
  /// `SCHEME://HOST[:PORT]`, as browsers send it.
  case origin
  /// A proxy's URL, or its host and port.
  case proxy
  /// `ADDRESS:PORT` or `unix:PATH`.
  case listenAddress
  /// Messages a second, `N` or `N/BURST`.
  case rate
  /// What a hub shall do to its links.
  case chaos
}

/// Where an option stands in the full help.
package enum OptionGroup: String, CaseIterable, Sendable {
  case connection = "Connection"
  case security = "Security"
  case delivery = "Delivery"
  case output = "Output"
}

/// One row of the table from which parsing, help, environment and configuration files come.
package struct OptionDefinition: Equatable, Sendable {
  /// A source that an option may be barred from.
  package enum Source: Sendable {
    case commandLine
    case environment
    case file
  }

  package let name: OptionName
  package let short: Character?
  package let kind: ArgumentKind
  /// What stands for the argument in help; nil for a flag.
  package let metavar: String?
  /// The default as a user would write it; it goes through the same check as a given value.
  package let defaultText: String?
  /// What help says about a default that isn't one value, such as "the dialect's".
  package let defaultNote: String?
  /// One line, at most 52 columns with the default.
  package let help: String
  package let group: OptionGroup
  package let commands: [Command]
  package let isRepeatable: Bool
  /// Whether the value may hold a secret, and so is never shown.
  package let isSecret: Bool
  /// Whether the short help shows it.
  package let isCommon: Bool
  package let barredFrom: [Source]

  package init(
    _ name: OptionName, short: Character? = nil, _ kind: ArgumentKind, _ metavar: String? = nil,
    default defaultText: String? = nil, note defaultNote: String? = nil, says help: String,
    in group: OptionGroup, of commands: [Command] = [.run], isRepeatable: Bool = false,
    isSecret: Bool = false, isCommon: Bool = false, barredFrom: [Source] = []
  ) {
    self.name = name
    self.short = short
    self.kind = kind
    self.metavar = metavar
    self.defaultText = defaultText
    self.defaultNote = defaultNote
    self.help = help
    self.group = group
    self.commands = commands
    self.isRepeatable = isRepeatable
    self.isSecret = isSecret
    self.isCommon = isCommon
    self.barredFrom = barredFrom
  }

  package func isAllowed(in source: Source) -> Bool {
    !barredFrom.contains(source)
  }
}
