import Bytes
import JSONText
import Session
import WebSocket

/// What must hold for a run and its dialect, whatever happens to them.
package enum SessionInvariant {
  /// Checks an input: two bytes of settings, then a script of events (see `ScriptedRun`).
  ///
  /// - Returns: what didn't hold, nil if all did.
  package static func violation(of input: [UInt8]) -> String? {
    guard input.count >= 2 else { return nil }
    return dialectViolation(Array(input[2...]))
      ?? ScriptedRun(input[0], input[1]).violation(of: input[2...])
  }

  /// Any bytes as a line and as a frame.
  private static func dialectViolation(_ bytes: [UInt8]) -> String? {
    for format: PlainDialect.Format in [.json, .text] {
      for isForTerminal in [false, true] {
        var dialect = PlainDialect(format: format, isForTerminal: isForTerminal)
        let isUTF8 = UTF8Validator.isValid(bytes.span, 0..<bytes.count)
        if dialect.compose(bytes.span) == .line(.text), !isUTF8 { return "a bad line is a frame" }
        for kind: MessageKind in [.text, .binary] {
          var records: [UInt8] = []
          var reports: [UInt8] = []
          let delivered = dialect.deliver(
            kind, bytes.span, 0..<bytes.count, records: &records, reports: &reports)
          if delivered == .invalidText, isUTF8 { return "good text is refused" }
          let lineCount = records.count { $0 == 0x0A } + reports.count { $0 == 0x0A }
          guard lineCount == (delivered == .invalidText ? 0 : 1) else {
            return "\(delivered) is \(lineCount) lines"
          }
          if let violation = outputViolation(records, format, isForTerminal) { return violation }
          if let violation = recordViolation(reports) { return violation }
        }
      }
    }
    return nil
  }

  /// Standard output holds whole lines; in JSON format each is an object or an array; a terminal
  /// finds nothing that it would obey.
  static func outputViolation(
    _ output: [UInt8], _ format: PlainDialect.Format, _ isForTerminal: Bool
  ) -> String? {
    if let last = output.last, last != 0x0A { return "half a line: \(output)" }
    if isForTerminal, let bad = output.first(where: { $0 < 0x20 && $0 != 0x0A || $0 == 0x7F }),
      format == .text || bad != 0x09
    {
      return "byte \(bad) for a terminal"
    }
    guard format == .json else { return nil }
    return recordViolation(output)
  }

  static func recordViolation(_ output: [UInt8]) -> String? {
    var scanner = JSONScanner(wanted: [])
    var start = 0
    while let end = output[start...].firstIndex(of: 0x0A) {
      do throws(JSONError) {
        let outline = try scanner.scan(output.span, start..<end)
        guard outline.kind == .object || outline.kind == .array else {
          return "a line is a \(outline.kind)"
        }
      } catch {
        return "a line is no JSON: \(error.reason): \(output[start..<end])"
      }
      start = end + 1
    }
    return start == output.count ? nil : "half a line"
  }
}
