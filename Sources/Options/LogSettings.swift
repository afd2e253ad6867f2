/// How much is said on stderr, and in which form.
package struct LogSettings: Equatable, Sendable {
  package enum Format: String, CaseIterable, Sendable {
    /// Text for a terminal, records into anything else.
    case auto
    case text
    case json
  }

  package enum Level: Int, CaseIterable, Comparable, Sendable {
    case error
    case warning
    case notice
    case info
    case debug

    package static func < (a: Level, b: Level) -> Bool { a.rawValue < b.rawValue }

    package var name: String { String(describing: self) }
  }

  package var format: Format
  package var level: Level

  package init(format: Format = .auto, level: Level = .notice) {
    self.format = format
    self.level = level
  }

  init(_ values: OptionValues) {
    self.init()
    set(&format, values.text(.logFormat).flatMap(Format.init))
    let name = values.text(.logLevel)
    set(&level, Level.allCases.first { $0.name == name })
  }
}
