import Testing

@testable import WebSocket

@Suite struct HandshakeErrorTests {
  @Test(
    "every error has a sentence and a status",
    arguments: [
      (.head(.headTooLong(maximum: 9)), 431, "HTTP head of more than 9 bytes"),
      (.head(.lineTooLong(maximum: 9)), 431, "HTTP header line of more than 9 bytes"),
      (.head(.tooManyFields(maximum: 9)), 431, "more than 9 HTTP header fields"),
      (.head(.foldedLine), 400, "folded HTTP header line"),
      (.httpVersion(HTTPVersion(major: 1, minor: 0)), 505, "HTTP/1.0 instead of HTTP/1.1"),
      (.endOfStream, 400, "the connection ended during the handshake"),
      (.missingUpgrade, 400, "no Upgrade: websocket in the handshake"),
      (.missingConnection, 400, "no Connection: Upgrade in the handshake"),
      (.missingAccept, 400, "no Sec-WebSocket-Accept in the handshake"),
      (.repeatedAccept, 400, "more than one Sec-WebSocket-Accept in the handshake"),
      (.wrongAccept, 400, "Sec-WebSocket-Accept doesn't fit the key that was sent"),
      (
        .unofferedSubprotocol([0x0A]), 400,
        "the server chose subprotocol \"\\n\", which was not offered"
      ),
      (
        .unofferedExtension([0x78]), 400, "the server chose extension \"x\", which was not offered"
      ),
      (.tooManyInterimResponses, 400, "too many interim HTTP responses"),
      (.method(Array("POST".utf8)), 405, "method POST instead of GET"),
      (.missingHost, 400, "not exactly one Host"),
      (.version([0x38]), 426, "WebSocket version \"8\" instead of 13"),
      (.version(nil), 426, "no Sec-WebSocket-Version"),
      (.missingKey, 400, "not exactly one Sec-WebSocket-Key"),
      (.illegalKey, 400, "Sec-WebSocket-Key is not the Base64 of 16 bytes"),
    ] as [(HandshakeError, Int, String)])
  func table(_ error: HandshakeError, _ status: Int, _ text: String) {
    #expect(error.description == text)
    #expect(error.response.status == status)
    #expect(error.response.body == Array((text + "\n").utf8))
  }

  @Test("a refused version names the one that is spoken, a refused method the right one")
  func fields() {
    let version = HTTPHead(startLine: [], fields: HandshakeError.version(nil).response.fields)
    #expect(version.value(of: "Sec-WebSocket-Version") == Array("13".utf8))
    #expect(HandshakeError.method([]).response.fields == [HTTPField(known: "Allow", "GET")])
  }
}
