import Testing
import Timeline

@testable import Hub

@Suite struct HubMachineUsersTests {
  private func gone(_ user: String) -> String {
    #"{"type":"presence","userId":"\#(user)","online":false,"lastOnline":"2026-11-30T20:15:00.123Z"}"#
  }
  private func back(_ user: String) -> String {
    #"{"type":"presence","userId":"\#(user)","online":true}"#
  }
  private func passage(_ type: String, _ room: String, _ user: String) -> String {
    #"{"type":"\#(type)","conversationId":"\#(room)","userId":"\#(user)","userName":"\#(user)"}"#
  }

  @Test("a user is gone with his last link, and back with the next")
  func presence() {
    let hub = TestHub()
    let ada = hub.link("ada", in: "a", "b", "c")
    let cy = hub.link("cy", in: "d")
    let bob = hub.link("bob", in: "a", "b")
    let second = hub.link("bob", in: "b")
    _ = hub.take(ada)
    hub.hangUp(bob)
    #expect(hub.take(ada) == [passage("leave", "a", "bob")])
    hub.hangUp(second)
    #expect(hub.take(ada) == [passage("leave", "b", "bob"), gone("bob")])
    let again = hub.link("bob")
    #expect(hub.take(ada) == [back("bob")])
    hub.say(again, #"{"type":"join","conversationId":"b"}"#)
    #expect(hub.take(ada) == [passage("join", "b", "bob")])
    #expect(hub.take(cy) == [])
    // Whoever has left a room himself is nobody there any more.
    hub.say(again, #"{"type":"leave","conversationId":"b"}"#)
    hub.say(again, #"{"type":"join","conversationId":"d"}"#)
    _ = hub.take(ada)
    _ = hub.take(cy)
    hub.hangUp(again)
    // Room a still knows him: he only lost the link there.
    #expect(hub.take(ada) == [gone("bob")])
    #expect(hub.take(cy) == [passage("leave", "d", "bob"), gone("bob")])
  }

  @Test("nothing is remembered of a guest but the ids of its messages")
  func guests() throws {
    let hub = TestHub()
    let ada = hub.link("ada", in: "ops")
    let guest = try Identity(guest: 5)
    let id = hub.machine.connect(guest, hub.now)
    hub.act()
    hub.say(id, #"{"type":"join","conversationId":"ops"}"#)
    hub.post(id, "m1")
    #expect(hub.machine.knownIDs.count == 1)
    hub.hangUp(id)
    let name = String(decoding: guest.userID, as: UTF8.self)
    #expect(hub.take(ada).suffix(2) == [passage("leave", "ops", name), gone(name)])
    #expect(hub.machine.users.count == 1)
    #expect(hub.machine.absentCount == 0)
    // Its client comes again by that name, and doesn't know whether the message has arrived.
    let again = hub.link(name, in: "ops")
    _ = hub.take(ada)
    hub.post(again, "m1")
    #expect(
      hub.take(again).contains { $0.contains(#""messageId":"m1""#) && $0.contains(#""seq":1"#) })
    #expect(!hub.take(ada).contains { $0.contains(#""id":"m1""#) })
  }

  @Test("a name is the newest link's")
  func names() {
    let hub = TestHub()
    let first = hub.link("u1", "Ada", in: "ops")
    let second = hub.link("u1", "Ada's phone", in: "ops")
    let bob = hub.link("bob", in: "ops")
    #expect(
      hub.ask(bob, #"{"type":"join","conversationId":"ops"}"#)[0].contains(
        #""users":[{"userId":"u1","userName":"Ada's phone"}]"#))
    hub.post(first, "m1")
    hub.post(second, "m2")
    let frames = hub.take(bob)
    #expect(frames[0].contains(#""senderName":"Ada""#))
    #expect(frames[1].contains(#""senderName":"Ada's phone""#))
  }

  @Test("users who went are remembered up to a number, the latest")
  func absentUsers() {
    var limits = HubLimits()
    limits.maximumAbsentUsers = 10
    let hub = TestHub(limits)
    let ada = hub.link("ada", in: "ops")
    for number in 0..<100 {
      hub.hangUp(hub.link("u\(number)", in: "ops"))
      #expect(hub.machine.users.count <= 11)
    }
    _ = hub.take(ada)
    _ = hub.link("u99")
    #expect(hub.take(ada) == [back("u99")])
    _ = hub.link("u0")
    #expect(hub.take(ada) == [])
    #expect(hub.machine.absentCount == hub.machine.users.count - 3)
  }

  @Test("places are remembered up to a number")
  func places() {
    var limits = HubLimits()
    limits.maximumRoomsPerClient = 4
    let hub = TestHub(limits)
    let ada = hub.link("ada")
    for number in 0..<100 {
      hub.say(ada, #"{"type":"join","conversationId":"r\#(number)"}"#)
      hub.say(ada, #"{"type":"leave","conversationId":"r\#(number)"}"#)
    }
    #expect((hub.machine.users.values.first?.places.count ?? 0) <= 9)
    hub.hangUp(ada)
  }

  @Test("a room that was forgotten is no place to be told of")
  func forgottenRooms() {
    var limits = HubLimits()
    limits.maximumRooms = 1
    let hub = TestHub(limits)
    hub.hangUp(hub.link("bob", in: "ops"))
    let ada = hub.link("ada", in: "dev")
    hub.say(ada, #"{"type":"leave","conversationId":"dev"}"#)
    hub.say(ada, #"{"type":"join","conversationId":"ops"}"#)
    _ = hub.take(ada)
    _ = hub.link("bob")
    #expect(hub.take(ada) == [])
  }

  // MARK: Receipts

  private func ack(_ seq: Int, _ status: String = "delivered") -> String {
    #"{"type":"ack","conversationId":"ops","seq":\#(seq),"status":"\#(status)"}"#
  }
  private func receipt(_ seq: Int, _ id: String, _ user: String, _ status: String = "delivered")
    -> String
  {
    #"{"type":"ack","conversationId":"ops","seq":\#(seq),"messageId":"\#(id)","userId":"\#(user)","status":"\#(status)"}"#
  }

  @Test("each sender is told of his newest message that is covered")
  func receipts() {
    let hub = TestHub()
    let ada = hub.link("ada", in: "ops")
    let bob = hub.link("bob", in: "ops")
    let elsewhere = hub.link("ada", in: "dev")
    let phone = hub.link("ada", in: "ops")
    let cy = hub.link("cy", in: "ops")
    for (id, sender) in [("a1", ada), ("a2", ada), ("b3", bob), ("c4", cy), ("a5", phone)] {
      hub.post(sender, id)
    }
    for id in [ada, bob, cy, phone, elsewhere] { _ = hub.take(id) }
    #expect(hub.ask(cy, ack(4)) == [])
    #expect(hub.take(ada) == [receipt(4, "a2", "cy")])
    #expect(hub.take(phone) == [receipt(4, "a2", "cy")])
    #expect(hub.take(bob) == [receipt(4, "b3", "cy")])
    #expect(hub.take(elsewhere) == [])
    // Nothing new, nothing said.
    for seq in [4, 3, 0] { #expect(hub.ask(cy, ack(seq)) == []) }
    #expect(hub.take(ada) == [] && hub.take(bob) == [])
    // Reading is more than receiving, and covers it.
    hub.say(cy, ack(5, "read"))
    #expect(hub.take(ada) == [receipt(5, "a5", "cy", "read")])
    #expect(hub.take(bob) == [receipt(5, "b3", "cy", "read")])
    hub.say(cy, ack(5))
    #expect(hub.take(ada) == [])
    // Other links of the reader say the same for him; he is told nothing about himself.
    hub.say(phone, ack(5))
    #expect(hub.take(ada) == [] && hub.take(bob) == [receipt(5, "b3", "ada")])
    hub.say(ada, ack(5))
    #expect(hub.take(bob) == [])
  }

  @Test("what was read is remembered over a lost link")
  func lostLink() {
    let hub = TestHub()
    let ada = hub.link("ada", in: "ops")
    var bob = hub.link("bob", in: "ops")
    hub.post(ada, "a1")
    hub.say(bob, ack(1))
    hub.hangUp(bob)
    hub.post(ada, "a2")
    bob = hub.link("bob", in: "ops")
    _ = hub.take(ada)
    hub.say(bob, ack(1))
    #expect(hub.take(ada) == [])
    hub.say(bob, ack(2))
    #expect(hub.take(ada) == [receipt(2, "a2", "bob")])
  }

  @Test("senders who are gone hold nobody up")
  func goneSenders() {
    let hub = TestHub()
    let ada = hub.link("ada", in: "ops")
    let gone = hub.link("gone", in: "ops")
    let left = hub.link("left", in: "ops")
    let bob = hub.link("bob", in: "ops")
    for (id, sender) in [("a1", ada), ("g2", gone), ("l3", left)] { hub.post(sender, id) }
    hub.hangUp(gone)
    hub.say(left, #"{"type":"leave","conversationId":"ops"}"#)
    _ = hub.take(left)
    _ = hub.take(ada)
    hub.say(bob, ack(3))
    #expect(hub.take(ada) == [receipt(3, "a1", "bob")])
    #expect(hub.take(left) == [])
  }

  @Test("an ack of what there isn't, or of a room that isn't joined, is an error")
  func wrongAcks() {
    let hub = TestHub()
    let ada = hub.link("ada", in: "ops")
    #expect(
      hub.ask(ada, ack(1)) == [
        #"{"type":"error","re":"ack","conversationId":"ops","code":"bad_request","reason":"the room has no such seq yet"}"#
      ])
    #expect(
      hub.ask(ada, #"{"type":"ack","conversationId":"dev","seq":0}"#) == [
        #"{"type":"error","re":"ack","conversationId":"dev","code":"not_joined","reason":"join the room first"}"#
      ])
    // The far future doesn't become the past.
    _ = hub.ask(ada, ack(9_007_199_254_740_992))
    let bob = hub.link("bob", in: "ops")
    hub.post(bob, "b1")
    _ = hub.take(bob)
    hub.say(ada, ack(1))
    #expect(hub.take(bob) == [receipt(1, "b1", "ada")])
  }

  @Test("in a large room nobody is told")
  func largeRooms() {
    var limits = HubLimits()
    limits.maximumUsersForReceipts = 2
    let hub = TestHub(limits)
    let (ada, bob) = (hub.link("ada", in: "ops"), hub.link("bob", in: "ops"))
    let cy = hub.link("cy", in: "ops")
    hub.post(ada, "a1")
    _ = hub.take(ada)
    hub.say(bob, ack(1))
    #expect(hub.take(ada) == [])
    hub.hangUp(cy)
    _ = hub.take(ada)
    hub.say(bob, ack(1, "read"))
    #expect(hub.take(ada) == [receipt(1, "a1", "bob", "read")])
  }

  @Test("pruned messages get no receipts")
  func prunedMessages() {
    var limits = HubLimits()
    limits.maximumHistoryCount = 1
    let hub = TestHub(limits)
    let (ada, bob) = (hub.link("ada", in: "ops"), hub.link("bob", in: "ops"))
    hub.post(ada, "a1")
    hub.post(bob, "b2")
    _ = hub.take(ada)
    hub.say(bob, ack(2))
    #expect(hub.take(ada) == [])
  }

  // MARK: Typing

  @Test("typing is told to the others, and dropped above the limit")
  func typing() {
    var limits = HubLimits()
    limits.rate = HubLimits.Rate(perSecond: 1, burst: 2)
    let hub = TestHub(limits)
    let (ada, bob) = (hub.link("ada", in: "ops"), hub.link("bob", in: "ops"))
    let phone = hub.link("ada", in: "ops")
    _ = hub.take(ada)
    let typing = #"{"type":"typing","conversationId":"ops"}"#
    #expect(hub.ask(ada, typing) == [])
    hub.say(ada, #"{"type":"stopTyping","conversationId":"ops"}"#)
    for _ in 0..<10 { #expect(hub.ask(ada, typing) == []) }
    #expect(
      hub.take(bob) == [
        #"{"type":"typing","conversationId":"ops","userId":"ada"}"#,
        #"{"type":"stopTyping","conversationId":"ops","userId":"ada"}"#,
      ])
    #expect(hub.take(phone) == [])
    // It costs messages nothing.
    #expect(hub.paused == [])
    hub.pass(.seconds(2))
    for (type, _) in [("typing", 0), ("stopTyping", 1)] {
      #expect(
        hub.ask(ada, #"{"type":"\#(type)","conversationId":"dev"}"#) == [
          #"{"type":"error","re":"\#(type)","conversationId":"dev","code":"not_joined","reason":"join the room first"}"#
        ])
    }
  }
}
