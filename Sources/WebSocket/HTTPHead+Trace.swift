extension HTTPHead {
  /// The head as lines for people, `> GET /chat HTTP/1.1`, safe to print and without secrets.
  package func traceLines(isReceived: Bool) -> [String] {
    let mark = isReceived ? "< " : "> "
    var lines = [mark + maskedStartLine]
    for field in fields {
      lines.append("\(mark)\(field.name): \(Self.maskedValue(of: field))")
    }
    return lines
  }

  private var maskedStartLine: String {
    let parts = startLine.split(separator: 0x20, omittingEmptySubsequences: false)
    // A status line has no question mark before its phrase; only a request's target is masked.
    guard parts.count == 3, HTTPVersion(parts[0]) == nil else {
      return VisibleText.escaped(startLine)
    }
    let line = [
      String(decoding: parts[0], as: UTF8.self), SecretNames.masked(target: parts[1]),
      String(decoding: parts[2], as: UTF8.self),
    ].joined(separator: " ")
    return VisibleText.escaped(Array(line.utf8))
  }

  private static func maskedValue(of field: HTTPField) -> String {
    if SecretNames.isSecret(field.name.utf8) { return SecretNames.replacement }
    if field.isNamed("Location") {
      return VisibleText.escaped(Array(SecretNames.masked(target: field.value).utf8))
    }
    guard field.isNamed("Sec-WebSocket-Protocol") else { return VisibleText.escaped(field.value) }
    return field.elements.map {
      SecretNames.looksLikeSubprotocol($0) ? VisibleText.escaped($0) : SecretNames.replacement
    }.joined(separator: ", ")
  }
}
