import Timeline

extension HubMachine {
  // MARK: Coming and going

  /// Puts a new link beside its user's others.
  func arrive(_ client: Client, _ now: Moment) {
    let user = client.user
    user.name = client.identity.name
    user.links.append(client.id)
    guard user.links.count == 1 else { return }
    if users.updateValue(user, forKey: user.key) != nil {
      absentCount -= 1
      tellPresence(of: user, lastOnline: nil, now)
    }
  }

  /// Takes a link out of its rooms and from its user.
  func depart(_ client: Client, _ now: Moment) {
    let user = client.user
    user.links.removeAll { $0 == client.id }
    // In the order of their making: a dictionary's own differs from run to run.
    let left = client.rooms.values.sorted { $0.number < $1.number }
    for room in left { leave(room, client, now) }
    guard user.links.isEmpty, !isStopped else { return }
    tellPresence(of: user, lastOnline: now.timestamp, now)
    if user.isMadeUp {
      // Its ids are kept: a client whose link broke comes again by the name that it was given.
      users[user.key] = nil
      return
    }
    user.forgetPlaces(beyond: limits.maximumRoomsPerClient)
    absences += 1
    user.absence = absences
    absentCount += 1
    if absentCount > limits.maximumAbsentUsers { forgetAbsentUsers() }
  }

  /// Forgets the older half, so that it is seldom done.
  private func forgetAbsentUsers() {
    let absent = users.values.filter(\.links.isEmpty).sorted { $0.absence < $1.absence }
    for user in absent.prefix(absent.count - limits.maximumAbsentUsers / 2) {
      users[user.key] = nil
      absentCount -= 1
    }
  }

  /// Tells everybody in the rooms that a user is in, or was in when he went, once each.
  private func tellPresence(of user: User, lastOnline: Timestamp?, _ now: Moment) {
    round += 1
    var targets: [ClientID] = []
    for (key, place) in user.places.sorted(by: { $0.value.roomNumber < $1.value.roomNumber }) {
      guard !place.hasLeft, let room = rooms[key], room.number == place.roomNumber else {
        continue
      }
      for id in room.members {
        guard let client = client(id), client.round != round, !client.isDoomed,
          client.user !== user
        else { continue }
        client.round = round
        targets.append(id)
      }
    }
    broadcast(ServerFrame.presence(user.key, lastOnline: lastOnline), to: targets, now)
  }

  // MARK: Receipts

  /// A client has received or read all up to a seq.
  func acknowledge(
    _ key: ByteKey, _ seq: Int, _ status: ReceiptStatus, from client: Client, _ now: Moment
  ) {
    guard let room = client.rooms[key] else {
      return refuse("ack", key, .notJoined, "join the room first", client, now)
    }
    guard seq <= room.history.lastSeq else {
      return refuse("ack", key, .badRequest, "the room has no such seq yet", client, now)
    }
    let user = client.user
    var place = user.place(in: room)
    let previous = status == .read ? place.read : place.delivered
    guard seq > previous else { return }
    place.delivered = max(place.delivered, seq)
    if status == .read { place.read = seq }
    user.places[key] = place
    guard room.users.count <= limits.maximumUsersForReceipts else { return }
    var senders: Set<ByteKey> = [user.key]
    // Everybody present but the reader himself.
    var untold = room.users.count - 1
    var next = seq
    while next > previous, untold > 0, let message = room.history[next] {
      if senders.insert(message.senderID).inserted,
        tellReceipt(room, seq, message, from: user, status, now)
      {
        untold -= 1
      }
      next -= 1
    }
  }

  /// Tells the sender of a message, on those links that are in the room. Returns whether one is.
  private func tellReceipt(
    _ room: Room, _ seq: Int, _ message: MessageFrame, from user: User, _ status: ReceiptStatus,
    _ now: Moment
  ) -> Bool {
    guard let sender = users[message.senderID], sender.place(in: room).linkCount > 0 else {
      return false
    }
    let frame = ServerFrame.receipt(room.key, seq: seq, message, from: user.key, status)
    for id in sender.links {
      guard let client = client(id), client.rooms[room.key] != nil else { continue }
      send(frame, to: client, now)
    }
    return true
  }

  // MARK: Typing

  func type(_ key: ByteKey, _ isOver: Bool, from client: Client, _ now: Moment) {
    if client.ephemeralBucket?.takeIfPresent(now.instant) == false { return }
    guard let room = client.rooms[key] else {
      return refuse(
        isOver ? "stopTyping" : "typing", key, .notJoined, "join the room first", client, now)
    }
    broadcast(
      ServerFrame.typing(key, client.user.key, isOver: isOver), to: room, except: client.user,
      now)
  }
}
