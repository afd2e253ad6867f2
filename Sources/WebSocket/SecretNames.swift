/// Which names stand beside secrets, so that logs and traces leave the values out.
package enum SecretNames {
  static let replacement = "***"

  /// A word anywhere in the name is enough: hiding too much costs less than showing a token.
  private static let words = [
    "auth", "token", "key", "secret", "password", "passwd", "pwd", "cookie", "session", "sig",
    "credential", "ticket", "jwt", "bearer", "otp",
  ]

  /// `access_token`, `X-Api-Key`, `Cookie`; not the handshake's own key and accept value.
  package static func isSecret(_ name: some Collection<UInt8>) -> Bool {
    let name = name.map(HTTPField.lowercased)
    if name.elementsEqual("sec-websocket-key".utf8) { return false }
    return words.contains { word in contains(name, Array(word.utf8)) }
  }

  /// Whether a subprotocol looks like a name and not like a token sent in its place, as browsers have
  /// to: `graphql-transport-ws`, `v12.stomp`, `ocpp1.6`.
  static func looksLikeSubprotocol(_ name: some Collection<UInt8>) -> Bool {
    let digitCount = name.count { (0x30...0x39).contains($0) }
    return name.count <= 24 && digitCount <= 4 && !isSecret(name)
  }

  /// A query with the values of secret items replaced.
  static func masked(query: some Collection<UInt8>) -> String {
    let items = query.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
    return items.map { item in
      let end = item.firstIndex(of: UInt8(ascii: "="))
      guard let end, isSecret(PercentEncoding.decoded(item[..<end])) else {
        return String(decoding: item, as: UTF8.self)
      }
      return String(decoding: item[...end], as: UTF8.self) + replacement
    }.joined(separator: "&")
  }

  /// The values of secret items of a query, as they stand and decoded.
  static func values(query: some Collection<UInt8>) -> [String] {
    query.split(separator: UInt8(ascii: "&")).flatMap { item -> [String] in
      guard let end = item.firstIndex(of: UInt8(ascii: "=")),
        isSecret(PercentEncoding.decoded(item[..<end]))
      else { return [] }
      let value = item[item.index(after: end)...]
      return [
        String(decoding: value, as: UTF8.self),
        String(decoding: PercentEncoding.decoded(value), as: UTF8.self),
      ]
    }
  }

  /// A request target with the values of secret query items replaced.
  package static func masked(target: some Collection<UInt8>) -> String {
    guard let mark = target.firstIndex(of: UInt8(ascii: "?")) else {
      return String(decoding: target, as: UTF8.self)
    }
    return String(decoding: target[...mark], as: UTF8.self)
      + masked(query: target[target.index(after: mark)...])
  }

  private static func contains(_ text: [UInt8], _ word: [UInt8]) -> Bool {
    guard text.count >= word.count else { return false }
    return (0...(text.count - word.count)).contains { text[$0...].starts(with: word) }
  }
}
