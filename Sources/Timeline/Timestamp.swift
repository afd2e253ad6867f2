/// A moment of the civil calendar, in UTC, as records and logs show it.
package struct Timestamp: Hashable, Comparable, Sendable {
  /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
  package var unixMilliseconds: Int64

  package init(unixMilliseconds: Int64) {
    self.unixMilliseconds = unixMilliseconds
  }

  package static func < (left: Timestamp, right: Timestamp) -> Bool {
    left.unixMilliseconds < right.unixMilliseconds
  }

  /// Appends the moment as RFC 3339 with milliseconds: `2026-11-30T20:15:00.123Z`.
  ///
  /// RFC 3339 has four digits for the year, so moments outside the years 0 to 9999 are shown as the
  /// nearest moment inside.
  package func appendRFC3339(to bytes: inout [UInt8]) {
    let clamped = min(max(unixMilliseconds, -62_167_219_200_000), 253_402_300_799_999)
    let (days, millisecondOfDay) = clamped.flooredDivision(by: 86_400_000)
    let date = CivilDate(daysSinceEpoch: days)
    let secondOfDay = millisecondOfDay / 1000
    bytes.appendDigits(date.year, width: 4)
    bytes.append(UInt8(ascii: "-"))
    bytes.appendDigits(date.month, width: 2)
    bytes.append(UInt8(ascii: "-"))
    bytes.appendDigits(date.day, width: 2)
    bytes.append(UInt8(ascii: "T"))
    bytes.appendDigits(secondOfDay / 3600, width: 2)
    bytes.append(UInt8(ascii: ":"))
    bytes.appendDigits(secondOfDay / 60 % 60, width: 2)
    bytes.append(UInt8(ascii: ":"))
    bytes.appendDigits(secondOfDay % 60, width: 2)
    bytes.append(UInt8(ascii: "."))
    bytes.appendDigits(millisecondOfDay % 1000, width: 3)
    bytes.append(UInt8(ascii: "Z"))
  }

  /// The moment as RFC 3339, for messages to people.
  package var rfc3339: String {
    var bytes: [UInt8] = []
    appendRFC3339(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension Int64 {
  /// Division that rounds down, so that moments before 1970 fall on the right day.
  func flooredDivision(by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }
}

extension [UInt8] {
  /// Appends a number that isn't negative in decimal, with leading zeros up to `width`.
  fileprivate mutating func appendDigits(_ number: Int64, width: Int) {
    var divisor: Int64 = 1
    for _ in 1..<width { divisor *= 10 }
    while divisor > 0 {
      append(UInt8(ascii: "0") + UInt8(number / divisor % 10))
      divisor /= 10
    }
  }
}
