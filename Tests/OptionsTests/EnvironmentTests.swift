import Testing

@testable import Options

@Suite struct EnvironmentTests {
  @Test func onlyOwnVariablesAreKept() {
    let environment = Environment([("PATH", "/bin"), ("WSII_NAME", "ops"), ("WSII", "x")])
    #expect(environment == Environment([("WSII_NAME", "ops")]))
    #expect(environment != Environment([]))
    #expect(environment.value(of: "WSII_NAME") == "ops")
    #expect(environment.value(of: "PATH") == nil)
    #expect(environment.without("WSII_NAME") == Environment([]))
  }

  @Test func anEmptyValueIsNone() {
    #expect(Environment([("WSII_NAME", "")]).value(of: "WSII_NAME") == nil)
  }

  @Test(arguments: [
    (Command.run, "WSII_QUIET", "yes", ["quiet=yes"]),
    (.run, "WSII_HEADER", "A: 1\nB: 2\n", ["header=A: 1", "header=B: 2"]),
    (.run, "WSII_LISTEN", "x:1", []), (.hub, "WSII_LISTEN", "x:1", ["listen=x:1"]),
    (.run, "WSII_URL", "ws://x", ["url=ws://x"]), (.run, "WSII_HELP", "1", []),
    (.run, "WSII_ORIGIN", "a\nb", ["origin=a\nb"]),
    (.hub, "WSII_ORIGIN", "a\nb", ["origin=a", "origin=b"]),
  ])
  func variablesAreOptions(command: Command, name: String, value: String, options: [String]) {
    let given = Environment([(name, value)]).options(of: command)
    #expect(given.map { "\($0.name.rawValue)=\($0.text)" } == options)
    #expect(given.allSatisfy { $0.origin == .environment })
  }

  @Test(arguments: [
    ("WSII_TOKENFILE", "WSII_TOKEN_FILE"), ("WSII_RETIRES", "WSII_RETRIES"), ("WSII_TOKEN", nil),
    ("WSII_MSG_ID", nil), ("WSII_QUIET", nil), ("WSII_", nil), ("WSII_TEST_SEED", nil),
  ])
  func mistypedNamesAreNoticed(name: String, meant: String?) {
    #expect(Environment([(name, "x")]).mistyped.map(\.meant) == (meant.map { [$0] } ?? []))
  }
}
