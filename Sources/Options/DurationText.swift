/// Lengths of time as a user writes them: `10`, `10s`, `500ms`, `2m`, `1h`, `1d`, and ranges `1s..30s`.
package enum DurationText {
  private static let units: [(suffix: String, milliseconds: Int64)] = [
    ("d", 86_400_000), ("h", 3_600_000), ("m", 60_000), ("s", 1_000), ("ms", 1),
  ]

  /// Returns the length of time, or nil if the text isn't one or doesn't fit.
  ///
  /// A number without a unit means seconds. There are no fractions: `1500ms` says it.
  package static func parse(_ text: String) -> Duration? {
    guard let (number, suffix) = NumberText.split(text) else { return nil }
    let milliseconds: Int64
    if suffix.isEmpty {
      milliseconds = 1_000
    } else if let unit = units.first(where: { $0.suffix == suffix }) {
      milliseconds = unit.milliseconds
    } else {
      return nil
    }
    let (product, overflow) = Int64(number).multipliedReportingOverflow(by: milliseconds)
    return overflow ? nil : .milliseconds(product)
  }

  /// Returns the range, or nil if the text isn't two lengths of time in order.
  package static func parseRange(_ text: String) -> ClosedRange<Duration>? {
    let bytes = Array(text.utf8)
    let dot = UInt8(ascii: ".")
    guard let gap = bytes.indices.dropLast().first(where: { bytes[$0] == dot }),
      bytes[gap + 1] == dot,
      let lower = parse(String(decoding: bytes[..<gap], as: UTF8.self)),
      let upper = parse(String(decoding: bytes[(gap + 2)...], as: UTF8.self)), lower <= upper
    else { return nil }
    return lower...upper
  }

  /// Returns the shortest text that means the same; below a millisecond is cut off.
  package static func render(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let rest = attoseconds / 1_000_000_000_000_000
    // More milliseconds than Int64 holds are whole seconds for every purpose here.
    let (scaled, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
    let (total, overflowOfSum) = scaled.addingReportingOverflow(rest)
    if overflow || overflowOfSum { return "\(seconds)s" }
    if total == 0 { return "0s" }
    for unit in units where total % unit.milliseconds == 0 {
      return "\(total / unit.milliseconds)\(unit.suffix)"
    }
    return "\(total)ms"
  }
}
