import Testing

@testable import Options

@Suite struct RunLintTests {
  private static func resolve(
    _ arguments: [String], _ pairs: [(name: String, value: String)] = []
  ) throws -> RunSettings {
    guard case .run(let given) = try Invocation.parse(["run"] + arguments) else {
      throw ValueProblem("not a run")
    }
    return try RunSettings.resolve(given, environment: Environment(pairs))
  }

  @Test(arguments: [
    ["ws://127.0.0.1", "--token-file=t"], ["wss://chat.example", "--token-file=t"],
    ["ws://chat.example", "--token-env=T", "--plaintext-token"],
    ["ws://chat.example", "--unix-socket=s", "--token-command=c"],
    ["ws://chat.example", "--header=X-A: b", "--query=room=ops"],
    ["wss://x", "--header=Authorization: @f", "--cert=c", "--key=k", "--cacert=ca"],
    ["wss://x", "--retries=0"], ["wss://x", "--insecure"], ["wss://x", "--no-insecure"],
    ["wss://x", "--for=1"],
    ["ws://x", "--no-insecure"],
  ])
  func senseIsSilent(arguments: [String]) throws {
    #expect(try RunLintTests.resolve(arguments).warnings == [])
  }

  @Test(arguments: [
    ["ws://chat.example", "--token-file=t"], ["ws://chat.example", "--token-env=T"],
    ["ws://chat.example", "--token-command=c", "--no-plaintext-token"],
    ["ws://127.0.0.1", "--proxy=p:1", "--token-file=t"],
  ])
  func aTokenInTheOpenIsAnError(arguments: [String]) {
    let error = #expect(throws: OptionError.self) { try RunLintTests.resolve(arguments) }
    #expect(error?.status == .configuration)
    #expect(error?.message.hasPrefix("the token would travel unencrypted to ") == true)
  }

  @Test func twoAuthorizationsAreAnError() {
    #expect(
      throws: OptionError(
        "--header: the token goes into Authorization already", status: .usage)
    ) {
      try RunLintTests.resolve(["wss://x", "--token-file=t", "--header=authorization: @f"])
    }
  }

  @Test(arguments: [
    (["ws://x", "--header=Cookie: @f"], "--header Cookie travels unencrypted over ws://"),
    (
      ["wss://x", "--query=token=t"],
      "--query token: other users see command lines; @FILE reads the value"
    ),
    (["ws://x", "--insecure"], "--insecure does nothing over ws://"),
    (["ws://x", "--cacert=c"], "--cacert does nothing over ws://"),
    (["ws://x", "--cert=c"], "--cert does nothing over ws://"),
    (["wss://x", "--key=k"], "--key does nothing without --cert"),
    (["wss://x", "--cacert=c", "--insecure"], "--cacert does nothing with --insecure"),
    (["wss://x", "--proxy=p", "--unix-socket=u"], "--proxy does nothing with --unix-socket"),
    (["wss://x", "--plaintext-token"], "--plaintext-token does nothing without a token"),
    (
      ["wss://x", "--ping-timeout=30s"],
      "--ping-timeout 30s is longer than --ping-interval 20s"
    ),
    (
      ["wss://x", "--ping-timeout=1s", "--ping-interval=off"],
      "--ping-timeout does nothing with --ping-interval off"
    ),
    (["wss://x", "--retries=0", "--backoff=1..2"], "--backoff does nothing with --retries 0"),
    (
      ["wss://x", "--retries=0", "--stable-after=1"],
      "--stable-after does nothing with --retries 0"
    ),
    (
      ["wss://x", "--for=1", "--connect-timeout=2"],
      "--for 1s is shorter than --connect-timeout 2s"
    ),
    (
      ["wss://x", "--outbox-max=1k"],
      "--outbox-max 1KiB is smaller than one message of --max-message 1MiB"
    ),
    (
      ["wss://x", "--ack-by=write", "--ack-timeout=1"],
      "--ack-timeout does nothing with --ack-by write"
    ),
    (
      ["wss://x", "--dialect=plain", "--room=a"], "--room does nothing with --dialect plain"
    ),
    (
      ["wss://x", "--dialect=native", "--ack-by=pong"],
      "--ack-by does nothing with --dialect native"
    ),
    (
      ["wss://x", "--token-env=T", "--user-id=u"],
      "--user-id does nothing with a token, which says who you are"
    ),
    (["wss://x", "--ack-by=write", "--window=1"], "--window does nothing with --ack-by write"),
    (["wss://x", "--stay", "--drain-timeout=1"], "--drain-timeout does nothing with --stay"),
  ])
  func nonsenseIsNamed(arguments: [String], warning: String) throws {
    #expect(try RunLintTests.resolve(arguments).warnings.contains(warning))
  }

  @Test func mistypedVariablesAreNamed() throws {
    let pairs = [(name: "WSII_RETRY", value: "1"), (name: "WSII_TEXTS", value: "secret")]
    #expect(
      try RunLintTests.resolve(["wss://x"], pairs).warnings
        == ["WSII_TEXTS isn't an option; did you mean WSII_TEXT?"])
    #expect(
      try RunLintTests.resolve(["wss://x", "--token-env=WSII_TEXTS"], pairs).warnings == [])
  }
}
