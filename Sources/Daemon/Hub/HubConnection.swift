import Bytes
import Hub
import Posix
import Reactor
import Session
import Timeline
import Transport
import WebSocket

// Phase     | what comes                  | what follows                          | next phase
// ----------+-----------------------------+---------------------------------------+-----------
// handshake | a good request              | 101, or an HTTP answer                | open, ending
//           | any other request           | an HTTP answer                        | ending
//           | the end, the deadline       |                                       | gone
// open      | a message                   | what the application makes of it      | open
//           | Close, a violation          | Close                                 | ending
//           | the end, silence            |                                       | gone
//           | `close`                     | Close                                 | open
//           | `end`                       |                                       | ending
// ending    | bytes                       | nothing; TCP is ended once all is out | ending
//           | the end, the deadline       |                                       | gone

/// One connection of a hub: the socket's bytes on one side, the application's messages on the other.
///
/// What is to be sent gathers until the loop's turn ends, and then goes out in one call.
final class HubConnection: ReadinessHandler {
  private enum Phase {
    case handshake
    case open
    case ending
    case gone
  }

  /// A head takes a moment; who needs longer only holds a descriptor.
  private static let handshakeTimeout = Duration.seconds(10)
  /// How long the client may take to end TCP after the hub has.
  private static let endingTimeout = Duration.seconds(5)
  /// A client that isn't read from and takes nothing may be suspended for a while; then it is dead.
  private static let stallTimeout = Duration.seconds(60)
  /// More isn't gathered while the socket takes it: that would only be memory.
  private static let gatheredOutput = 256 << 10
  /// From here on a call of its own costs less than a copy into the queue.
  private static let directOutput = 2_048

  /// Where the server keeps it; the server's alone.
  var slot = 0
  /// Whether it waits for `settle`; `PendingConnections`' alone.
  var isPending = false
  /// The application's alone.
  var clientID: ClientID?

  let number: Int
  /// Lets the connection go once it is gone, so that this is no cycle for long.
  private let server: HubServer
  private let pending: PendingConnections
  private let stream: SocketStream
  private var registration: RegistrationID?
  private var interest: Readiness = .readable
  private var phase = Phase.handshake
  private var handshake: ServerHandshake?
  private var machine: ConnectionMachine?
  /// Goes out before the machine's: an HTTP answer, and in `ending` what was left.
  private var otherOutput = ByteQueue()
  /// The socket took less than it was given, and hasn't said yet that it has room again.
  private var isFull = false
  private var hasShutDown = false
  /// Of the handshake, of the ending, or of a pause in which nothing moves.
  private var deadline: Instant
  private var isPaused = false
  /// Seen while it wasn't read from.
  private var hasPeerEnded = false

  init(_ stream: SocketStream, number: Int, server: HubServer) {
    self.stream = stream
    self.number = number
    self.server = server
    pending = server.pending
    handshake = ServerHandshake(limits: server.application.limits)
    deadline = server.loop.now + Self.handshakeTimeout
  }

  func start() {
    do throws(SystemError) {
      registration = try server.loop.add(stream.descriptor, interest, handler: self)
      server.schedule(nextDeadline)
    } catch {
      drop(error.description)
    }
  }

  // MARK: What the application does

  /// Accepts the request.
  func open(_ acceptance: HTTPHead) {
    machine = ConnectionMachine(
      serverWith: server.application.limits, keepalive: Keepalive(), now: server.loop.now)
    otherOutput.append(contentsOf: acceptance.bytes)
    phase = .open
    note("open")
    pending.add(self)
  }

  /// Answers the request with something else than 101.
  func refuse(_ status: Int, _ reason: String) {
    end(HTTPResponse(refusal: status, reason).bytes, "refused with \(status), \(reason)")
  }

  /// Queues a message; does nothing unless the connection is open.
  func send(_ kind: MessageKind, _ message: Span<UInt8>) {
    guard machine?.send(kind, message, 0..<message.count) == true else { return }
    gather()
  }

  /// Queues a complete frame, unmasked; does nothing unless the connection is open.
  func send(encoded frame: [UInt8]) {
    send(encoded: frame, 0..<frame.count)
  }

