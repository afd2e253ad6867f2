import CurlShim
import Glibc
import Posix
package import Reactor
package import Timeline

/// Opens connections through libcurl without ever blocking the loop; one for the process's life.
///
///     let connector = Connector(loop: loop)
///     let attempt = connector.connect(
///       TransportTarget(host: "chat.example.org", port: 443, isSecure: true), delegate: self)
///
/// libcurl finds the name (on a thread of its own), tries IPv6 and IPv4 side by side, goes through a
/// proxy and does TLS; then the connection is a `ByteStream` that no longer needs this object.
/// Signals must be blocked before the first attempt, because libcurl's threads inherit the mask.
package final class Connector: TurnHook {
  private let loop: EventLoop
  private var multi: CurlMulti?
  private var attempts: [ConnectAttempt] = []

  /// libcurl's own time limit comes first; this is for what it can't see, such as the time that
  /// passed while the machine slept.
  private static let grace = Duration.milliseconds(500)

  package init(loop: EventLoop) {
    self.loop = loop
    loop.attach(self)
  }

  /// Ends all attempts without a word and leaves the loop. Open streams stay open.
  package func close() {
    while let attempt = attempts.last { forget(attempt) }
    loop.detach(self)
    multi = nil
  }

  /// Starts to connect; the delegate is told the end in a later turn, unless the attempt is cancelled.
  ///
  /// The delegate is not held.
  package func connect(
    _ target: TransportTarget, delegate: any ConnectAttemptDelegate
  ) -> ConnectAttempt {
    var easy: CurlEasy?
    var failure: TransportError?
    do {
      easy = try start(target)
    } catch {
      failure = error
    }
    let attempt = ConnectAttempt(
      target: target, easy: easy, earlyFailure: failure,
      deadline: MonotonicClock.now() + target.connectTimeout + Self.grace,
      delegate: delegate, connector: self)
    attempts.append(attempt)
    loop.askForTurn()
    return attempt
  }

  func forget(_ attempt: ConnectAttempt) {
    guard let index = attempts.firstIndex(where: { $0 === attempt }) else { return }
    attempts.remove(at: index)
    if let easy = attempt.easy { multi?.remove(easy) }
  }

  // MARK: Turns

  package func beforeSleep(now: Instant) -> Instant? {
    // Told after this turn's events, not here: a hook that was asked before this one would not be
    // asked again for what the delegate decides.
    if attempts.contains(where: { $0.earlyFailure != nil }) { return now }
    var earliest = multi?.deadline
    for attempt in attempts {
      earliest = earliest.map { min($0, attempt.deadline) } ?? attempt.deadline
    }
    return earliest
  }

  package func deadlinePassed(now: Instant) {
    if let multi, let deadline = multi.deadline, deadline <= now { multi.timerFired() }
    while let attempt = attempts.first(where: { $0.earlyFailure != nil }) {
      forget(attempt)
      if let error = attempt.earlyFailure { attempt.delegate?.failed(attempt, error) }
    }
    while let attempt = attempts.first(where: { $0.deadline <= now }) {
      forget(attempt)
      attempt.delegate?.failed(attempt, .timeLimitReached(attempt.target))
    }
  }

  // MARK: Attempts

  private func start(_ target: TransportTarget) throws(TransportError) -> CurlEasy {
    if let problem = curlshim_load() {
      let reason = String(cString: problem)
      throw TransportError(
        kind: .library, description: "\(reason): install libcurl (Debian: apt install libcurl4)")
    }
    let multi: CurlMulti
    if let existing = self.multi {
      multi = existing
    } else {
      guard let new = CurlMulti(loop: loop) else { throw .noMemory }
      new.delegate = self
      self.multi = new
      multi = new
    }
    guard let easy = CurlEasy() else { throw .noMemory }
    try easy.apply(target)
    guard multi.add(easy) else { throw .noMemory }
    return easy
  }
}

extension Connector: CurlMultiDelegate {
  func finished(_ easy: UnsafeMutableRawPointer, _ result: CURLcode) {
    guard let index = attempts.firstIndex(where: { $0.easy?.pointer == easy }) else { return }
    let attempt = attempts[index]
    guard let multi, let easy = attempt.easy else { return }
    guard result == CURLE_OK, let socket = easy.socket else {
      let error = TransportError(result, easy, attempt.target)
      forget(attempt)
      attempt.delegate?.failed(attempt, error)
      return
    }
    attempts.remove(at: index)
    // An HTTP proxy may itself be reached by TLS, and libcurl doesn't say; then the socket isn't ours.
    let isDirect = !attempt.target.isSecure && easy.get(CURLINFO_HTTP_CONNECTCODE) == 0
    let stream = CurlStream(
      easy: easy, multi: multi, socket: socket, place: attempt.target.place, isDirect: isDirect)
    if let delegate = attempt.delegate {
      delegate.connected(attempt, stream)
    } else {
      stream.close()
    }
  }
}
