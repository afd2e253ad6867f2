import Timeline
import WebSocket

/// What a hub does with its clients' messages; the server and its connections do all else.
///
/// Called on the loop's thread, one call after the other. From within a call it may use any
/// connection; one that ends thereby is told by `ended` before the call returns.
protocol HubApplication: AnyObject {
  /// What a client's frames may cost.
  var limits: WebSocketLimits { get }

  /// A request whose Host and Origin are welcome: `open` the connection, or `refuse` it.
  func judge(_ upgrade: UpgradeRequest, of connection: HubConnection, _ now: Moment)

  /// An open connection's message has come, UTF-8 if it is text; `message` is only lent.
  func receive(
    _ kind: MessageKind, _ message: Span<UInt8>, from connection: HubConnection, _ now: Moment)

  /// What there was for an open connection has been written, as far as its socket takes it.
  func wrote(to connection: HubConnection, _ now: Moment)

  /// A connection that was open takes no more messages, for whatever reason; told once.
  func ended(_ connection: HubConnection, _ now: Moment)

  /// The hub stops; the server closes all connections afterwards.
  func stop(_ now: Moment)

  /// When `advance` is wanted; nil: nothing is waited for.
  var nextDeadline: Instant? { get }

  /// All of a turn's messages have come; connections are written to next.
  func turnEnds(_ now: Moment)

  /// Does what is due.
  func advance(_ now: Moment)
}
