import Bytes
import Session
import Timeline
import WebSocket

/// A `Bridge` to which a script of bytes happens. An event is a byte that says what, and for most a
/// byte that says how much.
final class ScriptedRun {
  private let settings: BridgeSettings
  private let bridge: Bridge
  private var now = Moment(
    instant: Instant(nanoseconds: 1_000_000_000), timestamp: Timestamp(unixMilliseconds: 0))
  private var outcome: Outcome?

  // The other end of the present link; nil while there is none.
  private var serverHandshake: ServerHandshake?
  private var server: ConnectionMachine?
  private var fromServer = ByteQueue()
  /// What the script says instead of the server's answer to the upgrade.
  private var answersUpgrade = true

  init(_ first: UInt8, _ second: UInt8) {
    var settings = BridgeSettings(
      link: LinkMachine.Limits(
        backoff: Backoff.Bounds(base: .seconds(1), ceiling: .seconds(4)),
        stableAfter: .seconds(2), retries: first & 1 == 0 ? nil : Int(first >> 6),
        waitsWhenRefused: first & 2 != 0))
    settings.format = first & 4 == 0 ? .json : .text
    settings.outputIsTerminal = first & 8 != 0
    settings.ackBy = first & 16 == 0 ? .pong : .write
    settings.keepalive = first & 32 == 0 ? nil : Keepalive()
    settings.maximumMessage = 64
    settings.windowMessages = 4
    settings.outboxMaximum = 1000
    settings.recordLimit = second & 1 == 0 ? nil : 3
    settings.staysAfterInput = second & 2 != 0
    settings.traces = second & 4 != 0
    settings.duration = second & 8 == 0 ? nil : .seconds(20)
    if second & 16 != 0 {
      settings.hello = [BridgeSettings.HelloFrame(kind: .binary, payload: [1, 2])]
    }
    self.settings = settings
    var word: UInt32 = 0
    bridge = Bridge(
      settings: settings,
      reports: ReportWriter(style: .recordsOnly, level: .debug, isQuiet: second & 32 != 0)
    ) { words in
      for index in words.indices {
        word = word &* 1_664_525 &+ 1_013_904_223
        words[index] = word
      }
    }
  }

  /// Runs the script, then the end of everything; returns what didn't hold.
  func violation(of script: ArraySlice<UInt8>) -> String? {
    bridge.start(now)
    var rest = script
    while let event = rest.popFirst() {
      let amount = Int(rest.popFirst() ?? 0)
      let bytes = event & 15 <= 4 ? Array(rest.prefix(amount)) : []
      rest = rest.dropFirst(bytes.count)
      happen(event & 15, amount, bytes)
      if let violation = turn() ?? passTime(.zero) { return violation }
    }
    bridge.outputBlocked(false, now)
    bridge.outputPaused(false, now)
    bridge.stop(interrupted: false, now)
    if let violation = turn() ?? passTime(.seconds(100)) { return violation }
    guard outcome != nil else { return "the run doesn't end" }
    return bridge.nextDeadline == nil ? nil : "a deadline after the end"
  }

  private func happen(_ event: UInt8, _ amount: Int, _ bytes: [UInt8]) {
    let isEven = amount & 1 == 0
    switch event {
    case 0: if bridge.wantsInput { bridge.inputReceived(bytes.span, now) }
    case 1: sendFrame(0x81, bytes)
    case 2: sendFrame(0x82, bytes)
    case 3: fromServer.append(contentsOf: bytes)
    case 4:
      _ = server?.sendClose(CloseCode(rawValue: UInt16(bytes.first ?? 0) &+ 1000), now: now.instant)
    case 5: bridge.inputEnded(now)
    case 6: bridge.stop(interrupted: isEven, now)
    case 7: bridge.reconnect(now)
    case 8:
      if amount & 2 == 0 {
        bridge.outputPaused(isEven, now)
      } else {
        bridge.outputBlocked(isEven, now)
      }
    case 9: bridge.transportEnded(error: isEven ? nil : "reset", now)
    case 10: bridge.linkFailed(.unreachable(reason: "no route"), now)
    case 11: answersUpgrade.toggle()
    case 12: if amount == 77 { bridge.outputClosed(now) }
    case 13: if amount == 77 { bridge.streamFailed(reason: "read stdin: EIO", now) }
    case 14: bridge.inputRested()
    default: _ = passTime(.milliseconds(100 * amount))
    }
  }

