import Testing

@testable import WebSocket

@Suite struct ClientHandshakeTests {
  /// Section 1.3's nonce.
  private let nonce = Array("the sample nonce".utf8)

  private func make(subprotocols: [String] = []) throws -> ClientHandshake {
    try ClientHandshake(
      url: WebSocketURL("ws://server.example.com/chat"), subprotocols: subprotocols, nonce: nonce)
  }

  private func answer(
    _ startLine: String = "HTTP/1.1 101 Switching Protocols", without: String = "",
    _ further: String...
  ) -> String {
    let fields = [
      "Upgrade: websocket", "Connection: Upgrade",
      "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=",
    ]
    let lines = [startLine] + fields.filter { !$0.hasPrefix(without + ":") } + further
    return lines.joined(separator: "\r\n") + "\r\n\r\n"
  }

  private struct Reading: Equatable {
    var outcome: ClientHandshake.Outcome?
    var taken = 0
  }

  private func read(
    _ text: String, subprotocols: [String] = [], end: Bool = false
  ) throws -> Reading {
    let fresh = try make(subprotocols: subprotocols)
    return dripFeed(Array(text.utf8)) { chunks in
      var handshake = fresh
      var reading = Reading()
      for chunk in chunks where reading.outcome == nil {
        var position = 0
        reading.outcome = handshake.receive(chunk.span, at: &position)
        reading.taken += position
      }
      if end, reading.outcome == nil { reading.outcome = handshake.receiveEnd() }
      // Over is over.
      if reading.outcome != nil, handshake.receiveEnd() != nil { reading.taken = -1 }
      return reading
    }
  }

  @Test("the request is section 1.3's")
  func request() throws {
    let handshake = try ClientHandshake(
      url: WebSocketURL("ws://server.example.com/chat?a"),
      fields: [HTTPField(name: "User-Agent", value: "wsii")],
      subprotocols: ["chat", "superchat"], origin: "http://example.com", nonce: nonce)
    let expected =
      "GET /chat?a HTTP/1.1\r\nHost: server.example.com\r\nUpgrade: websocket\r\n"
      + "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
      + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Protocol: chat, superchat\r\n"
      + "Origin: http://example.com\r\nUser-Agent: wsii\r\n\r\n"
    #expect(String(decoding: handshake.request.bytes, as: UTF8.self) == expected)
  }

  @Test("a configured Host or Origin replaces the usual one")
  func replaced() throws {
    let fields = [
      try HTTPField(name: "host", value: "other"), try HTTPField(name: "origin", value: "null"),
    ]
    let handshake = try ClientHandshake(
      url: WebSocketURL("ws://a"), fields: fields, origin: "http://a", nonce: nonce)
    #expect(handshake.request.fields(named: "Host").map(\.text) == ["other"])
    #expect(handshake.request.fields(named: "Origin").map(\.text) == ["null"])
  }

