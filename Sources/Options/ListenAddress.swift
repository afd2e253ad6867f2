/// Where the hub waits for connections.
package enum ListenAddress: Equatable, Sendable {
  /// An address or a name, an IPv6 address without its brackets; port 0 takes a free one.
  case tcp(host: String, port: UInt16)
  case unix(path: String)

  /// Reads `ADDRESS:PORT` (an IPv6 address in brackets) or `unix:PATH`.
  package static func parse(_ text: String) -> ListenAddress? {
    if ASCIIText.hasControl(text) { return nil }
    if text.hasPrefix("unix:") {
      let path = String(decoding: text.utf8.dropFirst(5), as: UTF8.self)
      return path.isEmpty ? nil : .unix(path: path)
    }
    guard let colon = text.utf8.lastIndex(of: UInt8(ascii: ":")),
      let number = NumberText.parse(String(text[text.utf8.index(after: colon)...])),
      let port = UInt16(exactly: number)
    else { return nil }
    var host = text.utf8[..<colon]
    if host.first == UInt8(ascii: "[") {
      guard host.count > 2, host.last == UInt8(ascii: "]") else { return nil }
      host = host.dropFirst().dropLast()
      guard host.allSatisfy({ isHex($0) || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".") })
      else { return nil }
    } else {
      guard !host.isEmpty,
        host.allSatisfy({ ASCIIText.isAlphanumeric($0) || $0 == 0x2D || $0 == 0x2E || $0 == 0x5F })
      else { return nil }
    }
    return .tcp(host: String(Substring(host)), port: port)
  }

  /// The address as `--listen` takes it.
  package var text: String {
    switch self {
    case .tcp(let host, let port):
      host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }

  /// Whether only this machine can connect.
  package var isLocal: Bool {
    switch self {
    case .tcp(let host, _): Loopback.contains(host)
    case .unix: true
    }
  }

  private static func isHex(_ byte: UInt8) -> Bool {
    ASCIIText.isDigit(byte)
      || (byte | 0x20 >= UInt8(ascii: "a") && byte | 0x20 <= UInt8(ascii: "f"))
  }
}
