import Testing

@testable import Options

@Suite struct OptionNameTests {
  @Test(arguments: [
    (OptionName.name, "WSII_NAME"), (.tokenFile, "WSII_TOKEN_FILE"), (.for, "WSII_FOR"),
    (.maxMessage, "WSII_MAX_MESSAGE"),
  ])
  func theEnvironmentHasTheSameName(name: OptionName, variable: String) {
    #expect(name.environmentName == variable)
  }
}
