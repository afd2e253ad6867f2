import Testing

@testable import Options

@Suite struct HelpPageTests {
  private static let pages: [(HelpPage, Int)] = [
    (.overview, 24), (.common(.run), 24), (.common(.hub), 24), (.full(.run), 66),
    (.full(.hub), 32), (.common(.help), 24), (.full(.help), 24),
  ]

  @Test(arguments: pages)
  func pagesFitTheirScreens(page: HelpPage, maximum: Int) {
    let lines = page.text.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
    #expect(lines.count <= maximum, "\(lines.count) lines")
    for line in lines where line.count > 80 {
      Issue.record("\(line.count) columns: \(line)")
    }
    #expect(page.text.hasSuffix("\n"))
  }

  @Test(arguments: [Command.run, .hub])
  func everyOptionStandsInTheFullPage(command: Command) {
    let text = HelpPage.full(command).text
    for option in OptionTable.options(of: command) {
      let name = option.name == .url ? "url = URL" : "--\(option.name.rawValue)"
      #expect(text.contains(name))
      #expect(text.contains(option.help))
      if let shown = option.defaultText ?? option.defaultNote {
        #expect(text.contains("[\(shown)]"))
      }
    }
    for status in Status.statuses(of: command) {
      #expect(text.contains("  \(status.rawValue)") && text.contains(status.meaning))
    }
  }

  @Test func rowsLookLikeThis() {
    let text = HelpPage.full(.run).text
    #expect(text.contains("\n  -n, --name NAME             names the connection\n"))
    #expect(text.contains("\n  --max-message SIZE          limit for one message [1MiB]\n"))
    #expect(text.contains("\n  64  the command line makes no sense\n"))
  }

  @Test func theOverviewNamesEveryCommand() {
    for command in Command.allCases {
      #expect(HelpPage.overview.text.contains("\n  wsii \(command.rawValue) "))
    }
  }
}
