import Testing

@testable import Bytes

@Suite struct ByteQueueTests {
  private func contents(of queue: ByteQueue) -> [UInt8] {
    queue.withUnsafeBytes { Array($0) }
  }

  @Test func givesBackWhatWasAppendedInOrder() {
    var queue = ByteQueue()
    let source: [UInt8] = [9, 2, 3, 9]
    queue.append(contentsOf: [1])
    queue.append(source.span, 1..<3)
    queue.append(contentsOf: [4])
    queue.appendInPlace { $0.append(5) }
    #expect(contents(of: queue) == [1, 2, 3, 4, 5])
    queue.consume(2)
    #expect(queue.count == 3)
    #expect(contents(of: queue) == [3, 4, 5])
    queue.consume(3)
    #expect(queue.isEmpty)
  }

  @Test(arguments: [1, 4_095, 65_536, 100_000])
  func keepsTheRestWhenTheConsumedHalfIsCutOff(step: Int) {
    var queue = ByteQueue()
    let bytes = (0..<300_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    queue.append(contentsOf: bytes)
    var taken = 0
    while queue.count > step {
      queue.consume(step)
      taken += step
      if taken % 7 == 0 || queue.count <= step {
        #expect(queue.withUnsafeBytes { $0.first } == bytes[taken])
      }
    }
    #expect(contents(of: queue) == Array(bytes[taken...]))
  }

  @Test func givesLargeStorageBackWhenEmpty() {
    var queue = ByteQueue()
    queue.append(contentsOf: Array(repeating: 0, count: 1 << 20))
    queue.consume(1 << 20)
    #expect(queue.storage.capacity == 0)
    queue.append(contentsOf: [7])
    queue.removeAll()
    #expect(queue.isEmpty && queue.storage.capacity > 0)
  }

  @Test func releasesTheStorageOnlyOfAnEmptyQueue() {
    var queue = ByteQueue()
    queue.append(contentsOf: [1, 2, 3])
    queue.consume(1)
    queue.releaseStorage()
    #expect(contents(of: queue) == [2, 3])
    queue.consume(2)
    #expect(queue.storage.capacity > 0)
    queue.releaseStorage()
    #expect(queue.isEmpty && queue.storage.capacity == 0)
    queue.append(contentsOf: [4])
    #expect(contents(of: queue) == [4])
  }
}
