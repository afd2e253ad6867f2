import Testing

@testable import WebSocket

@Suite struct HTTPFieldTests {
  @Test("a field that could end its line, or isn't one, is refused by name")
  func configured() throws {
    let field = try HTTPField(name: "Authorization", value: " Bearer x\ty \u{e9}\t")
    #expect(field.text == "Bearer x\ty \u{e9}")
    #expect(field.isNamed("authorization") && !field.isNamed("authorizatio"))
    for name in ["", "a b", "a:b", "a\r\nb", "ä", "a\u{0}"] {
      #expect(throws: HTTPFieldError.illegalName(name)) { try HTTPField(name: name, value: "x") }
    }
    for value in ["a\r\nX: y", "a\nb", "\r", "a\u{0}", "\u{7f}", "\u{1b}[m"] {
      let error = HTTPFieldError.illegalValue(name: "X-Token")
      #expect(throws: error) { try HTTPField(name: "X-Token", value: value) }
    }
    #expect(
      HTTPFieldError.illegalName("a\n").description == "\"a\\n\" is not the name of a header field")
    #expect(
      HTTPFieldError.illegalValue(name: "X").description
        == "the value of header field X has a control character")
    #expect(try HTTPField(name: "!#$%&'*+-.^_`|~09azAZ", value: "  ").value == [])
  }

  @Test("a line is taken apart at its first colon")
  func line() throws {
    let field = try HTTPField(line: Array("Host:  a:1 ".utf8))
    #expect(field == HTTPField(known: "Host", "a:1"))
    var written: [UInt8] = []
    field.append(to: &written)
    #expect(written == Array("Host: a:1\r\n".utf8))
    #expect(HTTPField(known: "A", "x, y ,,z").elements == [[0x78], [0x79], [0x7A]])
    for line in ["Host", "Host : a", ": a", "a\u{1}: b", "a: \u{1}"] {
      #expect(throws: HTTPHeadError.illegalField(Array(line.utf8))) {
        try HTTPField(line: Array(line.utf8))
      }
    }
    for line in [" a: b", "\ta", ""] {
      #expect(throws: HTTPHeadError.foldedLine) { try HTTPField(line: Array(line.utf8)) }
    }
  }
}
