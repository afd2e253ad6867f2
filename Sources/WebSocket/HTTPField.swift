/// A header field (RFC 9110, section 5), checked when it is made: nothing in it can end its line.
package struct HTTPField: Equatable, Sendable {
  /// A token, in the spelling it came with; compare without regard to case.
  package let name: String

  /// Without whitespace around it; no control byte but the tab.
  package let value: [UInt8]

  /// - Throws: which part is illegal. A value from a file or the environment that carries CR LF would
  ///   otherwise add fields, or a request, of its own.
  package init(name: String, value: [UInt8]) throws(HTTPFieldError) {
    guard HTTPField.isToken(Array(name.utf8)) else { throw .illegalName(name) }
    let trimmed = HTTPField.trimmed(value[...])
    guard trimmed.allSatisfy(HTTPField.isValueByte) else { throw .illegalValue(name: name) }
    self.name = name
    self.value = Array(trimmed)
  }

  package init(name: String, value: String) throws(HTTPFieldError) {
    try self.init(name: name, value: Array(value.utf8))
  }

  /// For names and values known to be legal, from this module.
  init(known name: String, _ value: [UInt8]) {
    self.name = name
    self.value = value
  }

  init(known name: String, _ value: String) {
    self.init(known: name, Array(value.utf8))
  }

  /// Reads a line of a head without its line end.
  init(line: [UInt8]) throws(HTTPHeadError) {
    guard let first = line.first, first != 0x20, first != 0x09 else { throw .foldedLine }
    guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { throw .illegalField(line) }
    let name = Array(line[..<colon])
    guard HTTPField.isToken(name) else { throw .illegalField(line) }
    let value = HTTPField.trimmed(line[(colon + 1)...])
    guard value.allSatisfy(HTTPField.isValueByte) else { throw .illegalField(line) }
    self.init(known: String(decoding: name, as: UTF8.self), Array(value))
  }

  /// The value as text for people and comparisons; bytes that aren't UTF-8 become U+FFFD.
  package var text: String { String(decoding: value, as: UTF8.self) }

  package func isNamed(_ other: String) -> Bool {
    HTTPField.equalsIgnoringCase(name.utf8, other.utf8)
  }

  /// The value's elements as a comma-separated list, empty ones left out (section 5.6.1).
  var elements: [[UInt8]] {
    value.split(separator: UInt8(ascii: ",")).map { Array(HTTPField.trimmed($0)) }
      .filter { !$0.isEmpty }
  }

  /// Appends `Name: value` and a line end.
  func append(to bytes: inout [UInt8]) {
    bytes.append(contentsOf: name.utf8)
    bytes.append(contentsOf: ": ".utf8)
    bytes.append(contentsOf: value)
    bytes.append(contentsOf: "\r\n".utf8)
  }
}

/// What is wrong with a configured header field.
package enum HTTPFieldError: Error, Equatable, Sendable {
  case illegalName(String)
  /// The value isn't repeated here, it may be a secret.
  case illegalValue(name: String)
}

extension HTTPFieldError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .illegalName(let name):
      "\"\(VisibleText.escaped(Array(name.utf8)))\" is not the name of a header field"
    case .illegalValue(let name): "the value of header field \(name) has a control character"
    }
  }
}

extension HTTPField {
  /// Whether the bytes are a token (RFC 9110, section 5.6.2).
  static func isToken(_ bytes: some Collection<UInt8>) -> Bool {
    !bytes.isEmpty && bytes.allSatisfy(isTokenByte)
  }

  private static func isTokenByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"):
      true
    case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "%"),
      UInt8(ascii: "&"), UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"),
      UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "^"), UInt8(ascii: "_"),
      UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  /// Visible ASCII, space, tab, and everything from 0x80 (obs-text).
  private static func isValueByte(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x7F || byte == 0x09
  }

  static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    let start = bytes.drop(while: isBlank)
    guard let last = start.lastIndex(where: { !isBlank($0) }) else { return [] }
    return start[...last]
  }

  /// Compares ASCII letters without regard to case, all other bytes exactly.
  static func equalsIgnoringCase(
    _ left: some Collection<UInt8>, _ right: some Collection<UInt8>
  ) -> Bool {
    left.count == right.count && zip(left, right).allSatisfy { lowercased($0) == lowercased($1) }
  }

  static func lowercased(_ byte: UInt8) -> UInt8 {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
  }
}
