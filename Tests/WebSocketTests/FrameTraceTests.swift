import Testing

@testable import WebSocket

@Suite struct FrameTraceTests {
  private func line(
    _ opcode: Opcode, _ payload: [UInt8], isReceived: Bool = true, isFinal: Bool = true,
    length: Int? = nil
  ) -> String {
    FrameTrace(
      isReceived: isReceived, opcode: opcode, isFinal: isFinal,
      payloadLength: length ?? payload.count, payload.span, 0..<payload.count
    ).description
  }

  @Test("a frame is one short line")
  func lines() {
    #expect(line(.text, Array("{\"id\":1}".utf8)) == "< TEXT fin 8 bytes \"{\\\"id\\\":1}\"")
    #expect(line(.ping, [], isReceived: false) == "> PING fin 0 bytes")
    #expect(line(.continuation, [0x61], isFinal: false) == "< CONT more 1 byte \"a\"")
    #expect(line(.binary, [0, 255]) == "< BINARY fin 2 bytes 00 ff")
    #expect(line(.pong, [0x1B, 0x5B]) == "< PONG fin 2 bytes \"\\x1b[\"")
    #expect(line(.close, [3, 232]) == "< CLOSE fin 2 bytes 1000 (normal closure)")
    #expect(
      line(.close, [0x0F, 0xA1] + Array("x\n".utf8)) == "< CLOSE fin 4 bytes 4001 \"x\\n\"")
    #expect(line(.close, [3]) == "< CLOSE fin 1 byte \"\\x03\"")
  }

  @Test("a long payload is cut, between characters")
  func cutting() {
    let long = [UInt8](repeating: 0x61, count: 1_000)
    #expect(line(.text, long) == "< TEXT fin 1000 bytes \"\(String(repeating: "a", count: 64))…\"")
    #expect(line(.binary, long).hasSuffix("61 61 …"))
    for shift in 0..<4 {
      let text = String(repeating: "a", count: shift) + String(repeating: "😀", count: 30)
      #expect(!line(.text, Array(text.utf8)).utf8.contains(UInt8(ascii: "\\")))
    }
    #expect(line(.text, [UInt8](repeating: 0x80, count: 99)).hasSuffix("\\x80…\""))
  }
}
