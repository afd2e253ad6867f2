import Testing

@testable import Options

@Suite struct OptionDefinitionTests {
  @Test func aBarredSourceIsNotAllowed() {
    let option = OptionDefinition(
      .insecure, .flag, says: "x", in: .security, barredFrom: [.file])
    #expect(option.isAllowed(in: .commandLine))
    #expect(option.isAllowed(in: .environment))
    #expect(!option.isAllowed(in: .file))
  }

  @Test func anOptionIsForRunUnlessSaidOtherwise() {
    let option = OptionDefinition(.quiet, .flag, says: "x", in: .output)
    #expect(option.commands == [.run])
    #expect(!option.isRepeatable && !option.isSecret && !option.isCommon)
    #expect(option.short == nil && option.metavar == nil && option.defaultText == nil)
  }
}
