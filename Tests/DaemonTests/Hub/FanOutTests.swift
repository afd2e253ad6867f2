import Hub
import Testing
import Timeline
import WebSocket

@testable import Daemon

struct FanOutTests {
  private let now = Instant(nanoseconds: 1_000_000_000)

  private func ids(_ count: Int) throws -> [ClientID] {
    let hub = HubMachine { bits in for index in bits.indices { bits[index] = 7 } }
    return try (0..<count).map { number in
      hub.connect(
        try Identity(userID: Array("u\(number)".utf8)),
        Moment(instant: now, timestamp: Timestamp(unixMilliseconds: 0)))
    }
  }

  @Test("Each client takes each byte once, whenever it takes them")
  func taking() throws {
    let all = try ids(4)
    let targets = Array(all[..<3])
    var fanOut = FanOut()
    #expect(!fanOut.takes(targets))
    #expect(fanOut.due(now) == nil)
    fanOut.begin(targets)
    fanOut.append([1, 2, 3], now)
    #expect(fanOut.takes(targets))
    #expect(!fanOut.takes(all))
    #expect(fanOut.due(now) == now)
    #expect(fanOut.take(all[1]) == 0..<3)
    #expect(fanOut.take(all[1]) == nil)
    #expect(fanOut.take(all[3]) == nil)
    fanOut.append([4], now)
    #expect(fanOut.take(all[1]) == 3..<4)
    #expect(fanOut.take(all[0]) == 0..<4)
    fanOut.removeAll()
    #expect(fanOut.isEmpty)
    #expect(fanOut.take(all[2]) == nil)
  }

  @Test("A link in the slot of one that has gone isn't given what was meant for that one")
  func reusedSlot() throws {
    let hub = HubMachine { bits in for index in bits.indices { bits[index] = 7 } }
    let moment = Moment(instant: now, timestamp: Timestamp(unixMilliseconds: 0))
    let gone = hub.connect(try Identity(userID: Array("ada".utf8)), moment)
    hub.disconnect(gone, moment)
    let next = hub.connect(try Identity(userID: Array("bob".utf8)), moment)
    #expect(gone.slot == next.slot)
    var fanOut = FanOut()
    fanOut.begin([gone])
    fanOut.append([1], now)
    #expect(fanOut.take(next) == nil)
    #expect(fanOut.take(gone) == 0..<1)
  }

  @Test("Other targets begin anew")
  func otherTargets() throws {
    let all = try ids(3)
    var fanOut = FanOut()
    fanOut.begin([all[0], all[1]])
    fanOut.append([1], now)
    fanOut.removeAll()
    fanOut.begin([all[2]])
    fanOut.append([9], now)
    #expect(fanOut.take(all[0]) == nil)
    #expect(fanOut.take(all[2]) == 0..<1)
  }

  @Test("Much to say to many waits for the pace, and no longer than memory allows")
  func pace() throws {
    let targets = try ids(150)
    var fanOut = FanOut()
    fanOut.begin(targets)
    fanOut.append([1], now)
    #expect(fanOut.due(now) == now)
    fanOut.append([2], now)
    fanOut.append([3], now)
    #expect(fanOut.due(now) == now + FanOutPace.window)
    fanOut.append(Array(repeating: 0, count: FanOut.maximumByteCount), now)
    #expect(fanOut.due(now) == now)
  }
}
