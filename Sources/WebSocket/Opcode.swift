/// What a frame is for (RFC 6455, section 5.2); every other value is reserved and refused.
package enum Opcode: UInt8, Sendable {
  case continuation = 0x0
  case text = 0x1
  case binary = 0x2
  case close = 0x8
  case ping = 0x9
  case pong = 0xA

  /// Control frames carry at most 125 bytes, are never fragmented, and may stand between the
  /// fragments of a message (section 5.5).
  @inlinable
  package var isControl: Bool { rawValue & 0x8 != 0 }

  /// The name as tools print it.
  package var name: String {
    switch self {
    case .continuation: "CONT"
    case .text: "TEXT"
    case .binary: "BINARY"
    case .close: "CLOSE"
    case .ping: "PING"
    case .pong: "PONG"
    }
  }
}

/// The two kinds of message (RFC 6455, section 5.6).
package enum MessageKind: Sendable {
  /// UTF-8, checked.
  case text
  case binary

  /// The opcode of a message's first frame.
  @inlinable
  package var opcode: Opcode { self == .text ? .text : .binary }
}

/// The side of a connection. A client masks what it sends, a server doesn't (RFC 6455, section 5.1).
package enum Role: Sendable {
  case client
  case server

  package var peer: Role { self == .client ? .server : .client }
}
