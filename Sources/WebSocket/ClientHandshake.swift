internal import Bytes

/// The client's side of the opening handshake (RFC 6455, section 4.1): a request to send, and the
/// verdict on the answer.
///
/// Send `request` first and nothing else before `.accepted`. The caller has its own deadline for the
/// whole; when it passes, or the stream ends, `receiveEnd` gives what is known.
package struct ClientHandshake {
  package enum Outcome: Equatable, Sendable {
    /// The connection is open; the input from the position on belongs to its frames.
    case accepted(subprotocol: String?)
    /// An HTTP answer other than 101.
    case refused(Refusal)
    /// An answer that isn't one, or a 101 that breaks the protocol.
    case invalid(HandshakeError)
  }

  /// What a server said instead of yes; bytes as they came, escape before showing.
  package struct Refusal: Equatable, Sendable {
    package var status: Int
    package var reason: [UInt8]
    /// The Retry-After field: seconds or an HTTP-date.
    package var retryAfter: [UInt8]?
    /// Where a redirect points to. None is followed: a token must not reach another server.
    package var location: [UInt8]?
    /// The beginning of the body.
    package var body: [UInt8]
  }

  private enum Progress {
    case head
    case body(Refusal, RefusalBody)
    case over
  }

  /// The request's head, for `bytes` and for traces.
  package let request: HTTPHead

  /// The answer's head once it is there, for traces.
  package private(set) var response: HTTPHead?

  /// Whether the server has refused, and only the body that says why is still awaited.
  package var isRefused: Bool {
    if case .body = progress { return true }
    return false
  }

  private let limits: WebSocketLimits
  private let subprotocols: [String]
  private let accept: [UInt8]
  private var reader: HTTPHeadReader
  private var progress = Progress.head
  private var interimCount = 0

  /// - Parameters:
  ///   - fields: further ones, such as Authorization; a Host or Origin replaces the usual one.
  ///   - subprotocols: tokens in order of preference.
  ///   - nonce: 16 random bytes, fresh for each connection.
  /// - Throws: which configured value can't be sent.
  package init(
    url: WebSocketURL, fields: [HTTPField] = [], subprotocols: [String] = [],
    origin: String? = nil, nonce: [UInt8], limits: WebSocketLimits = WebSocketLimits()
  ) throws(HandshakeConfigurationError) {
    precondition(nonce.count == 16, "section 4.1 wants a nonce of 16 bytes")
    for field in fields where Self.isReserved(field) { throw .reservedField(field.name) }
    for name in subprotocols where !HTTPField.isToken(name.utf8) { throw .subprotocol(name) }
    if let repeated = Self.firstRepeated(subprotocols) { throw .subprotocol(repeated) }

    let key = Base64.encode(nonce.span, 0..<nonce.count)
    var head: [HTTPField] = []
    if !fields.contains(where: { $0.isNamed("Host") }) {
      head.append(HTTPField(known: "Host", url.hostHeader))
    }
    head.append(HTTPField(known: "Upgrade", "websocket"))
    head.append(HTTPField(known: "Connection", "Upgrade"))
    head.append(HTTPField(known: "Sec-WebSocket-Key", key))
    head.append(HTTPField(known: "Sec-WebSocket-Version", "13"))
    if !subprotocols.isEmpty {
      head.append(
        HTTPField(known: "Sec-WebSocket-Protocol", subprotocols.joined(separator: ", ")))
    }
    if let origin, !fields.contains(where: { $0.isNamed("Origin") }) {
      do throws(HTTPFieldError) {
        head.append(try HTTPField(name: "Origin", value: origin))
      } catch {
        throw .field(error)
      }
    }
    request = HTTPHead(
      startLine: Array("GET \(url.resource) HTTP/1.1".utf8), fields: head + fields)
    self.limits = limits
    self.subprotocols = subprotocols
    accept = AcceptKey.value(for: key)
    reader = HTTPHeadReader(limits: limits)
  }

  /// Takes bytes of the answer; nil when more are needed.
  ///
  /// - Parameter position: moved past what was taken. After `.accepted` it is where frames begin.
  package mutating func receive(_ input: Span<UInt8>, at position: inout Int) -> Outcome? {
    do throws(HandshakeError) {
      return try step(input, at: &position)
    } catch {
      progress = .over
      return .invalid(error)
    }
  }

  /// The stream has ended, or the caller waits no longer; nil if the handshake was over.
  package mutating func receiveEnd() -> Outcome? {
    defer { progress = .over }
    switch progress {
    case .head: return .invalid(.endOfStream)
    case .body(let refusal, let body): return .refused(Self.completed(refusal, body))
    case .over: return nil
    }
  }

  private mutating func step(
    _ input: Span<UInt8>, at position: inout Int
  ) throws(HandshakeError) -> Outcome? {
    while case .head = progress {
      guard let head = try readHead(input, at: &position) else { return nil }
      if let outcome = try judge(head) { return outcome }
    }
    guard case .body(let refusal, var body) = progress else { return nil }
    body.read(input, at: &position)
    guard body.isComplete else {
      progress = .body(refusal, body)
      return nil
    }
    progress = .over
    return .refused(Self.completed(refusal, body))
  }

  private mutating func readHead(
    _ input: Span<UInt8>, at position: inout Int
  ) throws(HandshakeError) -> HTTPHead? {
    do throws(HTTPHeadError) {
      return try reader.read(input, at: &position)
    } catch {
      throw .head(error)
    }
  }

  private mutating func judge(_ head: HTTPHead) throws(HandshakeError) -> Outcome? {
    let line: HTTPHead.StatusLine
    do throws(HTTPHeadError) {
      line = try head.statusLine()
    } catch {
      throw .head(error)
    }
    response = head
    if line.status == 101 {
      guard line.version == .http11 else { throw .httpVersion(line.version) }
      let subprotocol = try verify(head)
      progress = .over
      return .accepted(subprotocol: subprotocol)
    }
    if line.status < 200 {
      // RFC 9110, section 15.2: interim answers come before the final one, and mean nothing here.
      interimCount += 1
      guard interimCount <= 4 else { throw .tooManyInterimResponses }
      return nil
    }
    let refusal = Refusal(
      status: line.status, reason: line.reason, retryAfter: head.value(of: "Retry-After"),
      location: head.value(of: "Location"), body: [])
    progress = .body(
      refusal,
      RefusalBody(status: line.status, head: head, maximum: limits.maximumRefusalBody))
    return nil
  }

  /// The list at the end of section 4.1, in its order.
  private func verify(_ head: HTTPHead) throws(HandshakeError) -> String? {
    guard head.hasElement("websocket", in: "Upgrade") else { throw .missingUpgrade }
    guard head.hasElement("upgrade", in: "Connection") else { throw .missingConnection }
    let accepts = head.fields(named: "Sec-WebSocket-Accept")
    guard let first = accepts.first else { throw .missingAccept }
    guard accepts.count == 1 else { throw .repeatedAccept }
    guard first.value == accept else { throw .wrongAccept }
    for field in head.fields(named: "Sec-WebSocket-Extensions") where !field.value.isEmpty {
      throw .unofferedExtension(field.value)
    }
    let chosen = head.fields(named: "Sec-WebSocket-Protocol")
    guard let choice = chosen.first else { return nil }
    let match = subprotocols.first { $0.utf8.elementsEqual(choice.value) }
    guard chosen.count == 1, let match else { throw .unofferedSubprotocol(choice.value) }
    return match
  }

  private static func completed(_ refusal: Refusal, _ body: RefusalBody) -> Refusal {
    var refusal = refusal
    refusal.body = body.bytes
    return refusal
  }

  /// Fields that the handshake itself writes, or that would change what the request is.
  private static func isReserved(_ field: HTTPField) -> Bool {
    [
      "Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version",
      "Sec-WebSocket-Protocol", "Sec-WebSocket-Extensions", "Sec-WebSocket-Accept",
      "Content-Length", "Transfer-Encoding",
    ].contains { field.isNamed($0) }
  }

  /// Section 4.1: the subprotocols "MUST all be unique strings".
  private static func firstRepeated(_ names: [String]) -> String? {
    names.indices.first { names[..<$0].contains(names[$0]) }.map { names[$0] }
  }
}

/// Which configured value can't be part of a handshake.
package enum HandshakeConfigurationError: Error, Equatable, Sendable {
  case field(HTTPFieldError)
  case reservedField(String)
  case subprotocol(String)
}

extension HandshakeConfigurationError: CustomStringConvertible {
  package var description: String {
    switch self {
    case .field(let error): error.description
    case .reservedField(let name): "header field \(name) is the handshake's own"
    case .subprotocol(let name):
      "\"\(VisibleText.escaped(Array(name.utf8)))\" is no subprotocol, or is given twice"
    }
  }
}
