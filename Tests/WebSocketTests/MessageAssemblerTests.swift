import Testing

@testable import WebSocket

@Suite struct MessageAssemblerTests {
  private let limits: WebSocketLimits = {
    var limits = WebSocketLimits()
    limits.maximumMessage = 10
    limits.maximumFragments = 3
    return limits
  }()

  private func header(_ opcode: Opcode, _ length: Int) -> FrameHeader {
    FrameHeader(isFinal: false, opcode: opcode, payloadLength: length)
  }

  @Test("frames must follow each other in order, and within the limits")
  func order() {
    var assembler = MessageAssembler()
    #expect(
      assembler.violation(of: header(.continuation, 0), limits: limits) == .unexpectedContinuation)
    #expect(
      assembler.violation(of: header(.text, 11), limits: limits)
        == .messageTooBig(declared: 11, maximum: 10))
    #expect(
      assembler.violation(of: header(.text, .max), limits: limits)
        == .messageTooBig(declared: UInt64(Int.max), maximum: 10))
    #expect(assembler.violation(of: header(.text, 10), limits: limits) == nil)
    assembler.begin(header(.text, 6))
    let input = Array("abcdef".utf8)
    #expect(assembler.append(input.span, 0..<6, maskingKey: nil, offset: 0) == true)
    #expect(
      assembler.violation(of: header(.binary, 0), limits: limits) == .expectedContinuation(.binary))
    #expect(
      assembler.violation(of: header(.continuation, 5), limits: limits)
        == .messageTooBig(declared: 11, maximum: 10))
    #expect(assembler.violation(of: header(.continuation, 4), limits: limits) == nil)
    assembler.begin(header(.continuation, 0))
    assembler.begin(header(.continuation, 0))
    #expect(
      assembler.violation(of: header(.continuation, 0), limits: limits)
        == .tooManyFragments(maximum: 3))
    #expect(assembler.finish() == .text)
    #expect(assembler.isFinished)
    #expect(assembler.bytes == input)
    assembler.reset()
    #expect(assembler.bytes.isEmpty && !assembler.isFinished)
    #expect(assembler.finish() == nil)
  }

  @Test("text is checked as it comes, binary isn't")
  func validation() {
    let input = bytes("ce ba e1 bd b9 ed a0 80")
    var text = MessageAssembler()
    text.begin(header(.text, 8))
    #expect(text.append(input.span, 0..<1, maskingKey: nil, offset: 0) == true)
    #expect(text.finish() == nil)
    #expect(text.append(input.span, 1..<6, maskingKey: nil, offset: 1) == true)
    #expect(text.append(input.span, 6..<7, maskingKey: nil, offset: 6) == false)
    var binary = MessageAssembler()
    binary.begin(header(.binary, 8))
    #expect(binary.append(input.span, 0..<8, maskingKey: 0, offset: 0) == true)
    #expect(binary.finish() == .binary)
  }

  @Test("small storage is kept for the next message, large storage is given back")
  func storage() {
    for (size, isKept) in [(1_000, true), (MessageAssembler.retainedCapacity * 2, false)] {
      var assembler = MessageAssembler()
      let input = [UInt8](repeating: 0x61, count: size)
      assembler.begin(header(.text, size))
      #expect(assembler.append(input.span, 0..<size, maskingKey: nil, offset: 0) == true)
      #expect(assembler.finish() == .text)
      assembler.reset()
      #expect((assembler.bytes.capacity >= 1_000) == isKept)
      #expect(assembler.kind == nil)
    }
  }

  @Test("storage is released between messages, never from an open one")
  func release() {
    var assembler = MessageAssembler()
    let input = Array("abcdef".utf8)
    assembler.begin(header(.text, 6))
    #expect(assembler.append(input.span, 0..<3, maskingKey: nil, offset: 0) == true)
    assembler.releaseStorage()
    #expect(assembler.kind == .text && assembler.bytes == Array("abc".utf8))
    #expect(assembler.append(input.span, 3..<6, maskingKey: nil, offset: 3) == true)
    #expect(assembler.finish() == .text)
    assembler.reset()
    #expect(assembler.bytes.capacity > 0)
    assembler.releaseStorage()
    #expect(assembler.bytes.capacity == 0 && assembler.kind == nil && !assembler.isFinished)
  }
}
