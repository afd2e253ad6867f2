import Bytes
import JSONText
import Timeline

/// A message as a client has sent it: where its parts are in the frame's text.
///
/// **Content** is what a message's id stands for: the type, and every member but those that the
/// server sets (`senderId`, `senderName`, `timestamp`, `seq`) and the two that name it
/// (`id`, `conversationId`). The members' order and the space between them don't matter; how a value
/// is spelled does, as a client that sends again sends the same.
struct MessageDraft: Sendable {
  let id: [UInt8]
  let room: ByteKey
  let type: [UInt8]
  /// The whole object in the text.
  let object: Range<Int>
  /// Where the values of members begin that aren't copied into the record.
  let replaced: [Int]

  private struct Member {
    /// Unescaped.
    var key: [UInt8]
    /// From the key's first quote to the value's end.
    var whole: Range<Int>
    var value: Range<Int>
  }

  /// The digest of the content.
  func digest(_ text: Span<UInt8>) -> Digest {
    var content: [UInt8] = []
    content.reserveCapacity(object.count &+ 64)
    // With their lengths, so that no two contents give the same bytes.
    Self.append(count: type.count, to: &content)
    content.append(contentsOf: type)
    for member in members(text).sorted(by: { $0.key.lexicographicallyPrecedes($1.key) }) {
      Self.append(count: member.key.count, to: &content)
      content.append(contentsOf: member.key)
      Self.append(count: member.value.count, to: &content)
      content.append(text, member.value)
    }
    return Digest(of: content)
  }

  /// The record that members get, as a frame.
  func frame(
    _ text: Span<UInt8>, senderID: [UInt8], senderName: [UInt8], seq: Int, timestamp: Timestamp
  ) -> MessageFrame {
    var record: [UInt8] = []
    record.reserveCapacity(object.count &+ 256)
    func append(_ name: StaticString, _ value: [UInt8]) -> Range<Int> {
      name.withUTF8Buffer { record.append(contentsOf: $0) }
      let start = record.count
      JSONString.appendEscaped(value.span, 0..<value.count, into: &record)
      defer { record.append(UInt8(ascii: "\"")) }
      return start..<record.count
    }
    _ = append("{\"type\":\"", type)
    let idText = append(",\"id\":\"", id)
    _ = append(",\"conversationId\":\"", room.bytes)
    _ = append(",\"senderId\":\"", senderID)
    _ = append(",\"senderName\":\"", senderName)
    for member in members(text) {
      record.append(UInt8(ascii: ","))
      record.append(text, member.whole)
    }
    record.append(contentsOf: ",\"timestamp\":\"".utf8)
    timestamp.appendRFC3339(to: &record)
    record.append(contentsOf: "\",\"seq\":\(seq)}".utf8)
    return MessageFrame(record: record, idText: idText, senderID: ByteKey(senderID))
  }

  /// The members that aren't replaced, in their order. The text has been scanned: whatever isn't as
  /// expected here can only be the end.
  private func members(_ text: Span<UInt8>) -> [Member] {
    var members: [Member] = []
    var walk = MemberWalk(object)
    while let (key, value) = walk.next(text) {
      let content =
        text[value.lowerBound] == UInt8(ascii: "\"")
        ? value.lowerBound &+ 1 : value.lowerBound
      if replaced.contains(content) { continue }
      let name = JSONString.unescape(text, (key.lowerBound &+ 1)..<(key.upperBound &- 1))
      members.append(
        Member(key: name, whole: key.lowerBound..<value.upperBound, value: value))
    }
    return members
  }

  private static func append(count: Int, to bytes: inout [UInt8]) {
    for shift in stride(from: 56, through: 0, by: -8) {
      bytes.append(UInt8(truncatingIfNeeded: count &>> shift))
    }
  }
}
