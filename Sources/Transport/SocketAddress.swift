import Glibc
import Posix

/// Where a server listens. What a user may write is the options' matter.
package enum SocketAddress: Hashable, Sendable, CustomStringConvertible {
  /// A numeric address without brackets, or `localhost` for 127.0.0.1; port 0 lets the system choose.
  case tcp(host: String, port: UInt16)
  case unix(path: String)

  package var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): "unix:\(path)"
    }
  }

  /// Whether the system takes it as it is, without looking a name up.
  package var isNumeric: Bool { systemForm != nil }

  /// The form that the system takes; nil for a Unix socket, or a host that is no numeric address.
  var systemForm: (family: CInt, storage: sockaddr_storage, size: socklen_t)? {
    guard case .tcp(let host, let port) = self else { return nil }
    var storage = sockaddr_storage()
    var four = sockaddr_in()
    // Not looked up (RFC 6761, section 6.3).
    let numeric = host == "localhost" ? "127.0.0.1" : host
    if inet_pton(AF_INET, numeric, &four.sin_addr) == 1 {
      four.sin_family = sa_family_t(AF_INET)
      four.sin_port = port.bigEndian
      withUnsafeMutableBytes(of: &storage) { target in
        withUnsafeBytes(of: four) { target.copyMemory(from: $0) }
      }
      return (AF_INET, storage, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
    var six = sockaddr_in6()
    guard inet_pton(AF_INET6, numeric, &six.sin6_addr) == 1 else { return nil }
    six.sin6_family = sa_family_t(AF_INET6)
    six.sin6_port = port.bigEndian
    withUnsafeMutableBytes(of: &storage) { target in
      withUnsafeBytes(of: six) { target.copyMemory(from: $0) }
    }
    return (AF_INET6, storage, socklen_t(MemoryLayout<sockaddr_in6>.size))
  }
}
