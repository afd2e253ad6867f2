import Testing
import Timeline

@testable import Session

@Suite struct NativeSessionSendingTests {
  private func ack(_ id: String, room: String = "r") -> String {
    #"{"type":"ack","messageId":"\#(id)","conversationId":"\#(room)","seq":1}"#
  }

  private func joined(_ room: String) -> String {
    #"{"type":"joined","conversationId":"\#(room)","epoch":"e","seq":0}"#
  }

  @Test("the window bounds what is in flight, over all rooms")
  func window() {
    var talk = Conversation.joined { $0.window = 3 }
    for id in "abcde" { talk.message("\(id)") }
    #expect(talk.says() == ["a", "b", "c"])
    #expect(talk.says() == [])
    _ = talk.hears(ack("b"))
    #expect(talk.says() == ["d"])
    var narrow = Conversation.joined { $0.windowBytes = 1 }
    narrow.message("a")
    narrow.message("b")
    #expect(narrow.says() == ["a"], "one message always fits")
  }

  @Test("rooms take turns, and one that isn't joined holds nobody up")
  func turns() {
    var talk = Conversation(rooms: ["r", "s", "t"])
    talk.open()
    _ = talk.says()
    for room in ["r", "t"] { _ = talk.hears(joined(room)) }
    for number in 1...4 {
      for room in ["r", "s", "t"] { talk.message("\(room)\(number)", room: room) }
    }
    talk.capacity = 3
    #expect(talk.says() == ["r1", "t1", "r2"])
    #expect(talk.says() == ["t2", "r3", "t3"])
    _ = talk.hears(joined("s"))
    #expect(talk.says() == ["r4", "s1", "t4"])
    #expect(talk.says() == ["s2", "s3", "s4"])
  }

  @Test("a link that takes no more is asked again for the same, and later for the rest")
  func capacity() {
    var talk = Conversation(rooms: ["r", "s"])
    talk.open()
    talk.capacity = 0
    #expect(talk.says() == [])
    talk.capacity = 1
    #expect(talk.says() == [#"{"type":"join","conversationId":"r"}"#])
    #expect(talk.says() == [#"{"type":"join","conversationId":"s"}"#])
    _ = talk.hears(joined("r"))
    _ = talk.hears(Conversation.message(3))
    talk.message("a")
    _ = talk.line(#"{"type":"ack","seq":1,"status":"delivered"}"#)
    _ = talk.line(#"{"type":"wsii.text","text":"x"}"#)
    _ = talk.line(#"{"type":"wsii.text","text":"y"}"#)
    talk.capacity = 0
    #expect(talk.says() == [])
    talk.capacity = 1
    #expect(talk.says() == ["x"])
    #expect(talk.says() == ["y"])
    #expect(
      talk.says() == [#"{"type":"history","conversationId":"r","after":0,"limit":200}"#])
    #expect(
      talk.says() == [#"{"type":"ack","conversationId":"r","seq":1,"status":"delivered"}"#])
    #expect(talk.says() == ["a"])
    _ = talk.line(#"{"type":"leave","conversationId":"s"}"#)
    _ = talk.hears(joined("s"))
    talk.capacity = 0
    #expect(talk.says() == [])
    talk.capacity = 1
    #expect(talk.says() == [#"{"type":"leave","conversationId":"s"}"#])
  }

  @Test("a held room is woken when its time is over")
  func held() {
    var talk = Conversation.joined()
    talk.message("a")
    _ = talk.says()
    let nack =
      #"{"type":"nack","messageId":"a","conversationId":"r","code":"full","retryAfterMs":700}"#
    #expect(talk.hears(nack) == [])
    #expect(talk.session.owedSince == nil, "no answer is owed")
    #expect(talk.says() == [])
    #expect(talk.session.nextDeadline == talk.now.instant + .milliseconds(700))
    talk.pass(.milliseconds(700))
    talk.capacity = 0
    #expect(talk.says() == [])
    #expect(talk.session.nextDeadline == nil, "now it waits for the link")
    talk.capacity = 1
    #expect(talk.says() == ["a"])
  }

  @Test("a lost link's messages go out again, in order and with the same bytes")
  func resend() {
    var talk = Conversation.joined()
    for id in "abc" { talk.message("\(id)") }
    #expect(talk.says() == ["a", "b", "c"])
    _ = talk.hears(ack("b"))
    talk.session.linkLost()
    #expect(talk.hears(ack("a")) == [])
    talk.open()
    #expect(talk.says() == [#"{"type":"join","conversationId":"r"}"#])
    #expect(talk.hears(ack("a")) == [], "not in flight on this link")
    _ = talk.hears(joined("r"))
    #expect(talk.says() == ["a", "c"])
  }

  @Test("a message over the limit that the server tells fails, and the next ones go out")
  func tooLarge() {
    var talk = Conversation()
    talk.message("a")
    talk.message(String(repeating: "b", count: 64))
    talk.message("c")
    talk.open(#"{"type":"welcome","userId":"me","limits":{"maxMessage":150}}"#)
    _ = talk.says()
    _ = talk.hears(joined("r"))
    #expect(talk.says() == ["a", "c"])
    let failed = talk.happened()
    #expect(failed.count == 1 && failed[0].hasPrefix("failed r bbbb"))
    #expect(failed[0].contains("over the server's limit of 150"))
    #expect(talk.session.count == 2)
    _ = talk.hears(ack("a"))
    _ = talk.hears(ack("c"))
    #expect(talk.session.isEmpty && talk.session.byteCount == 0)
  }

  @Test("one pong answers many pings that came while nothing could be said, and what waits counts")
  func urgent() {
    var talk = Conversation.joined()
    for _ in 0..<1_000 { _ = talk.hears(#"{"type":"ping"}"#) }
    let pong = #"{"type":"pong"}"#
    #expect(talk.session.unsentByteCount == pong.utf8.count)
    #expect(talk.line(#"{"type":"wsii.text","text":"raw"}"#) == .done)
    #expect(talk.session.unsentByteCount == pong.utf8.count + 3)
    #expect(talk.says() == [pong, "raw"])
    #expect(talk.session.unsentByteCount == 0)
    _ = talk.hears(#"{"type":"ping"}"#)
    talk.session.linkLost()
    #expect(talk.session.unsentByteCount == 0)
  }

  @Test("a room that can't send doesn't count as waiting for the link")
  func heldRoom() {
    var talk = Conversation.joined()
    talk.message("a")
    #expect(talk.session.unsentByteCount > 0)
    _ = talk.says()
    _ = talk.hears(
      #"{"type":"nack","messageId":"a","conversationId":"r","code":"rate_limited","retryAfterMs":9000}"#
    )
    #expect(talk.session.unsentByteCount == 0 && talk.session.byteCount > 0)
  }

  @Test("what was written before anybody knew us is completed when it is sent, once")
  func lateIdentity() {
    var talk = Conversation()
    _ = talk.line(#"{"id":"1","type":"text","timestamp":"","conversationId":"r"}"#)
    let before = talk.session.byteCount
    talk.open()
    _ = talk.says()
    _ = talk.hears(joined("r"))
    let sent = talk.says()
    #expect(sent.count == 1 && sent[0].hasSuffix(#","senderId":"me"}"#))
    #expect(talk.session.byteCount == before + #","senderId":"me""#.utf8.count)
    #expect(talk.session.unsentByteCount == 0)
  }
}
