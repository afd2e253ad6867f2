package import Timeline

/// Lines in: messages are queued in their room, requests are done or remembered.
extension NativeSession {
  /// The limit for an encoded message: ours, or the server's if that is smaller.
  package var maximumMessage: Int { min(settings.maximumMessage, serverMaximumMessage) }

  /// Takes a line, counted from 1. `id` is what a message without one gets.
  package mutating func take(
    _ text: Span<UInt8>, number: Int, id: MessageID, _ now: Moment
  ) -> Taken {
    let completion = NativeLine.Completion(
      id: id, timestamp: now.timestamp, room: settings.rooms.first, identity: identity,
      maximumMessage: maximumMessage)
    switch line.read(text, completion) {
    case .message(let draft): return accept(draft, number, now)
    case .skipped: return .done
    case .refused(let reason): return .refused(reason: reason)
    case .frame(let kind, let payload):
      // Nobody acknowledges it, so keeping it for later would promise what can't be known.
      guard isOpen else { return .refused(reason: "offline; such a frame can't be kept") }
      sayUrgently(kind, payload)
      return .done
    case .join(let name):
      return withRoom(name) { session, index in
        session.rooms[index].isWished = true
        if session.rooms[index].join == .failed { session.rooms[index].join = .none }
      }
    case .leave(let name):
      if let index = roomIndex[name] { rooms[index].isWished = false }
      return .done
    case .acknowledge(let name, let seq, let status):
      return withRoom(name) { session, index in
        session.rooms[index].receipts.request(status, seq: seq)
      }
    case .typing(let name, let isTyping):
      guard isOpen, let index = roomIndex[name], rooms[index].join == .done else { return .done }
      let isSaid =
        isTyping
        ? rooms[index].typing.typing(now.instant) : rooms[index].typing.stopTyping(now.instant)
      if isSaid { sayTyping(index, isTyping) }
      return .done
    }
  }

  private mutating func withRoom(
    _ name: [UInt8], _ body: (inout NativeSession, Int) -> Void
  ) -> Taken {
    guard let index = room(name) else {
      return .refused(reason: "too many rooms; the limit is \(settings.maximumRooms)")
    }
    body(&self, index)
    return .done
  }

  private mutating func accept(
    _ draft: NativeLine.Draft, _ number: Int, _ now: Moment
  ) -> Taken {
    guard let index = room(draft.room) else {
      return .refused(reason: "too many rooms; the limit is \(settings.maximumRooms)")
    }
    // A server takes messages only from members.
    rooms[index].isWished = true
    if rooms[index].typing.message() { sayTyping(index, false) }
    let message = RoomOutbox.Message(
      id: draft.id, frame: draft.frame, line: number, lacksSenderID: draft.lacksSenderID,
      lacksSenderName: draft.lacksSenderName)
    change(index) { $0.accept(message) }
    return .accepted(.shared(id: draft.id, room: draft.room))
  }

  /// Changes a room's outbox and keeps the sums over all rooms.
  mutating func change<Result>(
    _ index: Int, _ body: (inout RoomOutbox) -> Result
  ) -> Result {
    // The numbers and not the outbox: a second reference would make each change copy it.
    addUp(rooms[index].outbox, sign: -1)
    defer { addUp(rooms[index].outbox, sign: 1) }
    return body(&rooms[index].outbox)
  }

  private mutating func addUp(_ outbox: borrowing RoomOutbox, sign: Int) {
    count += sign * outbox.count
    byteCount += sign * outbox.byteCount
    inFlightCount += sign * outbox.inFlightCount
    inFlightByteCount += sign * outbox.inFlightByteCount
  }
}
