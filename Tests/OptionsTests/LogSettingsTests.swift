import Testing

@testable import Options

@Suite struct LogSettingsTests {
  private static func settings(_ pairs: [(name: String, value: String)]) throws -> LogSettings {
    LogSettings(try OptionValues(.hub, arguments: [], environment: Environment(pairs)))
  }

  @Test func valuesBecomeCases() throws {
    #expect(try LogSettingsTests.settings([]) == LogSettings())
    #expect(
      try LogSettingsTests.settings([("WSII_LOG_FORMAT", "json"), ("WSII_LOG_LEVEL", "debug")])
        == LogSettings(format: .json, level: .debug))
  }

  @Test func levelsGrow() {
    #expect(LogSettings.Level.allCases == LogSettings.Level.allCases.sorted())
    #expect(LogSettings.Level.notice.name == "notice")
  }
}
