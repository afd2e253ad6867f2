internal import WebSocket

/// A header field or a query item: a name and where its value comes from.
package struct NamedValue: Equatable, Sendable {
  package enum Value: Equatable, Sendable {
    case literal(String)
    /// The path of a file that holds the value; a line break at its end isn't part of it.
    case file(String)
  }

  package let name: String
  package let value: Value

  package init(name: String, value: Value) {
    self.name = name
    self.value = value
  }

  /// Whether the name is one that usually carries a secret.
  package var isSecretLike: Bool {
    SecretNames.isSecret(name.utf8)
  }

  /// The fields that the handshake (RFC 6455, section 4.1) or an option of its own sets.
  private static let ownedFields: [(name: String, hint: String)] = [
    ("connection", "the handshake sets it"),
    ("upgrade", "the handshake sets it"),
    ("origin", "use --origin"),
    ("sec-websocket-protocol", "use --subprotocol"),
    ("sec-websocket-key", "the handshake sets it"),
    ("sec-websocket-version", "the handshake sets it"),
    ("sec-websocket-extensions", "the handshake sets it"),
    ("sec-websocket-accept", "only servers send it"),
    ("content-length", "a handshake has no body"),
    ("transfer-encoding", "a handshake has no body"),
  ]

  /// Reads `NAME: VALUE`. The field's name is a token; blanks around the value go.
  static func header(_ text: String) throws(ValueProblem) -> NamedValue {
    let result = try split(text, at: UInt8(ascii: ":"))
    guard !result.name.isEmpty, result.name.utf8.allSatisfy(ASCIIText.isToken) else {
      throw ValueProblem("the field's name isn't a token")
    }
    let lower = result.name.lowercased()
    if let owned = ownedFields.first(where: { $0.name == lower }) {
      throw ValueProblem("can't set \(owned.name): \(owned.hint)")
    }
    return result
  }

  /// Reads `NAME=VALUE`; both are percent-encoded later.
  static func queryItem(_ text: String) throws(ValueProblem) -> NamedValue {
    let result = try split(text, at: UInt8(ascii: "="))
    if result.name.isEmpty { throw ValueProblem("the name is empty") }
    return result
  }

  /// `@@x` is the literal value `@x`.
  private static func split(
    _ text: String, at separator: UInt8
  ) throws(ValueProblem) -> NamedValue {
    if ASCIIText.hasControl(text) { throw ValueProblem("holds a control character") }
    guard let end = text.utf8.firstIndex(of: separator) else {
      throw ValueProblem("'\(Unicode.Scalar(separator))' is missing")
    }
    let name = String(text[..<end])
    let value = ASCIIText.trimmed(text[text.utf8.index(after: end)...])
    if value.hasPrefix("@@") { return NamedValue(name: name, value: .literal(rest(of: value))) }
    guard value.hasPrefix("@") else { return NamedValue(name: name, value: .literal(value)) }
    let path = rest(of: value)
    if path.isEmpty { throw ValueProblem("'@' needs a file") }
    return NamedValue(name: name, value: .file(path))
  }

  private static func rest(of value: String) -> String {
    String(decoding: value.utf8.dropFirst(), as: UTF8.self)
  }
}
