import Testing
import Timeline
import WebSocket

@testable import Hub

@Suite struct HubMachineSendingTests {
  @Test("a client that reads too slowly is closed, the others notice nothing but that")
  func slow() {
    var limits = HubLimits()
    limits.maximumBacklog = 10_000
    let hub = TestHub(limits)
    let (ada, bob) = (hub.link("ada", in: "ops"), hub.link("bob", in: "ops"))
    _ = hub.take(ada)
    hub.stuck[bob] = 0
    var sent = 0
    while hub.ends[bob] == nil, sent < 1_000 {
      sent += 1
      hub.post(ada, "m\(sent)")
    }
    #expect(hub.ends[bob] == "1013 too slow")
    // About 150 bytes each.
    #expect((60...80).contains(sent))
    #expect(hub.machine.totalBacklog <= 10_000)
    let frames = hub.take(ada)
    #expect(frames.count == 2 * sent + 2)
    #expect(frames[frames.count - 2].contains(#""type":"leave""#))
    #expect(frames[frames.count - 1].contains(#""online":false"#))
    hub.hangUp(bob)
    #expect(hub.take(ada) == [] && hub.machine.clientCount == 1)
    hub.post(ada, "after")
    #expect(hub.take(ada).count == 2)
  }

  @Test("all together may leave only so much; who has little stays")
  func total() {
    var limits = HubLimits()
    limits.maximumTotalBacklog = 20_000
    limits.fairBacklog = 3_000
    let hub = TestHub(limits)
    let ada = hub.link("ada", in: "ops")
    let slow = (0..<10).map { hub.link("s\($0)", in: "ops") }
    let late = hub.link("late", in: "dev")
    hub.stuck[late] = 500
    hub.machine.noteBacklog(500, of: late, hub.now)
    for id in slow { hub.stuck[id] = 0 }
    for number in 0..<100 { hub.post(ada, "m\(number)") }
    #expect(hub.machine.totalBacklog <= 20_000 + 10 * 300)
    #expect(!hub.ends.isEmpty && hub.ends.values.allSatisfy { $0 == "1013 too slow" })
    #expect(hub.ends[ada] == nil && hub.ends[late] == nil)
  }

