/// Decimal numbers as a user writes them: digits only, no sign, no separators.
enum NumberText {
  /// Returns the number, or nil if the text is anything else or doesn't fit.
  static func parse(_ text: String) -> Int? {
    guard let (number, suffix) = split(text), suffix.isEmpty else { return nil }
    return number
  }

  /// Cuts the text after its leading digits; nil without digits or when they don't fit.
  static func split(_ text: String) -> (number: Int, suffix: String)? {
    var number = 0
    var digits = 0
    for byte in text.utf8 {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { break }
      let (product, overflow) = number.multipliedReportingOverflow(by: 10)
      let (sum, overflowOfSum) = product.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
      if overflow || overflowOfSum { return nil }
      number = sum
      digits += 1
    }
    if digits == 0 { return nil }
    return (number, String(decoding: text.utf8.dropFirst(digits), as: UTF8.self))
  }
}
