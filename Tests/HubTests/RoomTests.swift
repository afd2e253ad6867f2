import Testing
import Timeline

@testable import Hub

@Suite struct RoomTests {
  private let start = Instant(nanoseconds: 0)

  private func room(_ number: UInt64 = 1) -> Room {
    Room(ByteKey(bytes("ops")), number: number, epoch: bytes("e"), HubLimits(), start)
  }

  private func client(_ slot: Int, _ user: User) -> Client {
    Client(
      ClientID(slot: slot, number: UInt64(slot)), TestHub.identity("u"), user, nil)
  }

  @Test("a user is in it as long as a link of his is")
  func links() {
    let room = room()
    let (ada, bob) = (User(TestHub.identity("ada")), User(TestHub.identity("bob")))
    let (one, two, other) = (client(1, ada), client(2, ada), client(3, bob))
    #expect(room.add(one))
    #expect(!room.add(two))
    #expect(room.add(other))
    #expect(room.members == [one.id, two.id, other.id])
    #expect(room.users.map(\.key.bytes) == [bytes("ada"), bytes("bob")])
    #expect(one.rooms[room.key] === room)
    #expect(!room.remove(one, start))
    #expect(one.rooms.isEmpty)
    #expect(room.remove(other, start))
    #expect(room.users.count == 1 && room.emptySince == start)
    #expect(room.remove(two, start + .seconds(5)))
    #expect(room.members.isEmpty && room.users.isEmpty)
    #expect(room.emptySince == start + .seconds(5))
  }

  @Test("whoever left it himself is somebody again when he comes back")
  func comingBack() {
    let room = room()
    let ada = User(TestHub.identity("ada"))
    _ = room.add(client(1, ada))
    ada.places[room.key]?.hasLeft = true
    _ = room.add(client(2, ada))
    #expect(ada.place(in: room).hasLeft == false)
    #expect(ada.place(in: room).linkCount == 2)
  }
}
