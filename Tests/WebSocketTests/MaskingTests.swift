import Testing
import WebSocket

@Suite struct MaskingTests {
  /// The RFC's own formula, section 5.3.
  private func naive(_ payload: [UInt8], key: UInt32, offset: Int) -> [UInt8] {
    payload.indices.map {
      payload[$0] ^ UInt8(truncatingIfNeeded: key >> (UInt32(($0 + offset) % 4) * 8))
    }
  }

  @Test("words give what bytes give, at every length, place and offset")
  func agreement() {
    let key: UInt32 = 0x3D21_FA37
    let payload = (0..<41).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    for length in 0...40 {
      for offset in 0..<9 {
        let part = Array(payload[..<length])
        var appended: [UInt8] = [1, 2, 3]
        Masking.append(payload.span, 0..<length, key: key, offset: offset, to: &appended)
        #expect(appended == [1, 2, 3] + naive(part, key: key, offset: offset))
        var inPlace = [9] + part
        Masking.apply(key, offset: offset, to: &inPlace, from: 1)
        #expect(inPlace == [9] + naive(part, key: key, offset: offset))
      }
    }
  }

  @Test("nothing happens beyond the end, and a key of zero copies")
  func edges() {
    var array: [UInt8] = [1, 2]
    Masking.apply(7, offset: 0, to: &array, from: 2)
    Masking.apply(7, offset: 0, to: &array, from: 5)
    Masking.apply(7, offset: 0, to: &array, from: -1)
    Masking.apply(0, offset: 3, to: &array, from: 0)
    #expect(array == [1, 2])
    let source = array
    Masking.append(source.span, 1..<2, to: &array)
    #expect(array == [1, 2, 2])
  }
}
