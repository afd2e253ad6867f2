import Transport
import WebSocket

/// Decides whose requests a hub takes, by Host and Origin.
///
/// A page in a browser on this machine can connect to loopback, whoever made it: without these
/// checks any site that somebody visits could talk here. Origin tells whose page it is; Host tells
/// whether a name was pointed at 127.0.0.1 to make the page look like ours (DNS rebinding).
struct HubAccess {
  /// Lower case, an IPv6 address in brackets, without ports: a forwarded port is no other host.
  private var hosts: Set<String> = ["localhost"]
  private var origins: Set<String> = []
  /// Those of `hosts` whose pages are welcome whatever their port and scheme.
  private let ownHosts: Set<String>
  /// No browser can reach a Unix socket, so its clients call the server what they like.
  private let checksHost: Bool
  /// Listening on all addresses: which of them are its own only the system knows. A page can't be
  /// made to look like a number's, so any number will do.
  private let takesAnyNumber: Bool

  /// - Parameter origins: further pages that may connect, as browsers send them.
  init(listening address: SocketAddress, origins: [String]) {
    switch address {
    case .tcp(let host, _):
      checksHost = true
      takesAnyNumber = host == "0.0.0.0" || host == "::"
      hosts.insert(host.contains(":") ? "[\(host.lowercased())]" : host)
      // What localhost stands for when it is listened on.
      if host == "localhost" { hosts.insert("127.0.0.1") }
    case .unix:
      checksHost = false
      takesAnyNumber = false
    }
    ownHosts = hosts
    for origin in origins {
      self.origins.insert(Self.normalized(origin))
      if let host = Self.host(ofOrigin: origin) { hosts.insert(host) }
    }
  }

  /// Returns why the request is refused, as a sentence for its sender, or nil.
  func objection(to request: HTTPRequest) -> String? {
    let host = Self.host(of: request.host.lowercased())
    if checksHost, !hosts.contains(host), !(takesAnyNumber && Self.isNumber(host)) {
      return "this hub isn't known by that Host (--origin http://NAME lets it)"
    }
    let given = request.head.fields(named: "Origin")
    guard let origin = given.first else { return nil }
    guard given.count == 1, isWelcome(origin.text) else {
      return "pages of that Origin may not connect (--origin lets them)"
    }
    return nil
  }

  private static func isNumber(_ host: String) -> Bool {
    if host.hasPrefix("["), host.hasSuffix("]") {
      return SocketAddress.tcp(host: String(host.dropFirst().dropLast()), port: 0).isNumeric
    }
    return host != "localhost" && SocketAddress.tcp(host: host, port: 0).isNumeric
  }

  private func isWelcome(_ origin: String) -> Bool {
    if origins.contains(Self.normalized(origin)) { return true }
    // Only localhost and the listening address stand for pages on any port and scheme; what
    // `--origin` names is one page's.
    return Self.host(ofOrigin: origin).map(ownHosts.contains) ?? false
  }

  /// Without the scheme's own port, which browsers leave out.
  private static func normalized(_ origin: String) -> String {
    let lower = origin.lowercased()
    for (scheme, port) in [("http://", ":80"), ("https://", ":443")]
    where lower.hasPrefix(scheme) && lower.hasSuffix(port) {
      return String(lower.dropLast(port.count))
    }
    return lower
  }

  private static func host(ofOrigin origin: String) -> String? {
    let lower = origin.lowercased()
    for scheme in ["http://", "https://"] where lower.hasPrefix(scheme) {
      return host(of: String(lower.dropFirst(scheme.count)))
    }
    return nil
  }

  /// The host of `host[:port]`.
  private static func host(of authority: String) -> String {
    let bytes = authority.utf8
    if bytes.first == UInt8(ascii: "["), let end = bytes.firstIndex(of: UInt8(ascii: "]")) {
      let rest = bytes[bytes.index(after: end)...]
      // Anything but a port behind the bracket makes it another name.
      if rest.isEmpty || rest.first == UInt8(ascii: ":") { return String(authority[...end]) }
      return authority
    }
    return String(authority[..<(bytes.firstIndex(of: UInt8(ascii: ":")) ?? bytes.endIndex)])
  }
}
