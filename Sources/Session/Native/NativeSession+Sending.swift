package import Timeline
package import WebSocket

/// Frames out: joins, requests and receipts at once, messages as the windows allow.
extension NativeSession {
  /// Says what is due. `body` puts a frame on the link and returns false when that takes no more;
  /// `isLast` says that no later call will come, so receipts don't wait for company.
  package mutating func send(
    _ now: Instant, isLast: Bool = false, _ body: (MessageKind, [UInt8]) -> Bool
  ) {
    guard isOpen else { return }
    lastSend = now
    var sentCount = 0
    for frame in urgent {
      guard body(frame.kind, frame.payload) else { break }
      urgentByteCount -= frame.payload.count
      sentCount += 1
    }
    urgent.removeFirst(sentCount)
    guard urgent.isEmpty else { return }
    for index in rooms.indices {
      guard sendRequests(index, now, isLast: isLast, body) else { return }
    }
    sendMessages(now, body)
  }

  private mutating func sendRequests(
    _ index: Int, _ now: Instant, isLast: Bool, _ body: (MessageKind, [UInt8]) -> Bool
  ) -> Bool {
    let name = rooms[index].name
    switch rooms[index].join {
    case .none where rooms[index].isNeeded:
      guard body(.text, NativeRequest.join(name)) else { return false }
      rooms[index].join = .asked(until: now + settings.answerTimeout)
    case .done where !rooms[index].isNeeded:
      guard body(.text, NativeRequest.leave(name)) else { return false }
      rooms[index].join = .none
      rooms[index].historyDeadline = nil
      rooms[index].cursor.forget()
      rooms[index].receipts.forget()
    case .done:
      if rooms[index].cursor.phase == .behind, !isOutputBlocked {
        let after = rooms[index].cursor.position?.seq ?? 0
        let request = NativeRequest.history(name, after: after, limit: settings.historyLimit)
        guard body(.text, request) else { return false }
        rooms[index].cursor.ask()
        rooms[index].historyDeadline = now + settings.answerTimeout
      }
      var isTold = true
      rooms[index].receipts.tell(now, isLast: isLast) { seq, status in
        isTold = body(.text, NativeRequest.acknowledge(name, seq: seq, status))
        return isTold
      }
      return isTold
    case .none, .asked, .failed: break
    }
    return true
  }

  /// One message a room in turn, until nothing is left, the window is full, or the link is.
  private mutating func sendMessages(
    _ now: Instant, _ body: (MessageKind, [UInt8]) -> Bool
  ) {
    guard count > inFlightCount else { return }
    var ready = rooms.indices.filter { rooms[$0].join == .done && rooms[$0].outbox.maySend(now) }
    // Whose turn it was not yet comes first.
    let start = ready.firstIndex { $0 >= turn } ?? 0
    ready = Array(ready[start...] + ready[..<start])
    while !ready.isEmpty {
      var still: [Int] = []
      for index in ready {
        withdrawTooLarge(index)
        guard rooms[index].outbox.maySend(now) else { continue }
        guard inFlightCount < window, inFlightByteCount < settings.windowBytes,
          sendMessage(index, body)
        else {
          turn = index
          return
        }
        if owedSince == nil { owedSince = now }
        if rooms[index].outbox.maySend(now) { still.append(index) }
      }
      ready = still
    }
  }

  /// A message may have been accepted before the server told its limit. On the wire it would end the
  /// link, again and again.
  private mutating func withdrawTooLarge(_ index: Int) {
    let maximum = maximumMessage
    while let length = rooms[index].outbox.nextLength({ $0.frame.count }), length > maximum,
      let message = change(index, { $0.withdrawNext() })
    {
      events.append(
        .report(
          .failed(
            id: .shared(id: message.id, room: rooms[index].name),
            reason: "too_large: \(length) bytes are over the server's limit of \(maximum)")))
    }
  }

  private mutating func sendMessage(
    _ index: Int, _ body: (MessageKind, [UInt8]) -> Bool
  ) -> Bool {
    let (identity, maximum) = (identity, maximumMessage)
    return change(index) { outbox in
      outbox.send { message in
        if let identity, message.lacksSenderID || message.lacksSenderName {
          SenderSplice.append(
            identity, lacksID: message.lacksSenderID, lacksName: message.lacksSenderName,
            maximum: maximum, to: &message.frame)
          message.lacksSenderID = false
          message.lacksSenderName = false
        }
        return body(.text, message.frame)
      }
    }
  }
}
