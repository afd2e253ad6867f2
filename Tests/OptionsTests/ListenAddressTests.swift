import Testing

@testable import Options

@Suite struct ListenAddressTests {
  @Test(arguments: [
    ("127.0.0.1:7717", ListenAddress.tcp(host: "127.0.0.1", port: 7717), true),
    ("localhost:0", .tcp(host: "localhost", port: 0), true),
    ("[::1]:65535", .tcp(host: "::1", port: 65_535), true),
    ("[fe80::1]:1", .tcp(host: "fe80::1", port: 1), false),
    ("0.0.0.0:80", .tcp(host: "0.0.0.0", port: 80), false),
    ("my-host_1.example:80", .tcp(host: "my-host_1.example", port: 80), false),
    ("unix:/run/x", .unix(path: "/run/x"), true), ("unix:a b", .unix(path: "a b"), true),
  ])
  func addressesAreRead(text: String, address: ListenAddress, isLocal: Bool) {
    #expect(ListenAddress.parse(text) == address)
    #expect(address.text == text)
    #expect(address.isLocal == isLocal)
  }

  @Test(arguments: [
    "", ":", ":80", "host", "host:", "host:65536", "host:x", "host:-1", "unix:", "::1:80",
    "[]:80", "[::1]", "[::1:80", "[g]:80", "a b:80", "a/b:80", "unix:a\nb", "é:80",
  ])
  func othersAreNot(text: String) {
    #expect(ListenAddress.parse(text) == nil)
  }
}
