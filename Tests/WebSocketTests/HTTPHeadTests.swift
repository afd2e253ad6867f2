import Testing

@testable import WebSocket

@Suite struct HTTPHeadTests {
  private func head(_ line: String) -> HTTPHead {
    HTTPHead(startLine: Array(line.utf8), fields: [])
  }

  @Test("fields are found whatever their case, lists by element")
  func fields() {
    let head = HTTPHead(
      startLine: Array("GET / HTTP/1.1".utf8),
      fields: [
        HTTPField(known: "connection", "keep-alive , UPGRADE"), HTTPField(known: "A", "1"),
        HTTPField(known: "a", "2"),
      ])
    #expect(head.hasElement("upgrade", in: "Connection"))
    #expect(!head.hasElement("up", in: "Connection"))
    #expect(head.fields(named: "A").map(\.text) == ["1", "2"])
    #expect(head.value(of: "a") == Array("1".utf8))
    #expect(head.value(of: "b") == nil)
    #expect(
      head.bytes
        == Array("GET / HTTP/1.1\r\nconnection: keep-alive , UPGRADE\r\nA: 1\r\na: 2\r\n\r\n".utf8))
  }

  @Test("a status line has a version, three digits and perhaps a phrase")
  func statusLine() throws {
    let line = try head("HTTP/1.1 101 Switching Protocols").statusLine()
    #expect(line.version == .http11 && line.status == 101)
    #expect(line.reason == Array("Switching Protocols".utf8))
    #expect(try head("HTTP/1.0 401").statusLine().version == HTTPVersion(major: 1, minor: 0))
    #expect(try head("HTTP/1.1 200 ").statusLine().reason == [])
    for line in [
      "", "HTTP/1.1", "HTTP/1.1 20", "HTTP/1.1 2x0 OK", "HTTP/1.1 099 x", "http/1.1 200 OK",
      "HTTP/11 200 OK!", "HTTP/1.1  200 OK", "HTTP/1.1 200OK", "HTTP/a.1 200 OK",
      "SSH-2.0-OpenSSH_9",
    ] {
      #expect(throws: HTTPHeadError.illegalStartLine(Array(line.utf8))) {
        try head(line).statusLine()
      }
    }
  }

  @Test("a request line has three parts")
  func requestLine() throws {
    let line = try head("GET /a?b HTTP/1.1").requestLine()
    #expect(line.method == Array("GET".utf8) && line.target == Array("/a?b".utf8))
    for line in [
      "", "GET /", "GET  HTTP/1.1", "GET / HTTP/1", "GET / a HTTP/1.1", "G:T / HTTP/1.1",
      "GET /ä HTTP/1.1", "GET /\u{7f} HTTP/1.1", " / HTTP/1.1",
    ] {
      #expect(throws: HTTPHeadError.illegalStartLine(Array(line.utf8))) {
        try head(line).requestLine()
      }
    }
  }

  @Test("errors are sentences")
  func errors() {
    let errors: [(HTTPHeadError, String)] = [
      (.headTooLong(maximum: 9), "HTTP head of more than 9 bytes"),
      (.lineTooLong(maximum: 9), "HTTP header line of more than 9 bytes"),
      (.tooManyFields(maximum: 9), "more than 9 HTTP header fields"),
      (.illegalLineEnd, "HTTP header line without CR LF"),
      (.foldedLine, "folded HTTP header line"),
      (.illegalField([0x1B]), "illegal HTTP header line \"\\x1b\""),
      (.illegalStartLine([0x0A]), "not HTTP: \"\\n\""),
    ]
    for (error, text) in errors { #expect(error.description == text) }
  }
}
