/// Where to connect and how: everything that is settled before the first byte of a WebSocket
/// handshake.
package struct TransportTarget: Equatable, Sendable {
  /// A name, an IPv4 address, or an IPv6 address without brackets.
  package var host: String
  package var port: UInt16
  /// TLS (wss) or none (ws).
  package var isSecure: Bool
  /// A Unix socket that stands in for the network; host and port then only name the server.
  package var unixSocketPath: String?
  package var proxy = Proxy.environment
  package var tls = TLSSettings()
  /// For all of: finding the name, connecting, the proxy's tunnel, and the TLS handshake.
  package var connectTimeout = Duration.seconds(10)
  /// How long sent bytes may stay unacknowledged by the peer's kernel (TCP_USER_TIMEOUT).
  ///
  /// Without it, writes into a peer that has vanished seem to succeed for about a quarter of an hour.
  package var userTimeout = Duration.seconds(20)

  package init(host: String, port: UInt16, isSecure: Bool) {
    self.host = host
    self.port = port
    self.isSecure = isSecure
  }

  /// Which proxy is used; its tunnel (CONNECT) carries plain connections too.
  package enum Proxy: Equatable, Sendable {
    /// What `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy` say, read by libcurl.
    case environment
    /// None, whatever the environment says.
    case direct
    /// This one for every host, as `http://user:password@host:port`, `socks5h://…` and the like.
    case url(String)
  }

  /// What is trusted, and who we are.
  package struct TLSSettings: Equatable, Sendable {
    /// A PEM file of certificates to trust instead of the system's.
    package var authorityFile: String?
    /// Our own certificate, a PEM file, and its key (nil: in the same file).
    package var certificateFile: String?
    package var keyFile: String?
    /// False accepts any certificate (`--insecure`).
    package var verifiesPeer = true

    package init() {}
  }

  /// `host:port`, with brackets around an IPv6 address; what errors and URLs say.
  package var authority: String {
    host.utf8.contains(UInt8(ascii: ":")) ? "[\(host)]:\(port)" : "\(host):\(port)"
  }

  /// How errors name the place.
  package var place: String {
    if let unixSocketPath { return "unix:\(unixSocketPath)" }
    return authority
  }
}
