/// The grammar of numbers (RFC 8259 section 6), and their range.
enum JSONNumber {
  /// Returns where the number that starts at `start` (a minus or a digit) ends.
  ///
  /// What follows it isn't looked at. Offsets in errors are those of the text.
  static func scan(_ text: Span<UInt8>, from start: Int, end: Int) throws(JSONError) -> Int {
    var index = start
    if text[index] == UInt8(ascii: "-") { index &+= 1 }
    let firstDigit = index
    index = endOfDigits(text, index, end)
    if index == firstDigit { throw malformed(index, end) }
    if text[firstDigit] == UInt8(ascii: "0"), index &- firstDigit > 1 {
      throw JSONError(.invalidNumber, at: firstDigit &+ 1)
    }
    let endOfInteger = index
    var endOfMantissa = index
    if index < end, text[index] == UInt8(ascii: ".") {
      index = endOfDigits(text, endOfInteger &+ 1, end)
      if index == endOfInteger &+ 1 { throw malformed(index, end) }
      endOfMantissa = index
    }
    var exponent = 0
    if index < end, text[index] | 0x20 == UInt8(ascii: "e") {
      index &+= 1
      var isNegative = false
      if index < end, text[index] == UInt8(ascii: "-") || text[index] == UInt8(ascii: "+") {
        isNegative = text[index] == UInt8(ascii: "-")
        index &+= 1
      }
      let firstOfExponent = index
      index = endOfDigits(text, index, end)
      if index == firstOfExponent { throw malformed(index, end) }
      for digit in firstOfExponent..<index {
        // Beyond this no text is long enough to bring the number back into range.
        if exponent < 1 &<< 52 {
          exponent = exponent &* 10 &+ Int(text[digit] &- UInt8(ascii: "0"))
        }
      }
      if isNegative { exponent = 0 &- exponent }
    }
    // 10^308 is the power of ten below the largest double: up to 308 digits need no second look.
    if exponent &+ (endOfInteger &- firstDigit) > 308,
      isBeyondDouble(text, firstDigit..<endOfInteger, endOfMantissa, exponent)
    {
      throw JSONError(.numberOutOfRange, at: start)
    }
    return index
  }

  /// Tells whether a number rounds to infinity: whether its digits reach `threshold` or more.
  private static func isBeyondDouble(
    _ text: Span<UInt8>, _ integer: Range<Int>, _ endOfMantissa: Int, _ exponent: Int
  ) -> Bool {
    // The power of ten of the first digit that isn't zero.
    var index = integer.lowerBound
    var power = exponent &+ integer.count &- 1
    while index < endOfMantissa,
      text[index] == UInt8(ascii: "0") || text[index] == UInt8(ascii: ".")
    {
      if text[index] == UInt8(ascii: "0") { power &-= 1 }
      index &+= 1
    }
    if index == endOfMantissa { return false }  // Zero, whatever the exponent.
    if power != 308 { return power > 308 }
    for limit in threshold.utf8 {
      if index < endOfMantissa, text[index] == UInt8(ascii: ".") { index &+= 1 }
      let digit = index < endOfMantissa ? text[index] : UInt8(ascii: "0")
      if digit != limit { return digit > limit }
      index &+= 1
    }
    return true
  }

  /// The digits of 2^1024 - 2^970, half-way between the largest double and the next power of two.
  /// Rounding to even takes it up, to infinity.
  private static let threshold = """
    1797693134862315807937289714053034150799341327100378269361737789804449682927647509466490179\
    7758720709633028641669288791094655554785194040263065748867150582068190890200070838367627385\
    4845817711531764475730270069855571366959622842914819860834936475292719074168444365510704342\
    711559699508093042880177904174497792
    """

  private static func endOfDigits(_ text: Span<UInt8>, _ start: Int, _ end: Int) -> Int {
    var index = start
    while index < end, text[index] &- UInt8(ascii: "0") < 10 {
      index &+= 1
    }
    return index
  }

  private static func malformed(_ index: Int, _ end: Int) -> JSONError {
    JSONError(index < end ? .invalidNumber : .truncated, at: index)
  }
}
