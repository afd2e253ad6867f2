import Testing
import WebSocket

@testable import Options

@Suite struct RunSettingsTests {
  private static func resolve(
    _ arguments: [String], _ pairs: [(name: String, value: String)] = [], file: String? = nil
  ) throws -> RunSettings {
    let read = try file.map { try ConfigurationFile(path: "/c/ops.conf", bytes: Array($0.utf8)) }
    guard case .run(let given) = try Invocation.parse(["run"] + arguments) else {
      throw ValueProblem("not a run")
    }
    return try RunSettings.resolve(given, environment: Environment(pairs), file: read)
  }

  @Test func theTableAndTheInitialValuesAgree() throws {
    #expect(try RunSettingsTests.resolve(["ws://x"]) == RunSettings(url: WebSocketURL("ws://x")))
  }

  @Test(arguments: [
    (["ws://x"], "", RunSettings.Connection.url("ws://x")),
    (["ws://x", "-n", "ops"], "", .url("ws://x")), (["ops"], "", .named("ops")),
    (["-n", "ops"], "", .named("ops")), (["ops", "-n", "ops"], "", .named("ops")),
    ([], "ops", .named("ops")), (["-n", "a"], "ops", .named("a")), (["a"], "ops", .named("a")),
    ([], "", .unspecified), (["http://x"], "", .url("http://x")),
  ])
  func theConnectionIsChosen(
    arguments: [String], name: String, connection: RunSettings.Connection
  ) throws {
    guard case .run(let given) = try Invocation.parse(["run"] + arguments) else { return }
    let environment = Environment([("WSII_NAME", name)])
    #expect(try RunSettings.connection(given, environment: environment) == connection)
  }

  @Test(arguments: [
    ([], "", RunSettings.Connection.url("ws://e")), ([], "ops", .url("ws://e")),
    (["-n", "ops"], "", .named("ops")), (["ops"], "", .named("ops")),
    (["ws://x"], "", .url("ws://x")),
  ])
  func aURLInTheEnvironmentGivesWayToAName(
    arguments: [String], name: String, connection: RunSettings.Connection
  ) throws {
    guard case .run(let given) = try Invocation.parse(["run"] + arguments) else { return }
    let environment = Environment([("WSII_NAME", name), ("WSII_URL", "ws://e")])
    #expect(try RunSettings.connection(given, environment: environment) == connection)
  }

