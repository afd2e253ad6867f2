import Testing
import WebSocket

@testable import Options

@Suite struct RunSettingsDemoTests {
  private static func demo(
    _ arguments: [String], _ pairs: [(name: String, value: String)] = [],
    isOnTerminal: Bool = false
  ) throws -> RunSettings {
    guard case .run(let given) = try Invocation.parse(["run"] + arguments) else {
      throw ValueProblem("not a run")
    }
    return try RunSettings.demo(
      given, environment: Environment(pairs), isOnTerminal: isOnTerminal)
  }

  @Test(arguments: [([], nil), (["--demo"], true), (["--demo", "--no-demo"], false)])
  func theOptionSaysWhetherItIsWanted(arguments: [String], wanted: Bool?) throws {
    guard case .run(let given) = try Invocation.parse(["run"] + arguments) else { return }
    #expect(RunSettings.wantsDemo(given) == wanted)
  }

  @Test func itSpeaksNativeAtTheHubsPlace() throws {
    let settings = try RunSettingsDemoTests.demo(["--demo", "--room", "ops"])
    #expect(settings.demo == .tcp(host: "127.0.0.1", port: 7717))
    #expect(settings.url.text == "ws://127.0.0.1:7717/")
    #expect(settings.dialect == .native && settings.isEphemeral && !settings.isText)
    #expect(settings.rooms == ["ops"])
  }

  @Test(
    arguments: [
      ([], [], true), (["--no-text"], [], false), (["--text"], [], true),
      ([], [("WSII_TEXT", "no")], false),
    ] as [([String], [(String, String)], Bool)])
  func aPersonTypesTexts(arguments: [String], pairs: [(String, String)], isText: Bool) throws {
    let settings = try RunSettingsDemoTests.demo(
      arguments, pairs.map { (name: $0.0, value: $0.1) }, isOnTerminal: true)
    #expect(settings.isText == isText)
  }

  @Test func whatIsSetForOtherRunsDoesNotMatter() throws {
    let settings = try RunSettingsDemoTests.demo(
      ["--demo"],
      [
        ("WSII_URL", "wss://x"), ("WSII_NAME", "team"), ("WSII_DIALECT", "plain"),
        ("WSII_PROXY", "p:1"), ("WSII_UNIX_SOCKET", "/x"), ("WSII_LISTEN", "[::1]:9"),
      ])
    #expect(settings.url.text == "ws://[::1]:9/" && settings.dialect == .native)
    #expect(settings.proxy == nil && settings.unixSocketPath == nil && settings.name == nil)
  }

  @Test(arguments: [
    (["ws://x"], "ws://x"), (["name"], "name"), (["--dialect=plain"], "native"),
    (["--proxy=p:1"], "--proxy"), (["--unix-socket=/x"], "--unix-socket"),
  ])
  func whatContradictsIsRefused(arguments: [String], part: String) {
    let error = #expect(throws: OptionError.self) {
      try RunSettingsDemoTests.demo(["--demo"] + arguments)
    }
    #expect(error?.status == .usage)
    #expect(error?.message.contains(part) == true)
  }

  @Test(arguments: ["unix:/x", "0.0.0.0:7717", "x"])
  func theHubsPlaceMustBeAPortOfThisMachine(address: String) {
    let error = #expect(throws: OptionError.self) {
      try RunSettingsDemoTests.demo([], [("WSII_LISTEN", address)])
    }
    #expect(error?.status == .configuration)
  }
}
