/// The parts of a server's URL that decide whether options make sense together.
///
/// The handshake reads the URL in full; this reading is only about safety, and so it errs towards
/// "elsewhere": what it doesn't recognise as loopback isn't.
struct ServerAddress: Equatable {
  let isSecure: Bool
  let host: String

  init(_ url: String) throws(ValueProblem) {
    guard let mark = ByteSearch.firstIndex(of: "://", in: url) else {
      throw ValueProblem("not a URL")
    }
    let scheme = String(url[..<mark]).lowercased()
    switch scheme {
    case "ws": isSecure = false
    case "wss": isSecure = true
    case "http": throw ValueProblem("the scheme is http; ws is meant")
    case "https": throw ValueProblem("the scheme is https; wss is meant")
    default: throw ValueProblem("the scheme is \(Quoted.text(scheme))")
    }
    if url.utf8.contains(where: { ASCIIText.isControl($0) || $0 == 0x20 }) {
      throw ValueProblem("holds a space or a control character")
    }
    let rest = url.utf8[mark...].dropFirst(3)
    let authority = rest.prefix { $0 != 0x2F && $0 != 0x3F && $0 != 0x23 }
    if authority.contains(UInt8(ascii: "@")) {
      throw ValueProblem("holds a user or password; use --header or a token option")
    }
    let name: Substring.UTF8View.SubSequence
    if authority.first == UInt8(ascii: "[") {
      name = authority.dropFirst().prefix { $0 != UInt8(ascii: "]") }
    } else {
      name = authority.prefix { $0 != UInt8(ascii: ":") }
    }
    if name.isEmpty { throw ValueProblem("the host is missing") }
    host = String(Substring(name))
  }

  /// Whether what is sent stays on this machine.
  var isLocal: Bool { Loopback.contains(host) }
}
