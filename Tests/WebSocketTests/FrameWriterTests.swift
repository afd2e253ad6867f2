import Bytes
import Testing
import WebSocket

@Suite struct FrameWriterTests {
  @Test("frames are section 5.7's, one behind the other")
  func examples() {
    let hello = Array("Hello".utf8)
    var queue = ByteQueue()
    FrameWriter.append(.text, hello.span, 0..<5, maskingKey: nil, to: &queue)
    FrameWriter.append(.text, hello.span, 0..<5, maskingKey: 0x3D21_FA37, to: &queue)
    FrameWriter.append(.text, isFinal: false, hello.span, 0..<3, maskingKey: nil, to: &queue)
    FrameWriter.append(.continuation, hello.span, 3..<5, maskingKey: nil, to: &queue)
    let expected = bytes(
      "81 05 48 65 6c 6c 6f 81 85 37 fa 21 3d 7f 9f 4d 51 58 01 03 48 65 6c 80 02 6c 6f")
    #expect(queue.withUnsafeBytes { Array($0) } == expected)
    #expect(hello == Array("Hello".utf8))
  }
}
