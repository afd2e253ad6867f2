package import WebSocket

/// What a run is told once, at its start. The defaults are the contract's.
package struct BridgeSettings: Sendable {
  /// How the server's acceptance is known where the protocol has no acknowledgements.
  package enum AckMethod: Sendable {
    /// A ping follows a batch; its pong proves that the server's WebSocket read all before it.
    case pong
    /// The kernel has taken the bytes, which proves nothing about the server.
    case write
  }

  /// A frame that opens every link.
  package struct HelloFrame: Equatable, Sendable {
    package var kind: MessageKind
    package var payload: [UInt8]

    package init(kind: MessageKind, payload: [UInt8]) {
      self.kind = kind
      self.payload = payload
    }
  }

  /// What the server speaks, as far as that is known at the start.
  package enum Speech: Sendable {
    case plain
    case native
    /// The link's first two seconds tell.
    case undecided
  }

  package var speech = Speech.plain
  /// For a server that turns out to be, or is known to be, a native one.
  package var native = NativeSettings()
  package var format = PlainDialect.Format.json
  package var outputIsTerminal = false
  package var link: LinkMachine.Limits
  /// From the transport's connection to the end of the handshake.
  package var handshakeTimeout = Duration.seconds(10)
  /// How much of it a refusal's body may take: the status is known by then and decides, the body
  /// only says more.
  package var refusalBodyTimeout = Duration.seconds(1)
  package var keepalive: Keepalive?
  package var ackBy = AckMethod.pong
  package var ackTimeout = Duration.seconds(10)
  package var maximumMessage = 1 << 20
  /// What may be unanswered on the wire. `plain` servers can't refuse a single message, so the
  /// window only bounds what comes again after a lost link; 64 messages would cost a round trip
  /// each 64 lines.
  package var windowMessages = 8_192
  package var windowBytes = 1 << 20
  package var outboxMaximum = 64 << 20
  package var drainTimeout = Duration.seconds(10)
  /// How long reading may stand still because standard output does.
  package var stallTimeout = Duration.seconds(30)
  /// How long a run that is over waits for the server's Close and the end of the transport.
  package var closeTimeout = Duration.seconds(5)
  /// The same for a link that is left for a new one: long enough for an honest round trip, and a
  /// link that is left is often a dead one.
  package var leaveTimeout = Duration.seconds(1)
  /// How long a stop by signal waits for the server's Close: enough for a round trip nearby, and
  /// short enough that a supervisor sees us act at once.
  package var hastyCloseTimeout = Duration.milliseconds(40)
  /// Whether the end of standard input leaves the run going.
  package var staysAfterInput = false
  package var hello: [HelloFrame] = []
  /// The run ends after so many records, or so much time.
  package var recordLimit: Int?
  package var duration: Duration?
  package var traces = false

  package init(link: LinkMachine.Limits) {
    self.link = link
  }
}
