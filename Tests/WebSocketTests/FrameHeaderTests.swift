import Testing

@testable import WebSocket

@Suite struct FrameHeaderTests {
  @Test(
    "a header that is written is read back",
    arguments: [0, 1, 125, 126, 127, 65_535, 65_536, 1 << 40, Int.max])
  func roundTrip(_ length: Int) {
    for key in [nil, 0, 0x3D21_FA37] as [UInt32?] {
      for opcode in [Opcode.continuation, .text, .binary] {
        let header = FrameHeader(
          isFinal: length % 2 == 0, opcode: opcode, payloadLength: length, maskingKey: key)
        var wire: [UInt8] = [0xEE]
        header.append(to: &wire)
        let sender = key == nil ? Role.server : .client
        let reading = FrameHeader.read(wire.span, at: 1, from: sender)
        #expect(reading == .header(header, length: wire.count - 1))
        for end in 1..<wire.count {
          let part = Array(wire[1..<end])
          #expect(FrameHeader.read(part.span, at: 0, from: sender) == .incomplete)
        }
      }
    }
  }

  @Test(
    "a violation is found at the byte that commits it",
    arguments: [
      ("91", .reservedBits(0x10)), ("a1", .reservedBits(0x20)), ("c1", .reservedBits(0x40)),
      ("f1", .reservedBits(0x70)), ("83", .reservedOpcode(3)), ("8f", .reservedOpcode(15)),
      ("8b", .reservedOpcode(11)), ("09", .fragmentedControl(.ping)),
      ("08", .fragmentedControl(.close)), ("0a", .fragmentedControl(.pong)),
      ("81 80", .maskedFrame), ("89 7e", .controlTooLong(.ping)),
      ("88 7f", .controlTooLong(.close)), ("81 7e 00 7d", .lengthNotMinimal(125)),
      ("81 7e 00 05", .lengthNotMinimal(5)),
      ("81 7f 00 00 00 00 00 00 ff ff", .lengthNotMinimal(65_535)),
      ("81 7f 00 00 00 00 00 00 00 05", .lengthNotMinimal(5)),
      ("81 7f 80 00 00 00 00 00 00 00", .lengthTopBit(1 << 63)),
      ("81 7f ff ff ff ff ff ff ff ff", .lengthTopBit(.max)),
    ] as [(String, ProtocolError)])
  func violations(_ wire: String, _ error: ProtocolError) {
    let wire = bytes(wire)
    #expect(FrameHeader.read(wire.span, at: 0, from: .server) == .invalid(error))
    let shorter = Array(wire.dropLast())
    #expect(FrameHeader.read(shorter.span, at: 0, from: .server) == .incomplete)
  }

  @Test("a client's frame must be masked")
  func unmasked() {
    let wire = bytes("81 05")
    #expect(FrameHeader.read(wire.span, at: 0, from: .client) == .invalid(.unmaskedFrame))
  }
}
