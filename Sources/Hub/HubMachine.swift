package import Timeline
package import WebSocket

/// The hub's whole logic: who is where, what was said, who is told.
///
/// It does no I/O, reads no clock and makes no random numbers. Whoever drives it calls `admit` for a
/// request, `connect` once the 101 is queued, `receive` for each message, `disconnect` at a link's
/// end, `advance` when `nextDeadline` has come, and after each of them does what `takeActions` says,
/// in that order. An action may name a client that has been disconnected meanwhile: skip it.
///
///     hub.receive(.text, input, range, from: id, now)
///     for action in hub.takeActions() { … }
///     // write; then
///     hub.noteBacklog(connection.output.count, of: id, now)
///
/// | frame | answer | the room's other members get |
/// |---|---|---|
/// | `join` | `joined` | `join`, if no other link of the user is there |
/// | `leave` | | `leave`, if no other link of the user is there |
/// | `history` | `history` | |
/// | a message | `ack`, or `nack` | the message; so does the sender |
/// | `ack` | | a receipt each, if it covers messages of theirs |
/// | `typing`, `stopTyping` | | the same |
/// | `ping` | `pong` | |
/// | what can't be done | `error` | |
///
/// A link's end is a `leave` of each room, and the user's last one a `presence`; a user who comes back
/// is a `presence` for the rooms that he was in.
package final class HubMachine {
  /// What only the shell can do.
  package enum Action: Equatable, Sendable {
    /// Append the bytes, one complete unmasked WebSocket frame, to the client's output.
    case send([UInt8], to: ClientID)
    /// The same for many; the bytes exist once.
    case broadcast([UInt8], to: [ClientID])
    /// Begin the closing handshake. The hub has forgotten the client: nothing more comes for it,
    /// and what comes from it is ignored, `disconnect` included.
    case close(ClientID, CloseCode, reason: String)
    /// End TCP at once, without a Close; what is queued may be written before. Forgotten likewise.
    case drop(ClientID)
    /// Read nothing more from the client until `resume`, and let its keepalive stand still. Messages
    /// that have been read already are to be given to `receive` all the same.
    case pause(ClientID)
    case resume(ClientID)
  }

  /// How a link that the hub ends is ended.
  enum Ending {
    case close(CloseCode, String)
    case drop
  }

  package let limits: HubLimits
  let tokens: TokenFile?
  var chance: MaskingKeys
  var chaos: Chaos?
  let delay: Duration?

  var actions: [Action] = []
  var delayed = DelayedActions()
  var reader: RequestReader

  /// By slot.
  var clients: [Client?] = []
  var freeSlots: [Int] = []
  var linkCount: UInt64 = 0
  package internal(set) var clientCount = 0
  /// Those that the present call has found must go.
  var doomed: [(Client, Ending)] = []
  /// Those that aren't read from for a while, and no later than when one may be again.
  var paused: [Client] = []
  var nextResume: Instant?
  /// Bytes that each client hasn't taken yet, by slot: an array of their own, because a message to a
  /// crowd counts for all of them.
  var backlogs: [Int] = []
  var totalBacklog = 0
  var round: UInt64 = 0

  var users: [ByteKey: User] = [:]
  var absentCount = 0
  var absences: UInt64 = 0
  var rooms: [ByteKey: Room] = [:]
  var roomNumber: UInt64 = 0
  var totalHistoryCost = 0
  var knownIDs: KnownIDs
  var isStopped = false

  /// - Parameters:
  ///   - tokens: who may connect; nil lets everybody in, by the name that they give.
  ///   - fillWithChance: overwrites an array with random bits, for epochs and made-up user ids.
  package init(
    limits: HubLimits = HubLimits(), tokens: TokenFile? = nil, chaos spec: ChaosSpec? = nil,
    fillWithChance: @escaping (inout [UInt32]) -> Void
  ) {
    self.limits = limits
    self.tokens = tokens
    var chance = MaskingKeys(refill: fillWithChance)
    chaos = spec.map { Chaos($0, seed: UInt64(chance.next()) << 32 | UInt64(chance.next())) }
    delay = spec?.delay
    self.chance = chance
    reader = RequestReader(limits)
    knownIDs = KnownIDs(limits)
  }

  // MARK: Links

  /// Decides about a request whose Host and Origin are welcome.
  package func admit(_ upgrade: UpgradeRequest) -> Admission {
    if isStopped { return .refused(status: 503, reason: "this hub stops") }
    if let status = chaos?.takeRefusal() { return .refused(status: status, reason: "chaos") }
    return Admission.judge(upgrade, tokens: tokens) { chance.next() }
  }

  /// A link is open; its first frame is among the actions.
  package func connect(_ identity: Identity, _ now: Moment) -> ClientID {
    linkCount += 1
    let slot = freeSlots.popLast() ?? clients.count
    let id = ClientID(slot: slot, number: linkCount)
    guard !isStopped else {
      clients.append(nil)
      emit(.close(id, .goingAway, reason: "the hub stops"), now)
      return id
    }
    let user = users[ByteKey(identity.userID)] ?? User(identity)
    let client = Client(id, identity, user, limits.rate)
    if slot == clients.count { clients.append(client) } else { clients[slot] = client }
    while backlogs.count < clients.count { backlogs.append(0) }
    clientCount += 1
    client.chaos = chaos?.makeLink()
    if client.chaos?.framesLeft == 0 { doom(client, .drop) }
    if client.chaos?.readingsLeft == 0 { deafen(client) }
    arrive(client, now)
    send(ServerFrame.welcome(identity, limits, now.timestamp), to: client, now)
    settle(now)
    return id
  }

  /// A link has ended, in whatever way.
  package func disconnect(_ id: ClientID, _ now: Moment) {
    guard let client = client(id) else { return }
    remove(client, now)
    freeSlots.append(id.slot)
    settle(now)
  }

  /// Closes all links with 1001, tells nobody about it, and takes no more.
  package func stop(_ now: Moment) {
    guard !isStopped else { return }
    isStopped = true
    for client in clients {
      guard let client else { continue }
      emit(.close(client.id, .goingAway, reason: "the hub stops"), now)
    }
    clients = Array(repeating: nil, count: clients.count)
    clientCount = 0
    freeSlots = []
    paused = []
    nextResume = nil
  }

  package var roomCount: Int { rooms.count }

  // MARK: Frames

  /// A client's message has come, UTF-8 if it is text.
  ///
  /// - Parameter range: of `input`; nothing of it is kept.
  package func receive(
    _ kind: MessageKind, _ input: Span<UInt8>, _ range: Range<Int>, from id: ClientID,
    _ now: Moment
  ) {
    guard let client = client(id), !client.isDeaf else { return }
    // The frame itself still counts, only its answers are lost.
    if client.chaos?.countFrame() == true { doom(client, .drop) }
    if client.chaos?.countReading() == true { deafen(client) }
    do throws(Objection) {
      guard kind == .text else {
        throw Objection(code: .badRequest, reason: "frames are text")
      }
      if let request = try reader.read(input, range, from: client.identity.userID) {
        take(request, input, range.count, from: client, now)
      }
    } catch {
      refuse(error, to: client, now)
    }
    settle(now)
  }

  private func take(
    _ request: Request, _ input: Span<UInt8>, _ length: Int, from client: Client, _ now: Moment
  ) {
    switch request {
    case .message(let draft): receive(draft, input, length, from: client, now)
    case .acknowledge(let room, let seq, let status):
      acknowledge(room, seq, status, from: client, now)
    case .typing(let room, let isOver): type(room, isOver, from: client, now)
    case .ping: send(ServerFrame.pong, to: client, now)
    case .join, .leave, .history:
      guard client.waiting.count < limits.maximumWaitingRequests else {
        return refuse(waiting: request, of: client, now)
      }
      client.waiting.append(request)
      answerWaiting(of: client, now)
    }
  }

  // MARK: Time

  /// When `advance` must be called; nil: nothing is waited for.
  package var nextDeadline: Instant? {
    guard let due = delayed.nextDeadline else { return nextResume }
    return nextResume.map { min($0, due) } ?? due
  }

  /// Does what is due.
  package func advance(_ now: Moment) {
    while let action = delayed.take(now.instant) { release(action) }
    guard let nextResume, nextResume <= now.instant else { return }
    resumeReading(now)
    settle(now)
  }

  package var hasActions: Bool { !actions.isEmpty }

  package func takeActions() -> [Action] {
    defer { actions = [] }
    return actions
  }
}
