import JSONText
import Testing

@testable import Session

@Suite struct JSONValueReadingTests {
  private func read<Result>(
    _ value: String, _ body: (JSONValue, Span<UInt8>) -> Result?
  ) throws -> Result? {
    let text = Array("{\"x\":\(value)}".utf8)
    var scanner = JSONScanner(wanted: ["x"])
    _ = try scanner.scan(text.span, 0..<text.count)
    guard let member = scanner.member(0) else { throw TestProblem() }
    return body(member, text.span)
  }

  @Test(
    "a number that counts",
    arguments: [
      ("0", 0), ("42", 42), ("9007199254740992", 1 << 53), ("9007199254740993", nil),
      ("12345678901234567", nil), ("-1", nil), ("1.0", nil), ("1e3", nil), ("\"1\"", nil),
      ("null", nil),
    ])
  func count(_ value: String, _ expected: Int?) throws {
    #expect(try read(value) { $0.count(in: $1) } == expected)
  }

  @Test(
    "a string's bytes",
    arguments: [("\"\"", ""), (#""a\u0062""#, "ab"), ("\"ä\"", "ä"), ("1", nil), ("{}", nil)])
  func string(_ value: String, _ expected: String?) throws {
    let bytes = try read(value) { $0.string(in: $1) }
    #expect(bytes.map { String(decoding: $0, as: UTF8.self) } == expected)
  }

  @Test(
    "what belongs to wsii",
    arguments: [
      (#""wsii.""#, true), (#""wsii.state""#, true), (#""\u0077sii.x""#, true), (#""wsii""#, false),
      (#""text""#, false), (#""\u0077sii""#, false), (#""wsiix.""#, false),
    ])
  func reserved(_ value: String, _ expected: Bool) throws {
    #expect(try read(value) { $0.isReserved(in: $1) } == expected)
  }

  @Test(
    "a boolean", arguments: [("true", true), ("false", false), ("null", nil), ("\"true\"", nil)])
  func flag(_ value: String, _ expected: Bool?) throws {
    #expect(try read(value) { $0.flag(in: $1) } == expected)
  }
}
