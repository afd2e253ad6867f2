import Testing
import Transport
import WebSocket

@testable import Daemon

@Suite struct HubAccessTests {
  private static let tcp = SocketAddress.tcp(host: "127.0.0.1", port: 7717)

  private static func objection(
    _ fields: [String], to address: SocketAddress = tcp, origins: [String] = []
  ) throws -> String? {
    var handshake = ServerHandshake()
    let bytes = RawClient.request(fields: fields)
    var position = 0
    guard case .upgrade(let upgrade)? = handshake.receive(bytes.span, at: &position) else {
      throw HubStage.Failure("not a request")
    }
    return HubAccess(listening: address, origins: origins).objection(to: upgrade.request)
  }

  @Test(arguments: [
    "localhost", "LOCALHOST:7717", "127.0.0.1", "127.0.0.1:7717", "127.0.0.1:8080",
  ])
  func ownNamesAreWelcome(host: String) throws {
    #expect(try HubAccessTests.objection(["Host: \(host)"]) == nil)
  }

  @Test(arguments: [
    "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "127.0.0.2", "",
    "[::1]", "[localhost", "localhost@evil.example",
  ])
  func otherHostsAreNot(host: String) throws {
    #expect(try HubAccessTests.objection(["Host: \(host)"]) != nil)
  }

  @Test(arguments: [
    (SocketAddress.tcp(host: "::1", port: 1), "[::1]:1", true),
    (.tcp(host: "::1", port: 1), "[::1]", true), (.tcp(host: "::1", port: 1), "[::1]evil", false),
    (.tcp(host: "::1", port: 1), "127.0.0.1", false),
    (.tcp(host: "localhost", port: 1), "127.0.0.1", true),
    (.unix(path: "/x"), "whatever.example", true),
    (.tcp(host: "0.0.0.0", port: 1), "192.168.1.2:1", true),
    (.tcp(host: "0.0.0.0", port: 1), "192.168.1.example", false),
    (.tcp(host: "::", port: 1), "[fe80::1]:1", true), (.tcp(host: "::", port: 1), "[x]", false),
  ])
  func theHostFitsTheAddress(address: SocketAddress, host: String, isWelcome: Bool) throws {
    #expect((try HubAccessTests.objection(["Host: \(host)"], to: address) == nil) == isWelcome)
  }

  @Test(arguments: [
    ("http://localhost:3000", true), ("http://127.0.0.1:7717", true), ("https://LOCALHOST", true),
    ("http://evil.example", false), ("http://localhost.evil.example", false), ("null", false),
    ("file://", false), ("http://", false), ("localhost", false), ("http://chat.example", false),
    ("https://chat.example", true), ("https://CHAT.example:443", true),
    ("https://chat.example:8443", false), ("http://other.example:80", true),
  ])
  func originsAreJudged(origin: String, isWelcome: Bool) throws {
    let objection = try HubAccessTests.objection(
      ["Host: localhost", "Origin: \(origin)"],
      origins: ["https://chat.example", "http://other.example"])
    #expect((objection == nil) == isWelcome)
  }

  @Test func anOriginsHostIsAHostToo() throws {
    let origins = ["https://chat.example:8443"]
    #expect(try HubAccessTests.objection(["Host: chat.example"], origins: origins) == nil)
  }

  @Test func twoOriginsAreNone() throws {
    let fields = ["Host: localhost", "Origin: http://localhost", "Origin: http://evil.example"]
    #expect(try HubAccessTests.objection(fields) != nil)
  }
}
