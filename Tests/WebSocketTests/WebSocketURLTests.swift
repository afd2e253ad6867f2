import Testing

@testable import WebSocket

@Suite struct WebSocketURLTests {
  @Test(
    "a URL is taken apart",
    arguments: [
      ("ws://Example.COM", false, "example.com", 80, "/", "example.com"),
      ("wss://example.com", true, "example.com", 443, "/", "example.com"),
      ("WSS://e:8443/a/b?c=d&e", true, "e", 8443, "/a/b?c=d&e", "e:8443"),
      ("ws://e:80/", false, "e", 80, "/", "e"), ("ws://e:443", false, "e", 443, "/", "e:443"),
      ("ws://e:/x", false, "e", 80, "/x", "e"), ("ws://e?x", false, "e", 80, "/?x", "e"),
      ("ws://[::1]:7717/", false, "::1", 7717, "/", "[::1]:7717"),
      ("ws://[2001:DB8::1]", false, "2001:db8::1", 80, "/", "[2001:db8::1]"),
      ("ws://[::ffff:1.2.3.4]", false, "::ffff:1.2.3.4", 80, "/", "[::ffff:1.2.3.4]"),
      ("ws://127.0.0.1:65535//x", false, "127.0.0.1", 65_535, "//x", "127.0.0.1:65535"),
      ("ws://a_b-c.d/ü{}%2f@:?a?b", false, "a_b-c.d", 80, "/%C3%BC%7B%7D%2f@:?a?b", "a_b-c.d"),
    ])
  func parts(
    _ text: String, _ isSecure: Bool, _ host: String, _ port: Int, _ resource: String,
    _ hostHeader: String
  ) throws {
    let url = try WebSocketURL(text)
    #expect(url.isSecure == isSecure && url.host == host && url.port == port)
    #expect(url.resource == resource && url.hostHeader == hostHeader)
    #expect(try WebSocketURL(url.text) == url)
  }

  @Test(
    "what is wrong is said",
    arguments: [
      ("ws://a b", .illegalByte(0x20)), ("ws://a/\r\nX: y", .illegalByte(0x0D)),
      ("ws://a/\u{0}", .illegalByte(0)), ("ws://a/\u{7f}", .illegalByte(0x7F)),
      ("", .notAbsolute), ("example.com", .notAbsolute), ("localhost:80", .notAbsolute),
      ("ws:/a", .notAbsolute), ("http://a", .scheme("http")), ("://a", .scheme("")),
      ("ws://u:p@a", .userInfo), ("ws://u@a/", .userInfo), ("ws://a/#f", .fragment),
      ("ws://a#f", .fragment), ("ws://", .missingHost), ("ws:///x", .missingHost),
      ("ws://:80", .missingHost), ("ws://bücher.de", .host("bücher.de")),
      ("ws://a%41", .host("a%41")), ("ws://[::1", .host("[::1")), ("ws://[::1]x", .host("[::1]x")),
      ("ws://[fe80::1%25eth0]", .host("[fe80::1%25eth0]")), ("ws://[1]", .host("[1]")),
      ("ws://a:b", .port("b")), ("ws://a:0", .port("0")), ("ws://a:65536", .port("65536")),
      ("ws://a:99999999999999999999", .port("99999999999999999999")), ("ws://a:1:2", .port("1:2")),
      ("ws://a:-1", .port("-1")), ("ws://a/%", .percent), ("ws://a/%4", .percent),
      ("ws://a/%zz", .percent),
    ] as [(String, WebSocketURLError)])
  func errors(_ text: String, _ error: WebSocketURLError) {
    #expect(throws: error) { try WebSocketURL(text) }
    #expect(!error.description.contains("\u{1b}") && !error.description.isEmpty)
  }

  @Test("a description shows no secret")
  func masking() throws {
    var url = try WebSocketURL("wss://e/p?token=s3cret&room=a")
    #expect(url.description == "wss://e/p?token=***&room=a")
    #expect(url.text == "wss://e/p?token=s3cret&room=a")
    #expect(url.path == "/p")
    url.addQueryItem("user name", Array("ü&".utf8))
    #expect(url.resource == "/p?token=s3cret&room=a&user%20name=%C3%BC%26")
    var bare = try WebSocketURL("ws://[::1]:1")
    bare.addQueryItem("a", [])
    #expect(bare.resource == "/?a=" && bare.path == "/")
  }

  @Test("loopback is known by its spelling")
  func loopback() throws {
    for text in [
      "ws://localhost", "ws://a.localhost:1", "ws://127.0.0.1", "ws://127.9.9.9", "ws://[::1]",
    ] {
      #expect(try WebSocketURL(text).isLoopback, "\(text)")
    }
    for text in [
      "ws://example.com", "ws://127.0.0.1.example.com", "ws://127.1", "ws://127.0.0.256",
      "ws://[::2]",
    ] {
      #expect(try !WebSocketURL(text).isLoopback, "\(text)")
    }
  }

  @Test("the secret values come from the query alone")
  func secrets() throws {
    #expect(
      try WebSocketURL("wss://e/token=p?token=s%33cret&room=a").secretValues == [
        "s%33cret", "s3cret",
      ])
    #expect(try WebSocketURL("wss://e/token=p").secretValues == [])
  }
}
