import Testing
import Timeline
import WebSocket

@testable import Hub

@Suite struct HubMachineTests {
  @Test("the server speaks first")
  func welcome() {
    var limits = HubLimits()
    limits.maximumMessage = 500
    limits.window = 7
    let hub = TestHub(limits)
    let id = hub.machine.connect(TestHub.identity("u1", "Ada"), hub.now)
    hub.act()
    #expect(
      hub.take(id) == [
        #"{"type":"welcome","userId":"u1","userName":"Ada","serverTime":"2026-11-30T20:15:00.123Z","durable":false,"limits":{"maxMessage":500,"window":7}}"#
      ])
    #expect(hub.machine.clientCount == 1 && hub.machine.nextDeadline == nil)
  }

  @Test("requests are judged by tokens, made-up names come from chance")
  func admission() throws {
    let open = TestHub()
    let upgrade = try #require(upgradeRequest("/?userName=Ada"))
    guard case .accepted(let one, nil) = open.machine.admit(upgrade),
      case .accepted(let two, nil) = open.machine.admit(upgrade)
    else {
      Issue.record("refused")
      return
    }
    #expect(one.isMadeUp && one.name == bytes("Ada") && one.userID != two.userID)
    let closed = TestHub(tokens: try TokenFile(bytes("secret u1")))
    #expect(
      closed.machine.admit(upgrade) == .refused(status: 401, reason: "this hub asks for a token"))
    let refusing = TestHub(chaos: "refuse=503x1")
    #expect(refusing.machine.admit(upgrade) == .refused(status: 503, reason: "chaos"))
    #expect(refusing.machine.admit(upgrade) != .refused(status: 503, reason: "chaos"))
  }

  @Test("a ping is answered, what answers answers is not")
  func pings() {
    let hub = TestHub()
    let ada = hub.link("ada")
    #expect(hub.ask(ada, #"{"type":"ping"}"#) == [#"{"type":"pong"}"#])
    #expect(hub.ask(ada, #"{"type":"pong"}"#) == [])
    #expect(hub.ask(ada, #"{"type":"error","re":"x"}"#) == [])
  }

  @Test("binary and broken frames get an error, and the next is read normally")
  func broken() {
    let hub = TestHub()
    let ada = hub.link("ada")
    hub.say(ada, #"{"type":"ping"}"#, .binary)
    #expect(
      hub.take(ada) == [#"{"type":"error","code":"bad_request","reason":"frames are text"}"#])
    #expect(
      hub.ask(ada, "{]") == [
        #"{"type":"error","code":"bad_request","reason":"no quoted key where one should be"}"#
      ])
    #expect(hub.ask(ada, #"{"type":"ping"}"#) == [#"{"type":"pong"}"#])
  }

  @Test(
    "what a client may not say reaches nobody",
    arguments: [
      #"{"type":"wsii.state","id":"m","conversationId":"ops","state":"online"}"#,
      #"{"type":"welcome","userId":"bob"}"#,
      #"{"type":"joined","conversationId":"ops","epoch":"x","seq":9,"oldest":1,"users":[]}"#,
      #"{"type":"nack","messageId":"m","conversationId":"ops"}"#,
      #"{"type":"presence","userId":"bob","online":false}"#,
      #"{"type":"ack","messageId":"m","conversationId":"ops","seq":1}"#,
      #"{"type":"ack","conversationId":"ops","seq":0,"userId":"bob","status":"read"}"#,
      #"{"type":"typing","conversationId":"ops","userId":"bob"}"#,
      #"{"type":"leave","conversationId":"ops","userId":"bob"}"#,
      #"{"type":"pong"}"#, #"{"type":"error","code":"x"}"#, "[]", "null", "{}", "",
    ])
  func forged(_ text: String) {
    let hub = TestHub()
    let (ada, bob) = (hub.link("ada", in: "ops"), hub.link("bob", in: "ops"))
    _ = hub.take(ada)
    let answers = hub.ask(ada, text)
    #expect(hub.take(bob) == [])
    #expect(answers.allSatisfy { $0.contains("forbidden") || $0.contains("bad_request") })
    #expect(hub.machine.clientCount == 2)
    #expect(hub.ask(bob, #"{"type":"join","conversationId":"ops"}"#)[0].contains("ada"))
  }

  @Test("a thousand clients get what ten of them say, each the same in the same order")
  func crowd() {
    let hub = TestHub()
    // Their joins would be half a million texts to look at; those are tested in smaller rooms.
    let join = bytes(#"{"type":"join","conversationId":"ops"}"#)
    let clients = (0..<1_000).map { number in
      let id = hub.machine.connect(TestHub.identity("u\(number)"), hub.now)
      hub.machine.receive(.text, join.span, 0..<join.count, from: id, hub.now)
      _ = hub.machine.takeActions()
      hub.machine.noteBacklog(0, of: id, hub.now)
      return id
    }
    #expect(hub.machine.clientCount == 1_000)
    let before = hub.frameCount
    for number in 0..<100 { hub.post(clients[number % 10], "m\(number)") }
    // A hundred messages and as many acks, not a hundred thousand.
    #expect(hub.frameCount - before == 200)
    let expected = hub.take(clients[999])
    #expect(expected.count == 100)
    for (number, text) in expected.enumerated() {
      #expect(text.contains(#""id":"m\#(number)""#) && text.contains(#""seq":\#(number + 1)}"#))
    }
    for id in clients[10..<999] where hub.take(id) != expected { Issue.record("\(id)") }
    #expect(hub.take(clients[0]).filter { !$0.hasPrefix(#"{"type":"ack""#) } == expected)
  }

  @Test("requests wait their turn, up to a number")
  func waiting() {
    var limits = HubLimits()
    limits.maximumWaitingRequests = 0
    let hub = TestHub(limits)
    let ada = hub.link("ada")
    #expect(
      hub.ask(ada, #"{"type":"join","conversationId":"ops"}"#)[0].contains("rate_limited"))
    #expect(hub.machine.roomCount == 0)
  }

  @Test("slots are used again, ids never")
  func slots() {
    let hub = TestHub()
    let (ada, bob) = (hub.link("ada"), hub.link("bob"))
    hub.hangUp(ada)
    let cy = hub.link("cy")
    #expect(cy.slot == ada.slot && cy != ada && bob.slot != cy.slot)
    // What is left of the old link is nothing.
    hub.say(ada, #"{"type":"ping"}"#)
    hub.hangUp(ada)
    hub.machine.noteBacklog(1 << 30, of: ada, hub.now)
    #expect(hub.take(cy) == [] && hub.take(ada) == [] && hub.machine.clientCount == 2)
    hub.say(ClientID(slot: -1, number: 1), #"{"type":"ping"}"#)
    hub.say(ClientID(slot: 99, number: 1), #"{"type":"ping"}"#)
  }

  @Test("a stop says goodbye to all and takes nobody")
  func stopping() throws {
    let hub = TestHub()
    let (ada, bob) = (hub.link("ada", in: "ops"), hub.link("bob", in: "ops"))
    _ = hub.take(ada)
    hub.stop()
    hub.stop()
    #expect(hub.ends[ada] == "1001 the hub stops" && hub.ends[bob] == "1001 the hub stops")
    #expect(hub.take(ada) == [] && hub.machine.clientCount == 0)
    hub.hangUp(ada)
    let upgrade = try #require(upgradeRequest("/"))
    #expect(hub.machine.admit(upgrade) == .refused(status: 503, reason: "this hub stops"))
    // Whose 101 was under way already.
    let (cy, dee) = (hub.link("cy"), hub.link("dee"))
    #expect(hub.ends[cy] == "1001 the hub stops" && cy.slot != dee.slot)
    hub.say(cy, #"{"type":"ping"}"#)
    #expect(hub.take(cy) == [] && hub.machine.clientCount == 0)
  }

  @Test("with a delay each frame comes later, in order, ends included")
  func delay() {
    let hub = TestHub(chaos: "delay=50,drop-after=7")
    let ada = hub.machine.connect(TestHub.identity("ada"), hub.now)
    hub.act()
    #expect(hub.take(ada) == [])
    #expect(hub.machine.nextDeadline == hub.now.instant + .milliseconds(50))
    hub.pass(.milliseconds(30))
    hub.say(ada, #"{"type":"ping"}"#)
    #expect(hub.take(ada) == [])
    hub.pass(.milliseconds(20))
    #expect(hub.take(ada).count == 1)
    hub.pass(.milliseconds(29))
    #expect(hub.take(ada) == [])
    hub.pass(.milliseconds(1))
    #expect(hub.take(ada) == [#"{"type":"pong"}"#])
    for _ in 0..<2 { hub.say(ada, #"{"type":"ping"}"#) }
    // Its slot isn't given away before the end has come.
    let bob = hub.machine.connect(TestHub.identity("bob"), hub.now)
    #expect(bob.slot != ada.slot && hub.ends[ada] == nil)
    hub.pass(.milliseconds(50))
    #expect(hub.take(ada).count == 2 && hub.ends[ada] == "drop")
    let cy = hub.machine.connect(TestHub.identity("cy"), hub.now)
    #expect(cy.slot == ada.slot)
  }

  @Test("both deadlines are met, whichever comes first")
  func deadlines() {
    var limits = HubLimits()
    limits.rate = HubLimits.Rate(perSecond: 1, burst: 1)
    let hub = TestHub(limits, chaos: "delay=5000")
    let ada = hub.link("ada")
    hub.pass(.seconds(5))
    for _ in 0..<2 { hub.say(ada, #"{"type":"join","conversationId":"ops"}"#) }
    #expect(hub.paused == [ada])
    #expect(hub.machine.nextDeadline == hub.now.instant + .seconds(1))
    hub.pass(.seconds(1))
    #expect(hub.paused == [])
    #expect(hub.machine.nextDeadline == hub.now.instant + .seconds(4))
  }
}