  /// The same for complete frames behind each other that others are sent too. Nothing is copied if
  /// the socket takes them at once; then `backlog` is 0 afterwards, and no `wrote` follows.
  func send(encoded frames: [UInt8], _ range: Range<Int>) {
    guard machine?.isOpen == true else { return }
    var rest = range
    if backlog == 0, !isFull, !isPaused, range.count >= Self.directOutput {
      switch frames.withUnsafeBytes({ stream.send(UnsafeRawBufferPointer(rebasing: $0[range])) }) {
      case .bytes(let count):
        rest = range.lowerBound + count..<range.upperBound
        if !rest.isEmpty { isFull = true }
      case .wouldBlock: isFull = true
      case .failed(let error): return drop(error.description)
      case .end: break
      }
    }
    guard !rest.isEmpty || isFull else { return }
    _ = machine?.send(encoded: frames.span.extracting(rest))
    gather()
  }

  /// Bytes that wait for the socket.
  var backlog: Int {
    otherOutput.count &+ (machine?.output.count ?? 0)
  }

  /// Reads nothing more for a while. What has been read already is delivered all the same.
  func pauseReading() {
    guard phase == .open, !isPaused else { return }
    isPaused = true
    deadline = server.loop.now + Self.stallTimeout
    machine?.pauseReading()
    pending.add(self)
  }

  func resumeReading() {
    guard phase == .open, isPaused else { return }
    isPaused = false
    hasPeerEnded = false
    machine?.resumeReading(now: server.loop.now)
    pending.add(self)
  }

  /// Begins the closing handshake, behind what is queued already. Who hasn't taken and answered all
  /// that when `WebSocketLimits.closeTimeout` is over is dropped.
  func close(_ code: CloseCode, _ reason: String) {
    guard phase == .open else { return }
    note("closed with \(code), \(reason)")
    // The answer is to be read.
    resumeReading()
    machine?.sendClose(code, reason: Array(reason.utf8), now: server.loop.now)
    pending.add(self)
  }

  /// Sends what is left, then ends TCP, and waits for the client to do the same: a socket closed
  /// with bytes unread is reset, and the reset may overtake the last frame.
  func end(_ reason: String?) {
    end(nil, reason)
  }

  // MARK: The server

  /// The hub stops.
  func leave() {
    switch phase {
    case .handshake: drop(nil)
    case .open: close(.goingAway, "the hub stops")
    case .ending, .gone: break
    }
  }

  /// Ends it at once.
  func drop(_ reason: String?) {
    guard phase != .gone else { return }
    let wasOpen = phase == .open
    phase = .gone
    if let reason { note(reason) }
    if let registration { server.loop.remove(registration) }
    registration = nil
    stream.close()
    machine = nil
    handshake = nil
    otherOutput = ByteQueue()
    server.forget(self)
    if wasOpen { server.application.ended(self, server.now) }
  }

  /// Sends what a turn has gathered, and tells the loop what is waited for next.
  func settle() {
    write()
    if phase == .open { server.application.wrote(to: self, server.now) }
    guard phase != .gone, let registration else { return }
    var wanted: Readiness =
      !isPaused ? .readable : hasPeerEnded ? [] : .peerEnded
    if isFull { wanted.formUnion(.writable) }
    if wanted != interest {
      interest = wanted
      do throws(SystemError) {
        try server.loop.modify(registration, wanted)
      } catch {
        return drop(error.description)
      }
    }
    server.schedule(nextDeadline)
  }

  var nextDeadline: Instant? {
    switch phase {
    case .handshake, .ending: deadline
    // A pause alone isn't the client's doing.
    case .open where isPaused: backlog > 0 || hasPeerEnded ? deadline : nil
    case .open: machine?.nextDeadline
    case .gone: nil
    }
  }

  /// Does what is due; what the client has sent was received before.
  func advance(to now: Instant) {
    guard let due = nextDeadline, due <= now else { return }
    switch phase {
    case .handshake: drop("no request in time")
    case .ending: drop(nil)
    case .open where isPaused: drop(hasPeerEnded ? "gone without a Close" : "reads nothing")
    case .open:
      switch machine?.advance(to: now) {
      case .lost(let reason): drop("lost (\(reason))")
      case .closed: drop(nil)
      default: pending.add(self)
      }
    case .gone: break
    }
  }

  private func note(_ text: @autoclosure () -> String) {
    server.log.note(.info, "client \(number): \(text())")
  }

  // MARK: Receiving

