import Testing
import Timeline

@testable import Hub

@Suite struct HubMachineMessagesTests {
  private let accepted =
    #"{"type":"ack","messageId":"m1","conversationId":"ops","seq":1,"timestamp":"2026-11-30T20:15:00.123Z"}"#
  private let record =
    #"{"type":"text","id":"m1","conversationId":"ops","senderId":"ada","senderName":"Ada","text":"hi","timestamp":"2026-11-30T20:15:00.123Z","seq":1}"#

  /// What a nack says: code, and the retry if there is one.
  private func code(_ frames: [String], _ id: String, _ room: String = "ops") -> String {
    guard frames.count == 1,
      frames[0].hasPrefix(
        #"{"type":"nack","messageId":"\#(id)","conversationId":"\#(room)","code":""#)
    else { return frames.joined(separator: "\n") }
    let code = frames[0].split(separator: "\"")[15]
    let retry = frames[0].split(separator: #""retryAfterMs":"#)
    return retry.count == 2 ? "\(code) \(retry[1].dropLast())" : String(code)
  }

  private func send(_ hub: TestHub, _ id: ClientID, _ messageID: String, _ text: String = "hi")
    -> [String]
  {
    hub.ask(
      id, #"{"type":"text","id":"\#(messageID)","conversationId":"ops","text":"\#(text)"}"#)
  }

  @Test("a message is acknowledged, then everybody has it, the sender too")
  func course() {
    let hub = TestHub()
    let ada = hub.link("ada", "Ada", in: "ops")
    let bob = hub.link("bob", in: "ops")
    let cy = hub.link("cy", in: "dev")
    _ = hub.take(ada)
    hub.say(
      ada,
      #"{"type":"text","id":"m1","conversationId":"ops","senderId":"bob","seq":7,"text":"hi","#
        + #""senderName":"Bob","timestamp":"1970"}"#)
    #expect(hub.take(ada) == [accepted, record])
    #expect(hub.take(bob) == [record])
    #expect(hub.take(cy) == [])
    hub.pass(.seconds(60))
    // The same again gives the first answer and says nothing to anybody, whatever the time.
    #expect(send(hub, ada, "m1") == [accepted])
    #expect(hub.take(bob) == [])
  }

  @Test("an id belongs to a user and a room, also on his next link")
  func owners() {
    let hub = TestHub()
    let ada = hub.link("ada", in: "ops", "dev")
    let bob = hub.link("bob", in: "ops")
    #expect(send(hub, ada, "m1").contains(accepted))
    hub.post(ada, "m1", "dev")
    #expect(hub.take(ada).contains { $0.contains(#""conversationId":"dev","seq":1,"#) })
    #expect(send(hub, bob, "m1").contains { $0.contains(#""seq":2"#) })
    hub.hangUp(ada)
    let again = hub.link("ada")
    // Not joined, but it is known.
    #expect(send(hub, again, "m1") == [accepted])
    #expect(code(send(hub, again, "m1", "other"), "m1") == "conflict")
    #expect(code(send(hub, again, "m2"), "m2") == "not_joined")
  }

  @Test("an id outlives the history, and is new after its time")
  func pruned() {
    var limits = HubLimits()
    limits.maximumHistoryCount = 2
    let hub = TestHub(limits)
    let ada = hub.link("ada", in: "ops")
    for number in 1...9 { hub.post(ada, "m\(number)") }
    #expect(send(hub, ada, "m1") == [accepted])
    #expect(code(send(hub, ada, "m1", "other"), "m1") == "conflict")
    hub.pass(.seconds(30 * 86_400 - 1))
    #expect(send(hub, ada, "m1") == [accepted])
    hub.pass(.seconds(1))
    #expect(send(hub, ada, "m1").contains { $0.contains(#""seq":10"#) })
  }

  @Test("ids and rooms are compared as bytes")
  func spellings() {
    let hub = TestHub()
    let ada = hub.link("ada", in: "é", "e\u{301}")
    for (room, id) in [("é", "ö"), ("é", "o\u{308}"), ("e\u{301}", "ö")] { hub.post(ada, id, room) }
    #expect(hub.machine.roomCount == 2)
    #expect(hub.take(ada).count { $0.contains(#""type":"text""#) } == 3)
  }

  @Test("what is too long is refused by its id, for good")
  func tooLarge() {
    var limits = HubLimits()
    limits.maximumMessage = 200
    let hub = TestHub(limits)
    let ada = hub.link("ada", in: "ops")
    let frame = #"{"type":"text","id":"m1","conversationId":"ops","text":""}"#
    let fill = String(repeating: "x", count: 200 - frame.utf8.count)
    #expect(code(send(hub, ada, "m1", fill + "x"), "m1") == "too_large")
    #expect(send(hub, ada, "m1", fill).count == 2)
    #expect(code(send(hub, ada, "m1", fill + "x"), "m1") == "conflict")
  }

  @Test("after a refusal for now the room waits for that message")
  func order() {
    let hub = TestHub()
    let ada = hub.link("ada")
    #expect(code(send(hub, ada, "m1"), "m1") == "not_joined")
    hub.say(ada, #"{"type":"join","conversationId":"ops"}"#)
    hub.say(ada, #"{"type":"join","conversationId":"dev"}"#)
    #expect(code(send(hub, ada, "m2"), "m2") == "not_joined")
    #expect(code(send(hub, ada, "m3"), "m3") == "not_joined")
    // Another room doesn't.
    hub.post(ada, "m2", "dev")
    #expect(hub.take(ada).count == 2)
    #expect(send(hub, ada, "m1")[0] == accepted)
    #expect(send(hub, ada, "m2")[0].contains(#""seq":2"#))
    #expect(send(hub, ada, "m3")[0].contains(#""seq":3"#))
  }

  @Test("the awaited message may also be refused for good, be known, or never come")
  func endOfHold() {
    var limits = HubLimits()
    limits.maximumMessage = 100
    let hub = TestHub(limits)
    let ada = hub.link("ada")
    #expect(code(send(hub, ada, "m1"), "m1") == "not_joined")
    hub.say(ada, #"{"type":"join","conversationId":"ops"}"#)
    let long = String(repeating: "x", count: 100)
    // Another one that is refused for good ends nothing.
    #expect(code(send(hub, ada, "m2", long), "m2") == "too_large")
    #expect(code(send(hub, ada, "m2"), "m2") == "not_joined")
    #expect(code(send(hub, ada, "m1", long), "m1") == "too_large")
    #expect(send(hub, ada, "m2").count == 2)
    // Known ids are acknowledged in between.
    hub.say(ada, #"{"type":"leave","conversationId":"ops"}"#)
    #expect(code(send(hub, ada, "m3"), "m3") == "not_joined")
    #expect(send(hub, ada, "m2").count == 1)
    #expect(code(send(hub, ada, "m4"), "m4") == "not_joined")
    // Leaving ends it, and another link knows nothing of it.
    hub.say(ada, #"{"type":"leave","conversationId":"ops"}"#)
    hub.say(ada, #"{"type":"join","conversationId":"ops"}"#)
    #expect(send(hub, ada, "m4").count == 2)
  }

  @Test("whoever is too fast is read from slowly, then refused, and nothing is lost")
  func rate() {
    var limits = HubLimits()
    limits.rate = HubLimits.Rate(perSecond: 10, burst: 5)
    let hub = TestHub(limits)
    let ada = hub.link("ada")
    hub.say(ada, #"{"type":"join","conversationId":"ops"}"#)
    for number in 1...4 { #expect(send(hub, ada, "m\(number)").count == 2) }
    #expect(hub.paused == [])
    for number in 5...24 { #expect(send(hub, ada, "m\(number)").count == 2) }
    #expect(hub.paused == [ada])
    #expect(code(send(hub, ada, "m25"), "m25") == "rate_limited 2101")
    #expect(code(send(hub, ada, "m26"), "m26") == "rate_limited 2101")
    // Pings, acks and known ids cost nothing.
    for _ in 0..<100 {
      #expect(hub.ask(ada, #"{"type":"ping"}"#).count == 1)
      #expect(send(hub, ada, "m1").count == 1)
      #expect(hub.ask(ada, #"{"type":"ack","conversationId":"ops","seq":1}"#) == [])
    }
    #expect(hub.machine.nextDeadline.map { $0 <= hub.now.instant + .seconds(2) } == true)
    hub.pass(.milliseconds(1_999))
    #expect(hub.paused == [ada])
    #expect(code(send(hub, ada, "m26"), "m26") == "rate_limited 102")
    hub.pass(.milliseconds(1))
    #expect(hub.paused == [])
    #expect(code(send(hub, ada, "m26"), "m26") == "rate_limited 101")
    hub.pass(.milliseconds(101))
    #expect(send(hub, ada, "m25")[0].contains(#""seq":25"#))
    #expect(send(hub, ada, "m26")[0].contains(#""seq":26"#))
  }

  @Test("a hub that holds back too much takes no message for now")
  func full() {
    var limits = HubLimits()
    limits.maximumDelayedBytes = 3_000
    let hub = TestHub(limits, chaos: "delay=1000")
    let ada = hub.link("ada", in: "ops")
    for number in 1...20 { hub.post(ada, "m\(number)") }
    hub.pass(.seconds(1))
    let frames = hub.take(ada)
    let firstRefused = frames.firstIndex { $0.contains(#""code":"full""#) }
    let refused = frames.filter { $0.contains("nack") }
    #expect(firstRefused != nil && refused.allSatisfy { $0.contains(#""retryAfterMs":1001}"#) })
    let stored = frames.count { $0.contains(#""type":"text""#) }
    #expect(stored + refused.count == 20)
    hub.post(ada, "m20")
    hub.post(ada, "m\(stored + 1)")
    hub.pass(.seconds(1))
    let later = hub.take(ada)
    #expect(later[0].contains(#""code":"full""#) && later[1].contains(#""seq":\#(stored + 1)"#))
  }

  @Test("a flood of what isn't joined is ended, not remembered without end")
  func strayMessages() {
    var limits = HubLimits()
    limits.maximumRoomsPerClient = 3
    limits.rate = HubLimits.Rate(perSecond: 1_000, burst: 1_000)
    let hub = TestHub(limits)
    let ada = hub.link("ada")
    for room in 0..<3 { hub.post(ada, "m", "r\(room)") }
    #expect(hub.ends[ada] == nil)
    hub.post(ada, "m", "r3")
    #expect(hub.ends[ada] == "1008 messages to too many rooms that aren't joined")
  }

  @Test("acks are lost as told, and come when asked again")
  func lostAcks() {
    let hub = TestHub(chaos: "lose-acks=2")
    let ada = hub.link("ada", in: "ops")
    #expect(send(hub, ada, "m1")[0].contains(#""type":"ack""#))
    #expect(send(hub, ada, "m2").count == 1)
    #expect(send(hub, ada, "m2").count == 1)
    #expect(send(hub, ada, "m2").isEmpty)
    #expect(code(send(hub, ada, "m2", "other"), "m2") == "conflict")
  }

  @Test("all histories together are bounded, the largest gives way")
  func totalHistory() {
    var limits = HubLimits()
    limits.maximumTotalHistoryBytes = 20_000
    let hub = TestHub(limits)
    let ada = hub.link("ada", in: "ops", "flood")
    for number in 1...5 { hub.post(ada, "m\(number)") }
    for number in 1...500 { hub.post(ada, "f\(number)", "flood") }
    #expect(hub.machine.totalHistoryCost <= 20_000)
    _ = hub.take(ada)
    #expect(
      hub.ask(ada, #"{"type":"join","conversationId":"ops"}"#)[0].contains(
        #""seq":5,"oldest":1,"#))
    #expect(
      hub.ask(ada, #"{"type":"join","conversationId":"flood"}"#)[0].contains(#""seq":500,"#))
    // One message that is more than all may be is sent, and not kept.
    hub.post(ada, "huge", "ops", String(repeating: "x", count: 30_000))
    #expect(hub.take(ada).count == 2 && hub.machine.totalHistoryCost <= 20_000)
    #expect(hub.machine.rooms[ByteKey(bytes("ops"))]?.history.count == 0)
    #expect(hub.machine.rooms[ByteKey(bytes("flood"))]?.history.count != 0)
  }
}
