/// Why no connection came about: the kind for whoever decides what follows, and one line for a
/// person, such as `chat.example.org:443: the certificate has expired`.
///
/// The line never holds a proxy's credentials.
package struct TransportError: Error, Equatable, Sendable, CustomStringConvertible {
  package enum Kind: Equatable, Sendable {
    /// The host's name, or the proxy's, can't be found (now).
    case nameNotFound
    /// Somebody is there, but nobody listens.
    case refused
    /// No way to the host.
    case unreachable
    /// Nobody answered in time, in whatever phase.
    case timedOut
    /// The connection broke before it was complete.
    case broken
    /// The server's certificate isn't accepted.
    case certificate(CertificateProblem)
    /// The TLS handshake failed in another way.
    case tls
    /// A proxy answered the CONNECT with this status.
    case proxyRefused(status: Int)
    /// A file of ours (CA, certificate, key), an address or an option can't be used.
    case configuration
    /// libcurl is missing or unusable.
    case library
    /// Anything else, in libcurl's words.
    case other
  }

  package enum CertificateProblem: Equatable, Sendable {
    case expired
    case notYetValid
    case selfSigned
    case unknownIssuer
    case wrongName
    case revoked
    case other
  }

  package let kind: Kind
  package let description: String

  package init(kind: Kind, description: String) {
    self.kind = kind
    self.description = description
  }
}
