import Bytes
import Posix
import Reactor
import Session
import Timeline
import Transport
import WebSocket

// Phase     | what comes                  | what follows                          | next phase
// ----------+-----------------------------+---------------------------------------+-----------
// handshake | a good request              | 101                                   | open
//           | any other request           | an HTTP answer                        | ending
//           | the end, the deadline       |                                       | gone
// open      | a message                   | the same message                      | open
//           | Close, a violation          | Close                                 | ending
//           | the end, silence            |                                       | gone
//           | `leave`                     | Close 1001                            | open
// ending    | bytes                       | nothing; TCP is ended once all is out | ending
//           | the end, the deadline       |                                       | gone

/// One connection of the echo hub.
final class EchoClient: ReadinessHandler {
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
  /// A client that doesn't read isn't read from while so much waits for it.
  private static let maximumBacklog = 1 << 20
  /// Some room before reading goes on, or each small write would be followed by a small read.
  private static let resumingBacklog = 256 << 10
  /// A client that isn't read from may be suspended for a while; then it is taken for dead.
  private static let stallTimeout = Duration.seconds(60)

  /// Where the hub keeps it; the hub's alone.
  var slot = 0
  let number: Int
  private unowned let hub: EchoHub
  private let stream: SocketStream
  private var registration: RegistrationID?
  private var interest: Readiness = .readable
  private var phase = Phase.handshake
  private var handshake: ServerHandshake?
  private var machine: ConnectionMachine?
  /// In `ending`: what is still to be sent.
  private var farewell = ByteQueue()
  private var hasShutDown = false
  /// Of the handshake, of the ending, or of a backlog that stands still.
  private var deadline: Instant
  private var isPaused = false

  init(_ stream: SocketStream, number: Int, hub: EchoHub) {
    self.stream = stream
    self.number = number
    self.hub = hub
    handshake = ServerHandshake(limits: hub.limits)
    deadline = hub.now + Self.handshakeTimeout
  }

  func start() {
    do throws(SystemError) {
      registration = try hub.loop.add(stream.descriptor, interest, handler: self)
      hub.schedule(nextDeadline)
    } catch {
      drop(error.description)
    }
  }

  // MARK: The loop

  func ready(_ readiness: Readiness, on registration: RegistrationID) {
    if readiness.allowsWriting { flush() }
    if readiness.allowsReading, !isPaused { read() }
    settle()
  }

  var nextDeadline: Instant? {
    switch phase {
    case .handshake, .ending: deadline
    case .open: isPaused ? deadline : machine?.nextDeadline
    case .gone: nil
    }
  }

  /// Does what is due; what the client has sent was received before.
  func advance(to now: Instant) {
    guard let due = nextDeadline, due <= now else { return }
    switch phase {
    case .handshake: drop("no request in time")
    case .ending: drop(nil)
    case .open where isPaused: drop("reads nothing")
    case .open:
      switch machine?.advance(to: now) {
      case .lost(let reason): drop("lost (\(reason))")
      case .closed: drop(nil)
      default: settle()
      }
    case .gone: break
    }
  }

  /// The hub stops.
  func leave() {
    switch phase {
    case .handshake: drop(nil)
    case .open:
      machine?.sendClose(.goingAway, reason: Array("the hub stops".utf8), now: hub.now)
      settle()
    case .ending, .gone: break
    }
  }

  /// Ends it at once.
  func drop(_ reason: String?) {
    guard phase != .gone else { return }
    phase = .gone
    if let reason { hub.log.note(.info, "client \(number): \(reason)") }
    if let registration { hub.loop.remove(registration) }
    registration = nil
    stream.close()
    machine = nil
    handshake = nil
    hub.forget(self)
  }

  // MARK: Receiving

  /// Reads once: the loop comes back while there is more, after the others had their turn.
  private func read() {
    guard phase != .gone else { return }
    switch stream.receive(into: hub.buffer) {
    case .bytes(let count):
      let filled = UnsafeBufferPointer(
        start: hub.buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), count: count)
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
    while phase == .open, let event = machine?.receive(input, at: &position, now: hub.now) {
      handle(event, input)
    }
  }

