import Bytes

/// The first 128 bits of a SHA-1: enough that two texts of one user never share it by accident, and
/// whoever made them share it could only deceive himself.
struct Digest: Hashable, Sendable {
  let high: UInt64
  let low: UInt64

  init(of text: [UInt8]) {
    var words: (high: UInt64, low: UInt64) = (0, 0)
    for (index, byte) in SHA1.digest(of: text.span).prefix(16).enumerated() {
      if index < 8 {
        words.high = words.high &<< 8 | UInt64(byte)
      } else {
        words.low = words.low &<< 8 | UInt64(byte)
      }
    }
    (high, low) = words
  }

  /// It is random already.
  func hash(into hasher: inout Hasher) {
    hasher.combine(high)
  }
}
