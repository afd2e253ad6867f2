import Testing

@testable import Options

@Suite struct HubSettingsTests {
  private static func resolve(
    _ arguments: [String], _ pairs: [(name: String, value: String)] = []
  ) throws -> HubSettings {
    guard case .hub(let given) = try Invocation.parse(["hub"] + arguments) else {
      throw ValueProblem("not a hub")
    }
    return try HubSettings.resolve(given, environment: Environment(pairs))
  }

  @Test func theTableAndTheInitialValuesAgree() throws {
    #expect(try HubSettingsTests.resolve(["--echo"]) == HubSettings())
  }

  @Test func everyOptionReachesItsProperty() throws {
    let settings = try HubSettingsTests.resolve([
      "--echo", "--listen=unix:/x", "--max-message=5", "--origin=http://a", "--origin=http://b",
      "--log-level=error", "--log-format=text",
    ])
    var expected = HubSettings()
    expected.listen = .unix(path: "/x")
    expected.maximumMessage = 5
    expected.origins = ["http://a", "http://b"]
    expected.log = LogSettings(format: .text, level: .error)
    #expect(settings == expected)
  }

  @Test func withoutEchoThereIsNoHub() {
    #expect(
      throws: OptionError("wsii hub needs --echo; there is no other hub yet", status: .usage)
    ) {
      try HubSettingsTests.resolve([])
    }
  }

  @Test(arguments: ["0.0.0.0:1", "[::]:1", "192.168.1.2:1"])
  func beyondThisMachineTokensAreNeeded(address: String) {
    let error = #expect(throws: OptionError.self) {
      try HubSettingsTests.resolve(["--echo", "--listen", address])
    }
    #expect(error?.status == .configuration)
    #expect(error?.message.hasPrefix("--listen '\(address)': beyond this machine") == true)
  }

  @Test func mistypedVariablesAreNamed() throws {
    #expect(
      try HubSettingsTests.resolve(["--echo"], [("WSII_LISTENN", "x")]).warnings
        == ["WSII_LISTENN isn't an option; did you mean WSII_LISTEN?"])
  }
}
