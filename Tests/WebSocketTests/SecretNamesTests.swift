import Testing

@testable import WebSocket

@Suite struct SecretNamesTests {
  @Test("names beside secrets are known by a word in them")
  func names() {
    for name in [
      "token", "access_token", "X-API-KEY", "Proxy-Authorization", "Set-Cookie", "sessionId", "pwd",
      "X-Amz-Signature", "jwt",
    ] {
      #expect(SecretNames.isSecret(name.utf8), "\(name)")
    }
    for name in ["room", "user", "Host", "Sec-WebSocket-Key", "Sec-WebSocket-Accept", ""] {
      #expect(!SecretNames.isSecret(name.utf8), "\(name)")
    }
  }

  @Test("a token in a subprotocol's place doesn't look like one")
  func subprotocols() {
    for name in ["graphql-transport-ws", "v12.stomp", "ocpp1.6", "wamp.2.json", "mqtt"] {
      #expect(SecretNames.looksLikeSubprotocol(name.utf8), "\(name)")
    }
    for name in ["a81bc81bdead4e5d", "bearer.x", "abcdefghijklmnopqrstuvwxy", "access-token"] {
      #expect(!SecretNames.looksLikeSubprotocol(name.utf8), "\(name)")
    }
  }

  @Test("queries keep their shape, secret values don't show, however the name is spelled")
  func queries() {
    #expect(
      SecretNames.masked(query: "a=b&token=x=y&&%74oken=z&key".utf8)
        == "a=b&token=***&&%74oken=***&key")
    #expect(SecretNames.masked(target: "/p?auth=1".utf8) == "/p?auth=***")
    #expect(SecretNames.masked(target: "/token=1".utf8) == "/token=1")
  }

  @Test("the secret values of a query are given as they stand and decoded")
  func values() {
    #expect(
      SecretNames.values(query: "room=a&token=x%2By=z&&%74oken=b&key&pwd=".utf8)
        == ["x%2By=z", "x+y=z", "b", "b", "", ""])
    #expect(SecretNames.values(query: "room=token".utf8) == [])
  }
}
