import JSONText
package import Timeline
package import WebSocket

/// Frames in: answers to what we said, and records.
extension NativeSession {
  private static let shortestWait = Duration.milliseconds(50)

  /// Whether a link's first frame is a native server's greeting.
  package mutating func isGreeting(
    _ kind: MessageKind, _ bytes: Span<UInt8>, _ range: Range<Int>
  ) -> Bool {
    if case .welcome = reader.read(kind, bytes, range) { return true }
    return false
  }

  /// A message of the server; the buffer is only borrowed.
  package mutating func receive(
    _ kind: MessageKind, _ bytes: Span<UInt8>, _ range: Range<Int>, _ now: Moment
  ) {
    let frame = reader.read(kind, bytes, range)
    switch link {
    case .none: return
    case .greeting:
      guard case .welcome(let identity, let maximum, let window) = frame else {
        return events.append(
          .broken(
            .protocolViolation(reason: "the server's first frame is no welcome", code: nil)))
      }
      welcome(identity, maximumMessage: maximum, window: window)
    case .open: handle(frame, kind, bytes, range, now)
    }
  }

  private mutating func welcome(
    _ identity: NativeIdentity, maximumMessage: Int?, window: Int?
  ) {
    if let known = self.identity, known.userID != identity.userID, !isEmpty {
      // Messages belong to who wrote them; under another name they would be somebody else's.
      return events.append(
        .broken(
          .otherUser(
            reason: "the server takes us for \(String(decoding: identity.userID, as: UTF8.self));"
              + " \(count) messages of \(String(decoding: known.userID, as: UTF8.self)) wait")))
    }
    self.identity = identity
    serverMaximumMessage = maximumMessage.map { max($0, 1) } ?? .max
    self.window = max(1, min(settings.window, window ?? settings.window))
    link = .open
    events.append(.welcomed)
  }

  private mutating func handle(
    _ frame: NativeFrame, _ kind: MessageKind, _ bytes: Span<UInt8>, _ range: Range<Int>,
    _ now: Moment
  ) {
    switch frame {
    case .message(let name, let seq, let sender): message(name, seq, sender, bytes, now.timestamp)
    case .acknowledged(let name, let id, let seq, let timestamp):
      acknowledged(name, id, seq, timestamp, now.instant)
    case .refused(let name, let id, let refusal): refused(name, id, refusal, now.instant)
    case .joined(let name, let epoch, let seq, let oldest):
      joined(name, epoch, seq, oldest, now.instant)
    case .history(let name, let messages, let isMore):
      history(name, messages, isMore, bytes, now)
    case .error(let about, let name, let reason): complain(about, name, reason)
    case .record:
      // A text's reader is told what is said, and no more.
      if !isOutputBlocked, !settings.isText { events.append(.record(record(bytes), nil)) }
    case .ping: sayUrgently(.text, NativeRequest.pong)
    case .pong, .welcome: break
    case .malformed(let word):
      events.append(.note(.warning, "the server sent a \(word.rawValue) that lacks something"))
    case .foreign: foreign(kind, bytes, range)
    }
  }

  // MARK: Records

  private func record(_ bytes: Span<UInt8>) -> [UInt8] {
    var record: [UInt8] = []
    guard let outline = reader.outline else { return record }
    record.reserveCapacity(outline.range.count + 1)
    if settings.isForTerminal {
      outline.appendForTerminal(bytes, into: &record)
    } else {
      outline.append(bytes, into: &record)
    }
    record.append(UInt8(ascii: "\n"))
    return record
  }

  private mutating func foreign(
    _ kind: MessageKind, _ bytes: Span<UInt8>, _ range: Range<Int>
  ) {
    guard !isOutputBlocked else {
      droppedCount += 1
      return
    }
    guard !settings.isText else { return }
    var record: [UInt8] = []
    var unused: [UInt8] = []
    switch plain.deliver(kind, bytes, range, records: &record, reports: &unused) {
    case .record, .report: events.append(.record(record, nil))
    case .invalidText: events.append(.invalidText)
    }
  }

  private func isOwn(_ sender: [UInt8]?) -> Bool {
    sender != nil && sender == identity?.userID
  }

  /// A message of the room that the last read frame is.
  private mutating func handOver(
    _ index: Int, _ seq: Int, _ sender: [UInt8]?, _ bytes: Span<UInt8>, _ now: Timestamp
  ) {
    let isOwn = isOwn(sender)
    if isOwn, !settings.repeatsOwn { return }
    let id = reader.id(bytes)
    if rooms[index].recent.isKnown(sender: sender, id: id) {
      if !isOwn { events.append(.passed(Receipt(room: index, seq: seq))) }
      return
    }
    rooms[index].recent.note(sender: sender, id: id)
    // Nobody waits for our receipt of our own message.
    appendMessage(bytes, isOwn ? nil : Receipt(room: index, seq: seq), now)
  }

  private mutating func appendMessage(
    _ bytes: Span<UInt8>, _ receipt: Receipt?, _ now: Timestamp
  ) {
    guard settings.isText else { return events.append(.record(record(bytes), receipt)) }
    var line: [UInt8] = []
    if reader.appendTextLine(bytes, now, into: &line) { events.append(.record(line, receipt)) }
  }

