import JSONText
import Testing
import Timeline
import WebSocket

@testable import Session

@Suite struct NativeFrameTests {
  private func read(_ text: String, _ kind: MessageKind = .text) -> NativeFrame {
    var reader = NativeFrameReader()
    // The frame stands in the middle of an input, as in a run.
    let bytes = Array(("##" + text + "##").utf8)
    return reader.read(kind, bytes.span, 2..<bytes.count - 2)
  }

  private static func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

  @Test(
    "what the server says to us is understood",
    arguments: [
      (
        #"{"type":"welcome","userId":"u1","userName":"Ada","limits":{"maxMessage":9,"window":3}}"#,
        NativeFrame.welcome(
          NativeIdentity(userID: bytes("u1"), userName: bytes("Ada")), maximumMessage: 9, window: 3)
      ),
      (
        #"{"type":"welcome","userId":"u1","limits":[]}"#,
        .welcome(
          NativeIdentity(userID: bytes("u1"), userName: nil), maximumMessage: nil, window: nil)
      ),
      (
        #"{"type":"welcome","userId":"u1","limits":{"window":-3}}"#,
        .welcome(
          NativeIdentity(userID: bytes("u1"), userName: nil), maximumMessage: nil, window: nil)
      ),
      (
        #"{"type":"joined","conversationId":"r","epoch":"e","seq":41,"oldest":2,"users":[{}]}"#,
        .joined(room: bytes("r"), epoch: bytes("e"), seq: 41, oldest: 2)
      ),
      (
        #"{"type":"joined","conversationId":"r","epoch":"e","seq":0}"#,
        .joined(room: bytes("r"), epoch: bytes("e"), seq: 0, oldest: 1)
      ),
      (
        #"{"type":"history","conversationId":"r","messages":[],"more":true}"#,
        .history(room: bytes("r"), messages: 52..<54, isMore: true)
      ),
      (
        #"{"type":"history","conversationId":"r","messages":[]}"#,
        .history(room: bytes("r"), messages: 52..<54, isMore: false)
      ),
      (
        #"{"type":"ack","messageId":"m","conversationId":"r","seq":4,"timestamp":"t"}"#,
        .acknowledged(room: bytes("r"), id: bytes("m"), seq: 4, timestamp: bytes("t"))
      ),
      (
        #"{"type":"nack","messageId":"m","conversationId":"r","code":"full","reason":"x","retryAfterMs":8}"#,
        .refused(
          room: bytes("r"), id: bytes("m"),
          NativeRefusal(code: bytes("full"), reason: bytes("x"), wait: .milliseconds(8)))
      ),
      (
        #"{"type":"nack","messageId":"m"}"#,
        .refused(
          room: nil, id: bytes("m"), NativeRefusal(code: [], reason: [], wait: nil))
      ),
      (
        #"{"type":"error","re":"join","conversationId":"x","code":"forbidden","reason":"no"}"#,
        .error(about: bytes("join"), room: bytes("x"), reason: "forbidden: no")
      ),
      (#"{"type":"error"}"#, .error(about: nil, room: nil, reason: "an error without a reason")),
      (#"{"type":"ping"}"#, .ping), (#"{"type":"pong"}"#, .pong),
    ])
  func answers(_ text: String, _ expected: NativeFrame) {
    #expect(read(text) == expected)
  }

  @Test(
    "messages and records",
    arguments: [
      (
        #"{"type":"text","conversationId":"r","seq":4,"senderId":"u"}"#,
        NativeFrame.message(room: bytes("r"), seq: 4, sender: bytes("u"))
      ),
      (#"{"conversationId":"r"}"#, .message(room: bytes("r"), seq: nil, sender: nil)),
      (
        #"{"type":"x","conversationId":"r","seq":9007199254740993}"#,
        .message(room: bytes("r"), seq: nil, sender: nil)
      ),
      (
        #"{"type":"x","conversationId":"r","seq":1.0}"#,
        .message(room: bytes("r"), seq: nil, sender: nil)
      ),
      (#"{"type":"text"}"#, .record), (#"{"type":7}"#, .record), ("[1]", .record),
      (#"{"type":"typing","conversationId":"r","userId":"u"}"#, .record),
      (#"{"type":"presence"}"#, .record), (#"{"type":"join"}"#, .record),
      (#"{"type":"ack","seq":4,"userId":"u","messageId":"m"}"#, .record),
      ("7", .foreign), ("{", .foreign), (#"{"type":"wsii.state"}"#, .foreign),
      (#"{"type":"\u0077sii.state"}"#, .foreign),
      (#"{"type":"joined","conversationId":"r","seq":1}"#, .malformed(.joined)),
      (#"{"type":"history","conversationId":"r","messages":1}"#, .malformed(.history)),
      (#"{"type":"ack","messageId":"m"}"#, .malformed(.ack)),
      (#"{"type":"nack"}"#, .malformed(.nack)), (#"{"type":"welcome"}"#, .malformed(.welcome)),
    ])
  func records(_ text: String, _ expected: NativeFrame) {
    #expect(read(text) == expected)
  }

  @Test(
    "the last message's id",
    arguments: [
      (#"{"conversationId":"r","id":"a\u0062"}"#, "ab"), (#"{"conversationId":"r","id":7}"#, ""),
      (#"{"conversationId":"r"}"#, ""),
    ])
  func id(frame: String, id: String) {
    var reader = NativeFrameReader()
    let bytes = Array(frame.utf8)
    _ = reader.read(.text, bytes.span, 0..<bytes.count)
    #expect(reader.id(bytes.span) == Array(id.utf8))
  }

  @Test("a binary frame is nothing we know")
  func binary() {
    #expect(read("{}", .binary) == .foreign)
  }

  @Test("which refusals are for good, and how they are told")
  func refusals() {
    for code in ["too_large", "bad_request", "forbidden", "conflict"] {
      #expect(NativeRefusal(code: Self.bytes(code), reason: [], wait: nil).isForGood)
    }
    for code in ["rate_limited", "not_joined", "full", "something_new", ""] {
      #expect(!NativeRefusal(code: Self.bytes(code), reason: [], wait: nil).isForGood)
    }
    let refusal = NativeRefusal(code: Self.bytes("full"), reason: Self.bytes("later"), wait: nil)
    #expect(refusal.text == "full: later")
    #expect(NativeRefusal(code: Self.bytes("full"), reason: [], wait: nil).text == "full")
    #expect(NativeRefusal(code: Self.bytes("not_joined"), reason: [], wait: nil).isNotJoined)
  }

  @Test("every frame is understood alike with whitespace anywhere")
  func whitespace() {
    #expect(read("{ \"type\" :\n\"ping\" } ") == .ping)
  }

  @Test(
    "a message as a line of text, by its own time if it has one",
    arguments: [
      (#"{"text":"hi","senderId":"u","senderName":"U"}"#, "7 <U> hi"),
      (#"{"text":"hi","senderId":"u","timestamp":"1970-01-01T00:00:09Z"}"#, "9 <u> hi"),
      (#"{"text":"hi","timestamp":"yesterday"}"#, "7 <?> hi"), (#"{"text":7}"#, nil),
    ])
  func textLine(_ text: String, _ expected: String?) {
    var reader = NativeFrameReader()
    let bytes = Array(text.utf8)
    _ = reader.read(.text, bytes.span, 0..<bytes.count)
    var line: [UInt8] = []
    let isShown = reader.appendTextLine(
      bytes.span, Timestamp(unixMilliseconds: 7_000), into: &line)
    #expect(isShown == (expected != nil))
    #expect(String(decoding: line, as: UTF8.self) == (expected.map { $0 + "\n" } ?? ""))
  }
}
