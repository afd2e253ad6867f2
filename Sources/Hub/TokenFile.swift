import Bytes

/// Who may connect: a line for each token, `TOKEN USER-ID NAME…`.
///
/// Parts are separated by spaces or tabs; the name is the rest of the line, and the user id when
/// there is none. Blank lines and those that begin with `#` are skipped. One user may have
/// several tokens.
package struct TokenFile: Sendable {
  /// Bytes of a token; what fits a header line many times.
  package static let maximumToken = 512

  /// By the token's digest: a look-up takes a time that tells nothing about the tokens.
  private var identities: [[UInt8]: Identity] = [:]

  /// - Throws: the first line that is wrong. The token is never part of it.
  package init(_ text: [UInt8]) throws(TokenFileError) {
    let lines = text.split(separator: 0x0A, omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      do throws(IdentityError) {
        try add(Self.trimmed(line))
      } catch {
        throw TokenFileError(line: index + 1, reason: error.reason)
      }
    }
    if identities.isEmpty { throw TokenFileError(line: nil, reason: "there is no token in it") }
  }

  package var count: Int { identities.count }

  /// Whose token it is; nil: nobody's.
  package func identity(for token: [UInt8]) -> Identity? {
    identities[SHA1.digest(of: token.span)]
  }

  private mutating func add(_ line: ArraySlice<UInt8>) throws(IdentityError) {
    if line.isEmpty || line.first == UInt8(ascii: "#") { return }
    let (token, afterToken) = Self.firstWord(line)
    guard token.count <= Self.maximumToken else {
      throw IdentityError("the token has more than \(Self.maximumToken) bytes")
    }
    // It has to stand in a header line.
    guard token.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw IdentityError("the token has a byte that isn't visible ASCII")
    }
    let (userID, name) = Self.firstWord(afterToken)
    guard !userID.isEmpty else { throw IdentityError("no user id behind the token") }
    let identity = try Identity(userID: Array(userID), name: name.isEmpty ? nil : Array(name))
    let digest = SHA1.digest(of: Array(token).span)
    guard identities.updateValue(identity, forKey: digest) == nil else {
      throw IdentityError("the token stands in an earlier line too")
    }
  }

  private static func firstWord(
    _ text: ArraySlice<UInt8>
  ) -> (word: ArraySlice<UInt8>, rest: ArraySlice<UInt8>) {
    let word = text.prefix { !isBlank($0) }
    return (word, text[word.endIndex...].drop(while: isBlank))
  }

  private static func trimmed(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    var line = line.drop(while: isBlank)
    while let last = line.last, isBlank(last) || last == 0x0D { line.removeLast() }
    return line
  }

  private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
}

/// What is wrong with a tokens file.
package struct TokenFileError: Error, Equatable, Sendable {
  /// Counted from 1; nil when it is the whole file.
  package let line: Int?
  /// A short sentence without anything from the file.
  package let reason: String
}

extension TokenFileError: CustomStringConvertible {
  package var description: String { line.map { "line \($0): \(reason)" } ?? reason }
}
