package import Bytes
package import Timeline

// State    | what comes            | what is queued       | event                | next state
// ---------+-----------------------+----------------------+----------------------+-----------
// open     | a message             |                      | message              | open
//          | Ping                  | its Pong (bounded)   |                      | open
//          | Pong                  |                      | pong                 | open
//          | Close                 | Close, same code     | peerClosed           | ending
//          | Close, illegal code   | Close 1002           | peerClosed (raw)     | ending
//          | a violation           | Close, its code      | failed               | ending
//          | `sendClose`           | Close                |                      | closing
//          | silence: interval     | Ping                 |                      | open
//          | silence: timeout      |                      | lost(pingTimeout)    | closed
//          | end of the stream     |                      | lost(endWithoutClose)| closed
// closing  | a message, Pong       |                      | message, pong        | closing
//          | Ping                  | nothing after Close  |                      | closing
//          | Close                 |                      | peerClosed           | ending
//          | a violation           |                      | failed               | ending
//          | end of the stream     |                      | lost(endWithoutClose)| closed
//          | deadline              |                      | lost(closeTimeout)   | closed
// ending   | bytes                 |                      | (client) ignored     | ending
//          |                       |                      | (server) closed      | closed
//          | end, deadline         |                      | closed               | closed
// closed   | anything              |                      |                      | closed
//
// Nothing is ever queued after a Close (RFC 6455, section 5.5.1). The server ends the TCP connection
// and the client waits for that (section 7.1.1), so that the port's last wait is the server's.

