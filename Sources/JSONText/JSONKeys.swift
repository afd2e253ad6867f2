import Bytes

/// The keys of the objects that are open during a scan, to find duplicates.
///
/// Cheap for the usual small object: a key whose bit isn't yet in the object's 64-bit filter is new
/// without a look at the others; else the hashes are compared one by one. From the 33rd key on an
/// object's keys are only collected, and sorted when it ends, so a hostile object costs n log n.
struct JSONKeys {
  /// Above this many keys sorting is cheaper than comparing each with each.
  private static let maximumCompared = 32

  struct Key {
    let hash: UInt64
    /// Where the bytes stand: in the text, or in `unescaped`.
    let range: Range<Int>
    let isUnescaped: Bool
    /// Where the text has the key, for the error.
    let offset: Int
  }

  /// What is remembered of one open object.
  struct Object {
    /// The object's first key in `keys`.
    var base = 0
    var filter: UInt64 = 0
  }

  private(set) var keys: [Key] = []
  /// The real bytes of keys that have escapes. Freed with the scan, not with the object: a text
  /// can't have more of them than its own length.
  private(set) var unescaped: [UInt8] = []

  /// Begins a new text, keeping the storage.
  @inline(__always)
  mutating func reset() {
    if !keys.isEmpty { keys.removeAll(keepingCapacity: keys.capacity <= 1_024) }
    if !unescaped.isEmpty { unescaped.removeAll(keepingCapacity: unescaped.capacity <= 65_536) }
  }

  @inline(__always)
  func openObject() -> Object { Object(base: keys.count, filter: 0) }

  /// Adds a key; returns false if it is found to be a duplicate.
  @inline(__always)
  mutating func insert(
    _ key: Key, of object: inout Object, _ text: Span<UInt8>
  ) -> Bool {
    let bit: UInt64 = 1 &<< (key.hash &>> 58)
    if object.filter & bit != 0, keys.count &- object.base <= Self.maximumCompared,
      isKnown(key, since: object.base, text)
    {
      return false
    }
    object.filter |= bit
    keys.append(key)
    return true
  }

  /// Makes the key that stands in the range, unescaping it if need be.
  @inline(__always)
  mutating func makeKey(_ text: Span<UInt8>, _ range: Range<Int>, hasEscapes: Bool) -> Key {
    if hasEscapes { return makeUnescapedKey(text, range) }
    return Key(
      hash: Self.hash(text, range), range: range, isUnescaped: false, offset: range.lowerBound)
  }

  /// Ends an object; returns a duplicate that `insert` couldn't see.
  @inline(__always)
  mutating func close(_ object: Object, _ text: Span<UInt8>) -> Key? {
    let count = keys.count &- object.base
    let duplicate = count > Self.maximumCompared ? sortedDuplicate(object, text) : nil
    if count > 0 { keys.removeLast(count) }
    return duplicate
  }

  /// Tells whether a key's bytes are these.
  @inline(__always)
  func equals(_ key: Key, _ text: Span<UInt8>, _ other: [UInt8]) -> Bool {
    guard key.range.count == other.count else { return false }
    for offset in other.indices where byte(key, offset, text) != other[offset] { return false }
    return true
  }

  /// The key's bytes, cut and made valid, for a message to a person.
  func name(of key: Key, _ text: Span<UInt8>) -> String {
    let bytes = key.isUnescaped ? unescaped[key.range].map(\.self) : []
    let length =
      key.isUnescaped
      ? UTF8Validator.prefixLength(bytes.span, 0..<bytes.count, maximum: 64)
      : UTF8Validator.prefixLength(text, key.range, maximum: 64)
    return String(decoding: (0..<length).map { byte(key, $0, text) }, as: UTF8.self)
  }

