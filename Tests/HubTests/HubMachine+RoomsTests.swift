import Testing
import Timeline

@testable import Hub

@Suite struct HubMachineRoomsTests {
  private func join(_ room: String) -> String { #"{"type":"join","conversationId":"\#(room)"}"# }
  private func leave(_ room: String) -> String { #"{"type":"leave","conversationId":"\#(room)"}"# }

  private func member(_ name: String, of frame: String) -> Substring? {
    let parts = frame.split(separator: "\"\(name)\":", maxSplits: 1)
    return parts.count == 2 ? parts[1].prefix { $0 != "," && $0 != "}" } : nil
  }

  @Test("joining tells who is there, and those who are there")
  func joining() {
    let hub = TestHub()
    let (ada, bob) = (hub.link("u1", "Ada"), hub.link("u2", "Bob"))
    let first = hub.ask(ada, join("ops"))
    #expect(first.count == 1)
    let epoch = member("epoch", of: first[0]) ?? ""
    #expect(epoch.utf8.count == 20)
    #expect(
      first[0]
        == #"{"type":"joined","conversationId":"ops","epoch":\#(epoch),"seq":0,"oldest":1,"users":[]}"#
    )
    #expect(
      hub.ask(bob, join("ops")) == [
        #"{"type":"joined","conversationId":"ops","epoch":\#(epoch),"seq":0,"oldest":1,"users":[{"userId":"u1","userName":"Ada"}]}"#
      ])
    let arrival = #"{"type":"join","conversationId":"ops","userId":"u2","userName":"Bob"}"#
    #expect(hub.take(ada) == [arrival])
    // Again changes nothing, and another link of the same user is nothing new.
    #expect(hub.ask(bob, join("ops")).count == 1)
    let second = hub.link("u2", "Bob", in: "ops")
    #expect(hub.take(ada) == [] && hub.take(bob) == [])
    hub.say(bob, leave("ops"))
    #expect(hub.take(ada) == [] && hub.take(bob) == [])
    hub.say(second, leave("ops"))
    #expect(
      hub.take(ada) == [#"{"type":"leave","conversationId":"ops","userId":"u2","userName":"Bob"}"#])
    // Leaving what one isn't in is nothing.
    #expect(hub.ask(second, leave("ops")) == [] && hub.ask(second, leave("nowhere")) == [])
    #expect(hub.take(ada) == [])
  }

  @Test("an epoch stays while the history does, also when nobody is there")
  func epochs() {
    var limits = HubLimits()
    limits.maximumRooms = 2
    let hub = TestHub(limits)
    var ada = hub.link("ada")
    let epoch = member("epoch", of: hub.ask(ada, join("ops"))[0])
    hub.hangUp(ada)
    ada = hub.link("ada")
    #expect(member("epoch", of: hub.ask(ada, join("ops"))[0]) == epoch)
    hub.post(ada, "m1")
    hub.say(ada, leave("ops"))
    // A room in which nothing was said is forgotten before one with a history.
    hub.say(ada, join("a"))
    hub.say(ada, leave("a"))
    hub.say(ada, join("b"))
    #expect(member("epoch", of: hub.ask(ada, join("ops"))[0]) == epoch)
    hub.say(ada, leave("ops"))
    hub.post(ada, "m2", "b")
    // Now the history must go; what was in it is new again.
    hub.say(ada, join("c"))
    hub.say(ada, leave("c"))
    let anew = hub.ask(ada, join("ops"))[0]
    #expect(member("epoch", of: anew) != epoch && member("seq", of: anew) == "0")
    hub.post(ada, "m1")
    #expect(hub.take(ada).last?.contains(#""seq":1"#) == true)
    #expect(hub.machine.roomCount == 2)
  }

  @Test("rooms are bounded, for one and for all")
  func bounds() {
    var limits = HubLimits()
    limits.maximumRooms = 3
    limits.maximumRoomsPerClient = 2
    let hub = TestHub(limits)
    let (ada, bob) = (hub.link("ada", in: "a", "b"), hub.link("bob", in: "c"))
    #expect(
      hub.ask(ada, join("c")) == [
        #"{"type":"error","re":"join","conversationId":"c","code":"full","reason":"you are in as many rooms as one may be"}"#
      ])
    #expect(
      hub.ask(bob, join("d")) == [
        #"{"type":"error","re":"join","conversationId":"d","code":"full","reason":"this hub has as many rooms as it takes"}"#
      ])
    #expect(hub.ask(ada, join("b"))[0].contains("joined"))
    hub.say(ada, leave("b"))
    #expect(hub.ask(bob, join("d"))[0].contains("joined"))
    #expect(hub.machine.roomCount == 3)
  }

  @Test("history is paged forward and backward, oldest first")
  func history() {
    var limits = HubLimits()
    limits.maximumHistoryCount = 10
    let hub = TestHub(limits)
    let ada = hub.link("ada", in: "ops")
    for number in 1...15 { hub.post(ada, "m\(number)") }
    func page(_ query: String) -> String {
      let frames = hub.ask(ada, #"{"type":"history","conversationId":"ops"\#(query)}"#)
      guard frames.count == 1, frames[0].hasPrefix(#"{"type":"history","conversationId":"ops","#)
      else { return "\(frames)" }
      let seqs = frames[0].split(separator: #""seq":"#).dropFirst().map { $0.prefix { $0 != "}" } }
      return seqs.joined(separator: " ") + (frames[0].hasSuffix(#"],"more":true}"#) ? " …" : "")
    }
    #expect(page("") == "6 7 8 9 10 11 12 13 14 15")
    #expect(page(#","after":12,"limit":200"#) == "13 14 15")
    #expect(page(#","after":12,"limit":2"#) == "13 14 …")
    #expect(page(#","after":15"#) == "")
    #expect(page(#","after":0,"limit":3"#) == "6 7 8 …")
    #expect(page(#","before":9,"limit":2"#) == "7 8 …")
    #expect(page(#","before":8,"limit":2"#) == "6 7")
    #expect(page(#","before":6"#) == "")
    #expect(hub.ask(ada, join("ops"))[0].contains(#""seq":15,"oldest":6,"#))
    #expect(
      hub.ask(ada, #"{"type":"history","conversationId":"dev"}"#) == [
        #"{"type":"error","re":"history","conversationId":"dev","code":"not_joined","reason":"join the room first"}"#
      ])
  }

  @Test("a record in the history is the one that was live")
  func records() {
    let hub = TestHub()
    let ada = hub.link("ada", in: "ops")
    hub.say(ada, #"{"type":"my","id":"é","conversationId":"ops","n":1e400000e}"#)
    hub.say(ada, #"{"type":"my","id":"é","conversationId":"ops","n":[ 0.10 ]}"#)
    let live = hub.take(ada).last ?? ""
    #expect(
      hub.ask(ada, #"{"type":"history","conversationId":"ops"}"#) == [
        #"{"type":"history","conversationId":"ops","messages":["# + live + #"],"more":false}"#
      ])
  }

  @Test("a page has its bytes")
  func pageBytes() {
    var limits = HubLimits()
    limits.maximumPageBytes = 400
    let hub = TestHub(limits)
    let ada = hub.link("ada", in: "ops")
    for number in 1...4 { hub.post(ada, "m\(number)", "ops", String(repeating: "x", count: 100)) }
    hub.post(ada, "m5", "ops", String(repeating: "x", count: 1_000))
    func seqs(_ after: Int) -> Int {
      hub.ask(ada, #"{"type":"history","conversationId":"ops","after":\#(after)}"#)[0].split(
        separator: #""seq":"#
      ).count - 1
    }
    #expect(seqs(0) == 1 && seqs(3) == 1 && seqs(4) == 1)
  }

  @Test("who doesn't read gets no long answers, then all of them")
  func backlog() {
    var limits = HubLimits()
    limits.maximumBacklogForAnswers = 1_000
    limits.maximumWaitingRequests = 4
    let hub = TestHub(limits)
    let ada = hub.link("ada", in: "ops")
    for number in 1...10 { hub.post(ada, "m\(number)") }
    _ = hub.take(ada)
    hub.stuck[ada] = 900
    hub.say(ada, #"{"type":"history","conversationId":"ops"}"#)
    #expect(hub.take(ada).count == 1)
    hub.say(ada, #"{"type":"history","conversationId":"ops","limit":1}"#)
    hub.say(ada, join("ops"))
    hub.say(ada, leave("ops"))
    hub.say(ada, join("ops"))
    // In their order, so that the leave waits too.
    #expect(hub.take(ada) == [])
    for (frame, re) in [
      (join("x"), "join"), (leave("x"), "leave"),
      (#"{"type":"history","conversationId":"x"}"#, "history"),
    ] {
      #expect(
        hub.ask(ada, frame) == [
          #"{"type":"error","re":"\#(re)","conversationId":"x","code":"rate_limited","reason":"too many requests wait for answers"}"#
        ])
    }
    hub.unstick(ada)
    let frames = hub.take(ada)
    #expect(frames.count == 3)
    #expect(frames[0].contains(#""seq":10}],"more":true}"#))
    #expect(frames[1].contains("joined") && frames[2].contains("joined"))
  }

  @Test("requests cost like messages, but wait instead of being refused")
  func rate() {
    var limits = HubLimits()
    limits.rate = HubLimits.Rate(perSecond: 2, burst: 2)
    let hub = TestHub(limits)
    let ada = hub.link("ada")
    for number in 0..<20 { hub.say(ada, join("r\(number)")) }
    #expect(hub.take(ada).count == 6)
    #expect(hub.paused == [ada])
    var waited = Duration.zero
    var joined = 6
    while joined < 20, waited < .seconds(60) {
      hub.pass(.milliseconds(100))
      waited += .milliseconds(100)
      joined += hub.take(ada).count
      #expect(hub.paused == [ada])
    }
    #expect(joined == 20 && waited >= .seconds(7) && waited < .seconds(12))
    hub.pass(.seconds(3))
    #expect(hub.paused == [] && hub.machine.nextDeadline == nil)
    // Frames that are wrong cost as well.
    for _ in 0..<3 { hub.say(ada, "{}") }
    #expect(hub.paused == [ada])
  }
}
