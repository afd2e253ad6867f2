import JSONText
import Testing

@Suite struct JSONElementsTests {
  @Test(
    "gives each element of an array without the whitespace around it",
    arguments: [
      ("[]", []), ("[ \t\r\n ]", []), ("[1]", ["1"]), ("[1,2]", ["1", "2"]),
      (
        " [ 1 , \"a,]\" ,[ 1, 2 ] ,{\"a\": [ {} ] } ] ",
        ["1", "\"a,]\"", "[ 1, 2 ]", "{\"a\": [ {} ] }"]
      ),
      (#"["\"","\\",",","\u005D"]"#, [#""\"""#, #""\\""#, #"",""#, #""\u005D""#]),
      ("[null , true\n,false,-1.5e3]", ["null", "true", "false", "-1.5e3"]),
    ])
  func elements(_ text: String, _ expected: [String]) throws {
    let bytes = Array(text.utf8)
    var scanner = JSONScanner(wanted: [])
    let outline = try scanner.scan(bytes.span, 0..<bytes.count)
    var elements = JSONElements(of: outline.range)
    var found: [String] = []
    while let element = elements.next(bytes.span) {
      found.append(String(decoding: bytes[element], as: UTF8.self))
    }
    #expect(found == expected)
    #expect(elements.next(bytes.span) == nil)
  }

  @Test("ends even where a text is no array that was accepted")
  func hostile() {
    for text in [#"[""#, #"["\"#, "[{", "[]]", #"["\"]"#] {
      let bytes = Array(text.utf8)
      var elements = JSONElements(of: 0..<bytes.count)
      var count = 0
      while elements.next(bytes.span) != nil { count += 1 }
      #expect(count <= 1)
    }
  }
}
