import Testing

@testable import Options

@Suite struct OptionErrorTests {
  @Test func aRunWithoutConnectionListsWhatThereIs() {
    let bare = OptionError.missingConnection(configured: [])
    #expect(bare.status == .usage)
    #expect(
      bare.message
        == "wsii run needs a NAME or a URL, as in: wsii run ws://127.0.0.1:7717; with --demo it starts a hub to talk in"
    )
    #expect(
      OptionError.missingConnection(configured: ["a", "b\n"]).message
        == bare.message + "; configured: a, b\\n")
  }

  @Test func aMissingFileIsBadConfiguration() {
    let error = OptionError.missingConfiguration(name: "ops", path: "/c/ops.conf")
    #expect(error.status == .configuration)
    #expect(
      error.message
        == "no connection 'ops': /c/ops.conf doesn't exist (a URL begins with ws:// or wss://)")
  }
}
