import Testing

@testable import Options

@Suite struct ServerAddressTests {
  @Test(arguments: [
    ("ws://127.0.0.1:7717", false, "127.0.0.1", true),
    ("wss://chat.example/ws", true, "chat.example", false),
    ("WSS://[::1]:80/x?y", true, "::1", true), ("ws://localhost?x=@", false, "localhost", true),
    ("ws://localhost#x", false, "localhost", true),
    ("ws://127.0.0.1.example", false, "127.0.0.1.example", false),
    ("ws://[::1", false, "::1", true),
  ])
  func hostsAreFound(url: String, isSecure: Bool, host: String, isLocal: Bool) throws {
    let address = try ServerAddress(url)
    #expect(address.isSecure == isSecure)
    #expect(address.host == host)
    #expect(address.isLocal == isLocal)
  }

  @Test(arguments: [
    ("localhost", "not a URL"), ("http://x", "the scheme is http; ws is meant"),
    ("https://x", "the scheme is https; wss is meant"), ("ftp://x", "the scheme is 'ftp'"),
    ("ws://", "the host is missing"), ("ws:///x", "the host is missing"),
    ("ws://:80", "the host is missing"), ("ws://[]", "the host is missing"),
    ("ws://a b", "holds a space or a control character"),
    ("ws://127.0.0.1@evil.example", "holds a user or password; use --header or a token option"),
  ])
  func othersAreRefused(url: String, reason: String) {
    #expect(throws: ValueProblem(reason)) { try ServerAddress(url) }
  }
}
