import Testing
import WebSocket

@Suite struct MaskingKeysTests {
  @Test("the source is asked once a pool, and each element is given out once")
  func pools() {
    var refillCount = 0
    var source: UInt32 = 0
    var keys = MaskingKeys { pool in
      refillCount += 1
      #expect(pool.count == MaskingKeys.poolSize)
      for index in pool.indices {
        source += 1
        pool[index] = source
      }
    }
    #expect(refillCount == 0)
    let given = (0..<200).map { _ in keys.next() }
    #expect(given == Array(1...200))
    #expect(refillCount == 4)
  }
}
