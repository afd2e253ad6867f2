import Bytes
import Posix
import Reactor
import Timeline
import Transport
import WebSocket

/// One connection that gives back every message it gets.
final class CaseLink: ConnectAttemptDelegate, ReadinessHandler, TurnHook {
  /// The suite's largest messages have 16 MiB.
  private static let maximumMessage = 32 << 20

  /// The first text message, which for `/getCaseCount` is the answer.
  private(set) var firstText: String?
  private(set) var wasOpen = false
  /// Why it ended, if not by closing handshakes.
  private(set) var failure: String?

  private let url: WebSocketURL
  private let loop: EventLoop
  private unowned let owner: CaseLoop
  private var limits = WebSocketLimits()
  private var attempt: ConnectAttempt?
  private var stream: (any ByteStream)?
  private var registration: RegistrationID?
  private var interest: Readiness = .readable
  private var handshake: ClientHandshake?
  private var request = ByteQueue()
  private var machine: ConnectionMachine?
  private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 64)

  init(_ url: WebSocketURL, loop: EventLoop, owner: CaseLoop) {
    self.url = url
    self.loop = loop
    self.owner = owner
    limits.maximumMessage = Self.maximumMessage
  }

  deinit {
    buffer.deallocate()
  }

  func start(_ connector: Connector) {
    loop.attach(self)
    var target = TransportTarget(
      host: url.host, port: UInt16(clamping: url.port), isSecure: url.isSecure)
    target.proxy = .direct
    attempt = connector.connect(target, delegate: self)
  }

  /// Lets go of everything without a word.
  func drop() {
    attempt?.cancel()
    attempt = nil
    if let registration { loop.remove(registration) }
    registration = nil
    stream?.close()
    stream = nil
    machine = nil
    loop.detach(self)
  }

  private func end(_ failure: String?) {
    guard stream != nil || attempt != nil else { return }
    self.failure = failure
    drop()
    owner.ended(self)
  }

  // MARK: Connecting

  func connected(_ attempt: ConnectAttempt, _ stream: any ByteStream) {
    self.stream = stream
    do {
      let handshake = try ClientHandshake(url: url, nonce: Entropy.bytes(16), limits: limits)
      request.append(contentsOf: handshake.request.bytes)
      self.handshake = handshake
      registration = try loop.add(stream.descriptor, interest, handler: self)
      self.attempt = nil
      settle()
    } catch {
      end("\(error)")
    }
  }

  func failed(_ attempt: ConnectAttempt, _ error: TransportError) {
    end(error.description)
  }

  // MARK: The loop

  func ready(_ readiness: Readiness, on registration: RegistrationID) {
    repeat { read() } while stream?.mayHoldInput == true
    settle()
  }

  func beforeSleep(now: Instant) -> Instant? {
    machine?.nextDeadline
  }

  func deadlinePassed(now: Instant) {
    if let event = machine?.advance(to: now) { finish(event) }
    settle()
  }

  // MARK: Moving bytes

  private func read() {
    switch stream?.receive(into: buffer) {
    case .bytes(let count):
      let filled = UnsafeBufferPointer(
        start: buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), count: count)
      receive(filled.span)
    case .end:
      if let event = machine?.receiveEnd() { finish(event) } else { end("early end") }
    case .failed(let error): end(error.description)
    case .wouldBlock, nil: break
    }
  }

  private func receive(_ input: Span<UInt8>) {
    var position = 0
    if machine == nil {
      guard let outcome = handshake?.receive(input, at: &position) else { return }
      handshake = nil
      guard case .accepted = outcome else { return end("\(outcome)") }
      wasOpen = true
      machine = ConnectionMachine(
        client: MaskingKeys(refill: Entropy.refill), limits: limits, now: loop.now)
    }
    while let event = machine?.receive(input, at: &position, now: loop.now) {
      handle(event, input)
    }
  }

  private func handle(_ event: ConnectionMachine.Event, _ input: Span<UInt8>) {
    switch event {
    case .message(let kind, .input(let range)):
      if firstText == nil, kind == .text {
        firstText = range.reduce(into: "") { text, index in
          text.unicodeScalars.append(Unicode.Scalar(input[index]))
        }
      }
      _ = machine?.send(kind, input, range)
    case .message(let kind, .assembled):
      guard let message = machine?.assembled else { return }
      if firstText == nil, kind == .text { firstText = String(decoding: message, as: UTF8.self) }
      _ = machine?.send(kind, message.span, 0..<message.count)
    default: finish(event)
    }
  }

  private func finish(_ event: ConnectionMachine.Event) {
    switch event {
    case .lost(let reason): end("\(reason)")
    case .closed: end(nil)
    // The server ends TCP; until then the answer is sent and nothing else happens.
    case .message, .pong, .peerClosed, .failed: break
    }
  }

  private func settle() {
    flush()
    guard let registration else { return }
    let isWaiting = !request.isEmpty || machine?.output.isEmpty == false
    let wanted: Readiness = isWaiting ? [.readable, .writable] : .readable
    guard wanted != interest else { return }
    interest = wanted
    do throws(SystemError) {
      try loop.modify(registration, wanted)
    } catch {
      end(error.description)
    }
  }

  private func flush() {
    while let stream {
      let result: IOResult?
      if !request.isEmpty {
        result = request.withUnsafeBytes { stream.send($0) }
      } else if machine?.output.isEmpty == false {
        result = machine?.output.withUnsafeBytes { stream.send($0) }
      } else {
        return
      }
      switch result {
      case .bytes(let count):
        if !request.isEmpty {
          request.consume(count)
        } else {
          machine?.consumeOutput(count, now: loop.now)
        }
      // What the server said last may still wait to be read; reading finds the end.
      case .failed, .end: return discardOutput()
      case .wouldBlock, nil: return
      }
    }
  }

  private func discardOutput() {
    request.removeAll()
    if let count = machine?.output.count { machine?.consumeOutput(count, now: loop.now) }
  }
}
