import Testing
import WebSocket

@testable import Hub

@Suite struct AdmissionTests {
  @Test(
    "without tokens everybody is who he says",
    arguments: [
      ("/?userId=u1&userName=Ada%20L.", "u1", "Ada L."),
      ("/?userId=u1", "u1", "u1"),
      ("/?userId=u1&userName=", "u1", "u1"),
      ("/?userName=Ada", "guest-92222p", "Ada"),
      ("/", "guest-92222p", "guest-92222p"),
      ("/?userId=", "guest-92222p", "guest-92222p"),
    ])
  func open(_ target: String, _ userID: String, _ name: String) {
    guard case .accepted(let identity, nil) = admit(target) else {
      Issue.record("refused")
      return
    }
    #expect(String(decoding: identity.userID, as: UTF8.self) == userID)
    #expect(String(decoding: identity.name, as: UTF8.self) == name)
    #expect(identity.isMadeUp == userID.hasPrefix("guest"))
  }

  @Test("nobody can be called what hides or forges")
  func illegalNames() {
    #expect(
      admit("/?userId=a%0Ab")
        == .refused(status: 400, reason: "the user id has a character that can't be shown"))
    #expect(
      admit("/?userName=%FF") == .refused(status: 400, reason: "the name is no UTF-8"))
  }

  @Test(
    "a token is taken from header, subprotocol or query",
    arguments: [
      ("/", ["Authorization: Bearer secret"], nil),
      ("/", ["authorization: bEARER   secret"], nil),
      ("/?access_token=secret", [], nil),
      ("/?access_token=s%65cret", ["Sec-WebSocket-Protocol: wsii"], "wsii"),
      ("/", ["Sec-WebSocket-Protocol: secret"], "secret"),
      ("/", ["Sec-WebSocket-Protocol: wsii, secret"], "wsii"),
      ("/", ["Sec-WebSocket-Protocol: secret, wsii"], "wsii"),
      ("/?access_token=wrong", ["Sec-WebSocket-Protocol: secret"], "secret"),
      ("/", ["Authorization: Bearer secret", "Sec-WebSocket-Protocol: a, b"], "a"),
    ] as [(String, [String], String?)])
  func tokens(_ target: String, _ fields: [String], _ subprotocol: String?) throws {
    let tokens = try TokenFile(bytes("secret u1 Ada"))
    let ada = try Identity(userID: bytes("u1"), name: bytes("Ada"))
    #expect(
      admit(target, fields, tokens: tokens) == .accepted(ada, subprotocol: subprotocol))
  }

  @Test(
    "a wrong token is 401, whatever else is given",
    arguments: [
      ("/", ["Authorization: Bearer wrong"]),
      ("/?access_token=secret", ["Authorization: Bearer wrong"]),
      ("/", ["Authorization: Bearer secret", "Authorization: Bearer secret"]),
      ("/", ["Authorization: secret"]),
      ("/", ["Authorization: Bearer "]),
      ("/", ["Authorization: Basic secret"]),
      ("/", ["Authorization: Bearer secret x"]),
      ("/?access_token=", []),
      ("/?access_token=wrong", ["Sec-WebSocket-Protocol: wsii"]),
    ])
  func wrong(_ target: String, _ fields: [String]) throws {
    let tokens = try TokenFile(bytes("secret u1 Ada"))
    #expect(
      admit(target, fields, tokens: tokens)
        == .refused(status: 401, reason: "this hub doesn't know the token"))
  }

  @Test("no token is 401 too, and what the query says about the user is nothing")
  func none() throws {
    let tokens = try TokenFile(bytes("secret u1 Ada"))
    #expect(
      admit("/?userId=u1", tokens: tokens)
        == .refused(status: 401, reason: "this hub asks for a token"))
    #expect(
      try admit("/?userId=u2&access_token=secret", tokens: tokens)
        == .accepted(Identity(userID: bytes("u1"), name: bytes("Ada")), subprotocol: nil))
  }

  private func admit(
    _ target: String, _ fields: [String] = [], tokens: TokenFile? = nil
  ) -> Admission? {
    guard let upgrade = upgradeRequest(target, fields) else { return nil }
    return Admission.judge(upgrade, tokens: tokens) { 0x2A00_0007 }
  }
}

/// What a server makes of a client's request.
func upgradeRequest(_ target: String, _ fields: [String] = []) -> UpgradeRequest? {
  let head =
    ["GET \(target) HTTP/1.1", "Host: localhost", "Upgrade: websocket", "Connection: Upgrade"]
    + ["Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA=="] + fields
  let request = bytes(head.joined(separator: "\r\n") + "\r\n\r\n")
  var handshake = ServerHandshake()
  var position = 0
  guard case .upgrade(let upgrade) = handshake.receive(request.span, at: &position) else {
    return nil
  }
  return upgrade
}
