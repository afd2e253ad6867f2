import Testing

@testable import Options

@Suite struct LoopbackTests {
  @Test(arguments: [
    "localhost", "LOCALHOST", "127.0.0.1", "127.255.255.255", "127.0.0.0", "::1",
  ])
  func loopbackIsRecognised(host: String) {
    #expect(Loopback.contains(host))
  }

  @Test(arguments: [
    "", "localhost.example", "127.0.0.1.example", "127.1", "0127.0.0.1", "127.0.0.256",
    "127.0.0.01", "127.0.0.", "127..0.1", "128.0.0.1", "0.0.0.0", "::", "::ffff:127.0.0.1",
    "2130706433", "127.0.0.1000", "localhost.", "127.0.0.x",
  ])
  func whatMightLeaveTheMachineIsNot(host: String) {
    #expect(!Loopback.contains(host))
  }
}
