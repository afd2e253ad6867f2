import Testing
import Timeline
import WebSocket

@testable import Session

@Suite struct NativeSessionTests {
  private let join = #"{"type":"join","conversationId":"r"}"#

  @Test("a link is of use once the server has greeted us")
  func greeting() {
    var talk = Conversation(rooms: ["r", "s"])
    #expect(talk.says() == [])
    talk.session.linkOpened(talk.now.instant)
    #expect(talk.session.nextDeadline == talk.now.instant + .seconds(10))
    #expect(talk.says() == [])
    #expect(!talk.session.isOpen)
    #expect(talk.hears(#"{"type":"welcome","userId":"me","userName":"Me"}"#) == ["welcomed"])
    #expect(talk.session.isOpen)
    #expect(
      talk.session.identity
        == NativeIdentity(userID: Array("me".utf8), userName: Array("Me".utf8)))
    #expect(talk.says() == [join, join.replacing("\"r\"", with: "\"s\"")])
    #expect(talk.says() == [])
    #expect(talk.hears(#"{"type":"welcome","userId":"other"}"#) == [])
  }

  @Test("a server that says something else first, or nothing, is left")
  func noGreeting() {
    var talk = Conversation()
    talk.session.linkOpened(talk.now.instant)
    #expect(talk.hears("{}") == ["broken: the server's first frame is no welcome"])
    talk.session.linkLost()
    #expect(talk.hears("{}") == [])
    #expect(talk.session.nextDeadline == nil)
    talk.pass(.seconds(1))
    talk.session.linkOpened(talk.now.instant)
    talk.pass(.seconds(9))
    #expect(talk.happened() == [])
    talk.pass(.seconds(1))
    #expect(talk.happened() == ["broken: the server didn't greet us in 10 s"])
  }

  @Test("a greeting is recognised without being taken")
  func isGreeting() {
    var talk = Conversation()
    func isGreeting(_ text: String) -> Bool {
      let bytes = Array(text.utf8)
      return talk.session.isGreeting(.text, bytes.span, 0..<bytes.count)
    }
    #expect(isGreeting(#"{"type":"welcome","userId":"u"}"#))
    #expect(!isGreeting(#"{"type":"welcome"}"#))
    #expect(!isGreeting("[]"))
  }

  @Test("the welcome's limits hold, and never widen ours")
  func limits() {
    var talk = Conversation { $0.maximumMessage = 500 }
    talk.open(#"{"type":"welcome","userId":"me","limits":{"maxMessage":200,"window":2}}"#)
    #expect(talk.session.maximumMessage == 200)
    #expect(talk.session.window == 2)
    talk.session.linkLost()
    talk.open(#"{"type":"welcome","userId":"me","limits":{"maxMessage":9000,"window":9000}}"#)
    #expect(talk.session.maximumMessage == 500)
    #expect(talk.session.window == 64)
    talk.session.linkLost()
    talk.open(#"{"type":"welcome","userId":"me","limits":{"maxMessage":0,"window":0}}"#)
    #expect(talk.session.maximumMessage == 1)
    #expect(talk.session.window == 1)
  }

  @Test("messages aren't sent under another name than they were written under")
  func otherUser() {
    var talk = Conversation.joined()
    talk.message("a")
    talk.session.linkLost()
    talk.session.linkOpened(talk.now.instant)
    #expect(
      talk.hears(#"{"type":"welcome","userId":"you"}"#)
        == ["broken: the server takes us for you; 1 messages of me wait"])
    #expect(LinkEnd.otherUser(reason: "").isRefusal)
    var idle = Conversation.joined()
    idle.session.linkLost()
    idle.session.linkOpened(idle.now.instant)
    #expect(idle.hears(#"{"type":"welcome","userId":"you"}"#) == ["welcomed"])
  }

  @Test("a join without an answer is told after 10 s, and a late answer counts")
  func lateJoin() {
    var talk = Conversation()
    talk.open()
    _ = talk.says()
    talk.message("a")
    #expect(talk.says() == [])
    #expect(talk.session.nextDeadline == talk.now.instant + .seconds(10))
    talk.pass(.seconds(10))
    #expect(
      talk.happened()
        == ["room r: the server says nothing: no answer to our join in 10 s"])
    #expect(talk.session.nextDeadline == nil)
    #expect(talk.says() == [])
    #expect(talk.hears(#"{"type":"joined","conversationId":"r","epoch":"e","seq":0}"#) == [])
    #expect(talk.says() == ["a"])
  }

  @Test("typing ends by itself, and with the link")
  func typing() {
    var talk = Conversation.joined()
    #expect(talk.line(#"{"type":"typing"}"#) == .done)
    #expect(talk.says() == [#"{"type":"typing","conversationId":"r"}"#])
    talk.pass(.milliseconds(100))
    #expect(talk.line(#"{"type":"typing"}"#) == .done)
    #expect(talk.says() == [])
    #expect(talk.session.nextDeadline == talk.now.instant + .seconds(5))
    talk.pass(.seconds(5))
    #expect(talk.says() == [#"{"type":"stopTyping","conversationId":"r"}"#])
    talk.session.linkLost()
    #expect(talk.line(#"{"type":"typing"}"#) == .done)
    talk.open()
    #expect(talk.says() == [join], "typing isn't kept for later")
  }

  @Test("history that isn't given in 10 s ends the link")
  func lateHistory() {
    var talk = Conversation.joined()
    _ = talk.hears(Conversation.message(5))
    #expect(
      talk.says() == [#"{"type":"history","conversationId":"r","after":0,"limit":200}"#])
    talk.pass(.seconds(10))
    #expect(talk.happened() == ["broken: no answer to a request for history in 10 s"])
  }

  @Test("receipts follow what standard output has taken, in batches")
  func receipts() {
    var talk = Conversation.joined()
    _ = talk.hears(Conversation.message(1))
    #expect(talk.says() == [])
    talk.writes()
    #expect(
      talk.says() == [#"{"type":"ack","conversationId":"r","seq":1,"status":"delivered"}"#])
    for seq in 2...9 { _ = talk.hears(Conversation.message(seq)) }
    talk.writes()
    #expect(talk.says() == [])
    #expect(talk.session.nextDeadline == talk.now.instant + .milliseconds(200))
    talk.pass(.milliseconds(200))
    #expect(talk.session.nextDeadline == talk.now.instant + .zero)
    #expect(
      talk.says() == [#"{"type":"ack","conversationId":"r","seq":9,"status":"delivered"}"#])
    #expect(talk.session.nextDeadline == nil)
    _ = talk.hears(Conversation.message(10))
    talk.writes()
    #expect(
      talk.says(isLast: true)
        == [#"{"type":"ack","conversationId":"r","seq":10,"status":"delivered"}"#])
    var silent = Conversation.joined { $0.acknowledges = false }
    _ = silent.hears(Conversation.message(1))
    silent.writes()
    #expect(silent.says(isLast: true) == [])
  }

  @Test("what a blocked standard output misses is fetched, and what can't be is told")
  func blocked() {
    var talk = Conversation.joined()
    talk.session.outputBlocked(true)
    #expect(talk.hears(Conversation.message(1)) == [])
    #expect(talk.hears(#"{"type":"typing","conversationId":"r","userId":"u"}"#) == [])
    #expect(talk.hears("7") == [])
    #expect(talk.hears(#"{"type":"text","conversationId":"r"}"#) == [])
    #expect(talk.says() == [])
    talk.message("a")
    #expect(talk.says() == ["a"], "sending goes on")
    #expect(
      talk.hears(#"{"type":"ack","messageId":"a","conversationId":"r","seq":2}"#)
        == ["delivered r a 2 "])
    talk.session.outputBlocked(false)
    #expect(
      talk.happened() == [
        "messages are missing here: standard output wasn't read, and 2 messages had no number to"
          + " fetch them by"
      ])
    #expect(
      talk.says() == [#"{"type":"history","conversationId":"r","after":0,"limit":200}"#])
    #expect(talk.hears(Conversation.history([1, 2])).count == 2)
    talk.session.outputBlocked(false)
    #expect(talk.happened() == [])
  }

  @Test("level is who has nothing to fetch and nothing to say")
  func level() {
    var talk = Conversation()
    #expect(!talk.session.isLevel)
    talk.open()
    #expect(!talk.session.isLevel)
    _ = talk.says()
    _ = talk.hears(#"{"type":"joined","conversationId":"r","epoch":"e","seq":0}"#)
    #expect(talk.session.isLevel)
    _ = talk.hears(#"{"type":"ping"}"#)
    #expect(!talk.session.isLevel)
    _ = talk.says()
    _ = talk.hears(Conversation.message(2))
    #expect(!talk.session.isLevel)
  }

  @Test("pings that wait together are answered once")
  func pings() {
    var talk = Conversation.joined()
    for _ in 1...3 { _ = talk.hears(#"{"type":"ping"}"#) }
    #expect(talk.says() == [#"{"type":"pong"}"#])
  }

  @Test("an answer is owed from the first message on, or from the last answer")
  func owed() {
    var talk = Conversation.joined()
    #expect(talk.session.owedSince == nil)
    talk.message("a")
    talk.message("b")
    _ = talk.says()
    #expect(talk.session.owedSince == talk.now.instant && talk.session.unsentByteCount == 0)
    talk.pass(.seconds(1))
    _ = talk.hears(#"{"type":"ack","messageId":"a","conversationId":"r","seq":1}"#)
    #expect(talk.session.owedSince == talk.now.instant)
    talk.session.linkLost()
    #expect(talk.session.owedSince == nil)
  }
}
