/// Numbers of bytes as a user writes them: `1048576`, `64MiB`, `64M`, `1k`.
package enum SizeText {
  private static let units: [(suffix: String, shift: Int)] = [
    ("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10),
  ]

  /// Returns the number of bytes, or nil if the text isn't one or doesn't fit.
  ///
  /// Units are powers of 1024, in any case. `MB` is refused, because it is a million to some and
  /// 1,048,576 to others.
  package static func parse(_ text: String) -> Int? {
    guard let (number, suffix) = NumberText.split(text) else { return nil }
    if suffix.isEmpty { return number }
    let wanted = suffix.lowercased()
    for unit in units {
      let long = unit.suffix.lowercased()
      guard wanted == long || wanted.utf8.elementsEqual(long.utf8.prefix(1)) else { continue }
      let (bytes, overflow) = number.multipliedReportingOverflow(by: 1 << unit.shift)
      return overflow ? nil : bytes
    }
    return nil
  }

  /// Returns the shortest exact text.
  package static func render(_ bytes: Int) -> String {
    for unit in units where bytes != 0 && bytes % (1 << unit.shift) == 0 {
      return "\(bytes >> unit.shift)\(unit.suffix)"
    }
    return "\(bytes)"
  }
}
