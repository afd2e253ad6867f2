import Testing

@testable import Hub

@Suite struct MessageFrameTests {
  @Test("the record's parts are found behind each length of header", arguments: [30, 200, 70_000])
  func parts(_ length: Int) {
    let record = bytes(#"{"id":"a1","x":"# + String(repeating: "1", count: length) + "}")
    let frame = MessageFrame(record: record, idText: 7..<9, senderID: ByteKey(bytes("u")))
    #expect(frame.bytes[frame.record].elementsEqual(record))
    #expect(frame.bytes[frame.idText].elementsEqual("a1".utf8))
    #expect(frame.cost > record.count)
    #expect(TestHub.text(of: frame.bytes).utf8.count == record.count)
  }
}

/// A message of a sender whose record has so many bytes.
func message(_ number: Int, from sender: String = "u", length: Int = 100) -> MessageFrame {
  let id = "\(number)"
  var record = bytes(#"{"id":""# + id + #"","x":""#)
  record += [UInt8](repeating: 0x78, count: max(0, length - record.count - 2)) + bytes("\"}")
  return MessageFrame(
    record: record, idText: 7..<(7 + id.utf8.count), senderID: ByteKey(bytes(sender)))
}
