import Testing

@testable import WebSocket

@Suite struct HTTPHeadTraceTests {
  @Test("a request is shown without its secrets")
  func request() throws {
    let url = try WebSocketURL("wss://chat.example/ws?room=ops&access_token=hunter2&x")
    let handshake = try ClientHandshake(
      url: url,
      fields: [
        HTTPField(name: "Authorization", value: "Bearer hunter2"),
        HTTPField(name: "Cookie", value: "a=hunter2"),
        HTTPField(name: "X-Api-Key", value: "hunter2"),
        HTTPField(name: "User-Agent", value: "wsii"),
      ], subprotocols: ["v12.stomp", "hunter2hunter2hunter2hunter2"], nonce: Array(0..<16))
    #expect(
      handshake.request.traceLines(isReceived: false) == [
        "> GET /ws?room=ops&access_token=***&x HTTP/1.1", "> Host: chat.example",
        "> Upgrade: websocket", "> Connection: Upgrade",
        "> Sec-WebSocket-Key: AAECAwQFBgcICQoLDA0ODw==", "> Sec-WebSocket-Version: 13",
        "> Sec-WebSocket-Protocol: v12.stomp, ***", "> Authorization: ***", "> Cookie: ***",
        "> X-Api-Key: ***", "> User-Agent: wsii",
      ])
  }

  @Test("an answer is shown, garbage too")
  func answer() {
    let head = HTTPHead(
      startLine: Array("HTTP/1.1 302 Fo\u{1b}und?key=v".utf8),
      fields: [
        HTTPField(known: "Set-Cookie", "a=b"), HTTPField(known: "X", [0xFF, 0x9B]),
        HTTPField(known: "Location", "https://x/?token=hunter2"),
      ])
    #expect(
      head.traceLines(isReceived: true) == [
        "< HTTP/1.1 302 Fo\\x1bund?key=v", "< Set-Cookie: ***", "< X: \\xff\\x9b",
        "< Location: https://x/?token=***",
      ])
  }
}
