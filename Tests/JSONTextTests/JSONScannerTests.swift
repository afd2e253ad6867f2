import Bytes
import Testing

@testable import JSONText

/// `#expect` can't take an expression that holds a Span; this takes an array.
func scan(
  _ text: [UInt8], _ range: Range<Int>? = nil, maximumDepth: Int = 128
) -> Result<JSONOutline, JSONError> {
  var scanner = JSONScanner(wanted: [], maximumDepth: maximumDepth)
  do {
    return .success(try scanner.scan(text.span, range ?? 0..<text.count))
  } catch {
    return .failure(error)
  }
}

private func reason(_ result: Result<JSONOutline, JSONError>) -> String? {
  if case .failure(let error) = result { return error.reason }
  return nil
}

@Suite struct JSONScannerTests {
  @Test(arguments: JSONCases.good) func accepts(_ text: String) throws {
    let bytes = Array(text.utf8)
    let outline = try scan(bytes).get()
    #expect(outline.isASCII == bytes.allSatisfy { $0 < 0x80 })
    let trimmed = text.utf8.drop { $0 <= 0x20 }
    #expect(outline.range.lowerBound == text.utf8.count - trimmed.count)
    #expect(bytes[outline.range.upperBound...].allSatisfy { $0 <= 0x20 })
    #expect(outline.hasLineBreak == bytes[outline.range].contains { $0 == 10 || $0 == 13 })

    // Inside a longer text, at each distance from a word, with hostile neighbours.
    for count in 0..<70 {
      let padded = [UInt8](repeating: 0xFF, count: count) + bytes + Array("\"\\1]".utf8)
      let inner = try scan(padded, count..<(count + bytes.count)).get()
      #expect(inner.range.count == outline.range.count && inner.isASCII == outline.isASCII)
    }
    // As a member and as an element.
    _ = try scan(Array("{\"k\":".utf8) + bytes + Array("}".utf8)).get()
    _ = try scan(Array("[0,".utf8) + bytes + Array(",1]".utf8)).get()
  }

  /// A text that ends early is an error, unless what is left is a value itself (a shorter number).
  @Test(arguments: JSONCases.good) func refusesTruncations(_ text: String) {
    let bytes = Array(text.utf8)
    guard case .success(let outline) = scan(bytes) else { return }
    for end in 0..<outline.range.upperBound {
      switch scan(bytes, 0..<end) {
      case .success(let shorter): #expect(outline.kind == .number && shorter.kind == .number)
      case .failure(let error):
        #expect([.truncated, .empty, .numberOutOfRange].contains(error.kind))
        #expect(error.offset <= end)
      }
    }
  }

  @Test(arguments: JSONCases.bad) func refuses(_ text: String, _ part: String) {
    let bytes = Array(text.utf8)
    let result = scan(bytes)
    #expect(reason(result)?.contains(part) == true, "\(text): \(result)")
    let padded = [UInt8](repeating: 0x20, count: 61) + bytes
    #expect(reason(scan(padded))?.contains(part) == true)
    for cut in 0...bytes.count {
      for range in [0..<cut, cut..<bytes.count] {
        if case .failure(let error) = scan(bytes, range) {
          #expect((0...range.count).contains(error.offset))
        }
      }
    }
  }

  @Test(arguments: JSONCases.badUTF8) func refusesBadUTF8(_ broken: [UInt8]) {
    for count in [0, 1, 7, 40, 62, 63, 64, 100] {
      let filler = [UInt8](repeating: 0x61, count: count)
      let text = Array("[\"".utf8) + filler + broken + Array("\"]".utf8)
      guard case .failure(let error) = scan(text) else {
        Issue.record("accepted \(broken)")
        return
      }
      #expect(error.kind == .invalidUTF8)
      #expect((count + 2..<text.count).contains(error.offset))
      let key = Array("{\"".utf8) + filler + broken + Array("\":1}".utf8)
      #expect(reason(scan(key)) == "invalid UTF-8")
      let outside = Array("[\"".utf8) + filler + Array("\",".utf8) + broken + Array("]".utf8)
      #expect(reason(scan(outside))?.contains("should begin") == true)
    }
  }

