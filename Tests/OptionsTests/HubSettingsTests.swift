import Hub
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
    #expect(try HubSettingsTests.resolve([]) == HubSettings())
  }

  @Test func everyOptionReachesItsProperty() throws {
    let settings = try HubSettingsTests.resolve([
      "--listen=unix:/x", "--tokens=t", "--max-message=5", "--history-max=7", "--rate=5/20",
      "--chaos=delay=3", "--ephemeral", "--origin=http://a", "--origin=http://b",
      "--log-level=error", "--log-format=text",
    ])
    var expected = HubSettings()
    expected.listen = .unix(path: "/x")
    expected.tokensPath = "t"
    expected.maximumMessage = 5
    expected.maximumHistory = 7
    expected.rate = MessageRate(perSecond: 5, burst: 20)
    expected.chaos = try ChaosSpec("delay=3")
    expected.isEphemeral = true
    expected.origins = ["http://a", "http://b"]
    expected.log = LogSettings(format: .text, level: .error)
    #expect(settings == expected)
    #expect(try HubSettingsTests.resolve(["--echo"]).echoes)
  }

  @Test(arguments: ["0.0.0.0:1", "[::]:1", "192.168.1.2:1"])
  func beyondThisMachineTokensAreNeeded(address: String) throws {
    let error = #expect(throws: OptionError.self) {
      try HubSettingsTests.resolve(["--listen", address])
    }
    #expect(error?.status == .usage)
    #expect(error?.message.hasPrefix("--listen '\(address)': beyond this machine") == true)
    #expect(error?.message.contains("--tokens FILE") == true)
    let other = #expect(throws: OptionError.self) {
      try HubSettingsTests.resolve([], [("WSII_LISTEN", address)])
    }
    #expect(other?.status == .configuration)
    #expect(
      try HubSettingsTests.resolve(["--listen", address, "--tokens=t"]).listen.text == address)
  }

  @Test(arguments: ["--chaos=delay", "--chaos=", "--rate=0", "--rate=5/", "--rate=1/2/3"])
  func wrongValuesAreNamed(argument: String) {
    let error = #expect(throws: OptionError.self) { try HubSettingsTests.resolve([argument]) }
    #expect(error?.status == .usage)
    #expect(error?.message.hasPrefix(String(argument.prefix { $0 != "=" })) == true)
  }

  @Test(arguments: ["--rate=5", "--chaos=delay=3", "--history-max=5"])
  func whatIsForRoomsIsNothingForEchoes(argument: String) throws {
    let name = argument.prefix { $0 != "=" }
    #expect(
      try HubSettingsTests.resolve(["--echo", argument]).warnings
        == ["\(name) does nothing with --echo"])
  }

  @Test func mistypedVariablesAreNamed() throws {
    #expect(
      try HubSettingsTests.resolve(["--echo"], [("WSII_LISTENN", "x")]).warnings
        == ["WSII_LISTENN isn't an option; did you mean WSII_LISTEN?"])
  }
}
