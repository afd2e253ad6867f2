import Bytes
import JSONText
import Timeline
import WebSocket

@testable import Session

/// A run of a `Bridge` against scripted servers, in virtual time and without a delay that isn't
/// asked for. It drives the bridge in the order of the real driver.
final class Rehearsal {
  /// How the next attempts go.
  enum Connecting {
    case works
    case hangs
    case fails(LinkEnd)
  }

  let bridge: Bridge
  private(set) var now = Moment(
    instant: Instant(nanoseconds: 1_000_000_000_000),
    timestamp: Timestamp(unixMilliseconds: 1_796_000_000_000))

  var connecting = Connecting.works
  /// For the next attempts, one each; after the last one every server accepts.
  var answers: [ScriptedServer.Answer] = []
  var secrets: [String] = []
  /// One for each time the transport was connected.
  private(set) var servers: [ScriptedServer] = []
  private(set) var hasTransport = false
  private(set) var attempts: [Int] = []
  /// When each attempt began.
  private(set) var attemptInstants: [Instant] = []

  /// A network that takes nothing from the client, or gives nothing to it.
  var isUpstreamStuck = false
  var isDownstreamStuck = false
  /// What the kernel says it still holds.
  var unsentByteCount: Int? = 0
  /// A writer of standard input that has more than was read so far.
  var hasMoreInput = false
  /// A reader of standard output that takes nothing.
  var isOutputStuck = false { didSet { bridge.outputBlocked(isOutputStuck, now) } }

  private(set) var output: [UInt8] = []
  private(set) var errors: [UInt8] = []
  private(set) var outcome: Outcome?
  private(set) var outcomeCount = 0

  init(
    style: ReportWriter.Style = .records, level: LogLevel = .info, isQuiet: Bool = false,
    retries: Int? = nil, waitsWhenRefused: Bool = false,
    _ change: (inout BridgeSettings) -> Void = { _ in }
  ) {
    var settings = BridgeSettings(
      link: LinkMachine.Limits(
        backoff: Backoff.Bounds(base: .seconds(1), ceiling: .seconds(30)),
        stableAfter: .seconds(10), retries: retries, waitsWhenRefused: waitsWhenRefused))
    change(&settings)
    bridge = Bridge(
      settings: settings,
      reports: ReportWriter(style: style, level: level, isQuiet: isQuiet),
      fillWithChance: Dice.source(seed: 1))
  }

  /// Begins and, unless the script says otherwise, is online.
  @discardableResult
  func start() -> Rehearsal {
    bridge.start(now)
    turn()
    return self
  }

  var server: ScriptedServer {
    guard let server = servers.last else { preconditionFailure("nothing was connected") }
    return server
  }

  // MARK: Events

  func type(_ text: String) {
    type(Array(text.utf8))
  }

  func type(_ bytes: [UInt8]) {
    bridge.inputReceived(bytes.span, now)
    turn()
  }

  func endInput() {
    bridge.inputEnded(now)
    turn()
  }

  func stop(interrupted: Bool = false) {
    bridge.stop(interrupted: interrupted, now)
    turn()
  }

  func reconnect() {
    bridge.reconnect(now)
    turn()
  }

  func serverSays(_ text: String) {
    server.send(text, now.instant)
    turn()
  }

  func serverCloses(_ code: UInt16?, _ reason: String = "") {
    server.close(code, reason, now.instant)
    turn()
  }

  /// The network breaks.
  func breakLink(_ error: String? = nil) {
    bridge.transportEnded(error: error, now)
    turn()
  }

  // MARK: Time

  /// Lets time pass, deadline by deadline.
  func wait(_ duration: Duration) {
    let end = now.instant + duration
    var wakeUpCount = 0
    while let deadline = bridge.nextDeadline, deadline <= end {
      wakeUpCount = deadline > now.instant ? 0 : wakeUpCount + 1
      precondition(wakeUpCount < 4, "the deadline stays where it is: a busy loop")
      go(to: max(deadline, now.instant))
      bridge.advance(now, unsentByteCount: unsentByteCount)
      turn()
    }
    go(to: end)
    turn()
  }

  private func go(to instant: Instant) {
    now.timestamp.unixMilliseconds += (instant - now.instant).wholeMilliseconds
    now.instant = instant
  }

  // MARK: A turn

  /// Moves everything that can move.
  func turn() {
    for _ in 0..<100 where step() {}
  }

  private func step() -> Bool {
    var hasMoved = readTransport()
    if !hasMoreInput { bridge.inputRested() }
    bridge.settle(now)
    hasMoved = perform() || hasMoved
    hasMoved = sendTransport() || hasMoved
    takeOutput()
    bridge.settle(now)
    hasMoved = perform() || hasMoved
    takeErrors()
    return hasMoved
  }

  private func readTransport() -> Bool {
    guard hasTransport, bridge.wantsTransport, !isDownstreamStuck, let server = servers.last
    else { return false }
    let bytes = server.takeOutput()
    if !bytes.isEmpty {
      bridge.transportReceived(bytes.span, now)
    } else if server.hasEnded {
      bridge.transportEnded(error: nil, now)
    } else {
      return false
    }
    return true
  }

  private func sendTransport() -> Bool {
    guard hasTransport, !isUpstreamStuck, bridge.hasTransportOutput, let server = servers.last
    else { return false }
    let bytes = bridge.withTransportOutput { Array($0) } ?? []
    bridge.transportSent(bytes.count, now)
    server.receive(bytes, now.instant)
    return true
  }

  private func takeOutput() {
    guard !isOutputStuck else { return }
    bridge.standardOutput.withUnsafeBytes { output.append(contentsOf: $0) }
    bridge.standardOutput.removeAll()
    bridge.outputWritten(output.count)
  }

  private func takeErrors() {
    bridge.standardError.withUnsafeBytes { errors.append(contentsOf: $0) }
    bridge.standardError.removeAll()
  }

  private func perform() -> Bool {
    let actions = bridge.takeActions()
    for action in actions {
      switch action {
      case .connect(let attempt): connect(attempt)
      case .dropTransport:
        hasTransport = false
        servers.last?.receiveEnd()
      case .finish(let outcome):
        self.outcome = outcome
        outcomeCount += 1
      }
    }
    return !actions.isEmpty
  }

  private func connect(_ attempt: Int) {
    attempts.append(attempt)
    attemptInstants.append(now.instant)
    switch connecting {
    case .hangs: break
    case .fails(let end): bridge.linkFailed(end, now)
    case .works: connectNow()
    }
  }

  /// Lets an attempt that hangs succeed.
  func connectNow() {
    hasTransport = true
    servers.append(ScriptedServer(answers.isEmpty ? .accept : answers.removeFirst()))
    bridge.transportConnected(Self.makeHandshake(), secrets: secrets, now)
  }

  static func makeHandshake() -> ClientHandshake {
    do {
      return try ClientHandshake(
        url: WebSocketURL("ws://chat.example/room?token=hidden"),
        nonce: [UInt8](repeating: 7, count: 16))
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
