import Testing

@testable import Options

@Suite struct InvocationTests {
  private static func given(_ arguments: [String]) throws -> GivenArguments {
    switch try Invocation.parse(arguments) {
    case .run(let given), .hub(let given): return given
    case .help, .version: throw ValueProblem("not a run")
    }
  }

  @Test(arguments: [
    (["run", "x"], ["x"], []), (["run", "x", "--quiet"], ["x"], ["quiet=true"]),
    (["--quiet", "run", "x"], ["x"], ["quiet=true"]),
    (["run", "--quiet", "--no-quiet", "x"], ["x"], ["quiet=true", "quiet=false"]),
    (["run", "--name=a", "--name", "b"], [], ["name=a", "name=b"]),
    (["run", "-na", "-n", "b", "-n=c"], [], ["name=a", "name=b", "name==c"]),
    (["run", "--", "--quiet"], ["--quiet"], []), (["--", "run", "-x"], ["-x"], []),
    (["run", "-"], ["-"], []), (["run", "--header=A: b=c"], [], ["header=A: b=c"]),
    (["run", "--name="], [], ["name="]), (["run", "--name", "--quiet"], [], ["name=--quiet"]),
    (["run", ""], [""], []),
    (["hub", "--echo", "--listen", "x:1"], [], ["echo=true", "listen=x:1"]),
    (["--origin", "o", "hub"], [], ["origin=o"]),
  ])
  func argumentsAreReadInOrder(arguments: [String], operands: [String], options: [String]) throws {
    let given = try InvocationTests.given(arguments)
    #expect(given.operands == operands)
    #expect(given.options.map { "\($0.name.rawValue)=\($0.text)" } == options)
    #expect(given.options.allSatisfy { $0.origin == .commandLine })
  }

  @Test(arguments: [
    ([], "no command; wsii --help lists them"),
    (["--quiet"], "no command; wsii --help lists them"),
    (["rum"], "unknown command 'rum'; did you mean run?"),
    (["ws://x"], "unknown command 'ws://x'; did you mean wsii run URL?"),
    (["bogus"], "unknown command 'bogus'; wsii --help lists them"),
    (["-"], "unknown command '-'; wsii --help lists them"),
    (["run", "a", "b"], "unexpected argument 'b'"), (["hub", "a"], "unexpected argument 'a'"),
    (["help", "run", "x"], "unexpected argument 'x'"),
    (["run", "--quite"], "unknown option --quite; did you mean --quiet?"),
    (["run", "--zzz"], "unknown option --zzz; wsii help run lists them"),
    (["--zzz"], "unknown option --zzz"), (["run", "-z"], "unknown option -z"),
    (["run", "--url", "x"], "unknown option --url; wsii help run lists them"),
    (["run", "--no-name"], "unknown option --no-name; wsii help run lists them"),
    (["run", "--no-help"], "unknown option --no-help; wsii help run lists them"),
    (["run", "--no-quiet=1"], "--no-quiet takes no value"),
    (["run", "--quiet=1"], "--quiet takes no value; --no-quiet switches it off"),
    (["run", "--name"], "--name needs NAME"), (["run", "-n"], "-n needs NAME"),
    (["run", "--listen", "x:1"], "--listen is an option of wsii hub, not of wsii run"),
    (["help", "--quiet"], "--quiet is an option of wsii run, not of wsii help"),
    (
      ["help", "--max-message", "1"],
      "--max-message is an option of wsii run and wsii hub, not of wsii help"
    ),
    (["run", "--\u{1B}"], "unknown option --\\x1b; wsii help run lists them"),
  ])
  func mistakesAreUsageErrors(arguments: [String], message: String) {
    #expect(throws: OptionError(message, status: .usage)) { try Invocation.parse(arguments) }
  }

  @Test(arguments: [
    (["--help"], HelpPage.overview), (["-h"], .overview), (["help"], .overview),
    (["help", "help"], .overview), (["help", "--help"], .overview),
    (["run", "--help"], .common(.run)), (["run", "x", "y", "-h", "--bogus"], .common(.run)),
    (["hub", "--help"], .common(.hub)), (["help", "run"], .full(.run)),
    (["help", "hub"], .full(.hub)), (["--help", "run"], .overview),
  ])
  func helpIsAPage(arguments: [String], page: HelpPage) throws {
    #expect(try Invocation.parse(arguments) == .help(page))
  }

  @Test(arguments: [["--version"], ["run", "--version"], ["--version", "--bogus"]])
  func versionEndsTheReading(arguments: [String]) throws {
    #expect(try Invocation.parse(arguments) == .version)
  }
}
