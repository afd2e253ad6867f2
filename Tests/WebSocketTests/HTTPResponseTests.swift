import Testing

@testable import WebSocket

@Suite struct HTTPResponseTests {
  @Test("a response carries its length and ends the connection")
  func bytes() {
    let response = HTTPResponse(
      status: 401, fields: [HTTPField(known: "WWW-Authenticate", "Bearer")], text: "no")
    let expected =
      "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Bearer\r\n"
      + "Content-Type: text/plain; charset=utf-8\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno\n"
    #expect(response.bytes == Array(expected.utf8))
    let page = HTTPResponse(status: 200, contentType: "text/html", body: [0x3C])
    #expect(String(decoding: page.bytes, as: UTF8.self).hasSuffix("close\r\n\r\n<"))
  }

  @Test("every status has a phrase")
  func phrases() {
    let known = [
      101, 200, 301, 302, 400, 401, 403, 404, 405, 421, 426, 429, 431, 500, 503, 505,
    ]
    let phrases = known.map(HTTPResponse.reasonPhrase(of:))
    #expect(Set(phrases).count == known.count)
    #expect(HTTPResponse.reasonPhrase(of: 418) == "Status")
  }
}
