import Bytes

/// The keys of the objects that are open during a scan, to find duplicates.
///
/// Cheap for the usual small object: a key whose bit isn't yet in the object's 64-bit filter is new
/// without a look at the others; else the hashes are compared one by one. From the 33rd key on an
/// object's keys are only collected, and sorted when it ends, so a hostile object costs n log n.
///
/// A class, because its inline storage would be copied with every read of a structure that holds it;
/// `JSONScanner` never changes one that it shares.
final class JSONKeys {
  /// Above this many keys sorting is cheaper than comparing each with each.
  private static let maximumCompared = 32
  /// Keys that need no heap. Inline, because storing into an array costs a call to the run time
  /// each time, to see whether it is shared.
  private static let inlineCount = 48

  struct Key {
    var hash: UInt64 = 0
    /// Where the text has the key, without its quotes.
    var start = 0
    /// Where it ends there; or, when it has escapes, minus one minus its index in `unescapedEnds`.
    var end = 0
  }

  /// What is remembered of one open object.
  struct Object {
    /// The object's first key.
    var base = 0
    var filter: UInt64 = 0
  }

  // Unchecked, because the compiler can't see that no access overlaps another, and would ask the
  // runtime at each.

  /// The innermost open object. The scanner keeps those around it.
  @exclusivity(unchecked) var object = Object()
  /// How many keys are held, of all open objects.
  @exclusivity(unchecked) private(set) var count = 0
  @exclusivity(unchecked) private var first = [48 of Key](repeating: Key())
  @exclusivity(unchecked) private var others: [Key] = []
  /// The real bytes of keys that have escapes, one after the other, and where each ends. Kept until
  /// the scan ends: all of them together are shorter than the text.
  @exclusivity(unchecked) private var unescaped: [UInt8] = []
  @exclusivity(unchecked) private var unescapedEnds: [Int] = []

  /// Begins a new text, keeping the storage.
  @inline(__always)
  func reset() {
    count = 0
    if !others.isEmpty { others.removeAll(keepingCapacity: others.capacity <= 1_024) }
    if !unescapedEnds.isEmpty {
      unescaped.removeAll(keepingCapacity: unescaped.capacity <= 16_384)
      unescapedEnds.removeAll(keepingCapacity: unescapedEnds.capacity <= 1_024)
    }
  }

  /// Makes the key that stands in the range, unescaping it.
  func makeUnescapedKey(_ text: Span<UInt8>, _ range: Range<Int>) -> Key {
    let start = unescaped.count
    JSONString.appendUnescaped(text, range, into: &unescaped)
    unescapedEnds.append(unescaped.count)
    return Key(
      hash: Self.hash(unescaped.span, start, unescaped.count), start: range.lowerBound,
      end: 0 &- unescapedEnds.count)
  }

  /// Begins an object inside what is open.
  @inline(__always)
  func open() { object = Object(base: count) }

  /// Adds a key; returns false if it is found to be a duplicate.
  @inline(__always)
  func insert(_ key: Key, _ text: Span<UInt8>) -> Bool {
    let bit = Self.filterBit(key.hash)
    if object.filter & bit != 0, isKnown(key, text) { return false }
    object.filter |= bit
    if !appendInline(key) { append(key) }
    return true
  }

  /// Adds a key that is known to be new; returns false if there is no more room for it here.
  @inline(__always)
  func appendInline(_ key: Key) -> Bool {
    guard count < Self.inlineCount else { return false }
    first[count] = key
    count &+= 1
    return true
  }

  /// The key that `appendInline` took last.
  @inline(__always)
  var last: Key { first[count &- 1] }

  @inline(never)
  private func append(_ key: Key) {
    others.append(key)
    count &+= 1
  }

  /// Ends an object; returns a duplicate that `insert` couldn't see.
  @inline(__always)
  func close(_ text: Span<UInt8>) -> Key? {
    if count &- object.base <= Self.maximumCompared && others.isEmpty {
      count = object.base
      return nil
    }
    return closeLarge(text)
  }

  @inline(never)
  private func closeLarge(_ text: Span<UInt8>) -> Key? {
    let duplicate =
      count &- object.base > Self.maximumCompared ? sortedDuplicate(text) : nil
    count = object.base
    others.removeLast(others.count &- max(0, count &- Self.inlineCount))
    return duplicate
  }

  /// Tells whether a key's bytes are these. Their hashes must be equal.
  @inline(__always)
  func equals(_ key: Key, _ text: Span<UInt8>, _ other: [UInt8]) -> Bool {
    // With less than eight bytes, the hash is a permutation of length and bytes.
    if key.end &- key.start == other.count && other.count < 8 && key.end >= 0 { return true }
    return equalsLong(key, text, other)
  }

