/// Where a value was given; of two, the first in this order counts.
package enum OptionOrigin: Equatable, Sendable {
  case commandLine
  case environment
  /// A configuration file, with the line's number from 1.
  case file(path: String, line: Int)
  /// The table's own default.
  case byDefault

  /// The place in the order: the lowest counts.
  var rank: Int {
    switch self {
    case .commandLine: 0
    case .environment: 1
    case .file: 2
    case .byDefault: 3
    }
  }

  /// The status that a bad value from here ends with.
  var status: ExitStatus {
    self == .commandLine ? .usage : .configuration
  }

  /// The option as the user wrote it there: `--name`, `WSII_NAME`, `x.conf:3: name`.
  func spelling(of name: OptionName) -> String {
    switch self {
    case .commandLine where name == .url: "URL"
    case .commandLine, .byDefault: "--" + name.rawValue
    case .environment: name.environmentName
    case .file(let path, let line): "\(Quoted.bare(path)):\(line): \(name.rawValue)"
    }
  }
}

/// A text that was given for an option, before it is checked.
struct GivenOption: Equatable, Sendable {
  let name: OptionName
  let text: String
  let origin: OptionOrigin
}
