internal import Bytes

/// The server's side of the opening handshake (RFC 6455, section 4.2): reads a request, and leaves the
/// decision to the caller.
package struct ServerHandshake {
  package enum Outcome: Equatable, Sendable {
    /// A well-formed handshake. Check Host and Origin, then answer with `acceptance` and go on with
    /// the input from the position on, or with an `HTTPResponse`.
    case upgrade(UpgradeRequest)
    /// A request of HTTP/1.1 that asks for no WebSocket: answer with an `HTTPResponse`.
    case plain(HTTPRequest)
    /// Answer with `error.response`.
    case invalid(HandshakeError)
  }

  private var reader: HTTPHeadReader
  private var isOver = false

  package init(limits: WebSocketLimits = WebSocketLimits()) {
    reader = HTTPHeadReader(limits: limits)
  }

  /// Takes bytes of the request; nil when more are needed, or after the outcome.
  ///
  /// - Parameter position: moved past what was taken. After `.upgrade` it is where frames begin.
  package mutating func receive(_ input: Span<UInt8>, at position: inout Int) -> Outcome? {
    guard !isOver else { return nil }
    do throws(HandshakeError) {
      guard let head = try readHead(input, at: &position) else { return nil }
      isOver = true
      return try Self.judge(head)
    } catch {
      isOver = true
      return .invalid(error)
    }
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

  private static func judge(_ head: HTTPHead) throws(HandshakeError) -> Outcome {
    let line: HTTPHead.RequestLine
    do throws(HTTPHeadError) {
      line = try head.requestLine()
    } catch {
      throw .head(error)
    }
    guard line.version == .http11 else { throw .httpVersion(line.version) }
    // RFC 9112, section 3.2: exactly one; an attacker's second Host must not slip by a check.
    guard head.fields(named: "Host").count == 1 else { throw .missingHost }
    let request = HTTPRequest(method: line.method, target: line.target, head: head)
    guard head.hasElement("websocket", in: "Upgrade") else { return .plain(request) }
    guard line.method.elementsEqual("GET".utf8) else { throw .method(line.method) }
    guard head.hasElement("upgrade", in: "Connection") else { throw .missingConnection }
    let versions = head.fields(named: "Sec-WebSocket-Version")
    guard versions.count == 1, versions[0].value.elementsEqual("13".utf8) else {
      throw .version(versions.first?.value)
    }
    let keys = head.fields(named: "Sec-WebSocket-Key")
    guard keys.count == 1 else { throw .missingKey }
    let key = keys[0].value
    guard Base64.decode(key.span, 0..<key.count)?.count == 16 else { throw .illegalKey }
    return .upgrade(UpgradeRequest(request: request, key: key))
  }
}

/// A request's head.
package struct HTTPRequest: Equatable, Sendable {
  package var method: [UInt8]
  /// As it came: printable ASCII without spaces.
  package var target: [UInt8]
  package var head: HTTPHead

  /// The Host field, escaped or not as it came.
  package var host: String { String(decoding: head.value(of: "Host") ?? [], as: UTF8.self) }

  /// The target up to the question mark.
  package var path: [UInt8] { Array(target.prefix { $0 != UInt8(ascii: "?") }) }

  /// A value from the target's query, decoded; the first of its name.
  package func queryValue(_ name: String) -> [UInt8]? {
    guard let mark = target.firstIndex(of: UInt8(ascii: "?")) else { return nil }
    return PercentEncoding.value(of: name, in: target[(mark + 1)...])
  }
}

/// A request for a WebSocket connection that is well-formed (RFC 6455, section 4.2.1).
package struct UpgradeRequest: Equatable, Sendable {
  package var request: HTTPRequest
  var key: [UInt8]

  /// What the client can speak, in its order; a browser may have put a token here.
  package var subprotocols: [String] {
    request.head.fields(named: "Sec-WebSocket-Protocol").flatMap(\.elements)
      .map { String(decoding: $0, as: UTF8.self) }
  }

  /// The answer that opens the connection (section 4.2.2).
  ///
  /// - Parameters:
  ///   - subprotocol: one of those the client named, or nil.
  ///   - fields: further ones.
  package func acceptance(subprotocol: String? = nil, fields: [HTTPField] = []) -> HTTPHead {
    var head = [
      HTTPField(known: "Upgrade", "websocket"),
      HTTPField(known: "Connection", "Upgrade"),
      HTTPField(known: "Sec-WebSocket-Accept", AcceptKey.value(for: key)),
    ]
    if let subprotocol, subprotocols.contains(subprotocol) {
      head.append(HTTPField(known: "Sec-WebSocket-Protocol", subprotocol))
    }
    let startLine = "HTTP/1.1 101 \(HTTPResponse.reasonPhrase(of: 101))"
    return HTTPHead(startLine: Array(startLine.utf8), fields: head + fields)
  }
}
