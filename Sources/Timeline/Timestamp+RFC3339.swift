extension Timestamp {
  /// Reads RFC 3339 in UTC, `2026-11-30T20:15:00Z` with any fraction of a second; nil if it is
  /// something else. A fraction counts to the millisecond.
  package init?(rfc3339 text: [UInt8]) {
    let pattern = Array("dddd-dd-ddTdd:dd:dd".utf8)
    guard text.count > pattern.count, text.last == UInt8(ascii: "Z") else { return nil }
    var fields: [Int64] = [0]
    for (byte, wanted) in zip(text, pattern) {
      if wanted == UInt8(ascii: "d") {
        guard let digit = byte.digit else { return nil }
        fields[fields.count - 1] = fields[fields.count - 1] * 10 + digit
      } else {
        guard byte == wanted else { return nil }
        fields.append(0)
      }
    }
    guard (1...12).contains(fields[1]), (1...31).contains(fields[2]), fields[3] < 24,
      fields[4] < 60, fields[5] <= 60
    else { return nil }
    var milliseconds: Int64 = 0
    let fraction = text[pattern.count..<text.count - 1]
    if let point = fraction.first {
      guard point == UInt8(ascii: "."), fraction.count > 1 else { return nil }
      var weight: Int64 = 100
      for byte in fraction.dropFirst() {
        guard let digit = byte.digit else { return nil }
        milliseconds += digit * weight
        weight /= 10
      }
    }
    let date = CivilDate(year: fields[0], month: fields[1], day: fields[2])
    let seconds = date.daysSinceEpoch * 86_400 + fields[3] * 3_600 + fields[4] * 60 + fields[5]
    self.init(unixMilliseconds: seconds * 1_000 + milliseconds)
  }
}

extension UInt8 {
  fileprivate var digit: Int64? {
    (0x30...0x39).contains(self) ? Int64(self) - 0x30 : nil
  }
}
