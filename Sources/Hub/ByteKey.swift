/// A room's name or a user's id as the key of a dictionary: compared byte by byte.
///
/// Swift's strings won't do, their `==` merges different Unicode spellings. An array would, but
/// hashes its bytes one by one.
struct ByteKey: Hashable, Sendable {
  let bytes: [UInt8]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
  }

  static func == (left: ByteKey, right: ByteKey) -> Bool {
    left.bytes == right.bytes
  }

  func hash(into hasher: inout Hasher) {
    bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
  }
}
