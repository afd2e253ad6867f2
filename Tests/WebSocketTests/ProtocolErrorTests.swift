import Testing

@testable import WebSocket

@Suite struct ProtocolErrorTests {
  @Test(
    "every error has one close code, and a sentence that fits a Close frame",
    arguments: [
      (.reservedBits(0x40), 1002, "reserved bits 0x40 set without an extension"),
      (.reservedOpcode(11), 1002, "reserved opcode 0xb"),
      (.maskedFrame, 1002, "masked frame from a server"),
      (.unmaskedFrame, 1002, "unmasked frame from a client"),
      (.lengthNotMinimal(5), 1002, "length 5 not in its shortest form"),
      (.lengthTopBit(.max), 1002, "length 18446744073709551615 has its top bit set"),
      (.fragmentedControl(.ping), 1002, "fragmented PING frame"),
      (.controlTooLong(.pong), 1002, "PONG frame of more than 125 bytes"),
      (.unexpectedContinuation, 1002, "continuation of no message"),
      (.expectedContinuation(.text), 1002, "TEXT frame inside a fragmented message"),
      (.closeBodyOfOneByte, 1002, "CLOSE frame with a body of one byte"),
      (.invalidCloseCode(1005), 1002, "close code 1005"),
      (.invalidText, 1007, "text is not UTF-8"),
      (.invalidCloseReason, 1007, "close reason is not UTF-8"),
      (
        .messageTooBig(declared: .max, maximum: 1_048_576), 1009,
        "message of 18446744073709551615 bytes or more, the limit is 1048576"
      ),
      (.tooManyFragments(maximum: 262_144), 1009, "message of more than 262144 frames"),
    ] as [(ProtocolError, UInt16, String)])
  func table(_ error: ProtocolError, _ code: UInt16, _ text: String) {
    #expect(error.closeCode.rawValue == code)
    #expect(error.description == text)
    #expect(text.utf8.count <= CloseFrame.maximumReason)
  }
}
