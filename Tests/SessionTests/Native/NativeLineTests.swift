import JSONText
import Testing
import Timeline
import WebSocket

@testable import Session

@Suite struct NativeLineTests {
  private static let completion = NativeLine.Completion(
    id: MessageID(timestamp: Timestamp(unixMilliseconds: 0), chance: (1, 2, 3)),
    timestamp: Timestamp(unixMilliseconds: 1_000), room: Array("ops".utf8),
    identity: nil, maximumMessage: 1_000)

  static let madeID = "00000000-0000-7001-8000-000200000003"

  private func read(
    _ line: String, isText: Bool = false, _ change: (inout NativeLine.Completion) -> Void = { _ in }
  ) -> NativeLine.Reading {
    var completion = Self.completion
    change(&completion)
    var reader = NativeLine(isText: isText)
    return reader.read(Array(line.utf8).span, completion)
  }

  private func shown(_ reading: NativeLine.Reading) -> String {
    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }
    return switch reading {
    case .message(let draft): "\(text(draft.room)) \(text(draft.id)) \(text(draft.frame))"
    case .typing(let room, let isTyping): "\(isTyping ? "typing" : "still") \(text(room))"
    case .acknowledge(let room, let seq, let status): "\(status) \(text(room)) \(seq)"
    case .join(let room): "join \(text(room))"
    case .leave(let room): "leave \(text(room))"
    case .frame(let kind, let payload): "\(kind) \(text(payload))"
    case .skipped: "skipped"
    case .refused(let reason): "refused: \(reason)"
    }
  }

  @Test(
    "a message is completed before its closing brace, and nothing else is touched",
    arguments: [
      (
        #"{"text":"hi"}"#,
        #"ops ID {"text":"hi","type":"text","id":"ID","conversationId":"ops","timestamp":"1970-01-01T00:00:01.000Z"}"#
      ),
      (
        "{}",
        #"ops ID {"type":"text","id":"ID","conversationId":"ops","timestamp":"1970-01-01T00:00:01.000Z"}"#
      ),
      (
        #" {"conversationId":"a\u0062","id":"x.1:-_Z","type":"image","timestamp":7, "n":1.50 } "#,
        #"ab x.1:-_Z {"conversationId":"a\u0062","id":"x.1:-_Z","type":"image","timestamp":7, "n":1.50}"#
      ),
      (
        #"{"type":"text","userId":"u","id":"1","timestamp":"t"}"#,
        #"ops 1 {"type":"text","userId":"u","id":"1","timestamp":"t","conversationId":"ops"}"#
      ),
    ])
  func message(_ line: String, _ expected: String) {
    #expect(shown(read(line)) == expected.replacing("ID", with: Self.madeID))
  }

  @Test("the sender is completed once it is known, and only where there is room for it")
  func sender() throws {
    let ada = NativeIdentity(userID: Array("u\"1".utf8), userName: Array("Ada".utf8))
    let line = #"{"id":"1","type":"text","timestamp":"","conversationId":"r"}"#
    let known = shown(read(line) { $0.identity = ada })
    #expect(known == "r 1 " + line.dropLast() + #","senderId":"u\"1","senderName":"Ada"}"#)
    guard case .message(let late) = read(line) else { throw TestProblem() }
    #expect(late.lacksSenderID && late.lacksSenderName)
    let given =
      #"{"id":"1","type":"text","timestamp":"","conversationId":"r","senderId":"x","senderName":null}"#
    #expect(shown(read(given) { $0.identity = ada }) == "r 1 \(given)")
    let tight = read(line) {
      $0.identity = ada
      $0.maximumMessage = line.utf8.count + 5
    }
    #expect(shown(tight) == "r 1 \(line)")
    let nameless = read(line) { $0.identity = NativeIdentity(userID: [0x75], userName: nil) }
    #expect(shown(nameless) == "r 1 " + line.dropLast() + #","senderId":"u"}"#)
  }

  @Test(
    "requests, reports and the protocol's words",
    arguments: [
      (#"{"type":"typing"}"#, "typing ops"),
      (#"{"type":"stopTyping","conversationId":"x"}"#, "still x"),
      (#"{"type":"join","conversationId":"x"}"#, "join x"),
      (#"{"type":"leave","conversationId":"x"}"#, "leave x"),
      (#"{"type":"ack","seq":4}"#, "read ops 4"),
      (#"{"type":"ack","seq":4,"status":"read"}"#, "read ops 4"),
      (#"{"type":"ack","seq":4,"status":"delivered","conversationId":"x"}"#, "delivered x 4"),
      (#"{"type":"ack","seq":4,"status":"eaten"}"#, #"refused: "status" is "delivered" or "read""#),
      (#"{"type":"ack","seq":"4"}"#, #"refused: an ack needs a "seq""#),
      (#"{"type":"ack","seq":4,"userId":"u"}"#, "skipped"),
      (#"{"type":"typing","userId":null}"#, "skipped"),
      (#"{"type":"join","userId":"u"}"#, "skipped"),
      (#"{"type":"presence"}"#, "skipped"),
      (#"{"type":"wsii.state"}"#, "skipped"),
      (#"{"type":"wsii.text","text":"a\nb"}"#, "text a\nb"),
      (#"{"type":"wsii.binary","data":"AGI="}"#, "binary \0b"),
      (#"{"type":"wsii.binary","data":"?"}"#, #"refused: "data" is not base64"#),
      ("", "skipped"), (" \t ", "skipped"),
    ])
  func request(_ line: String, _ expected: String) {
    #expect(shown(read(line)) == expected)
  }

  @Test(
    "what can't be sent says why",
    arguments: [
      ("[]", "a message is a JSON object"), ("7", "a message is a JSON object"),
      (#"{"type":7}"#, #""type" must be a string"#),
      (#"{"id":7}"#, #""id" must be 1 to 64 characters of A-Z a-z 0-9 . _ : -"#),
      (#"{"id":""}"#, #""id" must be 1 to 64 characters of A-Z a-z 0-9 . _ : -"#),
      (#"{"id":"a b"}"#, #""id" must be 1 to 64 characters of A-Z a-z 0-9 . _ : -"#),
      (#"{"conversationId":null}"#, #""conversationId" must be a string"#),
      (#"{"type":"join","conversationId":1}"#, #""conversationId" must be a string"#),
    ]
      + ["welcome", "joined", "history", "nack", "ping", "pong", "error"].map {
        (#"{"type":"\#($0)","userId":"u"}"#, "\"\($0)\" is a word of the protocol")
      })
  func refused(_ line: String, _ reason: String) {
    #expect(read(line) == .refused(reason: reason))
  }

  @Test("limits: the encoded message, a room's name, no room at all, JSON's own rules")
  func limits() {
    let long = String(repeating: "x", count: 1_000)
    guard case .refused(let reason) = read(#"{"text":"\#(long)"}"#) else {
      Issue.record("taken")
      return
    }
    #expect(reason.hasSuffix("bytes are over the limit of 1000"))
    #expect(
      read(#"{"conversationId":"\#(long + long)"}"#) { $0.maximumMessage = 9_999 }
        == .refused(reason: #""conversationId" is longer than 1024 bytes"#))
    #expect(
      read("{}") { $0.room = nil } == .refused(reason: #"no room: "conversationId" is missing"#))
    #expect(
      read(#"{"type":"typing"}"#) { $0.room = nil }
        == .refused(reason: #"no room: "conversationId" is missing"#))
    #expect(shown(read(#"{"a":1,"a":2}"#)).contains("duplicate key"))
    #expect(NativeLine.isID(Array(String(repeating: "a", count: 64).utf8)))
    #expect(!NativeLine.isID(Array(String(repeating: "a", count: 65).utf8)))
  }

  @Test("lines that are texts know no commands")
  func text() {
    #expect(
      shown(read(#"{"type":"join"} ""#, isText: true))
        == #"ops ID {"type":"text","id":"ID","conversationId":"ops","text":"{\"type\":\"join\"} \"","timestamp":"1970-01-01T00:00:01.000Z"}"#
        .replacing("ID", with: Self.madeID))
    #expect(read("", isText: true) == .skipped)
    #expect(read("a", isText: true) { $0.room = nil } == .refused(reason: "no room to send it to"))
    var reader = NativeLine(isText: true)
    let bad: [UInt8] = [0xFF]
    #expect(reader.read(bad.span, Self.completion) == .refused(reason: "not UTF-8"))
  }
}

/// Something that a test needs did not come about.
struct TestProblem: Error {}
