import Testing
import Timeline

@testable import Hub

@Suite struct UserTests {
  private func room(_ name: String, _ number: UInt64) -> Room {
    Room(
      ByteKey(bytes(name)), number: number, epoch: bytes("e"), HubLimits(),
      Instant(nanoseconds: 0))
  }

  @Test("a place belongs to one room, not to the next of its name")
  func places() {
    let user = User(TestHub.identity("ada", "Ada"))
    #expect(user.name == bytes("Ada") && !user.isMadeUp)
    let first = room("ops", 1)
    user.places[first.key] = User.Place(roomNumber: 1, linkCount: 0, delivered: 7, read: 3)
    #expect(user.place(in: first).delivered == 7)
    #expect(user.place(in: room("ops", 2)).delivered == 0)
    #expect(user.place(in: room("dev", 1)).roomNumber == 1)
  }

  @Test("places that nobody is in are forgotten when there are twice too many")
  func forgetting() {
    let user = User(TestHub.identity("ada"))
    for number in 0..<22 {
      user.places[ByteKey(bytes("\(number)"))] = User.Place(
        roomNumber: UInt64(number), linkCount: number < 3 ? 1 : 0)
    }
    user.forgetPlaces(beyond: 11)
    #expect(user.places.count == 22)
    user.forgetPlaces(beyond: 10)
    #expect(user.places.count == 10)
    #expect(user.places.values.count { $0.linkCount == 1 } == 3)
    user.forgetPlaces(beyond: 1)
    #expect(user.places.count == 3)
  }
}
