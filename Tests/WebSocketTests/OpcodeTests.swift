import Testing
import WebSocket

@Suite struct OpcodeTests {
  @Test("only the RFC's six opcodes exist")
  func table() {
    let known = (UInt8(0)...15).compactMap(Opcode.init(rawValue:))
    #expect(known == [.continuation, .text, .binary, .close, .ping, .pong])
    #expect(known.map(\.name) == ["CONT", "TEXT", "BINARY", "CLOSE", "PING", "PONG"])
    #expect(known.filter(\.isControl) == [.close, .ping, .pong])
    #expect(MessageKind.text.opcode == .text)
    #expect(MessageKind.binary.opcode == .binary)
    #expect(Role.client.peer == .server)
    #expect(Role.server.peer == .client)
  }
}
