import Bytes
import Testing

@Suite struct ByteSearchTests {
  @Test func findsTheFirstAtEveryPlace() {
    func find(_ bytes: [UInt8], _ range: Range<Int>) -> Int {
      ByteSearch.firstIndex(of: 0x0A, in: bytes.span, range)
    }
    // Neighbours that a borrow or a carry could turn into false finds.
    for filler: UInt8 in [0x00, 0x09, 0x0B, 0x0A ^ 0x80, 0xFF] {
      for count in 0..<90 {
        var bytes = [UInt8](repeating: filler, count: count)
        #expect(find(bytes, 0..<count) == count)
        for index in 0..<count {
          bytes[index] = 0x0A
          #expect(find(bytes, 0..<count) == index)
          #expect(find(bytes, 0..<index) == index)
          #expect(find(bytes, (index + 1)..<count) == count)
          if index + 1 < count {
            bytes[index + 1] = 0x0A
            #expect(find(bytes, 0..<count) == index)
            bytes[index + 1] = filler
          }
          bytes[index] = filler
        }
      }
    }
  }

  @Test func appendsPartsOfSpans() {
    let source = Array("0123456789".utf8)
    var bytes = Array("x".utf8)
    bytes.append(source.span, 3..<6)
    bytes.append(source.span, 10..<10)
    #expect(String(decoding: bytes, as: UTF8.self) == "x345")
  }
}
