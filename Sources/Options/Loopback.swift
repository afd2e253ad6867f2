/// Tells the hosts that never leave this machine.
package enum Loopback {
  /// Whether the host (an IPv6 address without brackets) is surely this machine's loopback.
  ///
  /// Only spellings that can't mean anything else count: `localhost` (RFC 6761, section 6.3),
  /// 127.0.0.0/8 as four decimal numbers, and `::1`.
  package static func contains(_ host: String) -> Bool {
    let lower = host.lowercased()
    if lower == "localhost" || lower == "::1" { return true }
    let parts = lower.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4 else { return false }
    for part in parts {
      // A leading zero means octal to some resolvers.
      guard part.count <= 3, part.count == 1 || part.first != UInt8(ascii: "0"),
        let number = NumberText.parse(String(Substring(part))), number <= 255
      else { return false }
    }
    return parts[0].elementsEqual("127".utf8)
  }
}
