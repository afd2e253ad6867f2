import Testing

@testable import WebSocket

@Suite struct CloseFrameTests {
  @Test("a body is empty or begins with a code")
  func reading() {
    let empty: [UInt8] = []
    #expect(CloseFrame(payload: empty.span, 0..<0) == CloseFrame(code: nil))
    let single: [UInt8] = [3]
    #expect(CloseFrame(payload: single.span, 0..<1) == nil)
    let padded = bytes("ff 0f a1 62 79 65 ff")
    let frame = CloseFrame(payload: padded.span, 1..<6)
    #expect(frame == CloseFrame(code: CloseCode(rawValue: 4001), reason: Array("bye".utf8)))
    #expect(frame?.description == "4001 \"bye\"")
    #expect(CloseFrame(code: nil).description == "no status")
  }

  @Test("illegal codes and reasons are kept and named")
  func violations() {
    #expect(CloseFrame(code: nil).violation == nil)
    #expect(CloseFrame(code: .normal, reason: Array("§".utf8)).violation == nil)
    #expect(CloseFrame(code: .noStatus).violation == .invalidCloseCode(1005))
    let bad = CloseFrame(code: .normal, reason: [0xFF, 0x1B, 0x0A])
    #expect(bad.violation == .invalidCloseReason)
    #expect(bad.description == "1000 (normal closure) \"\\xff\\x1b\\n\"")
  }

  @Test("what may not be sent is left out")
  func writing() {
    #expect(CloseFrame.payload(code: nil, reason: Array("x".utf8)) == [])
    for code in [CloseCode.noStatus, .abnormal, .tlsHandshake, CloseCode(rawValue: 999)] {
      #expect(CloseFrame.payload(code: code, reason: Array("x".utf8)) == [])
    }
    #expect(CloseFrame.payload(code: .normal, reason: Array("x".utf8)) == [3, 0xE8, 0x78])
  }

  @Test("a long reason is cut at a character's border", arguments: 0..<4)
  func cutting(_ shift: Int) {
    let reason = String(repeating: "a", count: shift) + String(repeating: "😀", count: 40)
    let payload = CloseFrame.payload(code: .normal, reason: Array(reason.utf8))
    let kept = payload.dropFirst(2)
    #expect(kept.count <= 123 && kept.count > 119)
    #expect(String(validating: kept, as: UTF8.self).map(reason.hasPrefix) == true)
    // Bytes that are no characters at all still end somewhere.
    #expect(
      CloseFrame.payload(code: .normal, reason: Array(repeating: 0x80, count: 200)).count == 2)
  }
}
