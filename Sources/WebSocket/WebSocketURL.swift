/// A `ws:` or `wss:` URL (RFC 6455, section 3), taken apart and checked.
package struct WebSocketURL: Equatable, Sendable {
  package let isSecure: Bool

  /// A name, an IPv4 address, or an IPv6 address without brackets; letters in lower case.
  package let host: String
  package let port: Int

  /// Path and query as they stand in the request line: begins with `/`, ASCII only.
  package private(set) var resource: String

  /// - Throws: what is wrong. User info is refused because it would be a secret in an argument, a
  ///   fragment because it "MUST NOT be used" (section 3), spaces and controls because they could
  ///   change the request.
  package init(_ text: String) throws(WebSocketURLError) {
    let bytes = Array(text.utf8)
    if let bad = bytes.first(where: { $0 <= 0x20 || $0 == 0x7F }) { throw .illegalByte(bad) }
    guard let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
      bytes[colon...].starts(with: "://".utf8)
    else { throw .notAbsolute }
    let scheme = String(decoding: bytes[..<colon].map(HTTPField.lowercased), as: UTF8.self)
    switch scheme {
    case "ws": isSecure = false
    case "wss": isSecure = true
    default: throw .scheme(scheme)
    }
    let rest = Array(bytes[(colon + 3)...])
    if rest.contains(UInt8(ascii: "#")) { throw .fragment }
    let end = rest.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") } ?? rest.count
    let authority = rest[..<end]
    if authority.contains(UInt8(ascii: "@")) { throw .userInfo }
    let (host, portText) = try Self.split(authority)
    self.host = host
    port = try Self.port(portText) ?? (isSecure ? 443 : 80)
    resource = try Self.resource(rest[end...])
  }

  /// The value of the Host field: without the scheme's own port.
  package var hostHeader: String {
    let name = host.contains(":") ? "[\(host)]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }

  /// The URL with all it carries.
  package var text: String { "\(isSecure ? "wss" : "ws")://\(hostHeader)\(resource)" }

  /// The URL for logs: the values of query items that look like secrets are replaced by `***`.
  package var masked: String {
    "\(isSecure ? "wss" : "ws")://\(hostHeader)\(SecretNames.masked(target: resource.utf8))"
  }

  /// The values of the query's items whose names say that they are secret.
  package var secretValues: [String] {
    guard let mark = resource.utf8.firstIndex(of: UInt8(ascii: "?")) else { return [] }
    return SecretNames.values(query: resource.utf8[resource.utf8.index(after: mark)...])
  }

  /// The path without the query.
  package var path: String { String(resource.prefix { $0 != "?" }) }

  /// Whether the host is this machine by its spelling; names other than localhost aren't resolved.
  package var isLoopback: Bool {
    if host == "localhost" || host.hasSuffix(".localhost") || host == "::1" { return true }
    let parts = host.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
  }

  /// Adds an item to the query, percent-encoded.
  package mutating func addQueryItem(_ name: String, _ value: [UInt8]) {
    resource += resource.contains("?") ? "&" : "?"
    resource += PercentEncoding.encoded(name.utf8) + "=" + PercentEncoding.encoded(value)
  }
}

extension WebSocketURL: CustomStringConvertible {
  /// Masked, so that a log line can't leak by accident.
  package var description: String { masked }
}

extension WebSocketURL {
  private static func split(
    _ authority: ArraySlice<UInt8>
  ) throws(WebSocketURLError) -> (host: String, port: ArraySlice<UInt8>?) {
    var host = authority
    var port: ArraySlice<UInt8>?
    if authority.first == UInt8(ascii: "[") {
      guard let close = authority.firstIndex(of: UInt8(ascii: "]")) else {
        throw .host(String(decoding: authority, as: UTF8.self))
      }
      host = authority[(authority.startIndex + 1)..<close]
      let rest = authority[(close + 1)...]
      guard rest.isEmpty || rest.first == UInt8(ascii: ":"), isIPv6(host) else {
        throw .host(String(decoding: authority, as: UTF8.self))
      }
      if !rest.isEmpty { port = rest.dropFirst() }
    } else {
      if let colon = authority.firstIndex(of: UInt8(ascii: ":")) {
        host = authority[..<colon]
        port = authority[(colon + 1)...]
      }
      guard !host.isEmpty else { throw .missingHost }
      guard host.count <= 253, host.allSatisfy(isNameByte) else {
        throw .host(String(decoding: host, as: UTF8.self))
      }
    }
    return (String(decoding: host.map(HTTPField.lowercased), as: UTF8.self), port)
  }

  /// By its characters; whether the address is one is for the resolver to say.
  private static func isIPv6(_ host: ArraySlice<UInt8>) -> Bool {
    let colonCount = host.count { $0 == UInt8(ascii: ":") }
    return (2...7).contains(colonCount) && host.count <= 45
      && host.allSatisfy {
        PercentEncoding.digit($0) != nil || $0 == UInt8(ascii: ":") || $0 == UInt8(ascii: ".")
      }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }

  /// An empty port is the scheme's own (RFC 3986, section 3.2.3).
  private static func port(_ text: ArraySlice<UInt8>?) throws(WebSocketURLError) -> Int? {
    guard let text, !text.isEmpty else { return nil }
    var port = 0
    for byte in text {
      guard (0x30...0x39).contains(byte), port <= 65_535 else {
        throw .port(String(decoding: text, as: UTF8.self))
      }
      port = port * 10 + Int(byte - 0x30)
    }
    guard (1...65_535).contains(port) else { throw .port(String(decoding: text, as: UTF8.self)) }
    return port
  }

  /// What browsers encode on the way is encoded here: all but ASCII, and a few printable characters.
  private static func resource(_ bytes: ArraySlice<UInt8>) throws(WebSocketURLError) -> String {
    var resource: [UInt8] = bytes.first == UInt8(ascii: "/") ? [] : [UInt8(ascii: "/")]
    var index = bytes.startIndex
    while index < bytes.endIndex {
      let byte = bytes[index]
      switch byte {
      case UInt8(ascii: "%"):
        guard index + 2 < bytes.endIndex, PercentEncoding.digit(bytes[index + 1]) != nil,
          PercentEncoding.digit(bytes[index + 2]) != nil
        else { throw .percent }
        resource.append(byte)
      case UInt8(ascii: "\""), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\\"),
        UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"), UInt8(ascii: "|"),
        UInt8(ascii: "}"), 0x80...:
        PercentEncoding.append(byte, to: &resource)
      default: resource.append(byte)
      }
      index += 1
    }
    return String(decoding: resource, as: UTF8.self)
  }
}

/// What is wrong with a URL.
package enum WebSocketURLError: Error, Equatable, Sendable {
  case illegalByte(UInt8)
  case notAbsolute
  case scheme(String)
  case userInfo
  case fragment
  case missingHost
  case host(String)
  case port(String)
  case percent
}

extension WebSocketURLError: CustomStringConvertible {
  /// One short sentence without a full stop, safe to print; the URL isn't repeated, it may carry a
  /// secret.
  package var description: String {
    switch self {
    case .illegalByte(let byte):
      "the URL has a space or control character (0x\(String(byte, radix: 16)))"
    case .notAbsolute: "the URL doesn't begin with ws:// or wss://"
    case .scheme(let scheme):
      "the URL begins with \(Self.quoted(scheme)):// instead of ws:// or wss://"
    case .userInfo: "the URL has a user name or password; give a token by file or environment"
    case .fragment: "the URL has a fragment (#)"
    case .missingHost: "the URL has no host"
    case .host(let host):
      "\(Self.quoted(host)) is no host name (write an international name in its xn-- form)"
    case .port(let port): "\(Self.quoted(port)) is no port number"
    case .percent: "the URL has a % that isn't followed by two hexadecimal digits"
    }
  }

  private static func quoted(_ text: String) -> String {
    "\"\(VisibleText.escaped(Array(text.utf8.prefix(80))))\""
  }
}
