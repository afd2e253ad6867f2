/// Somebody with at least one link, or who had one lately.
final class User {
  /// What is known of a user in one room.
  struct Place {
    /// Which room of that name it is.
    let roomNumber: UInt64
    /// How many of the user's links are in it.
    var linkCount = 0
    /// The user has left it himself, and is nobody there any more.
    var hasLeft = false
    /// All up to here has been received, read.
    var delivered = 0
    var read = 0
  }

  let key: ByteKey
  /// As the newest link has it.
  var name: [UInt8]
  /// Nobody knows the user id but the link that it was made up for.
  let isMadeUp: Bool
  /// Not the clients themselves, which hold the user.
  var links: [ClientID] = []
  /// By the room's name.
  var places: [ByteKey: Place] = [:]
  /// In which order users went; what is less goes first when too many are remembered.
  var absence: UInt64 = 0

  init(_ identity: Identity) {
    key = ByteKey(identity.userID)
    name = identity.name
    isMadeUp = identity.isMadeUp
  }

  /// The place in a room; a new one if there is none, or only one in an earlier room of that name.
  func place(in room: Room) -> Place {
    if let place = places[room.key], place.roomNumber == room.number { return place }
    return Place(roomNumber: room.number)
  }

  /// Forgets places of rooms that the user isn't in when there are twice as many as `maximum`.
  /// Which go doesn't matter.
  func forgetPlaces(beyond maximum: Int) {
    guard places.count / 2 > maximum else { return }
    for (key, place) in places where place.linkCount == 0 {
      places[key] = nil
      if places.count <= maximum { return }
    }
  }
}
