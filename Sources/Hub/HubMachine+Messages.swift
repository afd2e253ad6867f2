import Timeline
import WebSocket

// A message of a room           | answer                    | stored, broadcast | held afterwards
// ------------------------------+---------------------------+-------------------+----------------
// known id, same content        | the same ack              |                   | unchanged
// known id, other content       | nack conflict             |                   | not by this id
// too large                     | nack too_large            |                   | not by this id
// held by another id            | that one's nack           |                   | unchanged
// not joined                    | nack not_joined           |                   | by this id
// no room in memory             | nack full                 |                   | by this id
// too fast                      | nack rate_limited         |                   | by this id
// else                          | ack                       | yes               | no more

extension HubMachine {
  func receive(
    _ draft: MessageDraft, _ text: Span<UInt8>, _ length: Int, from client: Client, _ now: Moment
  ) {
    let id = Digest(of: draft.id)
    let content = draft.digest(text)
    if let room = rooms[draft.room],
      let known = knownIDs.entry(
        of: id, room: room.number, user: client.user.key, now.instant)
    {
      guard known.content == content else {
        return refuse(draft, .conflict, "the id stands for another message", client, now)
      }
      // Of a message that was stored on an earlier link its hold there knows nothing.
      return acknowledge(draft, known.seq, known.timestamp, client, now)
    }
    guard length <= limits.maximumMessage else {
      return refuse(
        draft, .tooLarge, "a message has at most \(limits.maximumMessage) bytes", client, now)
    }
    if let hold = client.holds[draft.room], hold.messageID != draft.id {
      return refuse(draft, hold, client, now)
    }
    guard let room = client.rooms[draft.room] else {
      return hold(draft, .notJoined, "join the room first", client, now)
    }
    guard delayed.byteCount <= limits.maximumDelayedBytes else {
      return hold(draft, .full, "the hub has no room for it now", client, now)
    }
    switch client.bucket?.take(now.instant) {
    case .refused: return hold(draft, .rateLimited, "too many messages at once", client, now)
    case .granted(let instant): pause(client, until: instant)
    case nil: break
    }
    client.holds[draft.room] = nil
    store(draft, text, id, content, in: room, from: client, now)
  }

  private func store(
    _ draft: MessageDraft, _ text: Span<UInt8>, _ id: Digest, _ content: Digest, in room: Room,
    from client: Client, _ now: Moment
  ) {
    let seq = room.history.lastSeq + 1
    let frame = draft.frame(
      text, senderID: client.identity.userID, senderName: client.identity.name, seq: seq,
      timestamp: now.timestamp)
    totalHistoryCost &-= room.history.cost
    room.history.append(frame)
    totalHistoryCost &+= room.history.cost
    while totalHistoryCost > limits.maximumTotalHistoryBytes, dropFromLargest() {}
    knownIDs.insert(
      KnownIDs.Entry(
        content: content, seq: seq, timestamp: now.timestamp, instant: now.instant),
      as: id, room: room.number, user: client.user.key)
    acknowledge(draft, seq, now.timestamp, client, now)
    broadcast(frame.bytes, to: room, now)
  }

  /// Returns false if there is nothing to drop. A search through all rooms, because it is only for a
  /// hub that is at its limit, and what it frees is the length of what has come.
  private func dropFromLargest() -> Bool {
    let largest = rooms.values.max { $0.history.cost < $1.history.cost }
    guard let largest, largest.history.count > 0 else { return false }
    totalHistoryCost &-= largest.history.cost
    largest.history.dropOldest()
    totalHistoryCost &+= largest.history.cost
    return true
  }

  // MARK: Answers

  private func acknowledge(
    _ draft: MessageDraft, _ seq: Int, _ timestamp: Timestamp, _ client: Client, _ now: Moment
  ) {
    if chaos?.losesAck() == true { return }
    send(ServerFrame.ack(draft.id, draft.room, seq: seq, timestamp), to: client, now)
  }

  /// Refuses for good.
  private func refuse(
    _ draft: MessageDraft, _ code: RefusalCode, _ reason: String, _ client: Client,
    _ now: Moment
  ) {
    if client.holds[draft.room]?.messageID == draft.id { client.holds[draft.room] = nil }
    refuse(
      Objection(messageID: draft.id, room: draft.room.bytes, code: code, reason: reason),
      to: client, now)
  }

  /// Refuses for now, and all that follows.
  private func hold(
    _ draft: MessageDraft, _ code: RefusalCode, _ reason: String, _ client: Client, _ now: Moment
  ) {
    let hold = Client.Hold(messageID: draft.id, code: code, reason: reason)
    client.holds[draft.room] = hold
    // Whoever is too fast pays in time already.
    if code != .rateLimited { pause(client, until: client.bucket?.charge(now.instant)) }
    // Nobody has that many rooms to wait for. Without a hold the order would be lost.
    if client.holds.count > limits.maximumRoomsPerClient {
      doom(client, .close(.policyViolation, "messages to too many rooms that aren't joined"))
    }
    refuse(draft, hold, client, now)
  }

  private func refuse(
    _ draft: MessageDraft, _ hold: Client.Hold, _ client: Client, _ now: Moment
  ) {
    let wait: Duration? =
      switch hold.code {
      case .rateLimited: client.bucket?.wait(now.instant)
      case .full: delay
      default: nil
      }
    let objection = Objection(
      messageID: draft.id, room: draft.room.bytes, code: hold.code, reason: hold.reason)
    send(ServerFrame.refusal(objection, retryAfter: wait), to: client, now)
  }
}
