import Glibc
import Posix
import Reactor
import Timeline
import Transport

/// Waits for one attempt's end.
final class Outcome: ConnectAttemptDelegate {
  private(set) var stream: (any ByteStream)?
  private(set) var error: TransportError?
  private(set) var callCount = 0

  func connected(_ attempt: ConnectAttempt, _ stream: any ByteStream) {
    self.stream = stream
    callCount += 1
  }

  func failed(_ attempt: ConnectAttempt, _ error: TransportError) {
    self.error = error
    callCount += 1
  }
}

/// Sends what it is given and gathers what comes, as a bridge does.
final class Talk: ReadinessHandler {
  let stream: any ByteStream
  private let loop: EventLoop
  private var id: RegistrationID?
  private var output = ArraySlice<UInt8>()
  private(set) var received: [UInt8] = []
  private(set) var hasEnded = false
  private(set) var error: SystemError?
  private(set) var blockedSendCount = 0
  var reads = true
  /// Sends back what comes.
  var echoes = false
  var onReceive: ((Talk) -> Void)?

  init(_ stream: any ByteStream, _ loop: EventLoop) throws {
    self.stream = stream
    self.loop = loop
    id = try loop.add(stream.descriptor, [.readable, .writable], .edge, handler: self)
  }

  var text: String {
    String(decoding: received, as: UTF8.self)
  }

  var pendingCount: Int {
    output.count
  }

  func send(_ bytes: [UInt8]) {
    output += bytes
    flush()
  }

  func send(_ text: String) {
    send(Array(text.utf8))
  }

  func resume() throws {
    reads = true
    if let id { try loop.modify(id, [.readable, .writable]) }
    receive()
  }

  /// Leaves the loop, the stream still open; returns what was received.
  func detach() -> any ByteStream {
    if let id { loop.remove(id) }
    id = nil
    return stream
  }

  func close() {
    detach().close()
  }

  func ready(_ readiness: Readiness, on registration: RegistrationID) {
    if readiness.allowsWriting { flush() }
    if readiness.allowsReading && reads { receive() }
  }

  private func flush() {
    while !output.isEmpty {
      // From a fresh copy each time: the stream must not count on the caller's memory.
      let copy = Array(output.prefix(200_000))
      var start = 0
      while start < copy.count {
        let result = copy.withUnsafeBytes {
          stream.send(UnsafeRawBufferPointer(rebasing: $0[start...]))
        }
        switch result {
        case .bytes(let count): start += count
        case .failed(let error):
          self.error = error
          output = []
          return
        case .wouldBlock, .end:
          blockedSendCount += 1
          output.removeFirst(start)
          return
        }
      }
      output.removeFirst(start)
    }
  }

  private func receive() {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while !hasEnded && error == nil {
      switch buffer.withUnsafeMutableBytes({ stream.receive(into: $0) }) {
      case .bytes(let count):
        received += buffer[..<count]
        if echoes { send(Array(buffer[..<count])) }
        onReceive?(self)
      case .wouldBlock: return
      case .end: hasEnded = true
      case .failed(let error): self.error = error
      }
    }
  }
}

/// A server in the same loop.
final class Server: ListenerDelegate {
  private(set) var listener: Listener?
  private(set) var talks: [Talk] = []
  private(set) var refusals: [SystemError] = []
  private let loop: EventLoop
  var echoes = true
  var onAccept: ((Talk) -> Void)?

  init(_ loop: EventLoop, _ address: SocketAddress = .tcp(host: "127.0.0.1", port: 0)) throws {
    self.loop = loop
    listener = try Listener(address, loop: loop, delegate: self)
  }

  var port: UInt16 {
    guard case .tcp(_, let port)? = listener?.address else { return 0 }
    return port
  }

  func accepted(_ stream: SocketStream, by listener: Listener) {
    guard let talk = try? Talk(stream, loop) else { return }
    talk.echoes = echoes
    talks.append(talk)
    onAccept?(talk)
  }

  func refused(_ error: SystemError, by listener: Listener) {
    refusals.append(error)
  }

  func forgetTalks() {
    for talk in talks { talk.close() }
    talks = []
  }

  func close() {
    onAccept = nil
    for talk in talks {
      talk.onReceive = nil
      talk.close()
    }
    listener?.close()
  }
}

extension ByteStream {
  func send(_ bytes: [UInt8]) -> IOResult {
    bytes.withUnsafeBytes { send($0) }
  }

  func receive() -> IOResult {
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 1) { receive(into: $0) }
  }
}

extension SystemError {
  static func closed(to place: String) -> SystemError {
    SystemError(call: "send", object: place, number: EPIPE)
  }
}

extension SocketAddress {
  func withPort(_ port: UInt16) -> SocketAddress {
    guard case .tcp(let host, _) = self else { return self }
    return .tcp(host: host, port: port)
  }
}

/// A random piece again and again; its length is a prime, so that no two records are alike.
func randomBytes(_ count: Int) -> [UInt8] {
  let piece = Entropy.bytes(65_521)
  var result: [UInt8] = []
  result.reserveCapacity(count + piece.count)
  while result.count < count { result += piece }
  result.removeLast(result.count - count)
  return result
}

func openDescriptorCount() -> Int {
  guard let directory = opendir("/proc/self/fd") else { return -1 }
  defer { closedir(directory) }
  var count = 0
  while readdir(directory) != nil { count += 1 }
  return count
}

extension TransportTarget {
  /// Without a proxy, whatever the environment says.
  static func direct(_ host: String, _ port: UInt16, secure: Bool = false) -> TransportTarget {
    var target = TransportTarget(host: host, port: port, isSecure: secure)
    target.proxy = .direct
    return target
  }
}