  @Test("a value that can't be sent is refused at once")
  func configuration() throws {
    let url = try WebSocketURL("ws://a")
    func error(
      _ fields: [HTTPField] = [], _ subprotocols: [String] = [], _ origin: String? = nil
    ) -> HandshakeConfigurationError? {
      do throws(HandshakeConfigurationError) {
        _ = try ClientHandshake(
          url: url, fields: fields, subprotocols: subprotocols, origin: origin, nonce: nonce)
        return nil
      } catch {
        return error
      }
    }
    #expect(error() == nil)
    #expect(
      error([HTTPField(known: "upgrade", "x")])?.description
        == "header field upgrade is the handshake's own")
    #expect(error([], ["a b"]) == .subprotocol("a b"))
    #expect(
      error([], ["a", "b", "a"])?.description == "\"a\" is no subprotocol, or is given twice")
    #expect(
      error([], [], "http://a\r\nX: y")?.description
        == "the value of header field Origin has a control character")
  }

  @Test("a right answer opens the connection, and frames begin where the head ends")
  func accepted() throws {
    let head = answer()
    #expect(
      try read(head + "\u{1}\u{5}hello")
        == Reading(outcome: .accepted(subprotocol: nil), taken: head.utf8.count))
    let odd =
      "HTTP/1.1 101\r\nUPGRADE: h2c, WebSocket\r\nconnection:keep-alive,upgrade\r\n"
      + "sec-websocket-accept:   s3pPLMBiTxaQ9kYGzzhZRbK+xOo= \r\nSec-WebSocket-Protocol: b\r\n"
      + "Sec-WebSocket-Extensions:\r\n\r\n"
    #expect(try read(odd, subprotocols: ["a", "b"]).outcome == .accepted(subprotocol: "b"))
    let hints = "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + head
    #expect(try read(hints).outcome == .accepted(subprotocol: nil))
  }

  @Test("a wrong answer is named")
  func invalid() throws {
    let cases: [(String, HandshakeError)] = [
      (answer(without: "Upgrade"), .missingUpgrade),
      (answer(without: "Upgrade", "Upgrade: websockets"), .missingUpgrade),
      (answer(without: "Connection"), .missingConnection),
      (answer(without: "Connection", "Connection: close"), .missingConnection),
      (answer(without: "Sec-WebSocket-Accept"), .missingAccept),
      (answer("HTTP/1.1 101 x", "Sec-WebSocket-Accept: a"), .repeatedAccept),
      (
        answer(
          without: "Sec-WebSocket-Accept", "Sec-WebSocket-Accept: S3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
        .wrongAccept
      ),
      (
        answer("HTTP/1.1 101 x", "Sec-WebSocket-Extensions: permessage-deflate"),
        .unofferedExtension(Array("permessage-deflate".utf8))
      ),
      (
        answer("HTTP/1.1 101 x", "Sec-WebSocket-Protocol: c"),
        .unofferedSubprotocol(Array("c".utf8))
      ),
      (
        answer("HTTP/1.1 101 x", "Sec-WebSocket-Protocol: a, b"),
        .unofferedSubprotocol(Array("a, b".utf8))
      ),
      (
        answer("HTTP/1.1 101 x", "Sec-WebSocket-Protocol: a", "Sec-WebSocket-Protocol: b"),
        .unofferedSubprotocol(Array("a".utf8))
      ),
      (answer("HTTP/1.0 101 x"), .httpVersion(HTTPVersion(major: 1, minor: 0))),
      ("SSH-2.0-x\r\n\r\n", .head(.illegalStartLine(Array("SSH-2.0-x".utf8)))),
      ("HTTP/1.1 101 x\n", .head(.illegalLineEnd)),
      (
        String(repeating: "HTTP/1.1 100 Continue\r\n\r\n", count: 5), .tooManyInterimResponses
      ),
    ]
    for (text, error) in cases {
      #expect(try read(text, subprotocols: ["a", "b"]).outcome == .invalid(error))
    }
    #expect(try read(answer(), end: true).outcome == .accepted(subprotocol: nil))
    #expect(try read("HTTP/1.1 101 x\r\n", end: true).outcome == .invalid(.endOfStream))
  }

  @Test("a flood of header bytes ends at 16 KiB")
  func flood() throws {
    var handshake = try make()
    let line = Array(("X: " + String(repeating: "a", count: 1_000) + "\r\n").utf8)
    var position = 0
    let startLine = Array("HTTP/1.1 101 x\r\n".utf8)
    #expect(handshake.receive(startLine.span, at: &position) == nil)
    var count = 0
    var outcome: ClientHandshake.Outcome?
    while outcome == nil, count < 1_000 {
      position = 0
      outcome = handshake.receive(line.span, at: &position)
      count += 1
    }
    #expect(outcome == .invalid(.head(.headTooLong(maximum: 16_384))))
    #expect(count == 17)
  }

  @Test("a refusal keeps what decides over the next attempt")
  func refused() throws {
    let busy =
      "HTTP/1.1 503 Service Unavailable\r\nretry-after: 120\r\nContent-Length: 4\r\n\r\nbusy!!"
    var refusal = ClientHandshake.Refusal(
      status: 503, reason: Array("Service Unavailable".utf8), retryAfter: Array("120".utf8),
      location: nil, body: Array("busy".utf8))
    #expect(try read(busy).outcome == .refused(refusal))
    let redirect = "HTTP/1.0 302 Found\r\nLocation: wss://other/\r\n\r\nsee"
    refusal = ClientHandshake.Refusal(
      status: 302, reason: Array("Found".utf8), retryAfter: nil,
      location: Array("wss://other/".utf8), body: Array("see".utf8))
    #expect(try read(redirect) == Reading(outcome: nil, taken: redirect.utf8.count))
    #expect(try read(redirect, end: true).outcome == .refused(refusal))
    let long =
      "HTTP/1.1 400 x\r\nContent-Length: 5000\r\n\r\n" + String(repeating: "a", count: 5_000)
    guard case .refused(let kept) = try read(long).outcome else {
      Issue.record("not refused")
      return
    }
    #expect(kept.body.count == 1_024)
    var handshake = try make()
    let text = Array(busy.utf8)
    for (range, isRefused) in [
      (0..<30, false), (30..<(text.count - 4), true), ((text.count - 4)..<text.count, false),
    ] {
      let piece = Array(text[range])
      var position = 0
      _ = handshake.receive(piece.span, at: &position)
      #expect(handshake.isRefused == isRefused)
    }
    #expect(handshake.response?.value(of: "Retry-After") == Array("120".utf8))
  }
}
