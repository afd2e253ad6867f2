import Testing

@testable import JSONText

/// Where the skimmer stopped, and what it had read by then.
private struct Stop: Equatable {
  var place: JSONSkimmer.Place
  /// What is left of the text.
  var rest: String
  var keyCount: Int
  var isASCII = true
}

private func skim(_ text: String, wanted: [String] = []) -> Stop {
  let bytes = Array(text.utf8)
  let keys = JSONKeys()
  keys.open()
  var filter: UInt64 = 0
  for name in wanted {
    let name = Array(name.utf8)
    filter |= JSONKeys.filterBit(JSONKeys.hash(name.span, 0, name.count))
  }
  var seen: UInt64 = 0
  let (place, index) = JSONSkimmer.skim(
    bytes.span, from: 0, end: bytes.count, keys: keys, wantedFilter: filter, seen: &seen)
  return Stop(
    place: place, rest: String(decoding: bytes[index...], as: UTF8.self), keyCount: keys.count,
    isASCII: seen == 0)
}

@Suite struct JSONSkimmerTests {
  @Test(
    arguments: [
      // The object's end, behind a string and behind a number.
      (#""key":"value"}"#, .afterValue, "}", 1), (#""key":1234567}"#, .afterValue, "}", 1),
      (#""a":"b","c":12,"d":"efg"}"#, .afterValue, "}", 3),
      (#""a":"bcdefg" ,"#, .afterValue, " ,", 1),
      // A key that isn't plain or hasn't come whole.
      (#"x":"value"}"#, .member, #"x":"value"}"#, 0), (#""k":1}"#, .member, #""k":1}"#, 0),
      (#""k\n":"value"}"#, .member, #""k\n":"value"}"#, 0),
      (#""key" :"value"}"#, .member, #""key" :"value"}"#, 0),
      (#""endlesskey"#, .member, #""endlesskey"#, 0),
      (#""a":"bcd", "e":1}"#, .member, #" "e":1}"#, 1),
      // Perhaps a duplicate.
      (#""a":12,"a":"bcdefg"}"#, .member, #""a":"bcdefg"}"#, 1),
      // A value of another kind, or one that needs a look.
      (#""key":[1,2,3]}"#, .value, "[1,2,3]}", 1), (#""key": "value"}"#, .value, #" "value"}"#, 1),
      (#""key":012345}"#, .value, "012345}", 1), (#""key":-1234}"#, .value, "-1234}", 1),
      (#""key":1.2345}"#, .value, "1.2345}", 1), (#""key":123456 }"#, .value, "123456 }", 1),
      (#""key":1234567"#, .value, "1234567", 1), (#""key":"a\n"}"#, .value, #""a\n"}"#, 1),
      (#""key":"value"#, .value, #""value"#, 1), (#""key":"value""#, .value, #""value""#, 1),
    ] as [(String, JSONSkimmer.Place, String, Int)])
  func stopsAtWhatItDoesNotKnow(
    _ text: String, _ place: JSONSkimmer.Place, _ rest: String, _ keyCount: Int
  ) {
    #expect(skim(text) == Stop(place: place, rest: rest, keyCount: keyCount))
  }

  @Test func leavesWantedValuesToTheScanner() {
    let text = #""a":1,"type":"text","id":7}"#
    #expect(
      skim(text, wanted: ["type"])
        == Stop(place: .wantedValue, rest: #""text","id":7}"#, keyCount: 2))
    #expect(
      skim(text, wanted: ["a", "type"])
        == Stop(place: .wantedValue, rest: #"1,"type":"text","id":7}"#, keyCount: 1))
  }

  @Test func tellsWhatIsNotASCII() {
    #expect(
      skim("\"key\":\"Grüße\"}") == Stop(place: .afterValue, rest: "}", keyCount: 1, isASCII: false)
    )
    #expect(
      skim("\"schlüssel\":1}") == Stop(place: .afterValue, rest: "}", keyCount: 1, isASCII: false))
  }

  @Test func leavesLongNumbersAndManyKeys() {
    for (count, isRead) in [(300, true), (301, false)] {
      let digits = String(repeating: "1", count: count)
      let stop = skim("\"n\":\(digits)}")
      #expect(stop.place == (isRead ? .afterValue : .value))
      #expect(stop.rest == (isRead ? "}" : digits + "}"))
    }
    // No more keys than there is room for: each has a filter bit of its own.
    var bits: UInt64 = 0
    var names: [String] = []
    for number in 0..<10_000 where names.count < 60 {
      let name = Array("k\(number)".utf8)
      let bit = JSONKeys.filterBit(JSONKeys.hash(name.span, 0, name.count))
      if bits & bit == 0 { names.append("k\(number)") }
      bits |= bit
    }
    let stop = skim(names.map { "\"\($0)\":1234" }.joined(separator: ",") + "}")
    #expect(stop.place == .member && stop.keyCount == 48)
    #expect(stop.rest.hasPrefix("\"\(names[48])\":"))
  }
}
