import Glibc
import JSONText
import Posix
import Timeline
import Transport
import WebSocket

/// Asks whether a hub with rooms listens on a port of this machine, and takes guests.
struct HubProbe {
  /// A hub greets at once; whoever says nothing is another server.
  private static let patience = Duration.seconds(1)

  private let stream: SocketStream
  private let deadline: Instant
  private var handshake: ClientHandshake
  private var machine: ConnectionMachine?

  static func findsHub(at url: WebSocketURL) -> Bool {
    guard var probe = HubProbe(url) else { return false }
    return probe.isGreeted()
  }

  private init?(_ url: WebSocketURL) {
    let address = SocketAddress.tcp(host: url.host, port: UInt16(clamping: url.port))
    let patience = CInt(clamping: Self.patience.wholeMilliseconds)
    guard let stream = try? SocketStream.connect(to: address, milliseconds: patience),
      let handshake = try? ClientHandshake(url: url, nonce: Entropy.bytes(16))
    else { return nil }
    self.stream = stream
    self.handshake = handshake
    deadline = MonotonicClock.now() + Self.patience
  }

  private mutating func isGreeted() -> Bool {
    let request = handshake.request.bytes
    // What is new takes a few hundred bytes.
    guard case .bytes(request.count) = request.withUnsafeBytes({ stream.send($0) }) else {
      return false
    }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)
    defer { buffer.deallocate() }
    while true {
      switch stream.receive(into: buffer) {
      case .bytes(let count):
        let filled = UnsafeBufferPointer(
          start: buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), count: count)
        if let verdict = verdict(filled.span) { return verdict }
      case .wouldBlock:
        let left = (deadline - MonotonicClock.now()).wholeMilliseconds
        guard left > 0 else { return false }
        _ = IO.poll(stream.descriptor, for: CInt(POLLIN), milliseconds: CInt(clamping: left))
      case .end, .failed: return false
      }
    }
  }

  /// nil as long as nothing is certain.
  private mutating func verdict(_ input: Span<UInt8>) -> Bool? {
    var position = 0
    if machine == nil {
      guard let outcome = handshake.receive(input, at: &position) else { return nil }
      guard case .accepted = outcome else { return false }
      machine = ConnectionMachine(
        client: MaskingKeys(refill: Entropy.refill), now: MonotonicClock.now())
    }
    switch machine?.receive(input, at: &position, now: MonotonicClock.now()) {
    case nil: return nil
    case .message(.text, .input(let range)): return Self.isWelcome(input, range)
    case .message(.text, .assembled):
      guard let message = machine?.assembled else { return false }
      return Self.isWelcome(message.span, 0..<message.count)
    default: return false
    }
  }

  private static func isWelcome(_ text: Span<UInt8>, _ range: Range<Int>) -> Bool {
    var scanner = JSONScanner(wanted: ["type"])
    guard (try? scanner.scan(text, range)) != nil, let type = scanner.member(0),
      type.kind == .string
    else { return false }
    return text.extracting(type.range).withUnsafeBufferPointer { $0.elementsEqual("welcome".utf8) }
  }
}
