import Testing

@testable import Options

@Suite struct HubAddressTests {
  @Test(arguments: [
    ("127.0.0.1:7717", HubAddress.tcp(host: "127.0.0.1", port: 7717), true),
    ("127.255.0.9:1", .tcp(host: "127.255.0.9", port: 1), true),
    ("localhost:0", .tcp(host: "localhost", port: 0), true),
    ("[::1]:65535", .tcp(host: "::1", port: 65_535), true),
    ("[fe80::1]:1", .tcp(host: "fe80::1", port: 1), false),
    ("[::ffff:127.0.0.1]:1", .tcp(host: "::ffff:127.0.0.1", port: 1), false),
    ("0.0.0.0:80", .tcp(host: "0.0.0.0", port: 80), false),
    ("unix:/run/x", .unix(path: "/run/x"), true), ("unix:a b", .unix(path: "a b"), true),
  ])
  func addressesAreRead(text: String, address: HubAddress, isLocal: Bool) {
    #expect(HubAddress.parse(text) == address)
    #expect(address.text == text)
    #expect(address.isLocal == isLocal)
  }

  @Test(arguments: [
    "", ":", ":80", "host:80", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "localhost:x",
    "localhost:-1", "unix:", "::1:80", "[]:80", "[:]:80", "[::1]", "[::1:80", "[ff]:80",
    "[::g]:80", "a b:80", "a/b:80", "unix:a\nb", "é:80", "127.1:80", "127.0.0.256:80",
    "0127.0.0.1:80", "127.0.0.01:80", "127..0.1:80", "127.0.0.1000:80", "127.0.0.x:80",
  ])
  func othersAreNot(text: String) {
    #expect(HubAddress.parse(text) == nil)
  }
}
