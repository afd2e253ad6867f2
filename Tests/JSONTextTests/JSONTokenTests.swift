import Testing

@testable import JSONText

/// What a string's end was found to be, with what was noticed on the way.
private struct Ending: Equatable {
  var index: Int
  var hasEscapes: Bool
  var isASCII: Bool
}

private func endOfString(_ text: String, from start: Int = 0) -> Result<Ending, JSONError> {
  let bytes = Array(text.utf8)
  var seen: UInt64 = 0
  var hasEscapes = false
  do {
    let index = try JSONToken.endOfString(bytes.span, start, bytes.count, &seen, &hasEscapes)
    return .success(Ending(index: index, hasEscapes: hasEscapes, isASCII: seen == 0))
  } catch {
    return .failure(error)
  }
}

private func endOfLiteral(_ text: String, from start: Int = 0) -> Result<Int, JSONError> {
  let bytes = Array(text.utf8)
  do {
    return .success(try JSONToken.endOfLiteral(bytes.span, start, bytes.count))
  } catch {
    return .failure(error)
  }
}

@Suite struct JSONTokenTests {
  @Test(arguments: [
    ("", 0, false), ("a", 0, false), (" a\n", 1, false), (" \t ", 3, false), ("\n", 1, true),
    ("\ra", 1, true), (" \r\n\t{\n", 4, true), ("\u{0B} ", 0, false), ("\u{0}", 0, false),
  ])
  func whitespaceIsSkipped(_ text: String, _ end: Int, _ breaks: Bool) {
    let bytes = Array(text.utf8)
    var hasLineBreak = false
    let index = JSONToken.skipWhitespace(bytes.span, 0, bytes.count, &hasLineBreak)
    #expect(index == end && hasLineBreak == breaks)
    // What was noticed before stays noticed.
    hasLineBreak = true
    let again = JSONToken.skipWhitespace(bytes.span, 0, bytes.count, &hasLineBreak)
    #expect(again == end && hasLineBreak)
  }

  /// Every byte at every place of a word, and behind the last whole one.
  @Test func plainTextEndsAtTheFirstByteThatNeedsALook() {
    for length in [1, 7, 8, 9, 15, 16, 20] {
      for place in 0..<length {
        for byte in UInt8.min...UInt8.max {
          var bytes = [UInt8](repeating: 0x61, count: length)
          bytes[place] = byte
          var seen: UInt64 = 0
          let stop = JSONToken.endOfPlain(bytes.span, 0, length, &seen)
          let isPlain = byte >= 0x20 && byte != 0x22 && byte != 0x5C
          if stop != (isPlain ? length : place) || isPlain && (seen == 0) != (byte < 0x80) {
            Issue.record("byte \(byte) at \(place) of \(length): \(stop), \(seen)")
          }
        }
      }
    }
  }

  @Test(arguments: [
    ("\"", 0, false, true), ("abc\"d\"", 3, false, true), ("0123456789\"", 10, false, true),
    ("a\\\"b\"", 4, true, true), ("\\\\\"\"", 2, true, true),
    ("\\/\\b\\f\\n\\r\\t\"", 12, true, true),
    ("\\u00e4\"", 6, true, true), ("\\uD83D\\uDE00 long enough for words\"", 34, true, true),
    ("\u{E4}\"", 2, false, false), ("\\n\u{E4}\"", 4, true, false),
  ])
  func aStringEndsAtItsQuote(_ text: String, _ end: Int, _ escapes: Bool, _ isASCII: Bool) {
    let ending = Ending(index: end, hasEscapes: escapes, isASCII: isASCII)
    #expect(endOfString(text) == .success(ending))
    let inner = Ending(index: end + 3, hasEscapes: escapes, isASCII: isASCII)
    #expect(endOfString("##\"" + text, from: 3) == .success(inner))
  }

  @Test(
    arguments: [
      ("", .truncated, 0), ("abc", .truncated, 3), ("\\", .truncated, 1), ("a\\\"", .truncated, 3),
      ("\\u12", .truncated, 4), ("\\uD83D", .truncated, 6), ("\\uD83D\\", .truncated, 7),
      ("\\uD83D\\uDE", .truncated, 10), ("ab\n\"", .controlByte(0x0A), 2),
      ("\\n\u{1F}\"", .controlByte(0x1F), 2), ("a\\x41\"", .invalidEscape, 1),
      ("\\u00G0\"", .invalidEscape, 0), ("\\uD83D\\u00G0\"", .invalidEscape, 6),
      ("\\uD83Dx\"", .loneSurrogate, 0), ("a\\uD83D\\n\"", .loneSurrogate, 1),
      ("\\uDE00\\uDE00\"", .loneSurrogate, 0), ("\\uD83D\\u0041\"", .loneSurrogate, 0),
      ("\\uD83D\\uD83D\"", .loneSurrogate, 0),
    ] as [(String, JSONError.Kind, Int)])
  func aBadStringSaysWhere(_ text: String, _ kind: JSONError.Kind, _ offset: Int) {
    #expect(endOfString(text) == .failure(JSONError(kind, at: offset)))
    #expect(endOfString("##\"" + text, from: 3) == .failure(JSONError(kind, at: offset + 3)))
  }

  @Test(arguments: ["true", "false", "null"])
  func literalsAreReadWhole(_ literal: String) {
    let count = literal.utf8.count
    #expect(endOfLiteral(literal) == .success(count))
    #expect(endOfLiteral("[" + literal + "x", from: 1) == .success(count + 1))
    for cut in 1..<count {
      let start = String(literal.prefix(cut))
      #expect(endOfLiteral(start) == .failure(JSONError(.truncated, at: cut)))
      let wrong = JSONError(.expectedValue(literal.utf8.first ?? 0), at: 1)
      #expect(endOfLiteral("," + start + "X", from: 1) == .failure(wrong))
    }
    #expect(endOfLiteral("True") == .failure(JSONError(.expectedValue(0x54), at: 0)))
  }
}
