import Bytes
import JSONText
import Session
import Timeline
import WebSocket

/// The input's first byte chooses the format; the rest is a script for a whole run.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let first = input.first else { return 0 }
  checkDialect(Array(input.dropFirst()), isForTerminal: first & 2 != 0)
  var run = ScriptedRun(isText: first & 1 != 0, isForTerminal: first & 2 != 0)
  run.play(input.dropFirst())
  return 0
}

/// A frame becomes one whole line, and in the JSON format one strict JSON value, whatever it holds.
private func checkDialect(_ payload: [UInt8], isForTerminal: Bool) {
  for kind in [MessageKind.text, .binary] {
    var dialect = PlainDialect(format: .json, isForTerminal: isForTerminal)
    var records: [UInt8] = []
    var reports: [UInt8] = []
    let delivered = dialect.deliver(
      kind, payload.span, 0..<payload.count, records: &records, reports: &reports)
    switch delivered {
    case .record: requireLines(records, count: 1)
    case .invalidText:
      precondition(records.isEmpty, "a text that isn't UTF-8 left bytes behind")
      precondition(!UTF8Validator.isValid(payload.span, 0..<payload.count), "valid text refused")
    case .report: preconditionFailure("the JSON format has no reports")
    }
  }
  // A line that is taken as it is must come back as a frame that is UTF-8.
  var dialect = PlainDialect(format: .json, isForTerminal: false)
  if dialect.compose(payload.span) == .line(.text) {
    precondition(UTF8Validator.isValid(payload.span, 0..<payload.count), "a bad line was taken")
  }
}

/// Requires whole lines, each one strict JSON value.
private func requireLines(_ bytes: [UInt8], count: Int?) {
  let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
  precondition(lines.last?.isEmpty ?? true, "a line has no end")
  if let count { precondition(lines.count == count + 1, "\(lines.count - 1) lines, not \(count)") }
  var scanner = JSONScanner(wanted: [])
  for line in lines.dropLast() {
    let text = Array(line)
    let outline = try? scanner.scan(text.span, 0..<text.count)
    precondition(outline != nil, "no JSON")
  }
}

/// Drives a bridge by a script: a byte says what happens, the following ones with what.
private struct ScriptedRun {
  private let bridge: Bridge
  private let isText: Bool
  private var now = Moment(
    instant: Instant(nanoseconds: 1_000_000_000),
    timestamp: Timestamp(unixMilliseconds: 1_796_000_000_000))
  private var isConnecting = false

  init(isText: Bool, isForTerminal: Bool) {
    var settings = BridgeSettings(
      link: LinkMachine.Limits(
        backoff: Backoff.Bounds(base: .seconds(1), ceiling: .seconds(30)),
        stableAfter: .seconds(10), retries: 5, waitsWhenRefused: false))
    settings.format = isText ? .text : .json
    settings.outputIsTerminal = isForTerminal
    settings.maximumMessage = 256
    settings.keepalive = Keepalive()
    settings.traces = isForTerminal
    self.isText = isText
    var chance: UInt32 = 1
    bridge = Bridge(
      settings: settings, reports: ReportWriter(style: .recordsOnly, level: .debug, isQuiet: false)
    ) { pool in
      for index in pool.indices {
        chance = chance &* 1_664_525 &+ 1_013_904_223
        pool[index] = chance
      }
    }
  }

  mutating func play(_ script: ArraySlice<UInt8>) {
    bridge.start(now)
    var rest = script
    while let operation = rest.popFirst() {
      let length = min(Int(rest.popFirst() ?? 0), rest.count)
      let bytes = Array(rest.prefix(length))
      rest = rest.dropFirst(length)
      step(operation % 12, bytes)
      settle()
    }
    bridge.inputEnded(now)
    settle()
  }

  private mutating func step(_ operation: UInt8, _ bytes: [UInt8]) {
    switch operation {
    case 0, 1: bridge.transportReceived(bytes.span, now)
    case 2: bridge.inputReceived(bytes.span, now)
    case 3:
      let line = bytes + [0x0A]
      bridge.inputReceived(line.span, now)
    case 4: connect()
    case 5: open()
    case 6: bridge.transportEnded(error: bytes.isEmpty ? nil : "reset", now)
    case 7: pass()
    case 8: bridge.outputBlocked(bytes.count % 2 == 1, now)
    case 9: bridge.reconnect(now)
    case 10: bridge.linkFailed(.unreachable(reason: "refused"), now)
    default: bridge.stop(interrupted: bytes.count % 2 == 1, now)
    }
  }

  private mutating func connect() {
    guard isConnecting, let url = try? WebSocketURL("ws://localhost/"),
      let handshake = try? ClientHandshake(
        url: url, nonce: Array("the sample nonce".utf8))
    else { return }
    isConnecting = false
    bridge.transportConnected(handshake, secrets: [], now)
  }

  /// The right answer to the request, which no fuzzer guesses: the RFC's own sample nonce.
  private mutating func open() {
    connect()
    let answer = """
      HTTP/1.1 101 Switching Protocols\r
      Upgrade: websocket\r
      Connection: Upgrade\r
      Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r
      \r

      """
    let bytes = Array(answer.utf8)
    bridge.transportReceived(bytes.span, now)
  }

  /// Goes to the next deadline; a deadline that stays where it is would be a busy loop.
  private mutating func pass() {
    guard let deadline = bridge.nextDeadline else { return }
    now.instant = max(now.instant, deadline)
    for _ in 0..<64 {
      bridge.advance(now, unsentByteCount: nil)
      settle()
      guard let next = bridge.nextDeadline, next <= now.instant else { return }
    }
    preconditionFailure("a deadline doesn't go away")
  }

  private mutating func settle() {
    bridge.settle(now)
    for action in bridge.takeActions() {
      switch action {
      case .connect: isConnecting = true
      case .dropTransport: isConnecting = false
      case .finish: isConnecting = false
      }
    }
    if let count = bridge.withTransportOutput({ $0.count }), count > 0 {
      bridge.transportSent(count, now)
    }
    let records = bridge.standardOutput.withUnsafeBytes { Array($0) }
    if !isText { requireLines(records, count: nil) }
    bridge.standardOutput.removeAll()
    bridge.standardError.removeAll()
  }
}

#if !FUZZING
  /// A plain build of this program has nothing to do.
  @main
  struct Replay {
    static func main() {}
  }
#endif
