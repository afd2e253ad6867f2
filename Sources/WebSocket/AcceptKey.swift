internal import Bytes

/// The proof that a server understood the handshake (RFC 6455, section 4.2.2): "not to prove
/// identity, but to show that it isn't a cache or a server of another protocol that answers".
enum AcceptKey {
  /// The value of Sec-WebSocket-Accept for a value of Sec-WebSocket-Key.
  static func value(for key: [UInt8]) -> [UInt8] {
    let text = key + Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)
    let digest = SHA1.digest(of: text.span)
    return Base64.encode(digest.span, 0..<digest.count)
  }
}
