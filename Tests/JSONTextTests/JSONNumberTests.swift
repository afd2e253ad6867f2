import Testing

@testable import JSONText

private func scan(_ text: String, from start: Int = 0) -> Result<Int, JSONError> {
  let bytes = Array(text.utf8)
  do {
    return .success(try JSONNumber.scan(bytes.span, from: start, end: bytes.count))
  } catch {
    return .failure(error)
  }
}

@Suite struct JSONNumberTests {
  @Test(arguments: [
    ("0", ""), ("-0", ""), ("7", ","), ("120", "}"), ("-1.50", " "), ("0.5", "]"), ("1e5", "x"),
    ("1E+05", "."), ("2.0e-7", "e"), ("1", "-"), ("0", "x"), ("1e308", ""), ("-1e-400", ""),
    ("0e999999999999999999999999", ""), ("0.000e400", ","), ("0.00001e313", ""),
    ("1.7976931348623157e308", ""), ("17976931348623158e292", ""),
    ("1e-99999999999999999999999", ""),
  ])
  func endsBehindTheLastDigit(_ number: String, _ behind: String) {
    #expect(scan(number + behind) == .success(number.utf8.count))
    #expect(scan("[[" + number + behind, from: 2) == .success(number.utf8.count + 2))
  }

  @Test(
    arguments: [
      ("-", .truncated, 1), ("-a", .invalidNumber, 1), ("--1", .invalidNumber, 1),
      ("01", .invalidNumber, 1), ("-00", .invalidNumber, 2), ("1.", .truncated, 2),
      ("1.,", .invalidNumber, 2), ("1e", .truncated, 2), ("1e+", .truncated, 3),
      ("1e-]", .invalidNumber, 3), ("1ex", .invalidNumber, 2), ("1e309", .numberOutOfRange, 0),
      ("-1e99999999999999999999999", .numberOutOfRange, 0), ("0.01e311", .numberOutOfRange, 0),
      ("1.8e308", .numberOutOfRange, 0), ("179.76931348623159e306", .numberOutOfRange, 0),
    ] as [(String, JSONError.Kind, Int)])
  func isRefusedWhereItGoesWrong(_ text: String, _ kind: JSONError.Kind, _ offset: Int) {
    #expect(scan(text) == .failure(JSONError(kind, at: offset)))
    #expect(scan("  " + text, from: 2) == .failure(JSONError(kind, at: offset + 2)))
  }

  /// Half-way between the largest double and the next power of two is where rounding reaches
  /// infinity: 2^1024 - 2^970 itself is refused, one less is a number still.
  @Test func theRangeEndsExactlyWhereRoundingReachesInfinity() {
    // (2^54 - 1) * 2^970, the lowest digit first.
    var digits: [Int] = [1]
    func double(adding carry: Int) {
      var carry = carry
      for index in digits.indices {
        let value = digits[index] * 2 + carry
        digits[index] = value % 10
        carry = value / 10
      }
      if carry > 0 { digits.append(carry) }
    }
    for _ in 1..<54 { double(adding: 1) }
    for _ in 0..<970 { double(adding: 0) }
    let limit = digits.reversed().map(String.init).joined()
    #expect(limit.count == 309 && limit.hasSuffix("2"))
    let below = limit.dropLast() + "1"
    for end in ["", ".0", "e0", ".000e-0"] {
      #expect(scan(limit + end) == .failure(JSONError(.numberOutOfRange, at: 0)))
      #expect(scan(below + end) == .success(309 + end.utf8.count))
    }
    let point = limit.prefix(1) + "." + limit.dropFirst() + "e308"
    #expect(scan(String(point)) == .failure(JSONError(.numberOutOfRange, at: 0)))
    #expect(scan(below + ".9") == .success(311))
  }
}