  @inline(never)
  private func equalsLong(
    _ key: Key, _ text: Span<UInt8>, _ other: [UInt8]
  ) -> Bool {
    guard length(key) == other.count else { return false }
    for offset in other.indices where byte(key, offset, text) != other[offset] { return false }
    return true
  }

  /// The key's bytes, cut and made valid, for a message to a person.
  func name(of key: Key, _ text: Span<UInt8>) -> String {
    var bytes: [UInt8] = []
    for offset in 0..<min(length(key), 68) { bytes.append(byte(key, offset, text)) }
    let length = UTF8Validator.prefixLength(bytes.span, 0..<bytes.count, maximum: 64)
    return String(decoding: bytes[..<length], as: UTF8.self)
  }

  @inline(__always)
  static func filterBit(_ hash: UInt64) -> UInt64 { 1 &<< (hash &>> 58) }

  /// Hashes eight bytes at a time.
  ///
  /// Nothing secret goes in: whoever makes all hashes equal only gets the sort's comparisons.
  @inline(__always)
  static func hash(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> UInt64 {
    let count = end &- start
    // Most keys lie in one word or two, and aren't the text's last eight bytes.
    if count < 8 && bytes.count &- start >= 8 {
      let word = UInt64(
        littleEndian: bytes.bytes.unsafeLoadUnaligned(
          fromUncheckedByteOffset: start, as: UInt64.self))
      let shift = UInt64(truncatingIfNeeded: count) &<< 3
      return mix(UInt64(truncatingIfNeeded: count), word & ((1 &<< shift) &- 1))
    }
    if count >= 8 && count <= 16 {
      let raw = bytes.bytes
      let first = raw.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt64.self)
      let last = raw.unsafeLoadUnaligned(fromUncheckedByteOffset: end &- 8, as: UInt64.self)
      let hash = mix(UInt64(truncatingIfNeeded: count), UInt64(littleEndian: first))
      return mix(hash, UInt64(littleEndian: last))
    }
    return longHash(bytes, Range(uncheckedBounds: (start, end)))
  }

  @inline(never)
  private static func longHash(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt64 {
    var index = range.lowerBound
    var hash = UInt64(truncatingIfNeeded: range.count)
    if range.count < 8 {
      var word: UInt64 = 0
      for next in range.reversed() { word = word &<< 8 | UInt64(bytes[next]) }
      return mix(hash, word)
    }
    // The last word overlaps the one before it.
    let last = range.upperBound &- 8
    repeat {
      hash = mix(
        hash,
        UInt64(
          littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self)))
      index &+= 8
    } while index < last
    return mix(
      hash,
      UInt64(littleEndian: bytes.bytes.unsafeLoadUnaligned(fromByteOffset: last, as: UInt64.self)))
  }

  @inline(__always)
  private static func mix(_ hash: UInt64, _ word: UInt64) -> UInt64 {
    // 2^64 divided by the golden ratio, odd.
    let product = (hash ^ word) &* 0x9E37_79B9_7F4A_7C15
    return product ^ product &>> 32
  }

  @inline(never)
  private func isKnown(_ key: Key, _ text: Span<UInt8>) -> Bool {
    if count &- object.base > Self.maximumCompared { return false }
    for index in object.base..<count {
      let other = entry(at: index)
      if other.hash == key.hash, order(other, key, text) == 0 { return true }
    }
    return false
  }

  private func entry(at index: Int) -> Key {
    index < Self.inlineCount ? first[index] : others[index &- Self.inlineCount]
  }

  /// Sorts the object's keys by hash, then length, then bytes, and looks at neighbours.
  private func sortedDuplicate(_ text: Span<UInt8>) -> Key? {
    // The standard library's closures can't capture a Span, hence a merge sort by hand; bottom up,
    // so that there is no recursion.
    var source: [Key] = []
    source.reserveCapacity(count &- object.base)
    for index in object.base..<count { source.append(entry(at: index)) }
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
      return one.start > other.start ? one : other
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
    let count = length(one)
    if count != length(other) { return count &- length(other) }
    for offset in 0..<count {
      let difference = Int(byte(one, offset, text)) &- Int(byte(other, offset, text))
      if difference != 0 { return difference }
    }
    return 0
  }

  private func length(_ key: Key) -> Int {
    if key.end >= 0 { return key.end &- key.start }
    return unescapedEnds[-1 &- key.end] &- unescapedStart(key)
  }

  private func byte(_ key: Key, _ offset: Int, _ text: Span<UInt8>) -> UInt8 {
    key.end >= 0 ? text[key.start &+ offset] : unescaped[unescapedStart(key) &+ offset]
  }

  private func unescapedStart(_ key: Key) -> Int {
    let index = -1 &- key.end
    return index == 0 ? 0 : unescapedEnds[index &- 1]
  }
}
