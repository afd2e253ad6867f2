package import Timeline
import WebSocket

/// The client's side of the native protocol: lines and frames in, frames and records out.
///
/// It owns no connection and reads no clock. Whoever drives it tells it about links
/// (`linkOpened`, `receive`, `linkLost`), lines (`take`) and standard output (`placed`, `outputTaken`,
/// `outputBlocked`), lets it speak (`send`, once a turn), handles its events in their order
/// (`takeEvents`, after each verb that has any), and calls `advance` at `nextDeadline`.
///
/// | link | opened | welcome | another first frame | no frame in time | frames | lost |
/// |---|---|---|---|---|---|---|
/// | none | greeting | | | | | |
/// | greeting | | open | `broken` | `broken` | | none |
/// | open | | ignored | | | handled | none |
///
/// On an open link each needed room is joined; a room sends as soon as it is joined, and what it has
/// missed is fetched beside that. Rooms take turns. The rest stands with the parts: `NativeRoom`,
/// `RoomOutbox`, `RoomCursor`, `RoomReceipts`, `TypingThrottle`.
package struct NativeSession {
  /// What the driver must do, in this order.
  package enum Event: Equatable, Sendable {
    /// The server has greeted us, and the link is of use.
    case welcomed
    /// A line for standard output, with its line break. `placed` is to be called with the receipt
    /// once it stands in the queue.
    case record([UInt8], Receipt?)
    /// A message that gives no line is done with; `placed` is to be called as for a record.
    case passed(Receipt)
    case report(Report)
    case note(LogLevel, String)
    /// A text frame isn't UTF-8: the connection fails with 1007.
    case invalidText
    /// The link is of no use and must be ended.
    case broken(LinkEnd)
  }

  /// Which message a record is, for telling the server that standard output has taken it.
  package struct Receipt: Equatable, Sendable {
    var room: Int
    var seq: Int
  }

  /// What became of a line.
  package enum Taken: Equatable, Sendable {
    case accepted(MessageName)
    /// A request, or nothing to do.
    case done
    case refused(reason: String)
  }

  enum Link: Equatable {
    case none
    case greeting(until: Instant)
    case open
  }

  var settings: NativeSettings
  var link = Link.none
  /// Who we were on the last link that greeted us.
  package internal(set) var identity: NativeIdentity?
  /// The limits of the present link's server, or the last one's.
  var serverMaximumMessage = Int.max
  var window: Int
  var line: NativeLine
  var reader = NativeFrameReader()
  var plain: PlainDialect
  var rooms: [NativeRoom] = []
  var roomIndex: [[UInt8]: Int] = [:]
  /// The room whose turn it is.
  var turn = 0
  /// Frames that don't wait for anything but the link.
  var urgent: [(kind: MessageKind, payload: [UInt8])] = []
  var urgentByteCount = 0
  var events: [Event] = []
  /// What all rooms have in flight.
  var inFlightCount = 0
  var inFlightByteCount = 0
  /// What is accepted and not answered for good: messages, bytes, and bytes not sent on this link.
  package internal(set) var count = 0
  package internal(set) var byteCount = 0
  /// Since when the server owes an answer to a message.
  package internal(set) var owedSince: Instant?
  /// When `send` was last called.
  var lastSend = Instant(nanoseconds: .min)
  var isOutputBlocked = false
  /// Messages that had no number and no place in a blocked output.
  var droppedCount = 0

  package init(_ settings: NativeSettings) {
    self.settings = settings
    window = settings.window
    line = NativeLine(isText: settings.isText)
    plain = PlainDialect(format: .json, isForTerminal: settings.isForTerminal)
    for room in settings.rooms { _ = self.room(room) }
  }

  package var isEmpty: Bool { count == 0 }
  /// Whether the server has greeted us on this link.
  package var isOpen: Bool { link == .open }
  /// Bytes that wait for the link alone. What waits for its room's admission or for the end of a
  /// refusal isn't among them: one room must not keep input from the others.
  package var unsentByteCount: Int {
    rooms.reduce(urgentByteCount) { sum, room in
      room.join == .failed || room.outbox.heldUntil != nil
        ? sum : sum + room.outbox.byteCount - room.outbox.inFlightByteCount
    }
  }

  /// Whether the link is open, and each room that is wished is joined and has nothing to catch up on.
  package var isLevel: Bool {
    isOpen && urgent.isEmpty
      && rooms.allSatisfy { !$0.isNeeded || ($0.join == .done && $0.cursor.phase == .level) }
  }

  package mutating func takeEvents() -> [Event] {
    defer { events = [] }
    return events
  }

  // MARK: Links

  /// The handshake is done; the server speaks first.
  package mutating func linkOpened(_ now: Instant) {
    link = .greeting(until: now + settings.answerTimeout)
  }

  package mutating func linkLost() {
    link = .none
    urgent = []
    urgentByteCount = 0
    inFlightCount = 0
    inFlightByteCount = 0
    owedSince = nil
    for index in rooms.indices { rooms[index].linkLost() }
  }

  // MARK: Standard output

  /// The record of an event stands in the queue, which so many bytes have gone into, in the whole
  /// run, its own included.
  package mutating func placed(_ receipt: Receipt, endingAt position: Int) {
    guard settings.acknowledges else { return }
    rooms[receipt.room].receipts.place(receipt.seq, at: position)
  }

  /// So many bytes of the queue, in the whole run, have been written.
  package mutating func outputTaken(upTo position: Int) {
    for index in rooms.indices { rooms[index].receipts.taken(upTo: position) }
  }

  /// Nothing more fits behind standard output, or something does again. Meanwhile messages are left
  /// with the server, and fetched afterwards; acknowledgements and sending go on.
  package mutating func outputBlocked(_ isBlocked: Bool) {
    isOutputBlocked = isBlocked
    guard !isBlocked, droppedCount > 0 else { return }
    events.append(
      .report(
        .gap(
          reason: "standard output wasn't read, and \(droppedCount) messages had no number to"
            + " fetch them by")))
    droppedCount = 0
  }

  // MARK: Time

  package var nextDeadline: Instant? {
    switch link {
    case .none: nil
    case .greeting(let until): until
    case .open: rooms.lazy.compactMap { $0.nextDeadline(after: lastSend) }.min()
    }
  }

  /// Does what is due. How long an answer may be owed is the driver's to judge, who knows the socket.
  package mutating func advance(_ now: Instant) {
    switch link {
    case .none: break
    case .greeting(let until):
      if now >= until { end("the server didn't greet us in \(settings.answerTimeout.shortText)") }
    case .open:
      for index in rooms.indices { advance(index, now) }
    }
  }

  private mutating func advance(_ index: Int, _ now: Instant) {
    if case .asked(let until) = rooms[index].join, now >= until {
      rooms[index].join = .failed
      events.append(
        .report(
          .serverError(
            room: rooms[index].name,
            reason: "nothing: no answer to our join in \(settings.answerTimeout.shortText)")))
    }
    if rooms[index].typing.advance(now) { sayTyping(index, false) }
    if let deadline = rooms[index].historyDeadline, now >= deadline {
      end("no answer to a request for history in \(settings.answerTimeout.shortText)")
    }
  }

  // MARK: Parts

  mutating func end(_ reason: String) {
    events.append(.broken(.lost(reason: reason)))
  }

  /// The place of a room that is new or known; nil when there are too many.
  mutating func room(_ name: [UInt8]) -> Int? {
    if let index = roomIndex[name] { return index }
    guard rooms.count < settings.maximumRooms else { return nil }
    roomIndex[name] = rooms.count
    rooms.append(NativeRoom(name))
    return rooms.count - 1
  }

  mutating func sayTyping(_ index: Int, _ isTyping: Bool) {
    sayUrgently(.text, NativeRequest.typing(rooms[index].name, isTyping: isTyping))
  }

  /// Puts a frame before all messages. Small ones that wait already aren't said twice.
  mutating func sayUrgently(_ kind: MessageKind, _ payload: [UInt8]) {
    if let last = urgent.last, last.kind == kind, last.payload == payload,
      payload == NativeRequest.pong
    {
      return
    }
    urgent.append((kind, payload))
    urgentByteCount += payload.count
  }
}
