/// The options that exist, by their long names.
///
/// `url` has no dashes: on the command line it is the operand, in a file it is `url = ...`.
package enum OptionName: String, CaseIterable, Hashable, Sendable {
  case url
  case name
  case dialect
  case room
  case userID = "user-id"
  case userName = "user-name"
  case demo
  case history
  case own
  case subprotocol
  case origin
  case header
  case query
  case hello
  case proxy
  case unixSocket = "unix-socket"
  case connectTimeout = "connect-timeout"
  case pingInterval = "ping-interval"
  case pingTimeout = "ping-timeout"
  case backoff
  case stableAfter = "stable-after"
  case retries
  case onRefused = "on-refused"
  case tokenFile = "token-file"
  case tokenEnv = "token-env"
  case tokenCommand = "token-command"
  case plaintextToken = "plaintext-token"
  case cacert
  case cert
  case key
  case insecure
  case maxMessage = "max-message"
  case window
  case ack
  case ackBy = "ack-by"
  case ackTimeout = "ack-timeout"
  case outboxMax = "outbox-max"
  case overflowMax = "overflow-max"
  case drainTimeout = "drain-timeout"
  case ephemeral
  case stay
  case text
  case quiet
  case count
  case `for`
  case trace
  case logFormat = "log-format"
  case logLevel = "log-level"
  case listen
  case tokens
  case echo
  case historyMax = "history-max"
  case rate
  case chaos
  case help
  case version

  /// The environment variable of the same meaning.
  package var environmentName: String {
    var name = "WSII_"
    for character in rawValue { name.append(character == "-" ? "_" : character) }
    return name.uppercased()
  }
}
