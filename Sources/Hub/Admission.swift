package import WebSocket

/// What a request for a link is answered with.
package enum Admission: Equatable, Sendable {
  /// Answer 101 with the subprotocol, then call `connect`.
  case accepted(Identity, subprotocol: String?)
  /// Answer with the status; the reason is a sentence for the client.
  case refused(status: Int, reason: String)
}

extension Admission {
  /// Finds out who asks.
  ///
  /// With a tokens file: by `Authorization: Bearer TOKEN`, else a subprotocol that is a token, else
  /// `access_token` in the query; the first of them that is given decides. Without: `userId` and
  /// `userName` in the query, what isn't given is made up.
  ///
  /// A browser ends a link whose server takes none of the subprotocols that it has offered, so the
  /// first that isn't the token is taken (`new WebSocket(url, ["wsii", token])`), else the token.
  package static func judge(
    _ upgrade: UpgradeRequest, tokens: TokenFile?, chance: () -> UInt32
  ) -> Admission {
    guard let tokens else { return guest(upgrade, chance) }
    let offered = upgrade.subprotocols
    let fields = upgrade.request.head.fields(named: "Authorization")
    if let field = fields.first {
      guard fields.count == 1, let token = bearer(field.value),
        let identity = tokens.identity(for: token)
      else { return wrongToken }
      return .accepted(identity, subprotocol: offered.first)
    }
    for name in offered {
      guard let identity = tokens.identity(for: Array(name.utf8)) else { continue }
      return .accepted(identity, subprotocol: offered.first { $0 != name } ?? name)
    }
    guard let token = upgrade.request.queryValue("access_token") else {
      return .refused(status: 401, reason: "this hub asks for a token")
    }
    guard let identity = tokens.identity(for: token) else { return wrongToken }
    return .accepted(identity, subprotocol: offered.first)
  }

  private static let wrongToken = Admission.refused(
    status: 401, reason: "this hub doesn't know the token")

  private static func guest(_ upgrade: UpgradeRequest, _ chance: () -> UInt32) -> Admission {
    let id = upgrade.request.queryValue("userId").flatMap { $0.isEmpty ? nil : $0 }
    let name = upgrade.request.queryValue("userName").flatMap { $0.isEmpty ? nil : $0 }
    do throws(IdentityError) {
      let identity =
        if let id {
          try Identity(userID: id, name: name)
        } else {
          try Identity(guest: chance(), name: name)
        }
      return .accepted(identity, subprotocol: upgrade.subprotocols.first)
    } catch {
      return .refused(status: 400, reason: error.reason)
    }
  }

  /// The token of `Bearer TOKEN` (RFC 6750, section 2.1); the scheme's case doesn't matter.
  private static func bearer(_ value: [UInt8]) -> [UInt8]? {
    let scheme = Array("bearer ".utf8)
    guard value.count > scheme.count,
      zip(value, scheme).allSatisfy({ $0 == $1 || $0 | 0x20 == $1 && $1 > 0x60 })
    else { return nil }
    return Array(value[scheme.count...].drop { $0 == 0x20 })
  }
}
