import JSONText
import Testing

/// `#expect` can't take an expression that holds a Span; this takes an array.
private func escape(
  _ bytes: [UInt8], _ escapes: JSONString.Escapes = .required, maximum: Int = .max
) -> String {
  var text: [UInt8] = []
  JSONString.appendEscaped(
    bytes.span, 0..<bytes.count, escapes: escapes, maximum: maximum, into: &text)
  // Strict, so that a repair that leaves something broken is seen.
  return String(validating: text, as: UTF8.self) ?? "no UTF-8"
}

private func unescape(_ text: String) -> [UInt8] {
  let bytes = Array(text.utf8)
  return JSONString.unescape(bytes.span, 0..<bytes.count)
}

@Suite struct JSONStringTests {
  static let escapes: [(String, String)] = [
    ("", ""), ("plain", "plain"), ("Grüße 👋", "Grüße 👋"), ("\"\\/", #"\"\\/"#),
    ("\u{8}\t\n\u{C}\r", #"\b\t\n\f\r"#), ("\u{0}\u{1}\u{1F}", #"\u0000\u0001\u001f"#),
    ("a\u{7F}b", "a\u{7F}b"), ("\u{9B}\u{202E}\u{2028}", "\u{9B}\u{202E}\u{2028}"),
  ]

  @Test(arguments: escapes) func escapesWhatJSONDemands(_ string: String, _ expected: String) {
    #expect(escape(Array(string.utf8)) == expected)
    var text = Array("<".utf8)
    JSONString.appendEscaped(string, into: &text)
    #expect(String(decoding: text, as: UTF8.self) == "<" + expected)
    #expect(unescape(expected) == Array(string.utf8))
  }

  @Test func escapesForTerminals() {
    let text = "a\u{7F}\u{80}\u{9F}é\u{200B}\u{200D}\u{202E}\u{2069}\u{FEFF}\u{E0041}👋\u{1B}"
    #expect(
      escape(Array(text.utf8), .terminal)
        == #"a\u007f\u0080\u009fé\u200b"# + "\u{200D}" + #"\u202e\u2069\ufeff\udb40\udc41👋\u001b"#)
    #expect(unescape(escape(Array(text.utf8), .terminal)) == Array(text.utf8))
    var appended: [UInt8] = []
    JSONString.appendEscaped("\u{85}", escapes: .terminal, into: &appended)
    #expect(appended == Array(#"\u0085"#.utf8))
  }

  /// The standard library repairs the same way: one U+FFFD for each maximal part.
  @Test(
    arguments: [
      [0x80], [0x61, 0xFF, 0x62], [0xC3], [0xE2, 0x82], [0xE2, 0x82, 0x41], [0xF0, 0x9F, 0x98],
      [0xF0, 0x9F, 0x98, 0x22], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xF4, 0x90],
      [0xC3, 0xC3, 0xA4, 0xA4], [0xF0, 0x9F, 0xF0, 0x9F, 0x98, 0x80], [0xFE, 0xFF],
    ] as [[UInt8]]) func repairs(_ bytes: [UInt8])
  {
    let expected = String(decoding: bytes, as: UTF8.self).replacing("\"", with: "\\\"")
    #expect(escape(bytes) == expected)
    #expect(escape(bytes, .terminal) == expected)
  }

  @Test func cutsAtACharacter() {
    let bytes = Array("aé水👋\"".utf8)
    for (maximum, expected) in [
      (0, ""), (1, "a"), (2, "a"), (3, "aé"), (5, "aé"), (6, "aé水"), (9, "aé水"), (10, "aé水👋"),
      (11, "aé水👋\\\""), (99, "aé水👋\\\""),
    ] {
      #expect(escape(bytes, maximum: maximum) == expected)
      var text: [UInt8] = []
      let isCut = JSONString.appendEscaped(
        bytes.span, 0..<bytes.count, maximum: maximum, into: &text)
      #expect(isCut == (maximum < 11))
    }
  }

  @Test(arguments: [
    (#"\"\\\/\b\f\n\r\t"#, "\"\\/\u{8}\u{C}\n\r\t"), (#"\u0041\u00e4\u20AC"#, "Aä€"),
    (#"\ud83d\ude00x"#, "😀x"), (#"\u0000"#, "\0"), (#"a\\u0041"#, #"a\u0041"#),
    (#"\uDBFF\uDFFF\uD7FF\uE000"#, "\u{10FFFF}\u{D7FF}\u{E000}"),
  ])
  func unescapes(_ text: String, _ expected: String) {
    #expect(unescape(text) == Array(expected.utf8))
    let padded = Array("\"\(text)\"".utf8)
    var bytes: [UInt8] = [0x3C]
    JSONString.appendUnescaped(padded.span, 1..<(padded.count - 1), into: &bytes)
    #expect(bytes == [0x3C] + Array(expected.utf8))
  }

  /// Only scanned strings may be given, but nothing may trap.
  @Test(arguments: [#"\"#, #"a\u"#, #"\u12"#, #"\uZZZZ"#, #"\ud83d"#, #"\ud83dx"#, #"\ude00"#])
  func survivesWhatNoScanAccepts(_ text: String) {
    #expect(unescape(text).count <= 4)
  }
}
