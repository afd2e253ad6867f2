import Bytes

/// Checks that bytes are exactly one JSON value, and finds the few members that matter.
///
/// The one strict reading of RFC 8259 that everything here shares. Beyond the grammar it refuses what
/// two parsers could read differently: a byte order mark, invalid UTF-8, half surrogate pairs,
/// duplicate keys (compared unescaped, byte by byte), numbers that are no finite double, and nesting
/// beyond `maximumDepth`. There is no recursion, and after the first texts no allocation.
///
/// Positions in its results are indices of the given text; nothing is copied.
package struct JSONScanner: @unchecked Sendable {
  // Sendable, because `keys` is only ever changed where nobody else refers to it.

  /// How many names can be wanted.
  package static let maximumWanted = 64

  private struct Wanted {
    let name: [UInt8]
    let hash: UInt64
  }

  /// An array or object that encloses the current one.
  private struct Container {
    var start: Int
    var isObject: Bool
    var object: JSONKeys.Object
  }

  private let wanted: [Wanted]
  /// The filter bits of all wanted names: most keys are none of them, without a comparison.
  private let wantedFilter: UInt64
  private let maximumDepth: Int
  /// The values of wanted members that were found: those with their bit in `found`.
  private var members: [JSONValue]
  private var found: UInt64 = 0
  private var keys = JSONKeys()
  private var enclosing: [Container] = []

  /// - Parameters:
  ///   - wanted: names of members of a top-level object that `member` shall know afterwards.
  ///   - maximumDepth: how deep arrays and objects may nest.
  package init(wanted: [String], maximumDepth: Int = 128) {
    precondition(wanted.count <= Self.maximumWanted, "at most 64 wanted members")
    self.wanted = wanted.map { name in
      let bytes = Array(name.utf8)
      return Wanted(name: bytes, hash: JSONKeys.hash(bytes.span, 0, bytes.count))
    }
    wantedFilter = self.wanted.reduce(0) { $0 | JSONKeys.filterBit($1.hash) }
    self.maximumDepth = maximumDepth
    members = Array(
      repeating: JSONValue(kind: .null, range: 0..<0, hasEscapes: false), count: wanted.count)
  }

  /// Returns the member `wanted[index]` of the last scanned text, if that was an object that has it.
  @inline(__always)
  package func member(_ index: Int) -> JSONValue? {
    found & 1 &<< UInt64(truncatingIfNeeded: index) == 0 ? nil : members[index]
  }

  /// Scans one value with optional whitespace around it.
  ///
  /// The range must lie within the text. After an error `member` knows nothing.
  package mutating func scan(
    _ text: Span<UInt8>, _ range: Range<Int>
  ) throws(JSONError) -> JSONOutline {
    found = 0
    if isKnownUniquelyReferenced(&keys) { keys.reset() } else { keys = JSONKeys() }
    if !enclosing.isEmpty { enclosing.removeAll(keepingCapacity: true) }
    do {
      return try scanValue(text, range)
    } catch {
      found = 0
      throw JSONError(error.kind, at: error.offset &- range.lowerBound)
    }
  }

  /// Not inlined: the compiler would check the array's uniqueness for every value.
  @inline(never)
  private mutating func remember(_ value: JSONValue, as index: Int) {
    members[index] = value
    found |= 1 &<< UInt64(truncatingIfNeeded: index)
  }

  private mutating func scanValue(
    _ text: Span<UInt8>, _ range: Range<Int>
  ) throws(JSONError) -> JSONOutline {
    precondition(
      range.lowerBound >= 0 && range.upperBound <= text.count, "the range lies within the text")
    let end = range.upperBound
    // High bits of what strings contain, see `JSONToken.endOfPlain`.
    var seen: UInt64 = 0
    var hasLineBreak = false
    var index = JSONToken.skipWhitespace(text, range.lowerBound, end, &hasLineBreak)
    // Line breaks before the value aren't inside it.
    hasLineBreak = false
    if index == end { throw JSONError(.empty, at: index) }
    if text[index] == 0xEF { throw JSONError(.byteOrderMark, at: index) }

    let first = index
    // What is being read: `depth` containers are open, `start` and `isObject` describe the
    // innermost, `enclosing` the others.
    var depth = 0
    var isObject = false
    var start = 0
    // Which wanted member of the top-level object the next value at depth 1 is.
    var wantedIndex = -1

    while true {
      // A member or a value begins at `index`.
      var place = JSONSkimmer.Place.value
      if isObject {
        (place, index) = JSONSkimmer.skim(
          text, from: index, end: end, keys: keys,
          wantedFilter: depth == 1 ? wantedFilter : 0, seen: &seen)
        if place == .member {
          // Behind a comma that the skimmer has passed.
          index = JSONToken.skipWhitespace(text, index, end, &hasLineBreak)
          index = try scanKey(
            text, index, end, depth, &wantedIndex, &seen, &hasLineBreak)
        } else if place != .afterValue {
          if place == .wantedValue { wantedIndex = find(keys.last, text) }
          index = JSONToken.skipWhitespace(text, index, end, &hasLineBreak)
        }
      }
      if index >= end { throw JSONError(.truncated, at: end) }
      var value: JSONValue
      let byte = text[unchecked: index]
      switch byte {
      case _ where place == .afterValue:
        // Read already; that it was none of the wanted is all that matters of it.
        value = JSONValue(kind: .null, range: index..<index, hasEscapes: false)
      case UInt8(ascii: "\""):
        let open = index &+ 1
        var hasEscapes = false
        index = try JSONToken.endOfString(text, open, end, &seen, &hasEscapes)
        value = JSONValue(
          kind: .string, range: Range(uncheckedBounds: (open, index)), hasEscapes: hasEscapes)
        index &+= 1
      case UInt8(ascii: "{"), UInt8(ascii: "["):
        if depth >= maximumDepth { throw JSONError(.tooDeep(maximum: maximumDepth), at: index) }
        if depth > 0 {
          enclosing.append(Container(start: start, isObject: isObject, object: keys.object))
        }
        depth &+= 1
        start = index
        isObject = byte == UInt8(ascii: "{")
        if isObject { keys.open() }
        index = JSONToken.skipWhitespace(text, index &+ 1, end, &hasLineBreak)
        if index >= end { throw JSONError(.truncated, at: end) }
        if text[unchecked: index] != (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) {
          continue
        }
        // Empty: the loop below sees its end at once and makes the value.
        value = JSONValue(kind: .null, range: index..<index, hasEscapes: false)
      case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
        let open = index
        index = try JSONNumber.scan(text, from: index, end: end)
        value = JSONValue(
          kind: .number, range: Range(uncheckedBounds: (open, index)), hasEscapes: false)
      default:
        let open = index
        index = try JSONToken.endOfLiteral(text, index, end)
        value = JSONValue(
          kind: byte == UInt8(ascii: "n") ? .null : .boolean,
          range: Range(uncheckedBounds: (open, index)),
          hasEscapes: false)
      }

      // A value has ended before `index`, or an empty container is about to.
      while true {
        if depth == 0 {
          let endOfASCII = seen == 0 ? index : UTF8Validator.endOfASCII(text, first..<index)
          if endOfASCII < index {
            let valid = UTF8Validator.validPrefix(of: text, endOfASCII..<index)
            if valid < index { throw JSONError(.invalidUTF8, at: valid) }
          }
          let outline = JSONOutline(
            kind: value.kind, range: first..<index, hasLineBreak: hasLineBreak,
            isASCII: endOfASCII == index)
          let rest = JSONToken.skipWhitespace(text, index, end, &hasLineBreak)
          if rest < end { throw JSONError(.trailingBytes, at: rest) }
          return outline
        }
        if depth == 1 && wantedIndex >= 0 {
          remember(value, as: wantedIndex)
          wantedIndex = -1
        }
        index = JSONToken.skipWhitespace(text, index, end, &hasLineBreak)
        if index >= end { throw JSONError(.truncated, at: end) }
        let byte = text[unchecked: index]
        if byte == UInt8(ascii: ",") {
          index = JSONToken.skipWhitespace(text, index &+ 1, end, &hasLineBreak)
          break
        }
        guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
          throw JSONError(.expectedCommaOrEnd, at: index)
        }
        index &+= 1
        value = JSONValue(
          kind: isObject ? .object : .array, range: Range(uncheckedBounds: (start, index)),
          hasEscapes: false)
        if isObject, let duplicate = keys.close(text) {
          throw JSONError(
            .duplicateKey(keys.name(of: duplicate, text)), at: duplicate.start &- 1)
        }
        depth &-= 1
        if depth > 0, let container = enclosing.popLast() {
          start = container.start
          isObject = container.isObject
          keys.object = container.object
        }
      }
    }
  }

  /// Reads a key, its colon and the whitespace around that; returns where the value begins.
  @inline(__always)
  private mutating func scanKey(
    _ text: Span<UInt8>, _ start: Int, _ end: Int, _ depth: Int,
    _ wantedIndex: inout Int, _ seen: inout UInt64, _ hasLineBreak: inout Bool
  ) throws(JSONError) -> Int {
    if start >= end { throw JSONError(.truncated, at: end) }
    guard text[unchecked: start] == UInt8(ascii: "\"") else {
      throw JSONError(.expectedKey, at: start)
    }
    let open = start &+ 1
    var hasEscapes = false
    var index = try JSONToken.endOfString(text, open, end, &seen, &hasEscapes)
    let key: JSONKeys.Key
    if hasEscapes {
      key = keys.makeUnescapedKey(text, open..<index)
    } else {
      key = JSONKeys.Key(hash: JSONKeys.hash(text, open, index), start: open, end: index)
    }
    guard keys.insert(key, text) else {
      throw JSONError(.duplicateKey(keys.name(of: key, text)), at: start)
    }
    if depth == 1 && wantedFilter & JSONKeys.filterBit(key.hash) != 0 {
      wantedIndex = find(key, text)
    }
    index = JSONToken.skipWhitespace(text, index &+ 1, end, &hasLineBreak)
    if index >= end { throw JSONError(.truncated, at: end) }
    guard text[unchecked: index] == UInt8(ascii: ":") else {
      throw JSONError(.expectedColon, at: index)
    }
    return JSONToken.skipWhitespace(text, index &+ 1, end, &hasLineBreak)
  }

  /// The index of the wanted name that a key equals, or -1.
  @inline(__always)
  private mutating func find(_ key: JSONKeys.Key, _ text: Span<UInt8>) -> Int {
    for index in wanted.indices where wanted[index].hash == key.hash {
      if keys.equals(key, text, wanted[index].name) { return index }
    }
    return -1
  }
}