  func ready(_ readiness: Readiness, on registration: RegistrationID) {
    if readiness.allowsWriting { isFull = false }
    // A hang-up is told again and again until it is read, pause or not.
    if !isPaused || !readiness.isDisjoint(with: [.hangUp, .error]) {
      if readiness.allowsReading { read() }
    } else if readiness.contains(.peerEnded) {
      // What it has sent may still wait to be read.
      hasPeerEnded = true
      deadline = server.loop.now + Self.stallTimeout
    }
    pending.add(self)
  }

  /// Reads once: the loop comes back while there is more, after the others had their turn.
  private func read() {
    switch stream.receive(into: server.buffer) {
    case .bytes(let count):
      let filled = UnsafeBufferPointer(
        start: server.buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), count: count)
      receive(filled.span)
    case .wouldBlock: break
    case .end: drop(phase == .open ? "gone without a Close" : nil)
    case .failed(let error): drop(error.description)
    }
  }

  private func receive(_ input: Span<UInt8>) {
    var position = 0
    if phase == .handshake {
      guard let outcome = handshake?.receive(input, at: &position) else { return }
      handshake = nil
      answer(outcome)
    }
    while phase == .open,
      let event = machine?.receive(input, at: &position, now: server.loop.now)
    {
      handle(event, input)
    }
  }

  private func answer(_ outcome: ServerHandshake.Outcome) {
    switch outcome {
    case .upgrade(let upgrade):
      if let objection = server.access?.objection(to: upgrade.request) {
        return refuse(403, objection)
      }
      server.application.judge(upgrade, of: self, server.now)
    case .plain(let request):
      if let objection = server.access?.objection(to: request) { return refuse(403, objection) }
      // 426 asks for the version that this server speaks, like a wrong version does.
      var response = HandshakeError.version(nil).response
      response.body = Array("This is a WebSocket server: wsii run \(server.url)\n".utf8)
      end(response.bytes, "asked for no WebSocket")
    case .invalid(let error): end(error.response.bytes, error.description)
    }
  }

  private func handle(_ event: ConnectionMachine.Event, _ input: Span<UInt8>) {
    switch event {
    case .message(let kind, .input(let range)):
      server.application.receive(kind, input.extracting(range), from: self, server.now)
    case .message(let kind, .assembled):
      guard let message = machine?.assembled else { return }
      server.application.receive(kind, message.span, from: self, server.now)
    case .pong: break
    case .peerClosed(let close): end("closed, \(close)")
    case .failed(let error): end("failed, \(error)")
    case .lost(let reason): drop("lost (\(reason))")
    case .closed: end(nil)
    }
  }

  private func end(_ response: [UInt8]?, _ reason: String?) {
    guard phase == .handshake || phase == .open else { return }
    let wasOpen = phase == .open
    if let reason { note(reason) }
    if let response { otherOutput.append(contentsOf: response) }
    machine?.output.withUnsafeBytes { bytes in otherOutput.append(contentsOf: Array(bytes)) }
    machine = nil
    isPaused = false
    phase = .ending
    deadline = server.loop.now + Self.endingTimeout
    pending.add(self)
    if wasOpen { server.application.ended(self, server.now) }
  }

  // MARK: Sending

  private func gather() {
    pending.add(self)
    if backlog > Self.gatheredOutput { write() }
  }

  /// Sends until the socket is full.
  private func write() {
    while phase != .gone, !isFull, backlog > 0 {
      let isOther = !otherOutput.isEmpty
      let offered = isOther ? otherOutput.count : backlog
      let result =
        isOther
        ? otherOutput.withUnsafeBytes { stream.send($0) }
        : machine?.output.withUnsafeBytes { stream.send($0) }
      switch result {
      case .bytes(let count):
        if count < offered { isFull = true }
        if isOther {
          otherOutput.consume(count)
          otherOutput.releaseStorage()
        } else {
          machine?.consumeOutput(count, now: server.loop.now)
        }
        if isPaused { deadline = server.loop.now + Self.stallTimeout }
      case .wouldBlock: isFull = true
      case .failed(let error): drop(error.description)
      case .end, nil: return
      }
    }
    if phase == .ending, backlog == 0, !hasShutDown {
      hasShutDown = true
      stream.shutdownWrite()
    }
  }
}

extension HTTPResponse {
  /// A refusal; 401 says how to do better (RFC 9110, section 11.6.1).
  fileprivate init(refusal status: Int, _ reason: String) {
    let challenge = status == 401 ? try? HTTPField(name: "WWW-Authenticate", value: "Bearer") : nil
    self.init(status: status, fields: challenge.map { [$0] } ?? [], text: reason)
  }
}
