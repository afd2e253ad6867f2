import Posix
import Reactor
import Session
import Timeline
import Transport
import WebSocket

/// Listens, and keeps the connections of one application, on one loop.
final class HubServer: TurnHook, ListenerDelegate, SignalReceiver {
  /// Serves all clients in turn, so that an idle one costs no memory; a read of it is parsed at once.
  private static let bufferSize = 256 << 10
  /// Deadlines are met this late at most; in return a scan of all clients is rare.
  private static let scanInterval = Duration.milliseconds(250)
  /// How long a stopping hub waits for its clients' Close frames.
  private static let stopTimeout = Duration.seconds(1)
  private static let complaintInterval = Duration.seconds(10)

  let loop: EventLoop
  let log: any HubLog
  let application: any HubApplication
  let pending = PendingConnections()
  private let maximumClients: Int
  let buffer = UnsafeMutableRawBufferPointer.allocate(
    byteCount: HubServer.bufferSize, alignment: 64)
  private(set) var access: HubAccess?
  private(set) var url = ""
  /// The signal that ended it.
  private(set) var signal: CInt?

  private var listener: Listener?
  private var clients: [HubConnection] = []
  private var lastNumber = 0
  /// No client's deadline is before it; clients make it earlier, a scan makes it later.
  private var nextScan: Instant?
  private var stopDeadline: Instant?
  private var nextComplaint: Instant?

  /// - Parameter maximumClients: with the backlog that each may have a bound on memory; the default
  ///   is far above what one machine's team or test needs.
  init(
    loop: EventLoop, log: any HubLog, application: any HubApplication, maximumClients: Int = 4_096
  ) {
    self.maximumClients = maximumClients
    self.loop = loop
    self.log = log
    self.application = application
    loop.attach(self)
  }

  deinit {
    buffer.deallocate()
  }

  var now: Moment { Moment(instant: loop.now, timestamp: WallClock.now()) }
  var clientCount: Int { clients.count }

  /// Begins to take clients. Returns the address, with the port that the system has chosen for 0.
  func listen(on address: SocketAddress, origins: [String]) throws(SystemError) -> SocketAddress {
    let listener = try Listener(address, loop: loop, delegate: self)
    self.listener = listener
    access = HubAccess(listening: listener.address, origins: origins)
    switch listener.address {
    case .tcp: url = "ws://\(listener.address)"
    case .unix(let path): url = "--unix-socket \(path) ws://localhost"
    }
    return listener.address
  }

  /// Takes no more clients, says goodbye to those there are, and stops the loop when all are gone
  /// or a second has passed; at once if it was stopping already.
  func stop() {
    guard stopDeadline == nil else { return loop.stop() }
    listener?.close()
    listener = nil
    stopDeadline = loop.now + Self.stopTimeout
    application.stop(now)
    for client in clients { client.leave() }
    loop.askForTurn()
  }

  /// Lets everything go; the loop has stopped.
  func close() {
    listener?.close()
    for client in clients { client.drop(nil) }
    pending.removeAll()
    log.flush(now: loop.now)
    log.close()
    loop.detach(self)
  }

  // MARK: Clients

  /// Makes sure that the client's deadline is seen.
  func schedule(_ deadline: Instant?) {
    guard let deadline else { return }
    nextScan = nextScan.map { min($0, deadline) } ?? deadline
  }

  func forget(_ client: HubConnection) {
    let last = clients.removeLast()
    guard last !== client else { return }
    clients[client.slot] = last
    last.slot = client.slot
  }

  func accepted(_ stream: SocketStream, by listener: Listener) {
    guard clients.count < maximumClients else {
      let answer = HTTPResponse(status: 503, text: "this hub has as many clients as it takes")
      // One try: if not even this fits into a new socket, its end says enough.
      _ = answer.bytes.withUnsafeBytes { stream.send($0) }
      stream.close()
      return complain("\(clients.count) clients, no more are taken")
    }
    lastNumber += 1
    let client = HubConnection(stream, number: lastNumber, server: self)
    client.slot = clients.count
    clients.append(client)
    client.start()
  }

  func refused(_ error: SystemError, by listener: Listener) {
    complain("a client was turned away: \(error)")
  }

  /// Clients can make these happen as often as they like.
  private func complain(_ text: String) {
    if let nextComplaint, loop.now < nextComplaint { return }
    nextComplaint = loop.now + Self.complaintInterval
    log.note(.warning, text)
  }

  // MARK: The loop

  func received(_ signal: CInt) {
    guard HubServer.stoppingSignals.contains(signal) else { return }
    self.signal = signal
    stop()
  }

  func beforeSleep(now: Instant) -> Instant? {
    application.turnEnds(self.now)
    pending.settle()
    log.flush(now: now)
    if stopDeadline != nil, clients.isEmpty { loop.stop() }
    return [nextScan, stopDeadline, application.nextDeadline].compactMap { $0 }.min()
  }

  func deadlinePassed(now: Instant) {
    if let stopDeadline, stopDeadline <= now { return loop.stop() }
    if let due = application.nextDeadline, due <= now { application.advance(self.now) }
    guard let nextScan, nextScan <= now else { return }
    for client in clients { client.advance(to: now) }
    let earliest = clients.lazy.compactMap(\.nextDeadline).min()
    self.nextScan = earliest.map { max($0, now + Self.scanInterval) }
  }
}
