import Testing

@testable import Options

@Suite struct OptionTableTests {
  @Test(arguments: OptionName.allCases)
  func everyNameStandsInTheTable(name: OptionName) throws {
    let rows = OptionTable.definitions.filter { $0.name == name }
    let first = try #require(rows.first)
    // The command may follow the option, so its shape can't depend on the command.
    #expect(rows.allSatisfy { ($0.kind == .flag) == (first.kind == .flag) })
    #expect(rows.allSatisfy { $0.short == first.short && $0.barredFrom == first.barredFrom })
    let owners = rows.flatMap(\.commands)
    #expect(Set(owners).count == owners.count)
  }

  @Test func everyDefaultIsAGoodValue() throws {
    for option in OptionTable.definitions {
      guard let text = option.defaultText else { continue }
      #expect(throws: Never.self) { try option.kind.parse(text) }
      #expect(!option.isRepeatable && option.defaultNote == nil)
    }
  }

  @Test func onlyFlagsHaveNoMetavar() {
    for option in OptionTable.definitions {
      #expect((option.metavar == nil) == (option.kind == .flag))
    }
  }

  @Test func wordsAreTheOnesThatTheSettingsKnow() {
    func words(_ name: OptionName) -> Set<String> {
      guard case .word(let words) = OptionTable.definition(of: name)?.kind else { return [] }
      return Set(words)
    }
    #expect(words(.dialect) == Set(RunSettings.Dialect.allCases.map(\.rawValue)))
    #expect(words(.ackBy) == Set(RunSettings.AckProof.allCases.map(\.rawValue)))
    #expect(words(.onRefused) == Set(RunSettings.RefusalPolicy.allCases.map(\.rawValue)))
    #expect(words(.logFormat) == Set(LogSettings.Format.allCases.map(\.rawValue)))
    #expect(words(.logLevel) == Set(LogSettings.Level.allCases.map(\.name)))
  }

  @Test func optionsAreFoundByNameCommandAndLetter() {
    #expect(OptionTable.definition(of: .origin, for: .run)?.isRepeatable == false)
    #expect(OptionTable.definition(of: .origin, for: .hub)?.isRepeatable == true)
    #expect(OptionTable.definition(of: .listen, for: .run) == nil)
    #expect(OptionTable.definition(short: "n")?.name == .name)
    #expect(OptionTable.definition(short: "z") == nil)
    #expect(OptionTable.options(of: .hub).contains { $0.name == .listen })
  }

  @Test func secretsAndDangersAreMarked() {
    for name in [OptionName.header, .query, .proxy] {
      #expect(OptionTable.definition(of: name)?.isSecret == true)
    }
    #expect(OptionTable.definition(of: .insecure)?.isAllowed(in: .file) == false)
  }
}
