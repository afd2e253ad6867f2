import Testing

@testable import JSONText

/// Keys of one text, which the test writes as it goes.
private struct Writing {
  let keys = JSONKeys()
  private(set) var text: [UInt8] = []
  private var ranges: [Range<Int>] = []
  private var next = 0

  /// All names must be known before, because keys refer to the text.
  init(_ names: [String]) {
    for name in names {
      let start = text.count + 1
      text += Array("\"\(name)\"".utf8)
      ranges.append(start..<(text.count - 1))
    }
    keys.reset()
    keys.open()
  }

  func key(_ index: Int) -> JSONKeys.Key {
    let range = ranges[index]
    if text[range].contains(UInt8(ascii: "\\")) { return keys.makeUnescapedKey(text.span, range) }
    return JSONKeys.Key(
      hash: JSONKeys.hash(text.span, range.lowerBound, range.upperBound),
      start: range.lowerBound, end: range.upperBound)
  }

  /// Inserts the next keys; returns the index of the first that is refused.
  mutating func insert(_ count: Int) -> Int? {
    for _ in 0..<count {
      defer { next += 1 }
      if !keys.insert(key(next), text.span) { return next }
    }
    return nil
  }

  func start(_ index: Int) -> Int { ranges[index].lowerBound }
  func name(_ key: JSONKeys.Key) -> String { keys.name(of: key, text.span) }
  func close() -> JSONKeys.Key? { keys.close(text.span) }
  func equals(_ index: Int, _ other: String) -> Bool {
    keys.equals(key(index), text.span, Array(other.utf8))
  }
}

@Suite struct JSONKeysTests {
  @Test(
    arguments: [
      (["a", "b", "c"], nil), (["a", "b", "a"], 2), (["", ""], 1), (["a", "A", "a "], nil),
      (["a", #"\u0061"#], 1), ([#"\u0061"#, "a"], 1), ([#"\n"#, #"\t"#, #"\u000a"#], 2),
      (["conversation", "conversatioN", "conversation"], 2),
      (["a key of three words and more", "a key of three words and morE"], nil),
      (["a key of three words and more", #"a key of three words \u0061nd more"#], 1),
    ] as [([String], Int?)])
  func aDuplicateIsRefusedAtOnce(_ names: [String], _ index: Int?) {
    var writing = Writing(names)
    #expect(writing.insert(names.count) == index)
    #expect(writing.keys.count == (index ?? names.count))
  }

  @Test(arguments: [34, 48, 49, 50, 64, 500])
  func inALargeObjectItIsFoundAtTheEnd(_ count: Int) {
    let names = (0..<count).map { $0 % 7 == 0 ? #"\u006bey\#($0)"# : "key\($0)" }
    var distinct = Writing(names)
    #expect(distinct.insert(count) == nil)
    #expect(distinct.keys.count == count)
    #expect(distinct.close() == nil && distinct.keys.count == 0)
    for first in [0, 1, count / 2, count - 2] {
      var twice = Writing(names.dropLast() + ["ke\\u0079\(first)"])
      #expect(twice.insert(count) == nil)
      let found = twice.close()
      // The later one is what is too many.
      #expect(found?.start == twice.start(count - 1))
      #expect(found.map(twice.name) == "key\(first)")
    }
  }

  @Test(arguments: [(2, 3), (20, 40), (40, 20), (47, 2), (60, 60)])
  func anInnerObjectHasItsOwnKeys(_ outerCount: Int, _ innerCount: Int) {
    let names = { (count: Int) in (0..<count).map { "key\($0)" } }
    var writing = Writing(names(outerCount) + names(innerCount) + ["last", "last"])
    #expect(writing.insert(outerCount) == nil)
    let outer = writing.keys.object
    writing.keys.open()
    #expect(writing.insert(innerCount) == nil)
    #expect(writing.close() == nil && writing.keys.count == outerCount)
    writing.keys.object = outer
    #expect(writing.insert(1) == nil)
    // The outer object still knows its keys.
    let isRefused = writing.insert(1) != nil
    #expect(isRefused || writing.close().map(writing.name) == "last")
  }

  @Test func aNewTextKnowsNothingOfTheLast() {
    var writing = Writing((0..<60).map { #"\u006b\#($0)"# } + ["k0", "k0"])
    #expect(writing.insert(60) == nil)
    writing.keys.reset()
    writing.keys.open()
    #expect(writing.keys.count == 0)
    #expect(writing.insert(1) == nil)
    #expect(writing.keys.last.start == writing.start(60))
    #expect(writing.insert(1) == 61)
  }

  @Test func aNameIsCutAtACharacter() {
    let long = String(repeating: "é", count: 40)
    let writing = Writing([long, "a" + long, "short", #"\u00e9\n"#])
    #expect(writing.name(writing.key(0)) == String(long.prefix(32)))
    #expect(writing.name(writing.key(1)) == "a" + long.prefix(31))
    #expect(writing.name(writing.key(2)) == "short")
    #expect(writing.name(writing.key(3)) == "é\n")
  }

  @Test func equalsLooksAtTheBytesOfWhatAHashCannotTellApart() {
    let writing = Writing(["short", "conversationId", #"\u0061b"#, #"\u0061b conversation"#])
    #expect(writing.equals(0, "short") && !writing.equals(0, "shor"))
    #expect(writing.equals(1, "conversationId") && !writing.equals(1, "conversationID"))
    #expect(!writing.equals(1, "conversation"))
    #expect(writing.equals(2, "ab") && !writing.equals(2, "ac"))
    #expect(writing.equals(3, "ab conversation") && !writing.equals(3, "ab conversatioN"))
  }

  /// The ways to read a key differ with its length and its distance from the text's end.
  @Test func aHashDependsOnTheBytesAndNotOnTheirPlace() {
    for length in 0...40 {
      let name = (0..<length).map { UInt8(0x61 + $0 % 26) }
      let hash = JSONKeys.hash(name.span, 0, length)
      for padding in [0, 1, 7, 8, 30] {
        let text = [0x22] + name + [UInt8](repeating: 0xFF, count: padding)
        let placed = JSONKeys.hash(text.span, 1, length + 1)
        #expect(placed == hash, "\(length) bytes, \(padding) behind them")
      }
      for place in 0..<length {
        var other = name
        other[place] ^= 1
        let changed = JSONKeys.hash(other.span, 0, length)
        #expect(changed != hash, "byte \(place) of \(length)")
      }
      let longer = name + [0]
      let extended = JSONKeys.hash(longer.span, 0, length + 1)
      #expect(extended != hash)
      #expect(JSONKeys.filterBit(hash).nonzeroBitCount == 1)
    }
  }
}
