import JSONText
import Testing

@Suite struct JSONSpliceTests {
  @Test(
    "adds members before the closing brace and leaves the rest as it is",
    arguments: [
      ("{}", #"{"a":"x\"y","b":"é"}"#),
      (" { \n} ", #"{"a":"x\"y","b":"é"}"#),
      (#"{"z": 1.0 }"#, #"{"z": 1.0,"a":"x\"y","b":"é"}"#),
      ("{\"z\":\r{}\t}", "{\"z\": {},\"a\":\"x\\\"y\",\"b\":\"é\"}"),
      (#"{"z":"{"}"#, #"{"z":"{","a":"x\"y","b":"é"}"#),
    ])
  func members(_ text: String, _ expected: String) throws {
    let bytes = Array(text.utf8)
    var scanner = JSONScanner(wanted: [])
    let outline = try scanner.scan(bytes.span, 0..<bytes.count)
    var spliced = Array("before".utf8)
    var splice = JSONSplice(bytes.span, outline, into: &spliced)
    splice.member("a", Array("x\"y".utf8), into: &spliced)
    splice.member("b", Array("é".utf8), into: &spliced)
    splice.close(into: &spliced)
    #expect(String(decoding: spliced, as: UTF8.self) == "before" + expected)
    #expect(throws: Never.self) {
      var scanner = JSONScanner(wanted: [])
      _ = try scanner.scan(spliced.span, 6..<spliced.count)
    }
  }
}
