/// An answer other than 101: a refusal, or a small page.
package struct HTTPResponse: Equatable, Sendable {
  package var status: Int
  package var fields: [HTTPField]
  package var contentType: String
  package var body: [UInt8]

  /// - Parameters:
  ///   - fields: further ones; Content-Type, Content-Length and Connection are written anyway.
  ///   - contentType: of the body, a legal field value.
  package init(status: Int, fields: [HTTPField] = [], contentType: String, body: [UInt8]) {
    self.status = status
    self.fields = fields
    self.contentType = contentType
    self.body = body
  }

  /// A short text for people, with a line end added.
  package init(status: Int, fields: [HTTPField] = [], text: String) {
    self.init(
      status: status, fields: fields, contentType: "text/plain; charset=utf-8",
      body: Array((text + "\n").utf8))
  }

  /// The response as it is sent; the connection ends after it.
  package var bytes: [UInt8] {
    var fields = fields
    fields.append(HTTPField(known: "Content-Type", contentType))
    fields.append(HTTPField(known: "Content-Length", String(body.count)))
    fields.append(HTTPField(known: "Connection", "close"))
    let startLine = Array("HTTP/1.1 \(status) \(Self.reasonPhrase(of: status))".utf8)
    return HTTPHead(startLine: startLine, fields: fields).bytes + body
  }

  /// The phrases of RFC 9110, section 15, for the statuses a WebSocket server has use for.
  static func reasonPhrase(of status: Int) -> String {
    switch status {
    case 101: "Switching Protocols"
    case 200: "OK"
    case 301: "Moved Permanently"
    case 302: "Found"
    case 400: "Bad Request"
    case 401: "Unauthorized"
    case 403: "Forbidden"
    case 404: "Not Found"
    case 405: "Method Not Allowed"
    case 421: "Misdirected Request"
    case 426: "Upgrade Required"
    case 429: "Too Many Requests"
    case 431: "Request Header Fields Too Large"
    case 500: "Internal Server Error"
    case 503: "Service Unavailable"
    case 505: "HTTP Version Not Supported"
    default: "Status"
    }
  }
}
