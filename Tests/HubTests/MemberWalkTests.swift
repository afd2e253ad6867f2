import JSONText
import Testing

@testable import Hub

@Suite struct MemberWalkTests {
  @Test(
    "keys and values are found as they stand",
    arguments: [
      ("{}", []),
      ("{ \n}", []),
      (#"{"a":1}"#, [#""a"=1"#]),
      (#"{"a":"","b":"x"}"#, [#""a"="""#, #""b"="x""#]),
      (
        #" { "a" : [1,{"b":"]}"},[]] , "c":{"d":{}} ,"e":null } "#,
        [#""a"=[1,{"b":"]}"},[]]"#, #""c"={"d":{}}"#, #""e"=null"#]
      ),
      (#"{"\"":"\\\"","b\\":-1.5e3,"t":true}"#, [#""\""="\\\"""#, #""b\\"=-1.5e3"#, #""t"=true"#]),
      (#"{"a":[],"b":{},"c":[[[]]]}"#, [#""a"=[]"#, #""b"={}"#, #""c"=[[[]]]"#]),
    ])
  func members(_ text: String, _ expected: [String]) throws {
    let text = bytes(text)
    var scanner = JSONScanner(wanted: [])
    let outline = try scanner.scan(text.span, 0..<text.count)
    var walk = MemberWalk(outline.range)
    var found: [String] = []
    while let (key, value) = walk.next(text.span) {
      found.append(
        String(decoding: text[key], as: UTF8.self) + "="
          + String(decoding: text[value], as: UTF8.self))
    }
    #expect(found == expected)
  }

  @Test("what is no object ends it, and nothing is read beyond")
  func broken() {
    let text = bytes(#"{"a":"b\","c":[{"x":"#)
    for start in text.indices {
      for end in start...text.count {
        var walk = MemberWalk(start..<end)
        var count = 0
        while let (key, value) = walk.next(text.span), count < 100 {
          #expect(key.upperBound <= value.lowerBound && value.upperBound <= max(end, start))
          count += 1
        }
        #expect(count < 100)
      }
    }
  }
}