  private mutating func message(
    _ name: [UInt8], _ seq: Int?, _ sender: [UInt8]?, _ bytes: Span<UInt8>, _ now: Timestamp
  ) {
    // A room that nobody asked for, or a server that doesn't count: there is nothing to compare with.
    guard let seq, let index = roomIndex[name] else {
      if isOwn(sender), !settings.repeatsOwn { return }
      guard !isOutputBlocked else {
        droppedCount += 1
        return
      }
      return appendMessage(bytes, nil, now)
    }
    if rooms[index].cursor.take(live: seq, isBlocked: isOutputBlocked) {
      handOver(index, seq, sender, bytes, now)
    }
  }

  // MARK: Joins and history

  private mutating func joined(
    _ name: [UInt8], _ epoch: [UInt8], _ seq: Int, _ oldest: Int, _ now: Instant
  ) {
    postponeDeadlines(now)
    guard let index = roomIndex[name], rooms[index].join != .none else { return }
    rooms[index].join = .done
    rooms[index].historyDeadline = nil
    let knownEpoch = rooms[index].cursor.position?.epoch
    let gap = rooms[index].cursor.joined(
      epoch: epoch, seq: seq, oldest: oldest,
      history: rooms[index].hasBeenJoined ? 0 : settings.history)
    rooms[index].hasBeenJoined = true
    // The numbers that were placed or told before mean nothing in the new count.
    if gap != nil || knownEpoch.map({ $0 != epoch }) ?? false {
      rooms[index].receipts.forget()
      rooms[index].recent.beginAnew()
    }
    tell(gap, index)
  }

  private mutating func tell(_ gap: RoomCursor.Gap?, _ index: Int) {
    guard let gap else { return }
    events.append(
      .report(
        .missing(
          room: rooms[index].name, after: gap.after, before: gap.before, epoch: gap.epoch)))
  }

  private mutating func history(
    _ name: [UInt8], _ messages: Range<Int>, _ isMore: Bool, _ bytes: Span<UInt8>,
    _ moment: Moment
  ) {
    postponeDeadlines(moment.instant)
    let now = moment.timestamp
    guard let index = roomIndex[name], rooms[index].cursor.phase == .asking else { return }
    var elements = JSONElements(of: messages)
    while let element = elements.next(bytes) {
      guard case .message(name, let seq?, let sender) = reader.read(.text, bytes, element) else {
        continue
      }
      let taken = rooms[index].cursor.take(answered: seq, isBlocked: isOutputBlocked)
      tell(taken.gap, index)
      if taken.isNext { handOver(index, seq, sender, bytes, now) }
    }
    endHistory(index, isMore: isMore)
  }

  /// A server that answers is alive; with many rooms, or at a slow rate, the last waits for long.
  private mutating func postponeDeadlines(_ now: Instant) {
    for index in rooms.indices {
      if case .asked = rooms[index].join {
        rooms[index].join = .asked(until: now + settings.answerTimeout)
      }
      if rooms[index].historyDeadline != nil {
        rooms[index].historyDeadline = now + settings.answerTimeout
      }
    }
  }

  private mutating func endHistory(_ index: Int, isMore: Bool) {
    rooms[index].historyDeadline = nil
    tell(rooms[index].cursor.endAnswer(isMore: isMore, isBlocked: isOutputBlocked), index)
  }

  private mutating func complain(_ about: [UInt8]?, _ name: [UInt8]?, _ reason: String) {
    events.append(.report(.serverError(room: name, reason: reason)))
    guard let name, let index = roomIndex[name] else { return }
    if about == Array("join".utf8), case .asked = rooms[index].join {
      rooms[index].join = .failed
    } else if about == Array("history".utf8), rooms[index].cursor.phase == .asking {
      // What it doesn't give can't be had.
      endHistory(index, isMore: false)
    }
  }

  // MARK: Answers to messages

  private mutating func acknowledged(
    _ name: [UInt8], _ id: [UInt8], _ seq: Int?, _ timestamp: [UInt8]?, _ now: Instant
  ) {
    guard let index = roomIndex[name], change(index, { $0.acknowledge(id) }) != nil else { return }
    noteAnswer(now)
    events.append(
      .report(.delivered(id: .shared(id: id, room: name), seq: seq, timestamp: timestamp)))
  }

  private mutating func refused(
    _ name: [UInt8]?, _ id: [UInt8], _ refusal: NativeRefusal, _ now: Instant
  ) {
    guard let name, let index = roomIndex[name] else { return }
    if refusal.isForGood {
      guard change(index, { $0.refuseForGood(id) }) != nil else { return }
      events.append(.report(.failed(id: .shared(id: id, room: name), reason: refusal.text)))
    } else {
      // A server that says 0 would have us ask as fast as the link can carry it.
      let wait = min(
        max(refusal.wait ?? .seconds(1), Self.shortestWait), RetryAfter.longestWait)
      guard change(index, { $0.refuseForNow(id, until: now + wait) }) else { return }
      // We thought we were in: join again, and the message follows.
      if refusal.isNotJoined, rooms[index].join == .done { rooms[index].join = .none }
    }
    noteAnswer(now)
  }

  private mutating func noteAnswer(_ now: Instant) {
    owedSince = inFlightCount > 0 ? now : nil
  }
}
