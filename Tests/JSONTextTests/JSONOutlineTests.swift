import Bytes
import JSONText
import Testing

private func forward(_ text: [UInt8], terminal: Bool) throws -> [UInt8] {
  let outline = try scan(text).get()
  var line = Array("> ".utf8)
  if terminal {
    outline.appendForTerminal(text.span, into: &line)
  } else {
    outline.append(text.span, into: &line)
  }
  return Array(line.dropFirst(2))
}

@Suite struct JSONOutlineTests {
  @Test(arguments: JSONCases.good) func forwardsAnything(_ text: String) throws {
    let bytes = Array(text.utf8)
    let outline = try scan(bytes).get()
    let line = try forward(bytes, terminal: false)
    #expect(
      line == bytes[outline.range].map { $0 == 10 || $0 == 13 ? 32 : $0 })
    let again = try scan(line).get()
    #expect(again.kind == outline.kind && again.range == 0..<line.count && !again.hasLineBreak)

    let shown = try forward(bytes, terminal: true)
    #expect(try scan(shown).get().kind == outline.kind)
    #expect(try forward(shown, terminal: true) == shown)
    for scalar in String(decoding: shown, as: UTF8.self).unicodeScalars {
      #expect(scalar == "\t" || !TerminalText.isUnsafe(scalar.value))
    }
    // Of a string, the value stays the same.
    if outline.kind == .string {
      let one = JSONString.unescape(line.span, 1..<(line.count - 1))
      let other = JSONString.unescape(shown.span, 1..<(shown.count - 1))
      #expect(one == other)
    }
  }

  @Test func escapesForTerminals() throws {
    let text = "\n{ \"a\u{7F}\":\r\"\u{9B}31m\u{202E}\u{2028}é👋\u{E0001}\",\n\"b\\n\":1}\n"
    #expect(
      String(decoding: try forward(Array(text.utf8), terminal: true), as: UTF8.self)
        == #"{ "a\u007f": "\u009b31m\u202e\u2028é👋\udb40\udc01", "b\n":1}"#)
    #expect(
      String(decoding: try forward(Array(text.utf8), terminal: false), as: UTF8.self)
        == "{ \"a\u{7F}\": \"\u{9B}31m\u{202E}\u{2028}é👋\u{E0001}\", \"b\\n\":1}")
  }
}
