import Testing
import Timeline

@testable import Hub

@Suite struct MessageDraftTests {
  private func draft(_ text: String) throws -> (MessageDraft, [UInt8]) {
    let text = bytes(text)
    var reader = RequestReader(HubLimits())
    guard
      case .message(let draft)? = try reader.read(text.span, 0..<text.count, from: bytes("u1"))
    else {
      Issue.record("no message")
      throw Objection(code: .badRequest, reason: "no message")
    }
    return (draft, text)
  }

  private func digest(_ text: String) throws -> Digest {
    let (draft, text) = try draft(text)
    return draft.digest(text.span)
  }

  @Test("the record has what the server sets and keeps what it doesn't know")
  func record() throws {
    let (draft, text) = try draft(
      #" {"seq":99,"text":"hi","x":[ 1e2,{"id":"no"} ],"senderId":"evil","id":"a\u002d1","#
        + #""senderName":{"a":1},"\u0074ype":"te\u0078t","timestamp":null,"é":0.10,"#
        + #""conversationId":"o\"ps"} "#)
    let frame = draft.frame(
      text.span, senderID: bytes("u1"), senderName: bytes("A\"da"), seq: 42,
      timestamp: Timestamp(unixMilliseconds: 1_796_069_700_123))
    #expect(
      TestHub.text(of: frame.bytes)
        == #"{"type":"text","id":"a-1","conversationId":"o\"ps","senderId":"u1","#
        + #""senderName":"A\"da","text":"hi","x":[ 1e2,{"id":"no"} ],"é":0.10,"#
        + #""timestamp":"2026-11-30T20:15:00.123Z","seq":42}"#)
    #expect(frame.bytes[frame.idText].elementsEqual("a-1".utf8))
    #expect(frame.bytes[frame.record].first == UInt8(ascii: "{"))
    #expect(frame.senderID == ByteKey(bytes("u1")))
  }

  @Test("a message without any member of its own is a record too")
  func bare() throws {
    let (draft, text) = try draft(#"{"type":"x","id":"1","conversationId":"r"}"#)
    let frame = draft.frame(
      text.span, senderID: bytes("u"), senderName: bytes("u"), seq: 1,
      timestamp: Timestamp(unixMilliseconds: 0))
    #expect(
      TestHub.text(of: frame.bytes)
        == #"{"type":"x","id":"1","conversationId":"r","senderId":"u","senderName":"u","#
        + #""timestamp":"1970-01-01T00:00:00.000Z","seq":1}"#)
  }

  @Test(
    "order, space, names and times aren't content",
    arguments: [
      #"{"id":"1","conversationId":"r","type":"text","metadata":{"a":1},"text":"hi"}"#,
      #"{"type" : "text", "id":"2","conversationId":"q", "text":"hi", "metadata":{"a":1} }"#,
      #"{"type":"text","id":"1","conversationId":"r","text":"hi","timestamp":"now","metadata":{"a":1}}"#,
      #"{"type":"text","id":"1","conversationId":"r","senderId":"u2","senderName":"x","text":"hi","seq":7,"metadata":{"a":1}}"#,
      #"{"\u0074ype":"t\u0065xt","id":"1","conversationId":"r","t\u0065xt":"hi","metadata":{"a":1}}"#,
    ])
  func same(_ text: String) throws {
    let one = #"{"type":"text","id":"1","conversationId":"r","text":"hi","metadata":{"a":1}}"#
    #expect(try digest(text) == digest(one))
  }

  @Test(
    "everything else is",
    arguments: [
      #"{"type":"image","id":"1","conversationId":"r","text":"hi"}"#,
      #"{"type":"text","id":"1","conversationId":"r","text":"hi "}"#,
      #"{"type":"text","id":"1","conversationId":"r","text":"h\u0069"}"#,
      #"{"type":"text","id":"1","conversationId":"r"}"#,
      #"{"type":"text","id":"1","conversationId":"r","text":"hi","x":null}"#,
      #"{"type":"text","id":"1","conversationId":"r","tex":"thi"}"#,
      #"{"type":"text","id":"1","conversationId":"r","Text":"hi"}"#,
      #"{"type":"text","id":"1","conversationId":"r","text":["hi"]}"#,
    ])
  func different(_ text: String) throws {
    let one = #"{"type":"text","id":"1","conversationId":"r","text":"hi"}"#
    #expect(try digest(text) != digest(one))
  }
}
