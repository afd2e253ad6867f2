import Glibc
import Options
import Posix
import Reactor
import Timeline
import Transport

@testable import Daemon

/// A hub on a free port, of echoes unless told otherwise, and raw clients of it, all on the test's own thread.
final class HubStage {
  let hub: HubServer
  let address: SocketAddress
  private var clients: [RawClient] = []

  /// Keeps the loop from waiting: the clients are on its thread.
  private final class Spin: TurnHook {
    func beforeSleep(now: Instant) -> Instant? { now }
    func deadlinePassed(now: Instant) {}
  }

  convenience init(
    maximumMessage: Int = 1 << 20, origins: [String] = [], maximumClients: Int = 100
  ) throws {
    try self.init(
      Echo(maximumMessage: maximumMessage), origins: origins, maximumClients: maximumClients)
  }

  init(
    _ application: any HubApplication, origins: [String] = [], maximumClients: Int = 100
  ) throws {
    let loop = try EventLoop()
    let log = try StandardErrorLog(LogSettings(level: .error), loop: loop)
    loop.attach(Spin())
    hub = HubServer(
      loop: loop, log: log, application: application, maximumClients: maximumClients)
    address = try hub.listen(on: .tcp(host: "127.0.0.1", port: 0), origins: origins)
  }

  deinit {
    hub.close()
    hub.loop.close()
  }

  /// A client that has connected and said nothing yet.
  func client() throws -> RawClient {
    guard case .tcp(_, let port) = address else { throw Failure("no port") }
    let client = try RawClient(port: port)
    clients.append(client)
    return client
  }

  /// A client whose handshake was accepted.
  func openClient() throws -> RawClient {
    let client = try client()
    client.send(RawClient.request(fields: ["Host: localhost"]))
    try turn(until: "101") { client.head != nil }
    guard client.takeHead()?.hasPrefix("HTTP/1.1 101 ") == true else { throw Failure("no 101") }
    return client
  }

  /// Turns the loop, without waiting, until the condition holds.
  func turn(until what: String, _ condition: () -> Bool) throws {
    let deadline = MonotonicClock.now() + .seconds(20)
    while !condition() {
      guard MonotonicClock.now() < deadline else { throw Failure("waited for \(what)") }
      try hub.loop.turn()
      for client in clients { client.receive() }
    }
  }

  struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }
}

/// A non-blocking socket, and what came from it.
final class RawClient {
  let socket: FileDescriptor
  private(set) var received: [UInt8] = []
  private(set) var hasEnded = false
  private var unsent: [UInt8] = []
  private var sentCount = 0

  init(port: UInt16) throws {
    socket = try FileDescriptor.socket(family: AF_INET)
    // Small buffers, so that a client that doesn't read is soon noticed.
    var bufferSize: CInt = 65_536
    let optionSize = socklen_t(MemoryLayout<CInt>.size)
    _ = setsockopt(socket.number, SOL_SOCKET, SO_RCVBUF, &bufferSize, optionSize)
    _ = setsockopt(socket.number, SOL_SOCKET, SO_SNDBUF, &bufferSize, optionSize)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let number = socket.number
    _ = withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    _ = IO.poll(number, for: CInt(POLLOUT), milliseconds: 5_000)
    var error: CInt = 0
    var size = socklen_t(MemoryLayout<CInt>.size)
    _ = getsockopt(number, SOL_SOCKET, SO_ERROR, &error, &size)
    guard error == 0 else { throw SystemError(call: "connect", object: "hub", number: error) }
  }

  static func request(fields: [String], line: String = "GET / HTTP/1.1") -> [UInt8] {
    let lines =
      [line] + fields + [
        "Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Version: 13",
        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
      ]
    return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8)
  }

  /// A frame masked with zeros, which leave the payload as it is.
  static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
    var frame = [first]
    switch payload.count {
    case ..<126: frame.append(0x80 | UInt8(payload.count))
    case ..<65_536: frame += [0xFE, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF)]
    default:
      frame.append(0xFF)
      for shift in stride(from: 56, through: 0, by: -8) {
        frame.append(UInt8(truncatingIfNeeded: payload.count >> shift))
      }
    }
    return frame + [0, 0, 0, 0] + payload
  }

  func say(_ text: String) {
    send(RawClient.frame(0x81, Array(text.utf8)))
  }

  /// What has come, frames' headers and all.
  var text: String { String(decoding: received, as: UTF8.self) }

  /// Sends what fits; `flush` sends the rest.
  func send(_ bytes: [UInt8]) {
    unsent.append(contentsOf: bytes)
    flush()
  }

  var unsentCount: Int { unsent.count - sentCount }

  func flush() {
    while unsentCount > 0 {
      let result = unsent.withUnsafeBytes { bytes in
        IO.send(socket.number, UnsafeRawBufferPointer(rebasing: bytes[sentCount...]))
      }
      guard case .bytes(let count) = result else { return }
      sentCount += count
    }
  }

  private var buffer = [UInt8](repeating: 0, count: 1 << 18)

  /// Whether `receive` leaves everything unread.
  var isDeaf = false

  func receive() {
    guard !isDeaf else { return }
    while true {
      switch buffer.withUnsafeMutableBytes({ IO.receive(socket.number, into: $0) }) {
      case .bytes(let count):
        buffer.withUnsafeBytes { received.append(contentsOf: $0.prefix(count)) }
      case .wouldBlock: return
      case .end, .failed:
        hasEnded = true
        return
      }
    }
  }

  /// The HTTP head, once it is there in full.
  var head: String? {
    let text = String(decoding: received, as: UTF8.self)
    return text.contains("\r\n\r\n") ? text : nil
  }

  func takeHead() -> String? {
    defer { received = [] }
    return head
  }

  func take() -> [UInt8] {
    defer { received = [] }
    return received
  }

  func end() {
    IO.shutdownWrite(socket.number)
  }
}
