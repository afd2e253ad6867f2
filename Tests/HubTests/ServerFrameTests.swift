import Testing
import Timeline

@testable import Hub

@Suite struct ServerFrameTests {
  private let ops = ByteKey(bytes("ops"))
  private let time = Timestamp(unixMilliseconds: 1_796_069_700_123)

  @Test("headers have the shortest length", arguments: [0, 125, 126, 65_535, 65_536])
  func headers(_ length: Int) {
    let payload = [UInt8](repeating: 0x61, count: length)
    let frame = ServerFrame.encode(payload)
    #expect(frame.count == length + (length < 126 ? 2 : length < 65_536 ? 4 : 10))
    #expect(TestHub.text(of: frame).utf8.count == length)
  }

  @Test("each frame is as the protocol has it")
  func frames() {
    let bob = User(TestHub.identity("u2", "Bob"))
    let objection = Objection(re: bytes("join"), room: bytes("x"), code: .forbidden, reason: "no")
    var nack = objection
    nack.messageID = bytes("m\"1")
    nack.code = .rateLimited
    let expected: [([UInt8], String)] = [
      (
        ServerFrame.welcome(TestHub.identity("u1", "Ada"), HubLimits(), time),
        #"{"type":"welcome","userId":"u1","userName":"Ada","serverTime":"2026-11-30T20:15:00.123Z","durable":false,"limits":{"maxMessage":1048576,"window":64}}"#
      ),
      (
        ServerFrame.ack(bytes("m1"), ops, seq: 42, time),
        #"{"type":"ack","messageId":"m1","conversationId":"ops","seq":42,"timestamp":"2026-11-30T20:15:00.123Z"}"#
      ),
      (
        ServerFrame.refusal(objection),
        #"{"type":"error","re":"join","conversationId":"x","code":"forbidden","reason":"no"}"#
      ),
      (
        ServerFrame.refusal(Objection(code: .badRequest, reason: "no")),
        #"{"type":"error","code":"bad_request","reason":"no"}"#
      ),
      (
        ServerFrame.refusal(nack, retryAfter: .milliseconds(799)),
        #"{"type":"nack","messageId":"m\"1","conversationId":"x","code":"rate_limited","reason":"no","retryAfterMs":800}"#
      ),
      (
        ServerFrame.receipt(ops, seq: 3, message(7), from: bob.key, .read),
        #"{"type":"ack","conversationId":"ops","seq":3,"messageId":"7","userId":"u2","status":"read"}"#
      ),
      (
        ServerFrame.typing(ops, bob.key, isOver: false),
        #"{"type":"typing","conversationId":"ops","userId":"u2"}"#
      ),
      (
        ServerFrame.typing(ops, bob.key, isOver: true),
        #"{"type":"stopTyping","conversationId":"ops","userId":"u2"}"#
      ),
      (
        ServerFrame.presence(bob.key, lastOnline: time),
        #"{"type":"presence","userId":"u2","online":false,"lastOnline":"2026-11-30T20:15:00.123Z"}"#
      ),
      (
        ServerFrame.presence(bob.key, lastOnline: nil),
        #"{"type":"presence","userId":"u2","online":true}"#
      ),
      (
        ServerFrame.join(ops, bob),
        #"{"type":"join","conversationId":"ops","userId":"u2","userName":"Bob"}"#
      ),
      (
        ServerFrame.leave(ops, bob),
        #"{"type":"leave","conversationId":"ops","userId":"u2","userName":"Bob"}"#
      ),
      (ServerFrame.pong, #"{"type":"pong"}"#),
      (
        ServerFrame.history(ops, [message(1, length: 1), message(2, length: 1)], hasMore: true),
        #"{"type":"history","conversationId":"ops","messages":[{"id":"1","x":""},{"id":"2","x":""}],"more":true}"#
      ),
      (
        ServerFrame.history(ops, [], hasMore: false),
        #"{"type":"history","conversationId":"ops","messages":[],"more":false}"#
      ),
    ]
    for (frame, text) in expected { #expect(TestHub.text(of: frame) == text) }
  }

  @Test("joined tells of the others")
  func joined() {
    let room = Room(ops, number: 1, epoch: bytes("k3"), HubLimits(), Instant(nanoseconds: 0))
    let users = ["u1", "u2", "u3"].map { User(TestHub.identity($0)) }
    for (slot, user) in users.enumerated() {
      let id = ClientID(slot: slot, number: 1)
      _ = room.add(Client(id, TestHub.identity("u"), user, nil))
    }
    room.history.append(message(1))
    #expect(
      TestHub.text(of: ServerFrame.joined(room, to: users[1]))
        == #"{"type":"joined","conversationId":"ops","epoch":"k3","seq":1,"oldest":1,"users":[{"userId":"u1","userName":"u1"},{"userId":"u3","userName":"u3"}]}"#
    )
    #expect(
      TestHub.text(of: ServerFrame.joined(room, to: User(TestHub.identity("x")))).contains("u2"))
  }
}