  @Test("without a try to write there is a bound too")
  func unwritten() {
    var limits = HubLimits()
    limits.maximumBacklog = 1_000
    let hub = TestHub(limits)
    let ada = hub.link("ada")
    // The shell's turn doesn't end.
    let ping = bytes(#"{"type":"ping"}"#)
    for _ in 0..<500 { hub.machine.receive(.text, ping.span, 0..<ping.count, from: ada, hub.now) }
    #expect(hub.machine.clientCount == 0)
    #expect(hub.machine.actions.count < 200)
    hub.act()
    #expect(hub.ends[ada] == "1013 too slow")
  }

  @Test("what a room is told counts for each member at once")
  func unwrittenBroadcast() {
    var limits = HubLimits()
    limits.maximumBacklog = 1_000
    let hub = TestHub(limits)
    let ada = hub.link("ada", in: "ops")
    let bob = hub.link("bob", in: "ops")
    hub.machine.noteBacklog(999, of: bob, hub.now)
    for number in 0..<3 {
      let text = String(repeating: "x", count: 300)
      let message = bytes(
        #"{"type":"text","id":"m\#(number)","conversationId":"ops","text":"\#(text)"}"#)
      hub.machine.receive(.text, message.span, 0..<message.count, from: ada, hub.now)
    }
    hub.act()
    #expect(hub.ends[bob] == "1013 too slow")
    #expect(hub.ends[ada] == nil)
  }

  @Test("when one goes, its leave may be too much for the next")
  func chain() {
    var limits = HubLimits()
    limits.maximumBacklog = 5_000
    let hub = TestHub(limits)
    let ids = (0..<5).map { hub.link("u\($0)", in: "ops") }
    for id in ids {
      hub.stuck[id] = 9_990
      hub.machine.noteBacklog(0, of: id, hub.now)
    }
    for id in ids { hub.machine.noteBacklog(4_990, of: id, hub.now) }
    hub.act()
    #expect(hub.ends.values.allSatisfy { $0 == "1013 too slow" })
    hub.machine.noteBacklog(6_000, of: ids[0], hub.now)
    hub.act()
    #expect(hub.machine.clientCount == 0 && hub.ends.count == 5)
    #expect(hub.machine.totalBacklog == 0)
  }

  @Test("a negative backlog is none")
  func negative() {
    let hub = TestHub()
    let ada = hub.link("ada")
    hub.machine.noteBacklog(-5, of: ada, hub.now)
    #expect(hub.machine.totalBacklog == 0)
  }

  // MARK: Chaos

  @Test("a link ends after so many frames, in whatever they are", arguments: 0...7)
  func dropping(_ count: Int) {
    let hub = TestHub(chaos: "drop-after=\(count)")
    let bob = hub.link("bob")
    let ada = hub.machine.connect(TestHub.identity("ada"), hub.now)
    hub.act()
    var seen = hub.take(ada).count
    let steps = [
      #"{"type":"join","conversationId":"ops"}"#,
      #"{"type":"text","id":"m1","conversationId":"ops","text":"hi"}"#,
      #"{"type":"ping"}"#,
    ]
    for step in steps where hub.ends[ada] == nil {
      seen += 1 + hub.ask(ada, step).count
    }
    #expect(seen == count)
    #expect(hub.ends[ada] == "drop")
    // A message that was the last frame is still stored; its answers are lost.
    let room = hub.machine.rooms[ByteKey(bytes("ops"))]
    #expect((room?.history.lastSeq ?? 0) == (count >= 4 ? 1 : 0))
    #expect((room != nil) == (count >= 3))
    #expect(hub.machine.client(ada) == nil && hub.machine.clientCount == (count <= 1 ? 0 : 1))
    _ = bob
  }

  @Test("a broadcast leaves out whoever is about to go")
  func doomed() {
    let hub = TestHub(chaos: "drop-after=5")
    let (ada, bob) = (hub.link("ada", in: "ops"), hub.link("bob", in: "ops"))
    // Ada: welcome, join, joined, Bob's join. The message is her fifth frame.
    #expect(hub.take(ada).count == 1)
    hub.post(ada, "m1")
    #expect(hub.take(ada) == [] && hub.ends[ada] == "drop")
    // Bob: welcome, join, joined, the message, and Ada's leave.
    #expect(hub.take(bob).count == 2 && hub.ends[bob] == "drop")
  }

  @Test("nothing more is read after so many frames")
  func deaf() {
    let hub = TestHub(chaos: "stop-reading=2")
    let ada = hub.link("ada")
    #expect(hub.paused == [])
    #expect(hub.ask(ada, #"{"type":"ping"}"#).count == 1)
    #expect(hub.ask(ada, #"{"type":"ping"}"#).count == 1)
    #expect(hub.paused == [ada])
    #expect(hub.ask(ada, #"{"type":"ping"}"#).isEmpty)
    hub.pass(.seconds(3_600))
    #expect(hub.paused == [ada] && hub.machine.nextDeadline == nil)
    let never = TestHub(chaos: "stop-reading=0")
    let bob = never.link("bob")
    #expect(never.paused == [bob] && never.ask(bob, #"{"type":"ping"}"#).isEmpty)
  }

  @Test("deaf for good is more than paused for a while")
  func pausedAndDeaf() {
    var limits = HubLimits()
    limits.rate = HubLimits.Rate(perSecond: 1, burst: 1)
    let hub = TestHub(limits, chaos: "stop-reading=3")
    let ada = hub.link("ada")
    for number in 0..<3 { hub.say(ada, #"{"type":"join","conversationId":"r\#(number)"}"#) }
    #expect(hub.paused == [ada])
    hub.pass(.seconds(60))
    #expect(hub.paused == [ada])
    // And gone is more than both.
    hub.hangUp(ada)
    let bob = hub.link("bob")
    for number in 0..<2 { hub.say(bob, #"{"type":"join","conversationId":"r\#(number)"}"#) }
    hub.hangUp(bob)
    hub.pass(.seconds(60))
    #expect(hub.machine.nextDeadline == nil && hub.machine.paused.isEmpty)
  }

  @Test("several are read from again, each in its time")
  func resuming() {
    var limits = HubLimits()
    limits.rate = HubLimits.Rate(perSecond: 1, burst: 1)
    let hub = TestHub(limits)
    let (ada, bob) = (hub.link("ada"), hub.link("bob"))
    for number in 0..<2 { hub.say(ada, #"{"type":"join","conversationId":"r\#(number)"}"#) }
    for number in 0..<3 { hub.say(bob, #"{"type":"join","conversationId":"r\#(number)"}"#) }
    #expect(hub.paused == [ada, bob])
    hub.pass(.seconds(1))
    #expect(hub.paused == [bob])
    #expect(hub.machine.nextDeadline == hub.now.instant + .seconds(1))
    hub.pass(.seconds(1))
    #expect(hub.paused == [] && hub.machine.nextDeadline == nil)
  }

  @Test("what is held back has a bound, beyond which it comes early")
  func delayedBytes() {
    var limits = HubLimits()
    limits.maximumDelayedBytes = 2_000
    let hub = TestHub(limits, chaos: "delay=60000")
    let ada = hub.link("ada")
    for _ in 0..<100 { hub.say(ada, #"{"type":"ping"}"#) }
    #expect(hub.machine.delayed.byteCount <= 8_004)
    #expect(!hub.take(ada).isEmpty)
  }
}
