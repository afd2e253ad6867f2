import Bytes
import JSONText
import Testing

@Suite struct LineSplitterTests {
  enum Result: Equatable {
    case line(String)
    case tooLong(Int, String)
  }

  static func split(_ chunks: [[UInt8]], maximum: Int) -> [Result] {
    var splitter = LineSplitter(maximumLength: maximum)
    var results: [Result] = []
    func take(_ line: LineSplitter.Line, _ chunk: [UInt8]) {
      let assembled = String(decoding: splitter.assembled, as: UTF8.self)
      switch line {
      case .inChunk(let range): results.append(.line(String(decoding: chunk[range], as: UTF8.self)))
      case .assembled: results.append(.line(assembled))
      case .tooLong(let byteCount): results.append(.tooLong(byteCount, assembled))
      }
    }
    for chunk in chunks {
      var position = 0
      while let line = splitter.next(chunk.span, at: &position) { take(line, chunk) }
      if position != chunk.count { Issue.record("the chunk isn't used up") }
    }
    if let line = splitter.end() { take(line, []) }
    if splitter.end() != nil { Issue.record("something is left") }
    return results
  }

  static let cases: [(String, Int, [Result])] = [
    ("", 9, []), ("\n", 9, [.line("")]), ("a", 9, [.line("a")]), ("a\n", 9, [.line("a")]),
    ("a\nb\n\nc", 9, [.line("a"), .line("b"), .line(""), .line("c")]),
    ("a\r\nb\r\n\r\n", 9, [.line("a"), .line("b"), .line("")]),
    ("a\rb\n\r\r\nx\r", 9, [.line("a\rb"), .line("\r"), .line("x")]),
    ("12345\n", 5, [.line("12345")]), ("12345\r\n", 5, [.line("12345")]),
    ("12345", 5, [.line("12345")]),
    ("123456\n1\n", 5, [.tooLong(6, "123456"), .line("1")]),
    ("123456\r\n", 5, [.tooLong(6, "123456")]), ("123456", 5, [.tooLong(6, "123456")]),
    ("12345\r", 5, [.line("12345")]), ("12345\r1\n", 5, [.tooLong(7, "12345\r1")]),
    ("\n\n123456789\n\n", 5, [.line(""), .line(""), .tooLong(9, "123456789"), .line("")]),
    ("Grüße 👋\nzwei\n", 40, [.line("Grüße 👋"), .line("zwei")]),
    (
      String(repeating: "x", count: 600) + "\ny\n", 300,
      [.tooLong(600, String(repeating: "x", count: 256)), .line("y")]
    ),
    (
      String(repeating: "x", count: 300) + "\r\n" + String(repeating: "z", count: 301), 300,
      [
        .line(String(repeating: "x", count: 300)),
        .tooLong(301, String(repeating: "z", count: 256)),
      ]
    ),
  ]

  @Test(arguments: cases) func splitsHoweverItArrives(
    _ text: String, _ maximum: Int, _ expected: [Result]
  ) {
    let bytes = Array(text.utf8)
    #expect(Self.split([bytes], maximum: maximum) == expected)
    #expect(Self.split(bytes.map { [$0] }, maximum: maximum) == expected)
    for cut in 0...bytes.count {
      let chunks = [Array(bytes[..<cut]), [], Array(bytes[cut...])]
      #expect(Self.split(chunks, maximum: maximum) == expected)
    }
    for size in 2...9 {
      let chunks = stride(from: 0, to: bytes.count, by: size).map {
        Array(bytes[$0..<min($0 + size, bytes.count)])
      }
      #expect(Self.split(chunks, maximum: maximum) == expected)
    }
  }

  @Test func readsPartlyFilledBuffers() {
    var splitter = LineSplitter(maximumLength: 9)
    let buffer = Array("ab\ncd\nold".utf8)
    var position = 0
    let first = splitter.next(buffer.span, at: &position, end: 5)
    #expect(first == .inChunk(0..<2) && position == 3)
    let second = splitter.next(buffer.span, at: &position, end: 5)
    #expect(second == nil && position == 5)
    let last = splitter.end()
    #expect(last == .assembled && splitter.assembled == Array("cd".utf8))
  }

  /// What is too long must not pile up in memory.
  @Test func keepsMemoryFlat() {
    var splitter = LineSplitter(maximumLength: 100_000)
    let chunk = [UInt8](repeating: 0x78, count: 65_536)
    for _ in 0..<24 {
      var position = 0
      let line = splitter.next(chunk.span, at: &position)
      #expect(line == nil && splitter.assembled.capacity <= 262_144)
    }
    let newline: [UInt8] = [0x0A, 0x61]
    var position = 0
    let line = splitter.next(newline.span, at: &position)
    #expect(line == .tooLong(byteCount: 24 * 65_536))
    #expect(splitter.assembled.count == LineSplitter.keptPrefix)
    _ = splitter.next(newline.span, at: &position)
    let last = splitter.end()
    #expect(last == .assembled && splitter.assembled.capacity <= 65_536)
  }
}