  @Test func saysWhereAndWhy() {
    let cases: [(String, JSONError)] = [
      (#"{"room":1,"b":2,"room":3}"#, JSONError(.duplicateKey("room"), at: 16)),
      ("[1,}", JSONError(.expectedValue(0x7D), at: 3)),
      ("\"a\u{1}\"", JSONError(.controlByte(1), at: 2)),
      ("  [1e999]", JSONError(.numberOutOfRange, at: 3)),
      ("\"\\ud800\"", JSONError(.loneSurrogate, at: 1)),
      ("[[]]]", JSONError(.trailingBytes, at: 4)),
    ]
    for (text, expected) in cases {
      let bytes = Array(text.utf8)
      #expect(scan(bytes) == .failure(expected))
      // Offsets count from the start of the range.
      #expect(scan(Array("###".utf8) + bytes, 3..<(bytes.count + 3)) == .failure(expected))
    }
    #expect(JSONError(.tooDeep(maximum: 128), at: 0).reason == "nested deeper than 128")
    #expect(JSONError(.expectedValue(0x7D), at: 0).reason.hasPrefix("\"}\""))
    let long = "{\"" + String(repeating: "é", count: 40) + "\":1,"
    let text = Array((long + long.dropFirst() + "\"z\":1}").utf8)
    #expect(reason(scan(text)) == "duplicate key \"\(String(repeating: "é", count: 32))\"")
  }

  @Test func limitsDepth() throws {
    for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
      func nest(_ depth: Int) -> [UInt8] {
        let inner = open == "[" ? "" : "1"
        return Array(
          (String(repeating: open, count: depth) + inner + String(repeating: close, count: depth))
            .utf8)
      }
      #expect(try scan(nest(128)).get().kind == (open == "[" ? .array : .object))
      #expect(reason(scan(nest(129))) == "nested deeper than 128")
      #expect(reason(scan(nest(10_000))) == "nested deeper than 128")
      #expect(reason(scan(nest(3), maximumDepth: 2)) == "nested deeper than 2")
      #expect(reason(scan(nest(1), maximumDepth: 0)) == "nested deeper than 0")
    }
    #expect(reason(scan(Array(repeating: UInt8(ascii: "["), count: 1 << 20))) != nil)
  }

  @Test func findsWantedMembers() throws {
    let names = ["type", "id", "conversationId", "seq", "missing", "", "ok", "meta", "ty\u{0}"]
    var scanner = JSONScanner(wanted: names)
    func members(_ text: String) -> [String?] {
      let bytes = Array(text.utf8)
      guard (try? scanner.scan(bytes.span, 0..<bytes.count)) != nil else { return [] }
      return names.indices.map { index in
        scanner.member(index).map { value in
          "\(value.kind)\(value.hasEscapes ? "!" : "") "
            + String(decoding: bytes[value.range], as: UTF8.self)
        }
      }
    }
    let found = members(
      #"{ "meta" : {"type":"no","id":[{}]} ,"type":"t\"x","seq": -12.5e1 , "id":["a","b"],"#
        + #""":null,"ok":true,"\u0063onversationId":"ops"}"#)
    #expect(
      found == [
        #"string! t\"x"#, #"array ["a","b"]"#, "string ops", "number -12.5e1", nil, "null null",
        "boolean true", #"object {"type":"no","id":[{}]}"#, nil,
      ])
    #expect(members(#"{"seq":7}"#) == [nil, nil, nil, "number 7", nil, nil, nil, nil, nil])
    #expect(members(#"{"ty\u0000":{}}"#).last == "object {}")
    // Not of an array's objects, not of inner objects, and nothing after an error.
    let none = [String?](repeating: nil, count: names.count)
    #expect(members(#"[{"type":1},{"seq":2}]"#) == none)
    #expect(members(#"{"a":{"type":{"type":1}},"b":[{"id":1}]}"#) == none)
    #expect(members(#"{"type":1,}"#).isEmpty && scanner.member(0) == nil)
  }

  /// The filter only says that a key may be wanted; its name decides.
  @Test func findsNoMemberThatOnlyLooksWanted() throws {
    func bit(_ name: String) -> UInt64 {
      let bytes = Array(name.utf8)
      return JSONKeys.filterBit(JSONKeys.hash(bytes.span, 0, bytes.count))
    }
    let names = (0..<10_000).map { "k\($0)" }
    let alike = try #require(names.first { bit($0) == bit("type") })
    var scanner = JSONScanner(wanted: ["type"])
    for text in ["{\"\(alike)\":\"text\"}", "{ \"\(alike)\" : 1 }"] {
      let bytes = Array(text.utf8)
      _ = try scanner.scan(bytes.span, 0..<bytes.count)
      #expect(scanner.member(0) == nil)
    }
    let both = Array("{\"\(alike)\":\"text\",\"type\":7}".utf8)
    _ = try scanner.scan(both.span, 0..<both.count)
    #expect(scanner.member(0)?.range == (both.count - 2)..<(both.count - 1))
  }

