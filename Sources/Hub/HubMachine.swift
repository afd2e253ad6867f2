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
    /// Read nothing more from the client until `resume`. Messages that have been read already may
    /// still be given to `receive`. The client's keepalive must stand still meanwhile.
    case pause(ClientID)
    case resume(ClientID)
  }

  package let limits: HubLimits
  private let tokens: TokenFile?
  private var chance: MaskingKeys
  private var actions: [Action] = []

  /// - Parameters:
  ///   - tokens: who may connect; nil lets everybody in, by the name that they give.
  ///   - fillWithChance: overwrites an array with random bits, for epochs and made-up user ids.
  package init(
    limits: HubLimits = HubLimits(), tokens: TokenFile? = nil, chaos: ChaosSpec? = nil,
    fillWithChance: @escaping (inout [UInt32]) -> Void
  ) {
    self.limits = limits
    self.tokens = tokens
    chance = MaskingKeys(refill: fillWithChance)
  }

  /// Decides about a request whose Host and Origin are welcome.
  package func admit(_ upgrade: UpgradeRequest) -> Admission {
    Admission.judge(upgrade, tokens: tokens) { chance.next() }
  }

  /// A link is open; its first frame is among the actions.
  package func connect(_ identity: Identity, _ now: Moment) -> ClientID {
    ClientID(slot: 0, number: 0)
  }

  /// A client's message has come, UTF-8 if it is text.
  ///
  /// - Parameter range: of `input`; nothing of it is kept.
  package func receive(
    _ kind: MessageKind, _ input: Span<UInt8>, _ range: Range<Int>, from id: ClientID,
    _ now: Moment
  ) {}

  /// So many bytes of `send` and `broadcast` wait to be taken by the client's socket. To be called
  /// when it has changed, after the actions so far have been done.
  package func noteBacklog(_ byteCount: Int, of id: ClientID, _ now: Moment) {}

  /// A link has ended, in whatever way.
  package func disconnect(_ id: ClientID, _ now: Moment) {}

  /// Closes all links with 1001 and takes no more.
  package func stop() {}

  package var clientCount: Int { 0 }

  /// When `advance` must be called; nil: nothing is waited for.
  package var nextDeadline: Instant? { nil }

  /// Does what is due.
  package func advance(_ now: Moment) {}

  package var hasActions: Bool { !actions.isEmpty }

  package func takeActions() -> [Action] {
    defer { actions = [] }
    return actions
  }
}
