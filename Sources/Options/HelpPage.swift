/// A help text, made from the table.
package enum HelpPage: Equatable, Sendable {
  /// `wsii --help`: the commands.
  case overview
  /// `wsii run --help`: what is used most; fits a screen of 24 lines.
  case common(Command)
  /// `wsii help run`: every option, in groups.
  case full(Command)

  /// Where the explanations begin.
  private static let indent = 30

  /// The text with its last line break; no line is longer than 80 columns.
  package var text: String {
    let lines =
      switch self {
      case .overview: HelpPage.overviewLines
      case .common(let command): HelpPage.commonLines(command)
      case .full(let command): HelpPage.fullLines(command)
      }
    return lines.joined(separator: "\n") + "\n"
  }

  private static var overviewLines: [String] {
    var lines = ["wsii: lets Unix tools take part in conversations over a WebSocket", ""]
    for command in Command.allCases {
      lines.append(wideRow("wsii \(command.rawValue) \(command.operands)", command.summary))
    }
    lines += [
      wideRow("wsii --version", "show the version"),
      "",
      "  wsii run                     on a terminal: a hub to talk in, or joins one",
      "  echo '{\"text\":\"hello\"}' | wsii run ws://127.0.0.1:7717",
      "",
      "NAME is a connection, configured in $XDG_CONFIG_HOME/wsii/NAME.conf: a line is",
      "an option without its dashes (url = wss://chat.example/ws). Every option is an",
      "environment variable too (WSII_MAX_MESSAGE). The command line comes first, then",
      "the environment, then the file.",
      "",
      "wsii run --help shows the common options, wsii help run all of them.",
    ]
    return lines
  }

  private static func commonLines(_ command: Command) -> [String] {
    var lines = ["wsii \(command.rawValue) \(command.operands): \(command.summary)", ""]
    lines += OptionTable.options(of: command).filter(\.isCommon).map(row)
    lines += ["", "wsii help \(command.rawValue) shows all options and the exit statuses."]
    return lines
  }

  private static func fullLines(_ command: Command) -> [String] {
    var lines = ["wsii \(command.rawValue) \(command.operands): \(command.summary)"]
    for group in OptionGroup.allCases {
      let options = OptionTable.options(of: command).filter { $0.group == group }
      if options.isEmpty { continue }
      lines.append("\(group.rawValue):")
      lines += options.map(row)
    }
    lines.append("Exit statuses:")
    lines += ExitStatus.statuses(of: command).map { status in
      "  \(status.rawValue)".padded(to: 6) + status.meaning
    }
    return lines
  }

  private static func row(_ option: OptionDefinition) -> String {
    var left = option.name == .url ? "url = " : "--" + option.name.rawValue
    if let short = option.short { left = "-\(short), " + left }
    if let metavar = option.metavar { left += (option.name == .url ? "" : " ") + metavar }
    var right = option.help
    if let shown = option.defaultText ?? option.defaultNote { right += " [\(shown)]" }
    if option.isRepeatable { right += " (repeatable)" }
    return row(left, right)
  }

  private static func row(_ left: String, _ right: String) -> String {
    "  \(left)".padded(to: indent) + right
  }

  private static func wideRow(_ left: String, _ right: String) -> String {
    "  \(left)".padded(to: indent + 4) + right
  }
}

extension String {
  /// The text with spaces behind it up to the column, but at least one.
  fileprivate func padded(to column: Int) -> String {
    self + String(repeating: " ", count: Swift.max(1, column - unicodeScalars.count))
  }
}
