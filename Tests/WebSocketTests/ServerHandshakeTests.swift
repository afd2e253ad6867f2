import Testing

@testable import WebSocket

@Suite struct ServerHandshakeTests {
  private let fields = [
    "Host: server.example.com", "Upgrade: websocket", "Connection: Upgrade",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
  ]

  private func request(
    _ startLine: String = "GET /chat HTTP/1.1", without: String = "", _ further: String...
  ) -> String {
    let lines = [startLine] + fields.filter { !$0.hasPrefix(without + ":") } + further
    return lines.joined(separator: "\r\n") + "\r\n\r\n"
  }

  private struct Reading: Equatable {
    var outcome: ServerHandshake.Outcome?
    var taken = 0
  }

  private func read(_ text: String) -> Reading {
    dripFeed(Array(text.utf8)) { chunks in
      var handshake = ServerHandshake()
      var reading = Reading()
      for chunk in chunks where reading.outcome == nil {
        var position = 0
        reading.outcome = handshake.receive(chunk.span, at: &position)
        reading.taken += position
      }
      var position = 0
      let more: [UInt8] = [0x0D]
      if reading.outcome != nil, handshake.receive(more.span, at: &position) != nil || position != 0
      {
        reading.taken = -1
      }
      return reading
    }
  }

  @Test("a request is read, and its acceptance opens the client's side")
  func upgrade() throws {
    let head = request(
      "GET /chat?a=1&access_token=x%2Fy HTTP/1.1", "Origin: http://example.com",
      "Sec-WebSocket-Protocol: chat, superchat", "sec-websocket-protocol: third")
    let reading = read(head + "rest")
    #expect(reading.taken == head.utf8.count)
    guard case .upgrade(let upgrade) = reading.outcome else {
      Issue.record("\(reading)")
      return
    }
    #expect(upgrade.request.host == "server.example.com")
    #expect(upgrade.request.path == Array("/chat".utf8))
    #expect(upgrade.request.queryValue("access_token") == Array("x/y".utf8))
    #expect(upgrade.request.queryValue("b") == nil)
    #expect(upgrade.subprotocols == ["chat", "superchat", "third"])
    let answer = upgrade.acceptance(
      subprotocol: "superchat", fields: [HTTPField(known: "Server", "wsii")])
    let expected =
      "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
      + "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"
      + "Sec-WebSocket-Protocol: superchat\r\nServer: wsii\r\n\r\n"
    #expect(String(decoding: answer.bytes, as: UTF8.self) == expected)
    #expect(upgrade.acceptance(subprotocol: "other").fields.count == 3)
    var client = try ClientHandshake(
      url: WebSocketURL("ws://server.example.com/chat"), subprotocols: ["superchat"],
      nonce: Array("the sample nonce".utf8))
    var position = 0
    let bytes = answer.bytes
    #expect(client.receive(bytes.span, at: &position) == .accepted(subprotocol: "superchat"))
  }

  @Test("a request for something else is handed over")
  func plain() {
    let reading = read("POST /page?x HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\n\r\n")
    guard case .plain(let request) = reading.outcome else {
      Issue.record("\(reading)")
      return
    }
    #expect(request.method == Array("POST".utf8) && request.path == Array("/page".utf8))
    #expect(request.host == "a")
    guard case .plain(let bare) = read("GET / HTTP/1.1\r\nHost:\r\n\r\n").outcome else {
      Issue.record("refused")
      return
    }
    #expect(bare.queryValue("x") == nil)
  }

  @Test("a wrong request is named")
  func invalid() {
    let cases: [(String, HandshakeError)] = [
      (request("POST / HTTP/1.1"), .method(Array("POST".utf8))),
      (request("GET / HTTP/1.0"), .httpVersion(HTTPVersion(major: 1, minor: 0))),
      (request("GET /"), .head(.illegalStartLine(Array("GET /".utf8)))),
      (request(without: "Host"), .missingHost),
      (request("GET / HTTP/1.1", "Host: b"), .missingHost),
      (request(without: "Connection"), .missingConnection),
      (request(without: "Sec-WebSocket-Version"), .version(nil)),
      (
        request(without: "Sec-WebSocket-Version", "Sec-WebSocket-Version: 8"),
        .version(Array("8".utf8))
      ),
      (
        request("GET / HTTP/1.1", "Sec-WebSocket-Version: 13"), .version(Array("13".utf8))
      ),
      (request(without: "Sec-WebSocket-Key"), .missingKey),
      (request("GET / HTTP/1.1", "Sec-WebSocket-Key: x"), .missingKey),
      (request(without: "Sec-WebSocket-Key", "Sec-WebSocket-Key: c2hvcnQ="), .illegalKey),
      (request(without: "Sec-WebSocket-Key", "Sec-WebSocket-Key: !"), .illegalKey),
      ("\r\n", .head(.illegalStartLine([]))), (" \n", .head(.illegalLineEnd)),
    ]
    for (text, error) in cases {
      let text = text == "\r\n" ? "\r\n\r\n" : text
      #expect(read(text).outcome == .invalid(error))
    }
  }
}
