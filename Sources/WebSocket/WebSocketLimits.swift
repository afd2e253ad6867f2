/// What a peer may cost us at most; checked before memory is taken.
package struct WebSocketLimits: Sendable {
  /// The longest message, in bytes. 1 MiB: a chat message has a few hundred bytes, and large ones
  /// are what servers like the hub cap at too.
  package var maximumMessage = 1_048_576

  /// The most frames of one message. An empty fragment costs the sender two bytes and no memory
  /// here, so the count only bounds the time a peer can keep a message open; the Autobahn suite
  /// sends up to 65,536 and more fragments, and expects them to be taken.
  package var maximumFragments = 262_144

  /// The longest HTTP head, in bytes: servers and proxies commonly stop at 8 to 16 KiB.
  package var maximumHead = 16_384

  /// The most header fields, and the longest line among them: both as web servers have them.
  package var maximumHeaderFields = 100
  package var maximumHeaderLine = 8_192

  /// The most bytes of a refusal's body that are kept: enough for a reason, too few for a page.
  package var maximumRefusalBody = 1_024

  /// How long a Close frame waits for its answer, and then the end of the stream
  /// (RFC 6455, section 7.1.1, asks for "a reasonable period of time").
  package var closeTimeout: Duration = .seconds(5)

  /// The same after a violation: whatever the peer still says isn't listened to (section 7.1.7), so
  /// this is only for our Close to arrive before a reset could overtake it.
  package var failTimeout: Duration = .seconds(1)

  /// Output waiting beyond this holds pongs back: only the newest ping is then answered, when the
  /// output drains (section 5.5.3 allows that). A ping flood costs its sender more than us.
  package var maximumOutputForPongs = 16_384

  package init() {}
}