  /// Hashes eight bytes at a time; the last word overlaps the one before it.
  ///
  /// Nothing secret goes in: whoever makes all hashes equal only gets the sort's comparisons.
  @inline(__always)
  static func hash(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
    let raw = bytes.bytes
    let count = range.count
    var hash = UInt64(truncatingIfNeeded: count)
    if count < 8 {
      var word: UInt64 = 0
      if bytes.count &- range.lowerBound >= 8 {
        word = UInt64(
          littleEndian: raw.unsafeLoadUnaligned(
            fromByteOffset: range.lowerBound, as: UInt64.self))
        word &= (1 &<< UInt64(truncatingIfNeeded: count &* 8)) &- 1
      } else {
        for index in range.reversed() { word = word &<< 8 | UInt64(bytes[index]) }
      }
      hash = (hash ^ word) &* multiplier
      return hash ^ hash &>> 32
    }
    var index = range.lowerBound
    let last = range.upperBound &- 8
    while index < last {
      let word = UInt64(
        littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
      hash = (hash ^ word) &* multiplier
      hash ^= hash &>> 32
      index &+= 8
    }
    let word = UInt64(
      littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: last, as: UInt64.self))
    hash = (hash ^ word) &* multiplier
    return hash ^ hash &>> 32
  }

  /// 2^64 divided by the golden ratio, odd.
  private static let multiplier: UInt64 = 0x9E37_79B9_7F4A_7C15

  private mutating func makeUnescapedKey(_ text: Span<UInt8>, _ range: Range<Int>) -> Key {
    let start = unescaped.count
    JSONString.appendUnescaped(text, range, into: &unescaped)
    let real = start..<unescaped.count
    return Key(
      hash: Self.hash(unescaped.span, real), range: real, isUnescaped: true,
      offset: range.lowerBound)
  }

  private func isKnown(_ key: Key, since base: Int, _ text: Span<UInt8>) -> Bool {
    for index in base..<keys.count where keys[index].hash == key.hash {
      if order(keys[index], key, text) == 0 { return true }
    }
    return false
  }

  /// Sorts the object's keys by hash, then length, then bytes, and looks at neighbours.
  private func sortedDuplicate(_ object: Object, _ text: Span<UInt8>) -> Key? {
    // The standard library's closures can't capture a Span, hence a merge sort by hand; bottom up,
    // so that there is no recursion.
    var source = Array(keys[object.base...])
    var target = source
    var width = 1
    while width < source.count {
      var start = 0
      while start < source.count {
        merge(source, start, width, into: &target, text)
        start &+= 2 &* width
      }
      swap(&source, &target)
      width &*= 2
    }
    for index in 1..<source.count where order(source[index &- 1], source[index], text) == 0 {
      let (one, other) = (source[index &- 1], source[index])
      return one.offset > other.offset ? one : other
    }
    return nil
  }

  private func merge(
    _ source: [Key], _ start: Int, _ width: Int, into target: inout [Key], _ text: Span<UInt8>
  ) {
    let middle = min(start &+ width, source.count)
    let end = min(start &+ 2 &* width, source.count)
    var left = start
    var right = middle
    for index in start..<end {
      if left < middle, right == end || order(source[left], source[right], text) <= 0 {
        target[index] = source[left]
        left &+= 1
      } else {
        target[index] = source[right]
        right &+= 1
      }
    }
  }

  /// Negative, zero or positive, as the first key stands before, at or after the second.
  private func order(_ one: Key, _ other: Key, _ text: Span<UInt8>) -> Int {
    if one.hash != other.hash { return one.hash < other.hash ? -1 : 1 }
    if one.range.count != other.range.count { return one.range.count &- other.range.count }
    for offset in 0..<one.range.count {
      let difference = Int(byte(one, offset, text)) &- Int(byte(other, offset, text))
      if difference != 0 { return difference }
    }
    return 0
  }

  @inline(__always)
  private func byte(_ key: Key, _ offset: Int, _ text: Span<UInt8>) -> UInt8 {
    key.isUnescaped
      ? unescaped[key.range.lowerBound &+ offset] : text[key.range.lowerBound &+ offset]
  }
}
