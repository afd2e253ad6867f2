import Testing

@testable import Options

@Suite struct OptionOriginTests {
  @Test(arguments: [
    (OptionOrigin.commandLine, "--ack-by", 0, Status.usage),
    (.environment, "WSII_ACK_BY", 1, .configuration),
    (.file(path: "/x/ops.conf", line: 3), "/x/ops.conf:3: ack-by", 2, .configuration),
    (.byDefault, "--ack-by", 3, .configuration),
  ])
  func anOptionIsSpelledAsItWasGiven(
    origin: OptionOrigin, spelling: String, rank: Int, status: Status
  ) {
    #expect(origin.spelling(of: .ackBy) == spelling)
    #expect(origin.rank == rank)
    #expect(origin.status == status)
  }

  @Test func theURLHasNoDashes() {
    #expect(OptionOrigin.commandLine.spelling(of: .url) == "URL")
  }
}
