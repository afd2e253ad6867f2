extension Timestamp {
  /// Reads an HTTP-date in the form servers send, `Sun, 06 Nov 1994 08:49:37 GMT`
  /// (RFC 9110, section 5.6.7, IMF-fixdate); the two obsolete forms are not worth their code here.
  ///
  /// Returns nil for anything else. The name of the weekday is not compared with the date.
  package init?(httpDate bytes: [UInt8]) {
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    // Each position of the fixed form: a digit, a letter, or the character itself.
    let form = Array("aaa, 00 aaa 0000 00:00:00 GMT".utf8)
    guard bytes.count == form.count else { return nil }
    for (byte, expected) in zip(bytes, form) {
      switch expected {
      case UInt8(ascii: "a"):
        guard (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) else { return nil }
      case UInt8(ascii: "0"):
        guard (0x30...0x39).contains(byte) else { return nil }
      default:
        guard byte == expected else { return nil }
      }
    }
    func number(_ range: Range<Int>) -> Int64 {
      bytes[range].reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    }
    let name = String(decoding: bytes[8..<11], as: UTF8.self)
    guard let month = months.firstIndex(of: name) else { return nil }
    let date = CivilDate(year: number(12..<16), month: Int64(month) + 1, day: number(5..<7))
    let hour = number(17..<19)
    let minute = number(20..<22)
    let second = number(23..<25)
    // 60 is a leap second. A day that the month doesn't have comes back as another date.
    guard hour < 24, minute < 60, second <= 60,
      CivilDate(daysSinceEpoch: date.daysSinceEpoch) == date
    else { return nil }
    unixMilliseconds =
      ((date.daysSinceEpoch * 24 + hour) * 60 + minute) * 60_000 + second * 1000
  }
}
