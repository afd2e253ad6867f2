import Timeline
import WebSocket

extension HubMachine {
  /// Answers a client's waiting requests, in their order, as far as backlog and bucket allow.
  func answerWaiting(of client: Client, _ now: Moment) {
    var done = 0
    while done < client.waiting.count, !client.isDoomed,
      backlogs[client.id.slot] <= limits.maximumBacklogForAnswers
    {
      switch client.bucket?.take(now.instant) {
      case .refused(let wait):
        pause(client, until: now.instant + wait)
        client.waiting.removeSubrange(0..<done)
        return
      case .granted(let instant): pause(client, until: instant)
      case nil: break
      }
      switch client.waiting[done] {
      case .join(let key): join(key, client, now)
      case .leave(let key): leave(key, client, now)
      case .history(let key, let query): answer(query, key, client, now)
      default: break
      }
      done += 1
    }
    client.waiting.removeSubrange(0..<done)
  }

  /// Too many requests wait already.
  func refuse(waiting request: Request, of client: Client, _ now: Moment) {
    var objection = Objection(code: .rateLimited, reason: "too many requests wait for answers")
    switch request {
    case .join(let key): (objection.re, objection.room) = (Array("join".utf8), key.bytes)
    case .leave(let key): (objection.re, objection.room) = (Array("leave".utf8), key.bytes)
    case .history(let key, _): (objection.re, objection.room) = (Array("history".utf8), key.bytes)
    default: break
    }
    refuse(objection, to: client, now)
  }

  /// Answers a frame that can't be done; that costs as much as one that can.
  func refuse(_ objection: Objection, to client: Client, _ now: Moment) {
    pause(client, until: client.bucket?.charge(now.instant))
    send(ServerFrame.refusal(objection), to: client, now)
  }

  // MARK: Joining and leaving

  private func join(_ key: ByteKey, _ client: Client, _ now: Moment) {
    if client.rooms[key] == nil {
      guard client.rooms.count < limits.maximumRoomsPerClient else {
        return refuse("join", key, .full, "you are in as many rooms as one may be", client, now)
      }
      guard let room = rooms[key] ?? makeRoom(key, now) else {
        return refuse("join", key, .full, "this hub has as many rooms as it takes", client, now)
      }
      if room.add(client) {
        broadcast(ServerFrame.join(key, client.user), to: room, except: client.user, now)
      }
    }
    if let room = client.rooms[key] {
      send(ServerFrame.joined(room, to: client.user), to: client, now)
    }
  }

  private func leave(_ key: ByteKey, _ client: Client, _ now: Moment) {
    // Who comes back later sends anew, not what is open.
    client.holds[key] = nil
    guard let room = client.rooms[key] else { return }
    leave(room, client, now)
    let user = client.user
    if user.place(in: room).linkCount == 0 { user.places[key]?.hasLeft = true }
    user.forgetPlaces(beyond: limits.maximumRoomsPerClient)
  }

  func leave(_ room: Room, _ client: Client, _ now: Moment) {
    guard room.remove(client, now.instant) else { return }
    broadcast(ServerFrame.leave(room.key, client.user), to: room, except: client.user, now)
  }

  func refuse(
    _ re: String, _ key: ByteKey, _ code: RefusalCode, _ reason: String, _ client: Client,
    _ now: Moment
  ) {
    let objection = Objection(re: Array(re.utf8), room: key.bytes, code: code, reason: reason)
    send(ServerFrame.refusal(objection), to: client, now)
  }

  // MARK: Rooms

  /// nil: there are as many as may be, and none without members.
  private func makeRoom(_ key: ByteKey, _ now: Moment) -> Room? {
    if rooms.count >= limits.maximumRooms {
      // Those that nothing was said in go first, then those that were left first. Some at a time,
      // because it takes a search through all: 2 ms for 4,096.
      let idle = rooms.values.filter(\.members.isEmpty).sorted {
        ($0.history.lastSeq > 0 ? 1 : 0, $0.emptySince, $0.number)
          < ($1.history.lastSeq > 0 ? 1 : 0, $1.emptySince, $1.number)
      }
      guard !idle.isEmpty else { return nil }
      for victim in idle.prefix(max(1, limits.maximumRooms / 64)) {
        rooms[victim.key] = nil
        totalHistoryCost &-= victim.history.cost
        knownIDs.remove(room: victim.number)
      }
    }
    roomNumber += 1
    var epoch: [UInt8] = []
    for _ in 0..<3 { ChanceText.append(chance.next(), to: &epoch) }
    let room = Room(key, number: roomNumber, epoch: epoch, limits, now.instant)
    rooms[key] = room
    return room
  }

  // MARK: History

  private func answer(
    _ query: HistoryQuery, _ key: ByteKey, _ client: Client, _ now: Moment
  ) {
    guard let room = client.rooms[key] else {
      return refuse("history", key, .notJoined, "join the room first", client, now)
    }
    let (seqs, hasMore) = room.history.page(query, maximumBytes: limits.maximumPageBytes)
    let messages = seqs.lazy.compactMap { room.history[$0] }
    send(ServerFrame.history(key, messages, hasMore: hasMore), to: client, now)
  }
}
