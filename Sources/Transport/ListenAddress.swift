import Glibc
import Posix

/// Where a server listens: `127.0.0.1:7717`, `[::1]:7717`, `localhost:7717` or `unix:PATH`.
package enum ListenAddress: Hashable, Sendable, CustomStringConvertible {
  /// A numeric address, without brackets; port 0 lets the system choose one.
  case tcp(host: String, port: UInt16)
  case unix(path: String)

  /// Reads the forms above; nil for anything else, such as a name that would have to be looked up.
  package init?(_ text: String) {
    if text.hasPrefix("unix:") {
      let path = String(text.dropFirst(5))
      guard !path.isEmpty, path.utf8.count < UnixAddress.maximumPath, !path.utf8.contains(0) else {
        return nil
      }
      self = .unix(path: path)
      return
    }
    guard let colon = text.lastIndex(of: ":") else { return nil }
    let digits = text[text.index(after: colon)...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
      let port = UInt16(digits)
    else { return nil }
    let host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      self = .tcp(host: String(host.dropFirst().dropLast()), port: port)
    } else {
      // Brackets tell an IPv6 address from its port.
      guard !host.contains(":") else { return nil }
      self = .tcp(host: host == "localhost" ? "127.0.0.1" : String(host), port: port)
    }
    guard Self.storage(of: self) != nil else { return nil }
  }

  package var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }

  /// Nobody on another machine can reach it: a Unix socket, 127.0.0.0/8 or ::1.
  package var isLoopback: Bool {
    switch self {
    case .unix: true
    case .tcp(let host, _): host.hasPrefix("127.") || host == "::1"
    }
  }

  /// The address for the system; nil for a Unix socket or a host that is no numeric address.
  static func storage(of address: ListenAddress) -> (
    family: CInt, storage: sockaddr_storage, size: socklen_t
  )? {
    guard case .tcp(let host, let port) = address else { return nil }
    var storage = sockaddr_storage()
    var four = sockaddr_in()
    var six = sockaddr_in6()
    if inet_pton(AF_INET, host, &four.sin_addr) == 1 {
      four.sin_family = sa_family_t(AF_INET)
      four.sin_port = port.bigEndian
      withUnsafeMutableBytes(of: &storage) { target in
        withUnsafeBytes(of: four) { target.copyMemory(from: $0) }
      }
      return (AF_INET, storage, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
    guard inet_pton(AF_INET6, host, &six.sin6_addr) == 1 else { return nil }
    six.sin6_family = sa_family_t(AF_INET6)
    six.sin6_port = port.bigEndian
    withUnsafeMutableBytes(of: &storage) { target in
      withUnsafeBytes(of: six) { target.copyMemory(from: $0) }
    }
    return (AF_INET6, storage, socklen_t(MemoryLayout<sockaddr_in6>.size))
  }
}
