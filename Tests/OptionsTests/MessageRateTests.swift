import Testing

@testable import Options

@Suite struct MessageRateTests {
  @Test(arguments: [("5", 5, 5), ("5/20", 5, 20), ("1000000/1", 1_000_000, 1)])
  func ratesAreRead(text: String, perSecond: Int, burst: Int) {
    #expect(MessageRate.parse(text) == MessageRate(perSecond: perSecond, burst: burst))
  }

  @Test(arguments: ["", "0", "5/0", "5/", "/5", "5/5/5", "1000001", "-1", "1.5", "5 / 5", "x"])
  func otherTextsAreNot(text: String) {
    #expect(MessageRate.parse(text) == nil)
  }
}
