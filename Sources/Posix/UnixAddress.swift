package import CLinux
import Glibc

/// The address of a socket that is a path.
package enum UnixAddress {
  /// The bytes that sun_path holds, the closing NUL included.
  package static let maximumPath = 108

  /// Calls with the address for `bind` or `connect`; nil when the path is empty or too long.
  package static func with<Result>(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result? {
    guard !path.isEmpty, path.utf8.count < maximumPath else { return nil }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }
}
