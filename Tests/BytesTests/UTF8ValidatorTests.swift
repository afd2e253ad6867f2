import Bytes
import Testing

/// `#expect` can't take an expression that holds a Span; these take arrays.
private func isValid(_ text: [UInt8]) -> Bool {
  UTF8Validator.isValid(text.span, 0..<text.count)
}

extension UTF8Validator {
  fileprivate mutating func take(_ text: [UInt8], _ range: Range<Int>) -> Bool {
    validate(text.span, range)
  }
}

@Suite struct UTF8ValidatorTests {
  static let good: [[UInt8]] = [
    [], Array("plain".utf8), Array("Grüße, 你好, 👋🏽 مرحبا".utf8),
    [0x00], [0x7F], [0xC2, 0x80], [0xDF, 0xBF], [0xE0, 0xA0, 0x80], [0xED, 0x9F, 0xBF],
    [0xEE, 0x80, 0x80], [0xEF, 0xBF, 0xBF], [0xF0, 0x90, 0x80, 0x80], [0xF4, 0x8F, 0xBF, 0xBF],
    Array(String(repeating: "abcdefghijklmnopqrstuvwxyz 0123456789 ", count: 5).utf8) + [
      0xC3, 0xA4,
    ],
    Array(String(repeating: "aé水👋", count: 40).utf8),
  ]

  /// Bytes and the index of the first one after which nothing can make them valid; nil: only cut.
  static let bad: [([UInt8], Int?)] = [
    ([0x80], 0), ([0xBF], 0), ([0xC0, 0x80], 0), ([0xC1, 0xBF], 0), ([0xF5], 0), ([0xFF], 0),
    ([0xFE], 0), ([0xC2, 0x41], 1), ([0xC2, 0xC2], 1), ([0xE0, 0x9F, 0xBF], 1),
    ([0xE1, 0x80, 0x41], 2), ([0xED, 0xA0, 0x80], 1), ([0xED, 0xBF, 0xBF], 1),
    ([0xF0, 0x8F, 0xBF, 0xBF], 1), ([0xF4, 0x90, 0x80, 0x80], 1), ([0xF1, 0x80, 0x80, 0xC0], 3),
    ([0xF8, 0x88, 0x80, 0x80, 0x80], 0), ([0xEF, 0xBF], nil), ([0xF0, 0x9F], nil), ([0xC3], nil),
    (Array("Hello µ@ßöäüàá-UTF-8!!".utf8) + [0xCE, 0xBA, 0xED, 0xA0, 0x80, 0x65], 32),
  ]

  @Test(arguments: good) func acceptsWholeAndCutAnywhere(_ text: [UInt8]) {
    #expect(isValid(text))
    for cut in 0...text.count {
      var validator = UTF8Validator()
      let isAlive = validator.take(text, 0..<cut)
      #expect(isAlive)
      #expect(validator.isComplete == (String(validating: text[..<cut], as: UTF8.self) != nil))
      let isAliveStill = validator.take(text, cut..<text.count)
      #expect(isAliveStill)
      #expect(validator.isComplete)
    }
  }

  @Test(arguments: bad) func refusesAtTheFirstHopelessByte(_ text: [UInt8], _ failure: Int?) {
    #expect(!isValid(text))
    var byByte = UTF8Validator()
    for index in text.indices {
      let expected = failure.map { index < $0 } ?? true
      let isAlive = byByte.take(text, index..<(index + 1))
      #expect(isAlive == expected)
    }
    #expect(!byByte.isComplete)
    for cut in 0...text.count {
      var validator = UTF8Validator()
      let first = validator.take(text, 0..<cut)
      #expect(first == (failure.map { cut <= $0 } ?? true))
      let second = validator.take(text, cut..<text.count)
      #expect(second == (failure == nil))
    }
    var sticky = UTF8Validator()
    _ = sticky.take(text, 0..<text.count)
    if failure != nil {
      let isAlive = sticky.take([0x41], 0..<1)
      #expect(!isAlive)
    }
  }

  /// Every sequence of two bytes, and every one of three and four with interesting bytes, agrees
  /// with the standard library, at each distance from the end of the text.
  @Test func agreesWithTheStandardLibrary() {
    let edges: [UInt8] = [
      0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF,
      0xF0,
      0xF1, 0xF4, 0xF5, 0xFF,
    ]
    let lasts: [UInt8] = [0x41, 0x80, 0xBF, 0xC2]
    var wrong: [[UInt8]] = []
    func check(_ text: [UInt8]) {
      let expected = String(validating: text, as: UTF8.self) != nil
      let padded = text + Array("tail".utf8)
      if isValid(text) != expected { wrong.append(text) }
      if isValid(padded) != expected { wrong.append(padded) }
    }
    for first in UInt8.min...UInt8.max {
      for second in UInt8.min...UInt8.max { check([first, second]) }
    }
    for first in edges {
      for second in edges {
        for third in edges {
          check([first, second, third])
          for fourth in lasts { check([first, second, third, fourth]) }
        }
      }
    }
    #expect(wrong.isEmpty)
  }

  @Test func findsTheEndOfASCIIAtEveryOffset() {
    func end(_ text: [UInt8], _ count: Int) -> Int {
      UTF8Validator.endOfASCII(text.span, 0..<count)
    }
    for count in 0..<80 {
      var text = [UInt8](repeating: 0x61, count: count)
      #expect(end(text, count) == count)
      for index in 0..<count {
        text[index] = 0xC3
        #expect(end(text, count) == index)
        #expect(end(text, index) == index)
        text[index] = 0x61
      }
    }
  }

  @Test(arguments: ["a", "\u{80}", "é", "\u{7FF}", "\u{800}", "水", "\u{10000}", "👋", "\u{10FFFF}"])
  func readsAScalar(character: String) {
    let bytes = Array("<\(character)>".utf8)
    let scalar = UTF8Validator.scalar(bytes.span, at: 1, length: bytes.count - 2)
    #expect(scalar == character.unicodeScalars.first?.value)
  }

  @Test func cutsAtACharacter() {
    func length(_ text: [UInt8], _ start: Int, _ maximum: Int) -> Int {
      UTF8Validator.prefixLength(text.span, start..<text.count, maximum: maximum)
    }
    let text = Array("aé水👋".utf8)
    let expected = [0, 1, 1, 3, 3, 3, 6, 6, 6, 6, 10, 10]
    for maximum in 0..<expected.count {
      #expect(length(text, 0, maximum) == expected[maximum])
    }
    let stray = [UInt8](repeating: 0x80, count: 200)
    #expect(length(stray, 0, 123) == 120)
    #expect(length(stray, 10, -1) == 0)
  }
}
