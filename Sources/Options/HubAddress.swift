/// Where the hub waits for connections.
package enum HubAddress: Equatable, Sendable {
  /// A numeric address (IPv6 without its brackets) or `localhost`; port 0 takes a free one.
  case tcp(host: String, port: UInt16)
  case unix(path: String)

  /// Reads `ADDRESS:PORT` (an IPv6 address in brackets) or `unix:PATH`.
  package static func parse(_ text: String) -> HubAddress? {
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
      guard host.last == UInt8(ascii: "]") else { return nil }
      host = host.dropFirst().dropLast()
      // Whether it is an address in full is for the system to say.
      guard host.count >= 2, host.contains(UInt8(ascii: ":")), host.allSatisfy(isIPv6) else {
        return nil
      }
    } else {
      guard host.elementsEqual("localhost".utf8) || isIPv4(host) else { return nil }
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
    case .tcp(let host, _): host == "localhost" || host == "::1" || host.hasPrefix("127.")
    case .unix: true
    }
  }

  /// Four decimal numbers; a leading zero means octal to some readers.
  private static func isIPv4(_ host: Substring.UTF8View) -> Bool {
    let parts = host.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    return parts.count == 4
      && parts.allSatisfy { part in
        guard part.count <= 3, part.count == 1 || part.first != UInt8(ascii: "0"),
          let number = NumberText.parse(String(Substring(part)))
        else { return false }
        return number <= 255
      }
  }

  private static func isIPv6(_ byte: UInt8) -> Bool {
    let lower = byte | 0x20
    return ASCIIText.isDigit(byte) || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".")
      || (lower >= UInt8(ascii: "a") && lower <= UInt8(ascii: "f"))
  }
}
