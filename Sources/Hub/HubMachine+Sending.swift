package import Timeline
import WebSocket

extension HubMachine {
  func client(_ id: ClientID) -> Client? {
    guard clients.indices.contains(id.slot), let client = clients[id.slot], client.id == id else {
      return nil
    }
    return client
  }

  // MARK: Frames

  func send(_ frame: [UInt8], to client: Client, _ now: Moment) {
    guard !client.isDoomed else { return }
    emit(.send(frame, to: client.id), now)
    count(frame, to: client)
  }

  /// Sends to all members, but those of one user.
  func broadcast(_ frame: [UInt8], to room: Room, except user: User? = nil, _ now: Moment) {
    var targets = room.members
    // The whole list is shared with the room as long as nobody has to be left out.
    if user != nil || !doomed.isEmpty {
      targets.removeAll { id in
        guard let client = client(id) else { return true }
        return client.isDoomed || client.user === user
      }
    }
    broadcast(frame, to: targets, now)
  }

  func broadcast(_ frame: [UInt8], to targets: [ClientID], _ now: Moment) {
    guard !targets.isEmpty else { return }
    emit(.broadcast(frame, to: targets), now)
    for id in countBacklog(frame.count, of: targets) {
      if let client = client(id) { doom(client, Self.tooSlow) }
    }
    guard chaos != nil else { return }
    for id in targets {
      if let client = client(id), client.chaos?.countFrame() == true { doom(client, .drop) }
    }
  }

  /// Returns those who have left too much unread.
  private func countBacklog(_ length: Int, of targets: [ClientID]) -> [ClientID] {
    totalBacklog &+= length &* targets.count
    let maximum = limits.maximumBacklog
    var tooSlow: [ClientID] = []
    backlogs.withUnsafeMutableBufferPointer { backlogs in
      for id in targets {
        backlogs[id.slot] &+= length
        if isBeyond(maximum, backlogs[id.slot]) { tooSlow.append(id) }
      }
    }
    return tooSlow
  }

  /// What the shell hasn't tried to write yet counts too, so there is a second measure while frames
  /// are queued. It only catches a client that is sent that much between two tries.
  private func isBeyond(_ maximum: Int, _ backlog: Int) -> Bool {
    backlog / 2 > maximum
  }

  private func count(_ frame: [UInt8], to client: Client) {
    setBacklog(of: client, backlogs[client.id.slot] &+ frame.count)
    if isBeyond(limits.maximumBacklog, backlogs[client.id.slot]) { doom(client, Self.tooSlow) }
    if client.chaos?.countFrame() == true { doom(client, .drop) }
  }

  func emit(_ action: Action, _ now: Moment) {
    guard let delay else { return release(action) }
    delayed.append(action, due: now.instant + delay)
    // Far beyond what is refused with `full`, frames come early rather than fill the memory.
    while delayed.byteCount / 4 > limits.maximumDelayedBytes,
      let early = delayed.take(Instant(nanoseconds: .max))
    {
      release(early)
    }
  }

  /// Hands an action out. A slot is free only from then on, so that the shell never has two links
  /// for one.
  func release(_ action: Action) {
    actions.append(action)
    switch action {
    case .close(let id, _, _), .drop(let id): if !isStopped { freeSlots.append(id.slot) }
    default: break
    }
  }

  // MARK: Backlog

  /// So many bytes of `send` and `broadcast` wait to be taken by the client's socket. To be called
  /// when that has changed, after the actions so far have been done and writing was tried.
  ///
  /// A client that leaves more than `HubLimits.maximumBacklog` unread is closed with 1013, a code
  /// after which it comes again.
  package func noteBacklog(_ byteCount: Int, of id: ClientID, _ now: Moment) {
    guard let client = client(id) else { return }
    setBacklog(of: client, max(0, byteCount))
    let backlog = backlogs[id.slot]
    if backlog > limits.maximumBacklog
      || totalBacklog > limits.maximumTotalBacklog && backlog > limits.fairBacklog
    {
      doom(client, Self.tooSlow)
    }
    if !client.waiting.isEmpty { answerWaiting(of: client, now) }
    settle(now)
  }

  private static let tooSlow = Ending.close(.tryAgainLater, "too slow")

  private func setBacklog(of client: Client, _ byteCount: Int) {
    totalBacklog &+= byteCount &- backlogs[client.id.slot]
    backlogs[client.id.slot] = byteCount
  }

  // MARK: Reading

  /// Reads nothing more of a client until an instant.
  func pause(_ client: Client, until instant: Instant?) {
    guard let instant, !client.isDeaf, !client.isDoomed else { return }
    if client.pausedUntil == nil {
      actions.append(.pause(client.id))
      paused.append(client)
    }
    client.pausedUntil = max(client.pausedUntil ?? instant, instant)
    nextResume = min(nextResume ?? instant, instant)
  }

  /// Reads nothing more of a client ever.
  func deafen(_ client: Client) {
    client.isDeaf = true
    if client.pausedUntil == nil { actions.append(.pause(client.id)) }
    client.pausedUntil = nil
  }

  /// Reads again of those who have waited long enough.
  func resumeReading(_ now: Moment) {
    let all = paused
    paused = []
    nextResume = nil
    for client in all {
      guard let instant = client.pausedUntil, !client.isDoomed else { continue }
      if instant > now.instant {
        paused.append(client)
        nextResume = min(nextResume ?? instant, instant)
        continue
      }
      client.pausedUntil = nil
      actions.append(.resume(client.id))
      // May pause it again.
      answerWaiting(of: client, now)
    }
  }

  // MARK: Ends

  /// Ends a link once the present call is over; nothing is sent to it any more.
  func doom(_ client: Client, _ ending: Ending) {
    guard !client.isDoomed else { return }
    client.isDoomed = true
    doomed.append((client, ending))
  }

  /// Ends the links that must go. Their leaving is told to others, which may make those too slow.
  func settle(_ now: Moment) {
    while let (client, ending) = doomed.popLast() {
      switch ending {
      case .close(let code, let reason): emit(.close(client.id, code, reason: reason), now)
      case .drop: emit(.drop(client.id), now)
      }
      remove(client, now)
    }
  }

  func remove(_ client: Client, _ now: Moment) {
    client.isDoomed = true
    depart(client, now)
    setBacklog(of: client, 0)
    if client.pausedUntil != nil { paused.removeAll { $0 === client } }
    clients[client.id.slot] = nil
    clientCount -= 1
  }
}
