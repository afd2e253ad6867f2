/// Bytes that wait to be written: appended at one end, consumed at the other.
///
/// An array with a moving head. Consuming is an addition; the consumed part is cut off only when it
/// is the larger half, so each byte is moved at most once on average (removing from the front of a
/// 300 KB array for each frame costs 6 µs a time).
package struct ByteQueue: Sendable {
  /// Storage above this is given back once the queue is empty, so one large message doesn't cost
  /// its size for the rest of the run.
  package static let retainedCapacity = 512 * 1024

  @usableFromInline var storage: [UInt8] = []
  @usableFromInline var head = 0

  package init() {}

  @inlinable
  package var count: Int { storage.count &- head }

  @inlinable
  package var isEmpty: Bool { storage.count == head }

  @inlinable
  package mutating func append(contentsOf bytes: [UInt8]) {
    storage.append(contentsOf: bytes)
  }

  /// Appends a part of a borrowed buffer; the range must lie within it.
  @inlinable
  package mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    bytes.extracting(range).withUnsafeBufferPointer { storage.append(contentsOf: $0) }
  }

  /// Gives the end of the queue to `body` as an array to append to, which lets writers of frames
  /// and records build in place. What is already there must be left alone.
  @inlinable
  package mutating func appendInPlace<Result>(
    _ body: (inout [UInt8]) throws -> Result
  ) rethrows -> Result {
    try body(&storage)
  }

  /// Lends the waiting bytes, oldest first.
  @inlinable
  package func withUnsafeBytes<Result, Failure>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withUnsafeBufferPointer { bytes throws(Failure) in
      try body(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[head...])))
    }
  }

  /// Drops bytes from the front; `count` must not exceed what waits.
  @inlinable
  package mutating func consume(_ count: Int) {
    precondition(count >= 0 && count <= self.count, "consumed more than was waiting")
    head &+= count
    if head == storage.count {
      removeAll()
    } else if head > storage.count / 2, head >= 65_536 {
      storage.removeSubrange(0..<head)
      head = 0
    }
  }

  /// Gives the storage of an empty queue back, for an owner who expects nothing for a while.
  package mutating func releaseStorage() {
    if isEmpty { self = ByteQueue() }
  }

  /// Drops everything.
  @inlinable
  package mutating func removeAll() {
    storage.removeAll(keepingCapacity: storage.capacity <= Self.retainedCapacity)
    head = 0
  }
}
