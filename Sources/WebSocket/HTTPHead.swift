/// The head of an HTTP/1.1 message: a start line and header fields (RFC 9112).
package struct HTTPHead: Equatable, Sendable {
  /// The status line or request line, without its line end.
  package var startLine: [UInt8]
  package var fields: [HTTPField]

  package init(startLine: [UInt8], fields: [HTTPField]) {
    self.startLine = startLine
    self.fields = fields
  }

  /// All fields of a name, in the order they came.
  package func fields(named name: String) -> [HTTPField] {
    fields.filter { $0.isNamed(name) }
  }

  /// The value of the first field of a name.
  package func value(of name: String) -> [UInt8]? {
    fields.first { $0.isNamed(name) }?.value
  }

  /// Whether a list field (`Connection`, `Upgrade`) has an element, compared without regard to case.
  package func hasElement(_ element: String, in name: String) -> Bool {
    fields(named: name).contains { field in
      field.elements.contains { HTTPField.equalsIgnoringCase($0, element.utf8) }
    }
  }

  /// The head as it is sent, with the blank line.
  package var bytes: [UInt8] {
    var bytes = startLine
    bytes.append(contentsOf: "\r\n".utf8)
    for field in fields { field.append(to: &bytes) }
    bytes.append(contentsOf: "\r\n".utf8)
    return bytes
  }

  /// A status line's parts (RFC 9112, section 4).
  struct StatusLine {
    var version: HTTPVersion
    var status: Int
    var reason: [UInt8]
  }

  /// - Throws: `illegalStartLine`.
  func statusLine() throws(HTTPHeadError) -> StatusLine {
    // "HTTP/1.1 101", and then a space and a phrase, or nothing.
    guard startLine.count >= 12, let version = HTTPVersion(startLine[0..<8]),
      startLine[8] == 0x20, startLine.count == 12 || startLine[12] == 0x20
    else { throw .illegalStartLine(startLine) }
    var status = 0
    for byte in startLine[9..<12] {
      guard (0x30...0x39).contains(byte) else { throw .illegalStartLine(startLine) }
      status = status * 10 + Int(byte - 0x30)
    }
    guard status >= 100 else { throw .illegalStartLine(startLine) }
    return StatusLine(version: version, status: status, reason: Array(startLine.dropFirst(13)))
  }

  /// A request line's parts (RFC 9112, section 3).
  struct RequestLine {
    var method: [UInt8]
    var target: [UInt8]
    var version: HTTPVersion
  }

  /// - Throws: `illegalStartLine`.
  func requestLine() throws(HTTPHeadError) -> RequestLine {
    let parts = startLine.split(separator: 0x20, omittingEmptySubsequences: false)
    guard parts.count == 3, HTTPField.isToken(parts[0]), !parts[1].isEmpty,
      parts[1].allSatisfy({ $0 > 0x20 && $0 < 0x7F }), let version = HTTPVersion(parts[2])
    else { throw .illegalStartLine(startLine) }
    return RequestLine(method: Array(parts[0]), target: Array(parts[1]), version: version)
  }
}

/// `HTTP/1.1`.
package struct HTTPVersion: Equatable, Sendable {
  package var major: UInt8
  package var minor: UInt8

  static let http11 = HTTPVersion(major: 1, minor: 1)

  init(major: UInt8, minor: UInt8) {
    self.major = major
    self.minor = minor
  }

  /// One digit, a point, one digit; the name is in capitals (RFC 9112, section 2.3).
  init?(_ bytes: ArraySlice<UInt8>) {
    let parts = Array(bytes)
    guard parts.count == 8, parts.starts(with: "HTTP/".utf8), parts[6] == UInt8(ascii: "."),
      (0x30...0x39).contains(parts[5]), (0x30...0x39).contains(parts[7])
    else { return nil }
    self.init(major: parts[5] - 0x30, minor: parts[7] - 0x30)
  }
}

/// What is wrong with a head that was received.
package enum HTTPHeadError: Error, Equatable, Sendable {
  case headTooLong(maximum: Int)
  case lineTooLong(maximum: Int)
  case tooManyFields(maximum: Int)
  /// A line that ends with CR or LF alone: two readers may see different heads in it.
  case illegalLineEnd
  /// A line that goes on with whitespace (obs-fold), which RFC 9112, section 5.2, has us reject.
  case foldedLine
  case illegalField([UInt8])
  case illegalStartLine([UInt8])
}

extension HTTPHeadError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .headTooLong(let maximum): "HTTP head of more than \(maximum) bytes"
    case .lineTooLong(let maximum): "HTTP header line of more than \(maximum) bytes"
    case .tooManyFields(let maximum): "more than \(maximum) HTTP header fields"
    case .illegalLineEnd: "HTTP header line without CR LF"
    case .foldedLine: "folded HTTP header line"
    case .illegalField(let line):
      "illegal HTTP header line \"\(VisibleText.escaped(line.prefix(80)))\""
    case .illegalStartLine(let line):
      "not HTTP: \"\(VisibleText.escaped(line.prefix(80)))\""
    }
  }
}
