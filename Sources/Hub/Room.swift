import Timeline

/// A conversation: who is in it, and what was said.
final class Room {
  let key: ByteKey
  /// Counts the rooms of this hub, so that one that was forgotten isn't taken for its successor.
  let number: UInt64
  /// Random, for clients to see that a history began anew.
  let epoch: [UInt8]
  var history: RoomHistory
  /// The links in it, in the order of joining; shared with the actions that go to all.
  private(set) var members: [ClientID] = []
  /// Each user once.
  private(set) var users: [User] = []
  /// When it was left by the last member, or made.
  var emptySince: Instant

  init(_ key: ByteKey, number: UInt64, epoch: [UInt8], _ limits: HubLimits, _ now: Instant) {
    self.key = key
    self.number = number
    self.epoch = epoch
    history = RoomHistory(
      maximumCount: limits.maximumHistoryCount, maximumBytes: limits.maximumHistoryBytes)
    emptySince = now
  }

  /// Takes a link in. Returns whether it is the first of its user here.
  func add(_ client: Client) -> Bool {
    members.append(client.id)
    client.rooms[key] = self
    var place = client.user.place(in: self)
    place.linkCount += 1
    place.hasLeft = false
    client.user.places[key] = place
    guard place.linkCount == 1 else { return false }
    users.append(client.user)
    return true
  }

  /// Lets a link go that is in it. Returns whether it was the last of its user here.
  func remove(_ client: Client, _ now: Instant) -> Bool {
    if let index = members.firstIndex(of: client.id) { members.remove(at: index) }
    if members.isEmpty { emptySince = now }
    client.rooms[key] = nil
    var place = client.user.place(in: self)
    place.linkCount -= 1
    client.user.places[key] = place
    guard place.linkCount == 0 else { return false }
    if let index = users.firstIndex(where: { $0 === client.user }) { users.remove(at: index) }
    return true
  }
}
