import JSONText
import Session

/// A record that was told, as its members' texts; strings are unescaped.
struct Told: Equatable {
  var members: [String: String]

  subscript(_ name: String) -> String? { members[name] }

  private static let names = [
    "type", "state", "reason", "closeCode", "closeReason", "httpStatus", "attempt", "retryInMs",
    "messageId", "line", "durable", "source", "input", "timestamp", "level", "text", "data",
  ]

  /// Reads one line, which must be strict JSON.
  init(_ line: [UInt8]) throws {
    var scanner = JSONScanner(wanted: Self.names)
    _ = try scanner.scan(line.span, 0..<line.count)
    members = [:]
    for (index, name) in Self.names.enumerated() {
      guard let value = scanner.member(index) else { continue }
      members[name] = String(
        decoding: value.kind == .string
          ? JSONString.unescape(line.span, value.range) : Array(line[value.range]), as: UTF8.self)
    }
  }
}

extension Rehearsal {
  var outputLines: [String] { Self.lines(output) }
  var errorLines: [String] { Self.lines(errors) }

  /// Lines of standard error that are no records.
  var notes: [String] { errorLines.filter { !$0.hasPrefix("{") } }

  /// The records of a type, `state` for `wsii.state`.
  func told(_ type: String) throws -> [Told] {
    try errorLines.filter { $0.hasPrefix(#"{"type":"wsii.\#(type)""#) }
      .map { try Told(Array($0.utf8)) }
  }

  /// The link's story in short: `connecting`, `online`, …
  var states: [String] {
    get throws { try told("state").compactMap { $0["state"] } }
  }

  private static func lines(_ bytes: [UInt8]) -> [String] {
    precondition(bytes.isEmpty || bytes.last == 0x0A, "half a line was written")
    return bytes.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast()
      .map { String(decoding: $0, as: UTF8.self) }
  }
}