/// An open WebSocket connection of either role (RFC 6455): bytes and instants in, events and bytes
/// out. It does no I/O, reads no clock and makes no random numbers.
///
/// ```
/// var position = 0
/// while let event = machine.receive(input, at: &position, now: now) { … }
/// // then write machine.output, and machine.consumeOutput(written, now: now)
/// ```
package struct ConnectionMachine {
  package enum State: Equatable, Sendable {
    case open
    /// Our Close is queued or sent, the peer's hasn't come.
    case closing(deadline: Instant)
    /// Nothing more is expected or sent but the end of the stream.
    case ending(deadline: Instant)
    case closed
  }

  /// Where a message's bytes are.
  package enum Payload: Equatable, Sendable {
    /// In the input that was passed to `receive`, untouched.
    case input(Range<Int>)
    /// In `assembled`, until the next call of `receive`.
    case assembled
  }

  package enum Event: Equatable, Sendable {
    case message(MessageKind, Payload)
    /// The peer has read all that was sent before the Ping with this payload.
    case pong([UInt8])
    /// The peer's Close, legal or not; it has been answered. `closed` or `lost` follows.
    case peerClosed(CloseFrame)
    /// The peer broke the protocol or a limit; the Close that says so is queued. `closed` follows.
    case failed(ProtocolError)
    /// The connection is gone without a closing handshake: drop the stream.
    case lost(LossReason)
    /// All is said: write the output that is left, then end the stream. (A server does well to shut
    /// down its sending side first and to read on for a moment, or a reset may overtake the Close.)
    case closed
  }

  package enum LossReason: Equatable, Sendable {
    case pingTimeout
    case closeTimeout
    case endWithoutClose
  }

  package let role: Role
  package let limits: WebSocketLimits
  package internal(set) var state = State.open

  /// Bytes for the transport, oldest first; `consumeOutput` says what it has taken.
  package internal(set) var output = ByteQueue()

  /// Whether frames are recorded for `takeTraces`.
  package var isTracing = false

  let validatesWholeMessages: Bool
  var maskingKeys: MaskingKeys?
  var keepalive: Keepalive?

  /// A server's output that was larger gives its storage back once it is empty.
  static let retainedOutput = 16_384
  private var largestOutput = 0

  // The frame that is being received.
  var partialHeader = InlineArray<14, UInt8>(repeating: 0)
  var partialHeaderCount = 0
  var frame: FrameHeader?
  var frameReceived = 0
  var assembler = MessageAssembler()
  var control: [UInt8] = []

  /// The payload of the newest Ping that wasn't answered because too much output waited.
  var pendingPong: [UInt8]?
  /// The payload of the caller's newest Ping.
  var lastPing: [UInt8] = []
  var traces: [FrameTrace] = []

  /// A client's side of a connection whose handshake has been accepted.
  ///
  /// - Parameters:
  ///   - maskingKeys: fresh keys, one for each frame that will be sent.
  ///   - validatesWholeMessages: false leaves the UTF-8 check of a text message that lies whole in
  ///     the input to the caller, who scans it anyway and reports with `failInvalidText`. Messages
  ///     that come in parts are always checked, as they arrive.
  package init(
    client maskingKeys: MaskingKeys, limits: WebSocketLimits = WebSocketLimits(),
    keepalive: Keepalive? = nil, validatesWholeMessages: Bool = true, now: Instant
  ) {
    role = .client
    self.maskingKeys = maskingKeys
    self.limits = limits
    self.keepalive = keepalive
    self.validatesWholeMessages = validatesWholeMessages
    self.keepalive?.noteLife(now)
  }

  /// A server's side of a connection whose handshake it has accepted.
  package init(
    serverWith limits: WebSocketLimits = WebSocketLimits(), keepalive: Keepalive? = nil,
    now: Instant
  ) {
    role = .server
    self.limits = limits
    self.keepalive = keepalive
    validatesWholeMessages = true
    self.keepalive?.noteLife(now)
  }

  /// Whether messages may still be sent.
  package var isOpen: Bool { state == .open }

  /// The bytes of a message whose payload is `.assembled`.
  package var assembled: [UInt8] { assembler.bytes }

  // MARK: Sending

  /// Queues a message as one frame.
  ///
  /// - Parameters:
  ///   - payload: for a text message UTF-8, which is the caller's to know.
  ///   - range: the part of `payload` that is the message.
  /// - Returns: false if the connection is no longer open; then nothing was queued.
  package mutating func send(
    _ kind: MessageKind, _ payload: Span<UInt8>, _ range: Range<Int>
  ) -> Bool {
    guard case .open = state else { return false }
    write(kind.opcode, payload, range)
    return true
  }

  /// Queues frames that are encoded already, or the rest of some whose beginning was written past
  /// the queue while that was empty. Only a server's can be, since each frame of a client is masked
  /// anew. A hub's message to a thousand clients is encoded once. Not traced.
  ///
  /// - Parameter frames: complete data frames without masks behind each other.
  /// - Returns: false if the connection is no longer open.
  package mutating func send(encoded frames: Span<UInt8>) -> Bool {
    guard case .open = state else { return false }
    output.append(frames, 0..<frames.count)
    return true
  }

  /// Queues a Ping; its Pong is an event.
  ///
  /// The keepalive repeats the newest payload in its own Pings: a peer may answer only the newest of
  /// several (section 5.5.3), and whichever Pong comes then still proves what this one would have.
  ///
  /// - Parameter payload: what the Pong will carry, at most 125 bytes; the rest is cut off.
  /// - Returns: false if the connection is no longer open.
  package mutating func sendPing(_ payload: [UInt8]) -> Bool {
    guard case .open = state else { return false }
    lastPing = Array(payload.prefix(125))
    write(.ping, lastPing)
    return true
  }

  /// Starts the closing handshake; nothing can be sent afterwards. Does nothing if it has begun.
  ///
  /// - Parameters:
  ///   - code: nil, or one that must not be sent, leaves the frame's body empty.
  ///   - reason: UTF-8; cut at a character's border to 123 bytes.
  package mutating func sendClose(_ code: CloseCode?, reason: [UInt8] = [], now: Instant) {
    guard case .open = state else { return }
    writeClose(code, reason: reason)
    state = .closing(deadline: now + limits.closeTimeout)
  }

  /// Fails the connection with 1007, as if the machine had found the bad text itself.
  ///
  /// - Returns: the event to go on with; `.failed(.invalidText)`.
  package mutating func failInvalidText(now: Instant) -> Event {
    fail(.invalidText, now: now)
  }

  /// The transport has taken `count` bytes of `output`; a Pong that was held back follows.
  package mutating func consumeOutput(_ count: Int, now: Instant) {
    largestOutput = max(largestOutput, output.count)
    output.consume(count)
    // A server has many connections, most of them idle; a client has one, and keeps its storage.
    if output.isEmpty, role == .server, largestOutput > Self.retainedOutput {
      output = ByteQueue()
      largestOutput = 0
    }
    keepalive?.noteOutputTaken(count, now: now)
    guard output.count <= limits.maximumOutputForPongs, let payload = pendingPong else { return }
    pendingPong = nil
    write(.pong, payload)
  }

  // MARK: Time

  /// The peer's silence doesn't count from here on, because nobody reads what it says.
  package mutating func pauseReading() {
    keepalive?.pause()
  }

  /// Reading goes on, and the keepalive starts anew.
  package mutating func resumeReading(now: Instant) {
    keepalive?.resume(now)
  }

  /// When `advance` must be called, whatever comes before.
  package var nextDeadline: Instant? {
    switch state {
    case .open: keepalive?.nextDeadline
    case .closing(let deadline), .ending(let deadline): deadline
    case .closed: nil
    }
  }

  /// Does what is due at `now`. Receive first what the transport has: it may be the awaited life.
  package mutating func advance(to now: Instant) -> Event? {
    switch state {
    case .open:
      switch keepalive?.action(at: now) {
      case .sendPing:
        // A thousand clients that were busy once and are silent now must not hold on to buffers.
        output.releaseStorage()
        assembler.releaseStorage()
        write(.ping, lastPing)
        keepalive?.notePing(now, outputCount: output.count)
        return nil
      case .giveUp: return end(.lost(.pingTimeout))
      case .nothing, nil: return nil
      }
    case .closing(let deadline): return now >= deadline ? end(.lost(.closeTimeout)) : nil
    case .ending(let deadline): return now >= deadline ? end(.closed) : nil
    case .closed: return nil
    }
  }

  /// The peer's stream has ended, or broken.
  ///
  /// - Returns: nil if the connection was closed already.
  package mutating func receiveEnd() -> Event? {
    switch state {
    case .open, .closing: end(.lost(.endWithoutClose))
    case .ending: end(.closed)
    case .closed: nil
    }
  }

  // MARK: Traces

  /// The frames since the last call, oldest first; none unless `isTracing`.
  package mutating func takeTraces() -> [FrameTrace] {
    defer { traces = [] }
    return traces
  }

  // MARK: Transitions

  /// Queues what is due for a violation and stops listening.
  mutating func fail(_ error: ProtocolError, now: Instant) -> Event {
    if case .open = state { writeClose(error.closeCode, reason: Array(error.description.utf8)) }
    if state != .closed { state = .ending(deadline: now + limits.failTimeout) }
    forgetInput()
    return .failed(error)
  }

  /// Answers the peer's Close with the same code, or with the one its violation asks for.
  mutating func receiveClose(_ close: CloseFrame, now: Instant) -> Event {
    switch state {
    case .open:
      let violation = close.violation
      let reason = violation.map { Array($0.description.utf8) } ?? []
      writeClose(violation?.closeCode ?? close.code, reason: reason)
      state = .ending(deadline: now + limits.closeTimeout)
    case .closing(let deadline): state = .ending(deadline: deadline)
    case .ending, .closed: break
    }
    forgetInput()
    return .peerClosed(close)
  }

  mutating func end(_ event: Event) -> Event {
    state = .closed
    forgetInput()
    return event
  }

  private mutating func forgetInput() {
    frame = nil
    partialHeaderCount = 0
    control = []
    assembler = MessageAssembler()
    pendingPong = nil
  }

  // MARK: Writing

  private mutating func writeClose(_ code: CloseCode?, reason: [UInt8]) {
    let payload = CloseFrame.payload(code: code, reason: reason)
    write(.close, payload)
    pendingPong = nil
  }

  mutating func write(_ opcode: Opcode, _ payload: [UInt8]) {
    write(opcode, payload.span, 0..<payload.count)
  }

  private mutating func write(_ opcode: Opcode, _ payload: Span<UInt8>, _ range: Range<Int>) {
    FrameWriter.append(
      opcode, payload, range, maskingKey: maskingKeys?.next(), to: &output)
    if isTracing {
      traces.append(
        FrameTrace(
          isReceived: false, opcode: opcode, isFinal: true, payloadLength: range.count, payload,
          range))
    }
  }
}
