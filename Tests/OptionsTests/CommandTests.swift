import Testing

@testable import Options

@Suite struct CommandTests {
  @Test(arguments: Command.allCases)
  func everyCommandFitsAHelpLine(command: Command) {
    #expect("  wsii \(command.rawValue) \(command.operands)".count < 40)
    #expect(!command.summary.isEmpty && command.summary.count <= 50)
  }
}
