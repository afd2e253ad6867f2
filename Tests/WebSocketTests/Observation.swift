import Bytes
import Timeline

@testable import WebSocket

/// An event with its payload copied out.
enum Seen: Equatable {
  case message(MessageKind, [UInt8])
  case pong([UInt8])
  case peerClosed(CloseFrame)
  case failed(ProtocolError)
  case lost(ConnectionMachine.LossReason)
  case closed

  static func text(_ text: String) -> Seen { .message(.text, Array(text.utf8)) }

  init(_ event: ConnectionMachine.Event, _ input: [UInt8], _ machine: ConnectionMachine) {
    switch event {
    case .message(let kind, .input(let range)): self = .message(kind, Array(input[range]))
    case .message(let kind, .assembled): self = .message(kind, machine.assembled)
    case .pong(let payload): self = .pong(payload)
    case .peerClosed(let frame): self = .peerClosed(frame)
    case .failed(let error): self = .failed(error)
    case .lost(let reason): self = .lost(reason)
    case .closed: self = .closed
    }
  }
}

let start = Instant(nanoseconds: 1_000_000_000)

func after(_ wait: Duration) -> Instant { start + wait }

extension MaskingKeys {
  /// Keys that follow from a seed, so that output can be compared.
  static func seeded(_ seed: UInt64 = 1) -> MaskingKeys {
    var random = SeededRandom(seed)
    return MaskingKeys { pool in
      for index in pool.indices { pool[index] = UInt32(truncatingIfNeeded: random.next()) }
    }
  }
}

/// SplitMix64: small, and the same on every machine.
struct SeededRandom: RandomNumberGenerator {
  private var state: UInt64

  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

extension ConnectionMachine {
  static func make(
    _ role: Role, limits: WebSocketLimits = WebSocketLimits(), keepalive: Keepalive? = nil
  ) -> ConnectionMachine {
    switch role {
    case .client:
      ConnectionMachine(client: .seeded(), limits: limits, keepalive: keepalive, now: start)
    case .server: ConnectionMachine(serverWith: limits, keepalive: keepalive, now: start)
    }
  }

  /// Receives all of an input.
  mutating func seen(_ input: [UInt8], now: Instant = start) -> [Seen] {
    var seen: [Seen] = []
    var position = 0
    while let event = receive(input.span, at: &position, now: now) {
      seen.append(Seen(event, input, self))
    }
    if position != input.count { seen.append(.text("left \(input.count - position) bytes")) }
    return seen
  }

  var outputBytes: [UInt8] { output.withUnsafeBytes { Array($0) } }

  mutating func takeOutput(now: Instant = start) -> [UInt8] {
    let bytes = outputBytes
    consumeOutput(bytes.count, now: now)
    return bytes
  }

  mutating func sendText(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return send(.text, bytes.span, 0..<bytes.count)
  }
}

/// A frame as it comes from a peer of the given role.
func frame(
  _ opcode: Opcode, _ payload: [UInt8] = [], fin: Bool = true, from sender: Role = .server,
  key: UInt32 = 0x3D21_FA37
) -> [UInt8] {
  var queue = ByteQueue()
  FrameWriter.append(
    opcode, isFinal: fin, payload.span, 0..<payload.count,
    maskingKey: sender == .client ? key : nil, to: &queue)
  return queue.withUnsafeBytes { Array($0) }
}

func frame(
  _ opcode: Opcode, _ text: String, fin: Bool = true, from sender: Role = .server
) -> [UInt8] {
  frame(opcode, Array(text.utf8), fin: fin, from: sender)
}

/// The frames of an output, as the peer reads them.
func frames(in output: [UInt8], from sender: Role) -> [WireFrame] {
  var frames: [WireFrame] = []
  var position = 0
  while position < output.count {
    guard
      case .header(let header, let length) = FrameHeader.read(
        output.span, at: position, from: sender),
      position + length + header.payloadLength <= output.count
    else { return frames + [WireFrame(opcode: .continuation, payload: Array("broken".utf8))] }
    position += length
    var payload: [UInt8] = []
    Masking.append(
      output.span, position..<(position + header.payloadLength), key: header.maskingKey ?? 0,
      to: &payload)
    position += header.payloadLength
    frames.append(
      WireFrame(opcode: header.opcode, payload: payload, key: header.maskingKey ?? 0))
  }
  return frames
}

struct WireFrame: Equatable, CustomStringConvertible {
  var opcode: Opcode
  var payload: [UInt8]
  var key: UInt32 = 0

  static func == (left: WireFrame, right: WireFrame) -> Bool {
    left.opcode == right.opcode && left.payload == right.payload
  }

  static func close(_ code: UInt16, _ reason: String = "") -> WireFrame {
    WireFrame(
      opcode: .close,
      payload: [UInt8(code >> 8), UInt8(code & 255)] + Array(reason.utf8))
  }

  var description: String { "\(opcode.name) \(payload)" }
}

func bytes(_ hexadecimal: String) -> [UInt8] {
  hexadecimal.split(separator: " ").map { UInt8($0, radix: 16) ?? 0 }
}
