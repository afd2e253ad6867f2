import CurlShim
import Glibc
import Posix
import Timeline

// libcurl's result, its details and its text, put into a kind and a line.

extension TransportError {
  static let noMemory = TransportError(kind: .library, description: "libcurl: out of memory")

  static func configuration(_ target: TransportTarget, _ reason: String) -> TransportError {
    TransportError(kind: .configuration, description: "\(target.place): \(reason)")
  }

  static func timeLimitReached(_ target: TransportTarget) -> TransportError {
    TransportError(
      kind: .timedOut,
      description: "\(target.place): no connection within \(target.connectTimeout.formatted)")
  }

  init(_ code: CURLcode, _ easy: CurlEasy, _ target: TransportTarget) {
    let text = Self.withoutCredentials(easy.text(for: code))
    let status = easy.get(CURLINFO_HTTP_CONNECTCODE)
    let errorNumber = CInt(truncatingIfNeeded: easy.get(CURLINFO_OS_ERRNO))
    let place = target.place
    if status >= 300 {
      self.init(kind: .proxyRefused(status: status), description: Self.refusal(status, target))
      return
    }
    if text.hasPrefix("Unsupported proxy") {
      self.init(kind: .configuration, description: "\(place): the proxy's URL can't be used")
      return
    }
    switch code {
    case CURLE_COULDNT_RESOLVE_HOST:
      self.init(kind: .nameNotFound, description: "\(place): name not found")
    case CURLE_COULDNT_RESOLVE_PROXY:
      self.init(kind: .nameNotFound, description: "\(place): the proxy's name is not found")
    case CURLE_COULDNT_CONNECT:
      let (kind, reason) = Self.connectFailure(errorNumber, text)
      self.init(kind: kind, description: Self.at(text, target) + reason)
    case CURLE_OPERATION_TIMEDOUT:
      self.init(
        kind: .timedOut,
        description: "\(place): \(Self.waitingFor(text)) within \(target.connectTimeout.formatted)")
    case CURLE_PEER_FAILED_VERIFICATION:
      let (problem, reason) = Self.certificate(easy.get(CURLINFO_SSL_VERIFYRESULT), text)
      self.init(kind: .certificate(problem), description: "\(place): \(reason)")
    case CURLE_SSL_CERTPROBLEM, CURLE_SSL_CACERT_BADFILE, CURLE_URL_MALFORMAT,
      CURLE_UNSUPPORTED_PROTOCOL:
      self.init(kind: .configuration, description: "\(place): \(text)")
    case CURLE_SSL_CONNECT_ERROR:
      self.init(kind: .tls, description: "\(place): TLS handshake failed: \(text)")
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR, CURLE_GOT_NOTHING:
      self.init(kind: .broken, description: "\(place): connection broke: \(text)")
    default:
      self.init(kind: .other, description: "\(place): \(text)")
    }
  }

  private static func refusal(_ status: Int, _ target: TransportTarget) -> String {
    let advice = status == 407 ? ": it wants a user and a password in its URL" : ""
    return "\(target.place): the proxy refused with status \(status)\(advice)"
  }

  private static func connectFailure(_ number: CInt, _ text: String) -> (Kind, String) {
    let reason = number == 0 ? text : SystemError(call: "", object: "", number: number).reason
    switch number {
    case ECONNREFUSED, ENOENT: return (.refused, reason)
    case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN: return (.unreachable, reason)
    case ETIMEDOUT: return (.timedOut, reason)
    case EACCES, EPERM: return (.configuration, reason)
    default: return (.other, reason)
    }
  }

  /// The place, and the proxy when that is what could not be reached: libcurl's text names whom it
  /// tried ("Failed to connect to HOST port N …"), and takes no user or password into it.
  private static func at(_ text: String, _ target: TransportTarget) -> String {
    let words = text.split(separator: " ")
    guard target.unixSocketPath == nil, let index = words.firstIndex(of: "port"), index > 0,
      index + 1 < words.count
    else { return "\(target.place): " }
    let (host, port) = (words[index - 1], words[index + 1])
    if host == target.host && port == "\(target.port)" { return "\(target.place): " }
    return "\(target.place): proxy \(host):\(port): "
  }

  /// Takes the user and the password out of URLs: libcurl repeats a proxy's URL in some texts, and
  /// it may come from the environment.
  static func withoutCredentials(_ text: String) -> String {
    text.split(separator: " ", omittingEmptySubsequences: false).map { word in
      guard let at = word.lastIndex(of: "@"), let slashes = word.firstRange(of: "//"),
        slashes.upperBound <= at
      else { return String(word) }
      return "\(word[..<slashes.upperBound])***\(word[at...])"
    }.joined(separator: " ")
  }

  private static func waitingFor(_ text: String) -> String {
    if text.contains("Resolving") { return "name not found" }
    if text.contains("SSL") { return "TLS handshake not completed" }
    if text.contains("Proxy") || text.contains("CONNECT") { return "no answer from the proxy" }
    return "no connection"
  }

  /// By OpenSSL's X509_V_ERR number; where libcurl does the check itself (the name), by its text.
  private static func certificate(_ verifyResult: Int, _ text: String) -> (
    CertificateProblem, String
  ) {
    switch verifyResult {
    case 9: (.notYetValid, "the certificate is not valid yet")
    case 10: (.expired, "the certificate has expired")
    case 18: (.selfSigned, "the certificate is self-signed")
    case 19:
      (.unknownIssuer, "the certificate chain ends in a self-signed authority not trusted here")
    case 2, 20, 21, 27: (.unknownIssuer, "the certificate's issuer is not known")
    case 23: (.revoked, "the certificate has been revoked")
    case 62, 64:
      (.wrongName, "the certificate is for another name")
    // 1 is what libcurl starts with.
    case 0 where text.contains("name"), 1 where text.contains("name"):
      (.wrongName, "the certificate is for another name (\(text))")
    default: (.other, "the certificate is not accepted: \(text)")
    }
  }
}

extension Duration {
  /// `10 s`, or `0.25 s`.
  fileprivate var formatted: String {
    let (whole, rest) = wholeMilliseconds.quotientAndRemainder(dividingBy: 1000)
    if rest == 0 { return "\(whole) s" }
    var fraction = String(rest + 1000).dropFirst()
    while fraction.hasSuffix("0") { fraction = fraction.dropLast() }
    return "\(whole).\(fraction) s"
  }
}
