import Bytes
import JSONText

/// Who a client is, in the hub's words; a client can't set it by a frame.
package struct Identity: Hashable, Sendable {
  /// Bytes of a user id, and of a name.
  package static let maximumLength = 64

  package let userID: [UInt8]
  package let name: [UInt8]
  /// The hub has made the user id up, so nobody waits for this user to come back.
  package let isMadeUp: Bool

  /// - Parameter name: nil makes the user id the name.
  /// - Throws: what is wrong, as a sentence.
  package init(userID: [UInt8], name: [UInt8]? = nil) throws(IdentityError) {
    let name = name ?? userID
    try Self.check(userID, "user id", allowsSpaces: false)
    try Self.check(name, "name", allowsSpaces: true)
    self.userID = userID
    self.name = name
    isMadeUp = false
  }

  /// A guest.
  ///
  /// - Parameter name: nil makes the user id the name.
  /// - Throws: what is wrong with the name.
  package init(guest chance: UInt32, name: [UInt8]? = nil) throws(IdentityError) {
    var id = Array("guest-".utf8)
    ChanceText.append(chance, to: &id)
    if let name { try Self.check(name, "name", allowsSpaces: true) }
    userID = id
    self.name = name ?? id
    isMadeUp = true
  }

  /// Both stand in other people's logs and on their terminals: nothing in them may be invisible or
  /// look like the end of something.
  private static func check(
    _ text: [UInt8], _ what: String, allowsSpaces: Bool
  ) throws(IdentityError) {
    guard !text.isEmpty else { throw IdentityError("the \(what) is empty") }
    guard text.count <= maximumLength else {
      throw IdentityError("the \(what) has more than \(maximumLength) bytes")
    }
    guard UTF8Validator.isValid(text.span, 0..<text.count) else {
      throw IdentityError("the \(what) is no UTF-8")
    }
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      if TerminalText.isUnsafe(scalar.value) {
        throw IdentityError("the \(what) has a character that can't be shown")
      }
      if !allowsSpaces, scalar.properties.isWhitespace {
        throw IdentityError("the \(what) has a space")
      }
    }
  }
}

/// Why somebody can't be called so; a short sentence without the text itself.
package struct IdentityError: Error, Equatable, Sendable {
  package let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}
