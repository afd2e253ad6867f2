/// Why an opening handshake failed though HTTP worked, or how HTTP failed (RFC 6455, section 4).
package enum HandshakeError: Error, Equatable, Sendable {
  case head(HTTPHeadError)
  case httpVersion(HTTPVersion)
  /// The stream ended inside the head.
  case endOfStream

  // What a server's answer can have wrong (section 4.1).
  case missingUpgrade
  case missingConnection
  case missingAccept
  case repeatedAccept
  case wrongAccept
  case unofferedSubprotocol([UInt8])
  case unofferedExtension([UInt8])
  case tooManyInterimResponses

  // What a client's request can have wrong (section 4.2.1).
  case method([UInt8])
  case missingHost
  case version([UInt8]?)
  case missingKey
  case illegalKey
}

extension HandshakeError: CustomStringConvertible {
  /// One short sentence without a full stop, safe to print.
  package var description: String {
    switch self {
    case .head(let error): error.description
    case .httpVersion(let version): "HTTP/\(version.major).\(version.minor) instead of HTTP/1.1"
    case .endOfStream: "the connection ended during the handshake"
    case .missingUpgrade: "no Upgrade: websocket in the handshake"
    case .missingConnection: "no Connection: Upgrade in the handshake"
    case .missingAccept: "no Sec-WebSocket-Accept in the handshake"
    case .repeatedAccept: "more than one Sec-WebSocket-Accept in the handshake"
    case .wrongAccept: "Sec-WebSocket-Accept doesn't fit the key that was sent"
    case .unofferedSubprotocol(let name):
      "the server chose subprotocol \"\(VisibleText.escaped(name.prefix(80)))\", which was not offered"
    case .unofferedExtension(let name):
      "the server chose extension \"\(VisibleText.escaped(name.prefix(80)))\", which was not offered"
    case .tooManyInterimResponses: "too many interim HTTP responses"
    case .method(let method): "method \(VisibleText.escaped(method.prefix(20))) instead of GET"
    case .missingHost: "not exactly one Host"
    case .version(let version):
      version.map { "WebSocket version \"\(VisibleText.escaped($0.prefix(20)))\" instead of 13" }
        ?? "no Sec-WebSocket-Version"
    case .missingKey: "not exactly one Sec-WebSocket-Key"
    case .illegalKey: "Sec-WebSocket-Key is not the Base64 of 16 bytes"
    }
  }
}

extension HandshakeError {
  /// What a server answers; the one place that maps errors to a status.
  package var response: HTTPResponse {
    switch self {
    case .head(.headTooLong), .head(.lineTooLong), .head(.tooManyFields):
      HTTPResponse(status: 431, text: description)
    case .httpVersion: HTTPResponse(status: 505, text: description)
    case .method:
      HTTPResponse(status: 405, fields: [.init(known: "Allow", "GET")], text: description)
    case .version:
      // Section 4.4: the answer names the versions the server understands.
      HTTPResponse(
        status: 426,
        fields: [
          .init(known: "Upgrade", "websocket"), .init(known: "Sec-WebSocket-Version", "13"),
        ], text: description)
    default: HTTPResponse(status: 400, text: description)
    }
  }
}
