import Testing
import Timeline

@testable import Session

@Suite struct NativeSessionLinesTests {
  @Test("a message is counted until it is answered, and joins its room")
  func messages() {
    var talk = Conversation(rooms: [])
    #expect(talk.session.isEmpty)
    #expect(
      talk.line(#"{"text":"x"}"#) == .refused(reason: #"no room: "conversationId" is missing"#))
    talk.message("a", room: "new")
    #expect(talk.session.count == 1 && talk.session.byteCount > 64)
    #expect(talk.session.unsentByteCount == talk.session.byteCount)
    talk.open()
    #expect(talk.says() == [#"{"type":"join","conversationId":"new"}"#])
    #expect(talk.session.owedSince == nil)
    _ = talk.hears(#"{"type":"joined","conversationId":"new","epoch":"e","seq":0}"#)
    #expect(talk.says() == ["a"])
    #expect(talk.session.unsentByteCount == 0)
    #expect(talk.session.owedSince == talk.now.instant)
    _ = talk.hears(#"{"type":"ack","messageId":"a","conversationId":"new","seq":1}"#)
    #expect(talk.session.isEmpty && talk.session.byteCount == 0)
    #expect(talk.session.owedSince == nil)
  }

  @Test("join and leave are wishes: done on every link, until taken back")
  func wishes() {
    var talk = Conversation.joined()
    let leave = #"{"type":"leave","conversationId":"r"}"#
    #expect(talk.line(#"{"type":"leave","conversationId":"unknown"}"#) == .done)
    #expect(talk.line(#"{"type":"leave"}"#) == .done)
    #expect(talk.line(#"{"type":"join"}"#) == .done)
    #expect(talk.says() == [], "taken back in time")
    #expect(talk.line(#"{"type":"leave"}"#) == .done)
    #expect(talk.says() == [leave])
    #expect(talk.says() == [])
    #expect(talk.hears(Conversation.message(1)) == [], "not wanted any more")
    talk.session.linkLost()
    talk.open()
    #expect(talk.says() == [])
    #expect(talk.line(#"{"type":"join","conversationId":"r"}"#) == .done)
    #expect(talk.says() == [#"{"type":"join","conversationId":"r"}"#])
    #expect(talk.hears(#"{"type":"joined","conversationId":"r","epoch":"e","seq":7}"#) == [])
    #expect(talk.hears(Conversation.message(8)).count == 1, "what came meanwhile isn't fetched")
  }

  @Test("a room with messages is left only when they are answered")
  func leaveLater() {
    var talk = Conversation.joined()
    talk.message("a")
    #expect(talk.line(#"{"type":"leave"}"#) == .done)
    #expect(talk.says() == ["a"])
    _ = talk.hears(#"{"type":"ack","messageId":"a","conversationId":"r","seq":1}"#)
    #expect(talk.says() == [#"{"type":"leave","conversationId":"r"}"#])
  }

  @Test("a refused join is tried again when a line asks for it, or on the next link")
  func rejoin() {
    let join = #"{"type":"join","conversationId":"r"}"#
    var talk = Conversation()
    talk.open()
    #expect(talk.says() == [join])
    #expect(
      talk.hears(#"{"type":"error","re":"join","conversationId":"r","code":"forbidden"}"#)
        == ["room r: the server says forbidden"])
    #expect(talk.says() == [])
    #expect(talk.line(#"{"type":"join"}"#) == .done)
    #expect(talk.says() == [join])
    _ = talk.hears(#"{"type":"error","re":"join","conversationId":"r","code":"forbidden"}"#)
    talk.session.linkLost()
    talk.open()
    #expect(talk.says() == [join])
  }

  @Test("acks of lines are kept for the link; raw frames are not")
  func requests() {
    var talk = Conversation()
    #expect(talk.line(#"{"type":"ack","seq":5}"#) == .done)
    #expect(
      talk.line(#"{"type":"wsii.text","text":"x"}"#)
        == .refused(reason: "offline; such a frame can't be kept"))
    talk.open()
    _ = talk.says()
    _ = talk.hears(#"{"type":"joined","conversationId":"r","epoch":"e","seq":5}"#)
    #expect(talk.line(#"{"type":"wsii.text","text":"x"}"#) == .done)
    #expect(talk.line(#"{"type":"wsii.binary","data":"AA=="}"#) == .done)
    #expect(talk.line(#"{"type":"wsii.state"}"#) == .done)
    #expect(
      talk.says() == [
        "x", "binary \0", #"{"type":"ack","conversationId":"r","seq":5,"status":"read"}"#,
      ])
  }

  @Test("typing in a room that isn't joined is dropped; a message ends it")
  func typing() {
    var talk = Conversation.joined()
    #expect(talk.line(#"{"type":"typing","conversationId":"unknown"}"#) == .done)
    #expect(talk.line(#"{"type":"stopTyping"}"#) == .done)
    #expect(talk.says() == [#"{"type":"stopTyping","conversationId":"r"}"#])
    talk.pass(.seconds(1))
    #expect(talk.line(#"{"type":"typing"}"#) == .done)
    talk.message("a")
    #expect(
      talk.says() == [
        #"{"type":"typing","conversationId":"r"}"#, #"{"type":"stopTyping","conversationId":"r"}"#,
        "a",
      ])
  }

  @Test("there is an end of rooms")
  func tooMany() {
    var talk = Conversation { $0.maximumRooms = 1 }
    let reason = "too many rooms; the limit is 1"
    #expect(talk.line(#"{"type":"join","conversationId":"x"}"#) == .refused(reason: reason))
    #expect(talk.line(#"{"type":"ack","seq":1,"conversationId":"x"}"#) == .refused(reason: reason))
    #expect(talk.line(#"{"conversationId":"x"}"#) == .refused(reason: reason))
    #expect(talk.line("{}") != .refused(reason: reason))
  }

  @Test("who we are is known from the last welcome, or added on the way out")
  func identity() {
    var talk = Conversation.joined()
    let line = #"{"id":"1","type":"text","timestamp":"","conversationId":"r"}"#
    _ = talk.line(line)
    #expect(talk.says() == ["\(line.dropLast())" + #","senderId":"me"}"#])
    var early = Conversation()
    _ = early.line(line)
    early.open(#"{"type":"welcome","userId":"me","userName":"Me"}"#)
    _ = early.says()
    _ = early.hears(#"{"type":"joined","conversationId":"r","epoch":"e","seq":5}"#)
    let sent = "\(line.dropLast())" + #","senderId":"me","senderName":"Me"}"#
    #expect(early.says() == [sent])
    early.session.linkLost()
    early.open()
    _ = early.says()
    _ = early.hears(#"{"type":"joined","conversationId":"r","epoch":"e","seq":5}"#)
    #expect(early.says() == [sent], "the same bytes again")
  }
}
