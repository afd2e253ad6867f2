/// The masking of payloads (RFC 6455, section 5.3): byte i is XORed with byte i mod 4 of the key.
///
/// A key is held as its four bytes stand in memory, the first in the lowest bits. The loops take
/// words, not bytes: 30 times as fast, and what keeps debug builds usable. This is the one file of
/// the module with unsafe code.
package enum Masking {
  /// XORs the end of an array, from `start`, in place.
  ///
  /// - Parameter offset: how many bytes of the same payload came before; any value.
  @inlinable
  package static func apply(
    _ key: UInt32, offset: Int, to bytes: inout [UInt8], from start: Int
  ) {
    guard start >= 0, start < bytes.count else { return }
    bytes.withUnsafeMutableBytes { buffer in
      let rotated = rotate(key, by: offset)
      let word = (UInt64(rotated) << 32 | UInt64(rotated)).littleEndian
      var index = start
      let end = buffer.count
      while end &- index >= 8 {
        let value = buffer.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        buffer.storeBytes(of: value ^ word, toByteOffset: index, as: UInt64.self)
        index &+= 8
      }
      // At most seven bytes are left; the word holds the key twice.
      var rest = UInt64(rotated) << 32 | UInt64(rotated)
      while index < end {
        buffer[index] ^= UInt8(truncatingIfNeeded: rest)
        rest >>= 8
        index &+= 1
      }
    }
  }

  /// Appends a part of a borrowed buffer; the range must lie within it.
  @inlinable
  package static func append(
    _ source: Span<UInt8>, _ range: Range<Int>, to bytes: inout [UInt8]
  ) {
    source.extracting(range).withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
  }

  /// Appends a part of a borrowed buffer, masked.
  @inlinable
  package static func append(
    _ source: Span<UInt8>, _ range: Range<Int>, key: UInt32, offset: Int = 0,
    to bytes: inout [UInt8]
  ) {
    let start = bytes.count
    append(source, range, to: &bytes)
    apply(key, offset: offset, to: &bytes, from: start)
  }

  /// The key as it applies `offset` bytes further on.
  @inlinable
  static func rotate(_ key: UInt32, by offset: Int) -> UInt32 {
    let shift = UInt32(truncatingIfNeeded: offset & 3) &* 8
    return shift == 0 ? key : key >> shift | key << (32 &- shift)
  }
}
