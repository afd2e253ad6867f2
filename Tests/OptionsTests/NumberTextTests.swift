import Testing

@testable import Options

@Suite struct NumberTextTests {
  @Test(arguments: [
    ("0", 0), ("007", 7), ("9223372036854775807", Int.max), ("9223372036854775808", nil),
    ("92233720368547758070", nil), ("", nil), ("-1", nil), ("+1", nil), ("1 ", nil), ("1k", nil),
    ("١", nil),
  ])
  func onlyDigitsAreANumber(text: String, number: Int?) {
    #expect(NumberText.parse(text) == number)
  }

  @Test func theSuffixIsWhatFollowsTheDigits() throws {
    let parts = try #require(NumberText.split("12é"))
    #expect(parts.number == 12)
    #expect(parts.suffix == "é")
  }
}
