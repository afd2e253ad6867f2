import Testing
import Timeline
import WebSocket

@testable import Session

@Suite struct NativeSessionReceivingTests {
  private func nack(_ id: String, _ code: String, _ rest: String = "") -> String {
    #"{"type":"nack","messageId":"\#(id)","conversationId":"r","code":"\#(code)"\#(rest)}"#
  }

  @Test("a record is the server's frame, byte for byte, in one line")
  func records() {
    var talk = Conversation.joined()
    let frame =
      "{ \"type\":\"text\",\n\"conversationId\" :\"r\",\"seq\":1,\"x\":1.0e2,\"y\":\"\u{7F}\" }"
    #expect(talk.hears(frame) == [frame.replacing("\n", with: " ")])
    let typing = #"{"type":"typing","conversationId":"r","userId":"u"}"#
    #expect(talk.hears(typing) == [typing])
    #expect(talk.hears("[1]") == ["[1]"])
    #expect(talk.hears("7") == [#"{"type":"wsii.text","text":"7"}"#])
    #expect(
      talk.hears(#"{"type":"wsii.state"}"#)
        == [#"{"type":"wsii.text","text":"{\"type\":\"wsii.state\"}"}"#])
    #expect(talk.hears("a", .binary) == [#"{"type":"wsii.binary","data":"YQ=="}"#])
    #expect(talk.hears(bytes: [0xFF]) == ["invalid text"])
    #expect(
      talk.hears(#"{"type":"text","conversationId":"elsewhere","seq":9}"#).count == 1,
      "a room that nobody asked for")
    var screen = Conversation.joined { $0.isForTerminal = true }
    #expect(screen.hears(frame)[0].contains(#"\u007f"#))
  }

  @Test("as text only what is said is shown")
  func text() {
    var talk = Conversation.joined { $0.isText = true }
    #expect(
      talk.hears(
        #"{"conversationId":"r","seq":1,"text":"hi","senderId":"u","timestamp":"1970-01-01T00:00:07.000Z"}"#
      ) == ["7 <u> hi"])
    #expect(
      talk.hears(#"{"conversationId":"r","seq":2,"text":"hi","senderId":"u","senderName":"U U"}"#)
        == [#"0 <U\x20U> hi"#])
    #expect(talk.hears(#"{"conversationId":"r","seq":3,"text":7}"#) == [])
    #expect(talk.hears(#"{"conversationId":"r","text":"hi"}"#) == ["0 <?> hi"])
    #expect(talk.hears(#"{"type":"typing","conversationId":"r","userId":"u"}"#) == [])
    #expect(talk.hears("7") == [])
  }

  @Test("own messages move the cursor and aren't repeated, unless that is asked for")
  func own() {
    var talk = Conversation.joined()
    #expect(talk.hears(Conversation.message(1, from: "me")) == [])
    #expect(talk.hears(Conversation.message(2)) == [Conversation.message(2)])
    #expect(talk.hears(#"{"type":"text","conversationId":"x","senderId":"me"}"#) == [])
    talk.writes()
    #expect(
      talk.says() == [#"{"type":"ack","conversationId":"r","seq":2,"status":"delivered"}"#])
    var mirror = Conversation.joined { $0.repeatsOwn = true }
    #expect(mirror.hears(Conversation.message(1, from: "me")).count == 1)
    mirror.writes()
    #expect(mirror.says() == [])
  }

  @Test("a missing message is fetched before anything that follows it")
  func fetch() {
    var talk = Conversation.joined(seq: 41)
    #expect(talk.hears(Conversation.message(43)) == [])
    #expect(talk.hears(Conversation.message(44)) == [])
    #expect(
      talk.says() == [#"{"type":"history","conversationId":"r","after":41,"limit":200}"#])
    #expect(talk.hears(Conversation.message(45)) == [])
    #expect(talk.says() == [], "one request at a time")
    #expect(
      talk.hears(Conversation.history([42, 43], more: true))
        == [Conversation.message(42), Conversation.message(43)])
    #expect(
      talk.says() == [#"{"type":"history","conversationId":"r","after":43,"limit":200}"#])
    #expect(talk.hears(Conversation.history([44, 45])).count == 2)
    #expect(talk.hears(Conversation.history([46])) == [], "nobody asked")
    #expect(talk.hears(Conversation.message(46)) == [Conversation.message(46)])
  }

  @Test("what can't be fetched is a gap, in its place")
  func gaps() {
    var talk = Conversation.joined(seq: 10)
    _ = talk.hears(Conversation.message(30))
    _ = talk.says()
    #expect(
      talk.hears(Conversation.history([20, 21]))
        == [
          "missing r 10 20 ", Conversation.message(20), Conversation.message(21),
          "missing r 21 31 ",
        ])
    _ = talk.hears(Conversation.message(33))
    _ = talk.says()
    #expect(
      talk.hears(#"{"type":"error","re":"history","conversationId":"r","reason":"no"}"#)
        == ["room r: the server says no", "missing r 30 34 "])
    #expect(talk.hears(Conversation.message(34)).count == 1)
    #expect(
      talk.hears(#"{"type":"error","re":"history","conversationId":"r","reason":"no"}"#).count == 1)
    #expect(talk.hears(#"{"type":"error","reason":"no"}"#) == ["the server says no"])
    #expect(
      talk.hears(#"{"type":"error","conversationId":"x","reason":"no"}"#) == [
        "room x: the server says no"
      ])
  }

  @Test("a new epoch is a gap, and its history is fetched from the oldest on")
  func epoch() {
    var talk = Conversation.joined(seq: 10)
    _ = talk.hears(Conversation.message(11))
    talk.session.linkLost()
    talk.open()
    _ = talk.says()
    #expect(
      talk.hears(#"{"type":"joined","conversationId":"r","epoch":"f","seq":7,"oldest":4}"#)
        == ["missing r 11 4 f"])
    talk.writes()
    #expect(
      talk.says() == [#"{"type":"history","conversationId":"r","after":3,"limit":200}"#],
      "what was placed in the old count isn't acknowledged in the new one")
  }

  @Test("what a server that lost its history is sent again isn't handed over again")
  func resent() {
    func restart(_ talk: inout Conversation, _ epoch: String) {
      talk.session.linkLost()
      talk.open()
      _ = talk.says()
      _ = talk.hears(
        #"{"type":"joined","conversationId":"r","epoch":"\#(epoch)","seq":0,"oldest":1}"#)
    }
    func message(_ seq: Int, _ id: String, from sender: String = "you") -> String {
      Conversation.message(seq, from: sender).replacing(
        "\"id\":\"\(seq)\"", with: "\"id\":\"\(id)\"")
    }
    var talk = Conversation.joined { $0.repeatsOwn = true }
    for (seq, id) in [(1, "a"), (2, "b")] { #expect(talk.hears(message(seq, id)).count == 1) }
    #expect(talk.hears(message(3, "c", from: "me")).count == 1)
    talk.writes()
    restart(&talk, "f")
    #expect(talk.hears(message(1, "b")) == ["passed 1"])
    #expect(talk.hears(message(2, "c", from: "me")) == [], "nobody waits for our receipt of it")
    #expect(talk.hears(message(3, "b", from: "they")).count == 1, "another sender's id")
    talk.writes()
    #expect(
      talk.says() == [#"{"type":"ack","conversationId":"r","seq":3,"status":"delivered"}"#])
    restart(&talk, "g")
    #expect(talk.hears(message(1, "a")) == ["passed 1"], "of the count before the last one")
    talk.writes()
    talk.pass(.milliseconds(200))
    #expect(
      talk.says() == [#"{"type":"ack","conversationId":"r","seq":1,"status":"delivered"}"#])
    #expect(talk.hears(message(2, "d")).count == 1)
    #expect(talk.hears(message(3, "d")).count == 1, "in one count the server compares")
  }

  @Test("history on the first join, and elements that aren't the room's are skipped")
  func firstHistory() {
    var talk = Conversation { $0.history = 3 }
    talk.open()
    _ = talk.says()
    #expect(talk.hears(#"{"type":"joined","conversationId":"unknown","epoch":"e","seq":7}"#) == [])
    #expect(talk.hears(#"{"type":"joined","conversationId":"r","epoch":"e","seq":7}"#) == [])
    #expect(
      talk.says() == [#"{"type":"history","conversationId":"r","after":4,"limit":200}"#])
    let others =
      #"{"type":"history","conversationId":"r","messages":[7,{"seq":5},{"conversationId":"x","seq":5}],"more":true}"#
    #expect(talk.hears(others) == ["missing r 4 8 "])
  }

  @Test("answers to messages: stored, refused for good, refused for now")
  func answers() {
    var talk = Conversation.joined()
    for id in "abcd" { talk.message("\(id)") }
    _ = talk.says()
    talk.pass(.seconds(1))
    #expect(
      talk.hears(#"{"type":"ack","messageId":"a","conversationId":"r","seq":5,"timestamp":"t"}"#)
        == ["delivered r a 5 t"])
    #expect(talk.session.owedSince == talk.now.instant, "that was progress")
    #expect(
      talk.hears(nack("b", "conflict", #","reason":"known""#)) == ["failed r b conflict: known"])
    #expect(talk.hears(nack("b", "conflict")) == [])
    #expect(talk.hears(nack("c", "rate_limited")) == [])
    #expect(talk.hears(nack("zz", "rate_limited")) == [])
    #expect(talk.hears(#"{"type":"nack","messageId":"d","code":"full"}"#) == [], "no room")
    #expect(talk.hears(nack("d", "rate_limited", #","retryAfterMs":99999999"#)) == [])
    #expect(talk.session.count == 2)
    talk.pass(.seconds(3_599))
    #expect(talk.says() == [])
    talk.pass(.seconds(1))
    #expect(talk.says() == ["c", "d"], "an hour is the longest wait")
    #expect(talk.hears(#"{"type":"ack","messageId":"c","conversationId":"unknown"}"#) == [])
  }

  @Test("who is told that they aren't in a room joins it again first")
  func notJoined() {
    var talk = Conversation.joined()
    for id in "ab" { talk.message("\(id)") }
    _ = talk.says()
    #expect(talk.hears(nack("a", "not_joined", #","retryAfterMs":0"#)) == [])
    #expect(talk.says() == [#"{"type":"join","conversationId":"r"}"#])
    #expect(talk.hears(nack("b", "not_joined", #","retryAfterMs":0"#)) == [])
    #expect(talk.says() == [])
    _ = talk.hears(#"{"type":"joined","conversationId":"r","epoch":"e","seq":0}"#)
    #expect(talk.says() == [], "not as fast as the link can carry it")
    talk.pass(.milliseconds(50))
    #expect(talk.says() == ["a", "b"])
  }

  @Test("a room that is left and joined again begins without its history")
  func joinedAgain() {
    var talk = Conversation.joined(seq: 3) { $0.history = 5 }
    #expect(talk.says() == [#"{"type":"history","conversationId":"r","after":0,"limit":200}"#])
    _ = talk.hears(#"{"type":"history","conversationId":"r","messages":[],"more":false}"#)
    #expect(talk.line(#"{"type":"leave","conversationId":"r"}"#) == .done)
    _ = talk.says()
    #expect(talk.line(#"{"type":"join","conversationId":"r"}"#) == .done)
    _ = talk.says()
    _ = talk.hears(#"{"type":"joined","conversationId":"r","epoch":"e","seq":3,"oldest":1}"#)
    #expect(talk.says() == [])
  }

  @Test("as long as a server answers, the others of our requests may wait")
  func slowAnswers() {
    var talk = Conversation(rooms: ["r", "s"])
    talk.open()
    #expect(talk.says().count == 2)
    for _ in 0..<5 {
      talk.pass(.seconds(9))
      #expect(talk.happened() == [])
      _ = talk.hears(#"{"type":"joined","conversationId":"s","epoch":"e","seq":0}"#)
    }
    talk.pass(.seconds(11))
    #expect(talk.happened().count == 1)
  }

  @Test("pings are answered, and what is malformed is told")
  func small() {
    var talk = Conversation.joined()
    #expect(talk.hears(#"{"type":"ping"}"#) == [])
    #expect(talk.says() == [#"{"type":"pong"}"#])
    #expect(talk.hears(#"{"type":"pong"}"#) == [])
    #expect(
      talk.hears(#"{"type":"joined"}"#)
        == ["warning: the server sent a joined that lacks something"])
  }

  @Test("the first frame decides about the link")
  func greeting() {
    var talk = Conversation()
    let bytes = Array("{}".utf8)
    #expect(talk.session.isGreeting(.text, bytes.span, 0..<bytes.count) == false)
    let welcome = Array(#"{"type":"welcome","userId":"me"}"#.utf8)
    #expect(talk.session.isGreeting(.text, welcome.span, 0..<welcome.count) == true)
    #expect(talk.hears("{}") == [], "no link")
    talk.session.linkOpened(talk.now.instant)
    #expect(talk.hears("{}") == ["broken: the server's first frame is no welcome"])
    talk.open()
    talk.message("a")
    talk.session.linkLost()
    talk.session.linkOpened(talk.now.instant)
    #expect(
      talk.hears(#"{"type":"welcome","userId":"you"}"#)
        == ["broken: the server takes us for you; 1 messages of me wait"])
  }

  @Test("what has no number and no room in the output is counted")
  func dropped() {
    var talk = Conversation.joined()
    talk.session.outputBlocked(true)
    #expect(talk.hears("7") == [])
    #expect(talk.hears(#"{"type":"text","conversationId":"x"}"#) == [])
    #expect(talk.session.droppedCount == 2)
  }

  @Test("a refused join is told, and not tried again on the link")
  func refusedJoin() {
    var talk = Conversation()
    talk.open()
    _ = talk.says()
    #expect(
      talk.hears(#"{"type":"error","re":"join","conversationId":"r","code":"forbidden"}"#)
        == ["room r: the server says forbidden"])
    #expect(talk.says() == [])
  }
}