  @Test func findsDuplicatesAmongMany() throws {
    for count in [2, 31, 32, 33, 34, 47, 48, 49, 50, 64, 100, 1_000] {
      let keys = (0..<count).map { "\"key\($0)\":\($0)" }
      _ = try scan(Array("{\(keys.joined(separator: ","))}".utf8)).get()
      for (first, second) in [
        (0, count - 1), (count / 2, count - 1), (0, 1), (count - 2, count / 2),
      ]
      where first != second {
        var twice = keys
        twice[second] = "\"k\\u0065y\(first)\":{\"key0\":[{},{\"key1\":1}]}"
        let text = Array("{\"x\":[1,{\(twice.joined(separator: ","))}]}".utf8)
        #expect(reason(scan(text)) == "duplicate key \"key\(first)\"", "\(count) keys")
      }
      // Siblings and parents may share names.
      let object = "{\(keys.joined(separator: ","))}"
      let nested = "{\"inner\":\(object),\(keys.joined(separator: ",")),\"last\":\(object)}"
      _ = try scan(Array(nested.utf8)).get()
    }
  }

  /// Whoever knows the hash must not be able to make a scan slow: 1 MiB objects take milliseconds,
  /// where comparing each with each would take minutes.
  @Test(.timeLimit(.minutes(1))) func survivesHostileObjects() throws {
    let distinct = (0..<100_000).map { "\"\($0)\":0" }.joined(separator: ",")
    _ = try scan(Array("{\(distinct)}".utf8)).get()
    #expect(reason(scan(Array("{\(distinct),\"4711\":0}".utf8))) == "duplicate key \"4711\"")
    let escaped = (0..<5_000).map { "\"\\u00\(20 + $0 % 50)\($0)\":0" }.joined(separator: ",")
    _ = try scan(Array("{\(escaped)}".utf8)).get()

    // Keys of 16 bytes with one hash: any first half, and a second half that undoes its effect.
    let multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15
    func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
      let product = (hash ^ word) &* multiplier
      return product ^ product >> 32
    }
    func bytes(_ word: UInt64) -> [UInt8] {
      (0..<8).map { UInt8(truncatingIfNeeded: word >> ($0 * 8)) }
    }
    var text = Array("{".utf8)
    var count = 0
    var candidate: UInt64 = 0
    while count < 150 {
      candidate += 1
      var first: UInt64 = 0
      for shift in 0..<8 {
        first |= (0x30 + (candidate >> UInt64(shift * 4)) & 15) << UInt64(shift * 8)
      }
      let second = mix(16, first) ^ 0x1234_5678_9ABC_DEF0
      let half = bytes(second)
      guard half.allSatisfy({ $0 >= 0x20 && $0 < 0x80 && $0 != 0x22 && $0 != 0x5C }) else {
        continue
      }
      if count > 0 { text.append(UInt8(ascii: ",")) }
      text += Array("\"".utf8) + bytes(first) + half + Array("\":0".utf8)
      count += 1
    }
    text.append(UInt8(ascii: "}"))
    _ = try scan(text).get()
  }

  @Test func isReusableAfterAnything() throws {
    var scanner = JSONScanner(wanted: ["a"])
    let texts = [
      #"{"a":1,"a":2}"#, #"{"b":{"a":1"#, "[[[[", #"{"\u0061":"#,
      "{" + (0..<60).map { "\"k\($0)\":1" }.joined(separator: ","), #"{"a":5}"#,
    ]
    for text in texts + texts.reversed() {
      let bytes = Array(text.utf8)
      _ = try? scanner.scan(bytes.span, 0..<bytes.count)
      let good = Array(#"{"b":[{"a":1}],"a":"x"}"#.utf8)
      _ = try scanner.scan(good.span, 0..<good.count)
      let value = scanner.member(0)
      #expect(value?.range == 20..<21)
    }
  }
}
