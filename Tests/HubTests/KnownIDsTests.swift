import Testing
import Timeline

@testable import Hub

@Suite struct KnownIDsTests {
  private let ada = ByteKey(bytes("ada"))
  private let bob = ByteKey(bytes("bob"))

  private func id(_ number: Int) -> Digest { Digest(of: bytes("\(number)")) }

  private func entry(_ number: Int, at seconds: Int = 0) -> KnownIDs.Entry {
    KnownIDs.Entry(
      content: id(-number), seq: number, timestamp: Timestamp(unixMilliseconds: 0),
      instant: Instant(nanoseconds: Int64(seconds) * 1_000_000_000))
  }

  private func limits(_ count: Int, _ total: Int) -> HubLimits {
    var limits = HubLimits()
    limits.maximumKnownIDs = count
    limits.maximumTotalKnownIDs = total
    limits.knownIDLifetime = .seconds(100)
    return limits
  }

  @Test("an id belongs to its user and room")
  func owners() {
    var known = KnownIDs(HubLimits())
    known.insert(entry(1), as: id(1), room: 1, user: ada)
    known.insert(entry(2), as: id(1), room: 2, user: ada)
    known.insert(entry(3), as: id(1), room: 1, user: bob)
    let now = Instant(nanoseconds: 0)
    #expect(known.entry(of: id(1), room: 1, user: ada, now) == entry(1))
    #expect(known.entry(of: id(1), room: 2, user: ada, now) == entry(2))
    #expect(known.entry(of: id(1), room: 1, user: bob, now) == entry(3))
    #expect(known.entry(of: id(1), room: 2, user: bob, now) == nil)
    #expect(known.entry(of: id(2), room: 1, user: ada, now) == nil)
    #expect(known.count == 3)
    known.remove(room: 1, user: ada)
    known.remove(room: 1, user: ada)
    #expect(known.entry(of: id(1), room: 1, user: ada, now) == nil)
    #expect(known.entry(of: id(1), room: 1, user: bob, now) != nil)
    known.remove(room: 2)
    known.remove(room: 9)
    known.remove(room: 1, user: bob)
    #expect(known.count == 0)
  }

  @Test("the oldest of an owner go")
  func oldest() {
    var known = KnownIDs(limits(3, 1_000))
    for number in 1...500 { known.insert(entry(number), as: id(number), room: 1, user: ada) }
    known.insert(entry(1), as: id(1), room: 1, user: bob)
    let now = Instant(nanoseconds: 0)
    #expect(known.count == 4)
    #expect(known.entry(of: id(497), room: 1, user: ada, now) == nil)
    #expect((498...500).allSatisfy { known.entry(of: id($0), room: 1, user: ada, now) != nil })
    #expect(known.entry(of: id(1), room: 1, user: bob, now) != nil)
  }

  @Test("after its time an id is new, and what is as old goes with it")
  func expiry() {
    var known = KnownIDs(limits(100, 1_000))
    for number in 1...9 {
      known.insert(entry(number, at: number), as: id(number), room: 1, user: ada)
    }
    let later = Instant(nanoseconds: 105_000_000_000)
    #expect(known.entry(of: id(5), room: 1, user: ada, later) == nil)
    #expect(known.entry(of: id(6), room: 1, user: ada, later) != nil)
    known.insert(entry(5, at: 105), as: id(5), room: 1, user: ada)
    #expect(known.count == 5)
    #expect(known.entry(of: id(5), room: 1, user: ada, later) == entry(5, at: 105))
    // An id that is known all the same is only changed.
    known.insert(entry(7, at: 105), as: id(5), room: 1, user: ada)
    #expect(known.count == 5)
  }

  @Test("a flood makes nobody else's ids unknown")
  func flood() {
    var known = KnownIDs(limits(10_000, 1_000))
    for number in 0..<20 { known.insert(entry(number), as: id(number), room: 1, user: bob) }
    for number in 0..<5_000 {
      known.insert(entry(number), as: id(number), room: 2, user: ada)
      #expect(known.count <= 1_000)
    }
    let now = Instant(nanoseconds: 0)
    #expect((0..<20).allSatisfy { known.entry(of: id($0), room: 1, user: bob, now) != nil })
    #expect(
      (4_500..<5_000).allSatisfy { known.entry(of: id($0), room: 2, user: ada, now) != nil })
  }

  @Test("many with one id each give way too")
  func crowd() {
    var known = KnownIDs(limits(10, 100))
    for number in 0..<1_000 {
      known.insert(
        entry(number), as: id(number), room: UInt64(number % 7), user: ByteKey(bytes("\(number)")))
      #expect(known.count <= 100)
    }
    let now = Instant(nanoseconds: 0)
    #expect(
      known.entry(of: id(999), room: 999 % 7, user: ByteKey(bytes("999")), now) != nil
        || known.count == 0)
  }
}