  private func answer(_ outcome: ServerHandshake.Outcome) {
    switch outcome {
    case .upgrade(let upgrade):
      if let objection = hub.access?.objection(to: upgrade.request) {
        return end(HTTPResponse(status: 403, text: objection).bytes, objection)
      }
      machine = ConnectionMachine(
        serverWith: hub.limits, keepalive: Keepalive(), now: hub.now)
      farewell.append(contentsOf: upgrade.acceptance().bytes)
      phase = .open
      hub.log.note(.info, "client \(number): open")
    case .plain(let request):
      if let objection = hub.access?.objection(to: request) {
        return end(HTTPResponse(status: 403, text: objection).bytes, objection)
      }
      // 426 asks for the version that this server speaks, like a wrong version does.
      var response = HandshakeError.version(nil).response
      response.body = Array("This is a WebSocket server: wsii run \(hub.url)\n".utf8)
      end(response.bytes, "asked for no WebSocket")
    case .invalid(let error): end(error.response.bytes, error.description)
    }
  }

  private func handle(_ event: ConnectionMachine.Event, _ input: Span<UInt8>) {
    switch event {
    case .message(let kind, .input(let range)): _ = machine?.send(kind, input, range)
    case .message(let kind, .assembled):
      guard let message = machine?.assembled else { return }
      _ = machine?.send(kind, message.span, 0..<message.count)
    case .pong: break
    case .peerClosed(let close): end(nil, "closed, \(close)")
    case .failed(let error): end(nil, "failed, \(error)")
    case .lost(let reason): drop("lost (\(reason))")
    case .closed: end(nil, nil)
    }
  }

  /// Sends what is left, then ends TCP, and waits for the client to do the same: a socket closed
  /// with bytes unread is reset, and the reset may overtake the last frame.
  private func end(_ response: [UInt8]?, _ reason: String?) {
    if let reason { hub.log.note(.info, "client \(number): \(reason)") }
    if let response { farewell.append(contentsOf: response) }
    machine?.output.withUnsafeBytes { bytes in farewell.append(contentsOf: Array(bytes)) }
    machine = nil
    isPaused = false
    phase = .ending
    deadline = hub.now + Self.endingTimeout
  }

  // MARK: Sending

  /// Sends until the socket is full.
  private func flush() {
    while phase != .gone, backlog > 0 {
      let result =
        farewell.isEmpty
        ? machine?.output.withUnsafeBytes { stream.send($0) }
        : farewell.withUnsafeBytes { stream.send($0) }
      switch result {
      case .bytes(let count):
        if farewell.isEmpty {
          machine?.consumeOutput(count, now: hub.now)
        } else {
          farewell.consume(count)
        }
        if isPaused { deadline = hub.now + Self.stallTimeout }
      case .failed(let error): drop(error.description)
      case .wouldBlock, .end, nil: return
      }
    }
    if phase == .ending, !hasShutDown {
      hasShutDown = true
      stream.shutdownWrite()
    }
  }

  private var backlog: Int {
    farewell.count + (machine?.output.count ?? 0)
  }

  /// Sends, and tells the loop what is waited for next.
  private func settle() {
    flush()
    guard phase != .gone, let registration else { return }
    steer()
    let wanted: Readiness =
      isPaused ? .writable : backlog > 0 ? [.readable, .writable] : .readable
    if wanted != interest {
      interest = wanted
      do throws(SystemError) {
        try hub.loop.modify(registration, wanted)
      } catch {
        return drop(error.description)
      }
    }
    hub.schedule(nextDeadline)
  }

  private func steer() {
    guard phase == .open else { return }
    if !isPaused, backlog > Self.maximumBacklog {
      isPaused = true
      deadline = hub.now + Self.stallTimeout
      machine?.pauseReading()
    } else if isPaused, backlog <= Self.resumingBacklog {
      isPaused = false
      machine?.resumeReading(now: hub.now)
    }
  }
}