  private func sendFrame(_ start: UInt8, _ payload: [UInt8]) {
    guard server != nil else { return }
    let length: [UInt8] =
      payload.count < 126
      ? [UInt8(payload.count)] : [126, 0, UInt8(truncatingIfNeeded: payload.count)]
    fromServer.append(contentsOf: [start] + length + payload)
  }

  // MARK: A turn of the driver

  private func turn() -> String? {
    for _ in 0..<4 {
      readTransport()
      bridge.settle(now)
      perform()
      if let violation = sendTransport() ?? takeOutput() { return violation }
      bridge.settle(now)
      perform()
    }
    return nil
  }

  private func readTransport() {
    guard bridge.wantsTransport, !fromServer.isEmpty else { return }
    let bytes = fromServer.withUnsafeBytes { Array($0) }
    fromServer.removeAll()
    bridge.transportReceived(bytes.span, now)
    perform()
  }

  private func sendTransport() -> String? {
    guard bridge.hasTransportOutput, serverHandshake != nil else { return nil }
    let bytes = bridge.withTransportOutput { Array($0) } ?? []
    bridge.transportSent(bytes.count, now)
    var position = 0
    if server == nil,
      case .upgrade(let request) = serverHandshake?.receive(bytes.span, at: &position)
    {
      if answersUpgrade { fromServer.append(contentsOf: request.acceptance().bytes) }
      server = ConnectionMachine(serverWith: WebSocketLimits(), now: now.instant)
    }
    while let event = server?.receive(bytes.span, at: &position, now: now.instant) {
      if case .failed(let error) = event { return "we sent nonsense: \(error)" }
      if case .peerClosed(let frame) = event, let error = frame.violation {
        return "our Close is illegal: \(error)"
      }
    }
    server?.output.withUnsafeBytes { fromServer.append(contentsOf: Array($0)) }
    if let count = server?.output.count { server?.consumeOutput(count, now: now.instant) }
    return nil
  }

  private func takeOutput() -> String? {
    let records = bridge.standardOutput.withUnsafeBytes { Array($0) }
    let reports = bridge.standardError.withUnsafeBytes { Array($0) }
    bridge.standardOutput.removeAll()
    bridge.standardError.removeAll()
    return SessionInvariant.outputViolation(records, settings.format, settings.outputIsTerminal)
      ?? SessionInvariant.recordViolation(reports)
  }

  private func perform() {
    for action in bridge.takeActions() {
      switch action {
      case .connect:
        guard let handshake = Self.handshake else { return }
        serverHandshake = ServerHandshake()
        bridge.transportConnected(handshake, secrets: ["s3cr3t-token"], now)
      case .dropTransport:
        serverHandshake = nil
        server = nil
        fromServer.removeAll()
      case .finish(let outcome): self.outcome = outcome
      }
    }
  }

  private static let handshake: ClientHandshake? = {
    guard let url = try? WebSocketURL("ws://chat.example/") else { return nil }
    return try? ClientHandshake(url: url, nonce: [UInt8](repeating: 7, count: 16))
  }()

  // MARK: Time

  private func passTime(_ wait: Duration) -> String? {
    let end = now.instant + wait
    var wakeUpCount = 0
    while let deadline = bridge.nextDeadline, deadline <= end {
      wakeUpCount = deadline > now.instant ? 0 : wakeUpCount + 1
      guard wakeUpCount < 5 else { return "a deadline stays in the past" }
      now.instant = max(deadline, now.instant)
      bridge.advance(now, unsentByteCount: nil)
      if let violation = turn() { return violation }
    }
    now.instant = end
    return nil
  }
}
