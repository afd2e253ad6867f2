import CurlShim
import Posix
import Reactor
import Timeline

/// Is told when a transfer has ended; for CONNECT_ONLY, when the connection stands.
protocol CurlMultiDelegate: AnyObject {
  func finished(_ easy: UnsafeMutableRawPointer, _ result: CURLcode)
}

/// libcurl's engine on our loop: it says which descriptors and which timer it waits for, and is
/// called when they are ready. One lives as long as its connections do, because it keeps the parsed
/// certificate store (43 ms the first time, 3 ms later).
final class CurlMulti: ReadinessHandler {
  private let loop: EventLoop
  private var multi: UnsafeMutableRawPointer?
  private var registrations: [CInt: RegistrationID] = [:]
  private var descriptors: [RegistrationID: CInt] = [:]
  private(set) var deadline: Instant?
  weak var delegate: (any CurlMultiDelegate)?

  /// Nil when there is no memory.
  init?(loop: EventLoop) {
    self.loop = loop
    // Not retained: this object ends libcurl's engine before it goes.
    let context = Unmanaged.passUnretained(self).toOpaque()
    multi = curlshim_multi_new(
      { _, socket, action, context, _ in
        guard let context else { return 0 }
        Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue().watch(socket, action)
        return 0
      },
      { _, milliseconds, context in
        guard let context else { return 0 }
        Unmanaged<CurlMulti>.fromOpaque(context).takeUnretainedValue().schedule(milliseconds)
        return 0
      }, context)
    if multi == nil { return nil }
  }

  deinit {
    if let multi { curlshim_multi_cleanup(multi) }
  }

  func add(_ easy: CurlEasy) -> Bool {
    curlshim_multi_add(multi, easy.pointer) == CURLM_OK
  }

  /// Ends a transfer and closes its connection, in whatever phase it is.
  func remove(_ easy: CurlEasy) {
    _ = curlshim_multi_remove(multi, easy.pointer)
  }

  /// Lets libcurl act on its timer, and tells what has ended.
  func timerFired() {
    deadline = nil
    _ = curlshim_multi_act(multi, CURL_SOCKET_TIMEOUT, 0)
    // libcurl counts on CLOCK_MONOTONIC, which stands still during a suspend: its timer may not be
    // due yet by that clock, and then it doesn't ask again.
    if deadline == nil { schedule(curlshim_multi_timeout(multi)) }
    takeFinished()
  }

  func ready(_ readiness: Readiness, on registration: RegistrationID) {
    guard let socket = descriptors[registration] else { return }
    var events: CInt = 0
    if readiness.contains(.readable) || readiness.contains(.hangUp) { events |= CURL_CSELECT_IN }
    if readiness.contains(.writable) { events |= CURL_CSELECT_OUT }
    if readiness.contains(.error) { events |= CURL_CSELECT_ERR }
    _ = curlshim_multi_act(multi, socket, events)
    takeFinished()
  }

  private func takeFinished() {
    var easy: UnsafeMutableRawPointer?
    var result = CURLE_OK
    while curlshim_multi_next_done(multi, &easy, &result) == 1 {
      if let easy { delegate?.finished(easy, result) }
    }
  }

  // MARK: Called by libcurl, which must not be called back from here

  private func watch(_ socket: CInt, _ action: CInt) {
    if action == CURL_POLL_REMOVE {
      forget(socket)
      return
    }
    var interest: Readiness = []
    if action & CURL_POLL_IN != 0 { interest.insert(.readable) }
    if action & CURL_POLL_OUT != 0 { interest.insert(.writable) }
    do {
      if let id = registrations[socket] {
        try loop.modify(id, interest)
      } else {
        let id = try loop.add(socket, interest, handler: self)
        registrations[socket] = id
        descriptors[id] = socket
      }
    } catch {
      // Not watched, the attempt ends by its time limit.
      forget(socket)
    }
  }

  private func forget(_ socket: CInt) {
    guard let id = registrations.removeValue(forKey: socket) else { return }
    descriptors[id] = nil
    loop.remove(id)
  }

  private func schedule(_ milliseconds: Int) {
    deadline = milliseconds < 0 ? nil : MonotonicClock.now() + .milliseconds(milliseconds)
    // The loop may have asked for this turn's deadlines already.
    loop.askForTurn()
  }
}
