import Bytes
import Timeline
import WebSocket

/// The other end of one link: real server frames, and a script in place of an application.
final class ScriptedServer {
  /// What it does with the upgrade request.
  enum Answer {
    case accept
    case respond(HTTPResponse)
    case say(String)
    case nothing
  }

  struct Message: Equatable {
    var kind: MessageKind
    var payload: [UInt8]

    var text: String { String(decoding: payload, as: UTF8.self) }
  }

  let answer: Answer
  private var handshake = ServerHandshake()
  private(set) var request: UpgradeRequest?
  private(set) var machine: ConnectionMachine?
  /// Bytes on the way to the client.
  private(set) var output = ByteQueue()
  /// How many bytes have left for the client.
  private(set) var takenCount = 0
  private(set) var received: [Message] = []
  /// The client's Close.
  private(set) var closeFrame: CloseFrame?
  /// Whether it has ended the stream, or is about to once its output is gone.
  private(set) var hasEnded = false
  /// Whether it answers nothing any more, not even pings and the end.
  var isSilent = false

  init(_ answer: Answer) {
    self.answer = answer
  }

  var texts: [String] { received.map(\.text) }

  // MARK: From the client

  func receive(_ bytes: [UInt8], _ now: Instant) {
    var position = 0
    if machine == nil { readRequest(bytes, at: &position, now) }
    while let event = machine?.receive(bytes.span, at: &position, now: now) {
      take(event, bytes)
    }
    if !isSilent { collectOutput(now) }
  }

  /// The client ended the stream.
  func receiveEnd() {
    hasEnded = true
  }

  private func readRequest(_ bytes: [UInt8], at position: inout Int, _ now: Instant) {
    guard case .upgrade(let request) = handshake.receive(bytes.span, at: &position) else { return }
    self.request = request
    switch answer {
    case .accept:
      output.append(contentsOf: request.acceptance().bytes)
      machine = ConnectionMachine(serverWith: WebSocketLimits(), now: now)
    case .respond(let response):
      output.append(contentsOf: response.bytes)
      hasEnded = true
    case .say(let text): output.append(contentsOf: Array(text.utf8))
    case .nothing: break
    }
  }

  private func take(_ event: ConnectionMachine.Event, _ bytes: [UInt8]) {
    switch event {
    case .message(let kind, .input(let range)):
      received.append(Message(kind: kind, payload: Array(bytes[range])))
    case .message(let kind, .assembled):
      received.append(Message(kind: kind, payload: machine?.assembled ?? []))
    case .peerClosed(let frame): closeFrame = frame
    case .closed, .lost: if !isSilent { hasEnded = true }
    case .pong, .failed: break
    }
  }

  // MARK: To the client

  func send(_ text: String, _ now: Instant) {
    send(.text, Array(text.utf8), now)
  }

  func send(_ kind: MessageKind, _ payload: [UInt8], _ now: Instant) {
    _ = machine?.send(kind, payload.span, 0..<payload.count)
    collectOutput(now)
  }

  func ping(_ payload: [UInt8], _ now: Instant) {
    _ = machine?.sendPing(payload)
    collectOutput(now)
  }

  func close(_ code: UInt16?, _ reason: String = "", _ now: Instant) {
    machine?.sendClose(
      code.map(CloseCode.init(rawValue:)), reason: Array(reason.utf8), now: now)
    collectOutput(now)
  }

  /// Puts bytes on the wire as they are, legal or not.
  func say(_ bytes: [UInt8]) {
    output.append(contentsOf: bytes)
  }

  /// A Close frame that the machine would refuse to send.
  func sayClose(_ code: UInt16, _ reason: [UInt8] = []) {
    say([0x88, UInt8(reason.count + 2), UInt8(code >> 8), UInt8(code & 0xFF)] + reason)
  }

  /// Ends the stream, whatever has been said.
  func end() {
    hasEnded = true
  }

  /// Takes some of the bytes that are on the way to the client.
  func takeOutput(_ limit: Int = .max) -> [UInt8] {
    let count = min(limit, output.count)
    let bytes = output.withUnsafeBytes { Array($0.prefix(count)) }
    output.consume(count)
    takenCount += count
    return bytes
  }

  private func collectOutput(_ now: Instant) {
    guard let count = machine?.output.count, count > 0 else { return }
    machine?.output.withUnsafeBytes { output.append(contentsOf: Array($0)) }
    machine?.consumeOutput(count, now: now)
  }
}