  @Test func aURLInTheEnvironmentNeverMeetsAFile() throws {
    let pairs = [(name: "WSII_URL", value: "wss://e")]
    #expect(try RunSettingsTests.resolve([], pairs).url.host == "e")
    #expect(try RunSettingsTests.resolve(["ops"], pairs, file: "url = wss://x").url.host == "x")
    #expect(throws: OptionError("/c/ops.conf: url is missing", status: .configuration)) {
      try RunSettingsTests.resolve(["ops"], pairs, file: "quiet = yes")
    }
  }

  @Test(arguments: [
    (["a", "-n", "b"], "", "two names: 'a' and --name 'b'", Status.usage),
    (["a/b"], "", "NAME 'a/b': not a connection's name", .usage),
    (["-n", ""], "", "--name '': empty", .usage),
    ([], ".", "WSII_NAME '.': not a connection's name", .configuration),
  ])
  func badNamesAreRefused(
    arguments: [String], name: String, beginning: String, status: Status
  ) throws {
    guard case .run(let given) = try Invocation.parse(["run"] + arguments) else { return }
    let error = #expect(throws: OptionError.self) {
      try RunSettings.connection(given, environment: Environment([("WSII_NAME", name)]))
    }
    #expect(error?.message.hasPrefix(beginning) == true)
    #expect(error?.status == status)
  }

  @Test func everyOptionReachesItsProperty() throws {
    let settings = try RunSettingsTests.resolve([
      "wss://x", "-nops", "--dialect=plain", "--room=a", "--room=b",
      "--user-id=u", "--user-name=U", "--history=3", "--own", "--ack=off", "--header=A: b",
      "--query=a=@f",
      "--subprotocol=v1", "--origin=http://o", "--hello=h", "--proxy=p:1", "--unix-socket=u",
      "--connect-timeout=1", "--ping-interval=off", "--ping-timeout=3", "--backoff=4..5",
      "--stable-after=6", "--retries=7", "--stay", "--token-env=T", "--plaintext-token",
      "--cacert=ca", "--cert=c", "--key=k", "--insecure", "--max-message=8", "--window=9",
      "--ack-by=write", "--ack-timeout=10ms", "--outbox-max=11", "--overflow-max=12",
      "--drain-timeout=13", "--ephemeral", "--text", "--quiet", "--count=14", "--for=15",
      "--trace", "--log-level=debug", "--log-format=json",
    ])
    var expected = try RunSettings(url: WebSocketURL("wss://x"))
    expected.name = "ops"
    expected.dialect = .plain
    expected.rooms = ["a", "b"]
    expected.userID = "u"
    expected.userName = "U"
    expected.history = 3
    expected.repeatsOwn = true
    expected.acknowledges = false
    expected.headers = [NamedValue(name: "A", value: .literal("b"))]
    expected.query = [NamedValue(name: "a", value: .file("f"))]
    expected.subprotocols = ["v1"]
    expected.origin = "http://o"
    expected.helloPath = "h"
    expected.proxy = "p:1"
    expected.unixSocketPath = "u"
    expected.connectTimeout = .seconds(1)
    expected.pingInterval = nil
    expected.pingTimeout = .seconds(3)
    expected.backoff = .seconds(4)...(.seconds(5))
    expected.stableAfter = .seconds(6)
    expected.retries = 7
    expected.onRefused = .wait
    expected.token = .environment("T")
    expected.allowsPlaintextToken = true
    expected.authoritiesPath = "ca"
    expected.certificatePath = "c"
    expected.keyPath = "k"
    expected.isInsecure = true
    expected.maximumMessage = 8
    expected.window = 9
    expected.ackProof = .write
    expected.ackTimeout = .milliseconds(10)
    expected.maximumOutbox = 11
    expected.maximumOverflow = 12
    expected.drainTimeout = .seconds(13)
    expected.isEphemeral = true
    expected.stays = true
    expected.isText = true
    expected.isQuiet = true
    expected.count = 14
    expected.lasting = .seconds(15)
    expected.traces = true
    expected.log = LogSettings(format: .json, level: .debug)
    expected.warnings = settings.warnings
    #expect(settings == expected)
  }

  @Test func aNameTakesItsURLFromTheFile() throws {
    let settings = try RunSettingsTests.resolve(
      ["ops"], file: "url = wss://x\nname = ops\nstay = yes\non-refused = exit")
    #expect(settings.url.text == "wss://x/" && settings.name == "ops" && settings.stays)
    #expect(settings.onRefused == .exit)
  }

  @Test(arguments: [
    (["ops"], "quiet = yes" as String?, "/c/ops.conf: url is missing", Status.configuration),
    (
      ["ops"], "url = ws://x\nname = other",
      "/c/ops.conf:2: name: the connection's name is the file's, ops", .configuration
    ),
    (
      [], nil,
      "wsii run needs a NAME or a URL, as in: wsii run ws://127.0.0.1:7717; with --demo it starts a hub to talk in",
      .usage
    ),
    (
      ["wss://x", "--token-file", "a", "--token-env", "b"], nil,
      "--token-env: token-file is given as well; there is one token", .usage
    ),
    (
      [], "url = wss://x\ntoken-file = a\ntoken-command = b",
      "/c/ops.conf:3: token-command: token-file is given as well; there is one token",
      .configuration
    ),
  ])
  func contradictionsAreErrors(
    arguments: [String], file: String?, message: String, status: Status
  ) {
    #expect(throws: OptionError(message, status: status)) {
      try RunSettingsTests.resolve(arguments, file: file)
    }
  }

  @Test(arguments: [
    (["--token-command", "c"], "e", TokenSource.command("c")), ([], "e", .environment("e")),
    (["--token-file", "f"], "e", .file("f")), ([], "", .file("/c/t")),
  ])
  func theTokenComesFromTheBestSource(
    arguments: [String], variable: String, token: TokenSource
  ) throws {
    let settings = try RunSettingsTests.resolve(
      ["ops"] + arguments, [("WSII_TOKEN_ENV", variable)], file: "url = wss://x\ntoken-file = t")
    #expect(settings.token == token)
  }
}
