/// The types that mean something to the native protocol; every other type is a message's.
enum NativeWord: String, CaseIterable {
  /// Requests from a client; with `userId` they are reports from the server.
  case typing
  case stopTyping
  case ack
  case join
  case leave
  /// Reports only.
  case presence
  /// The protocol's own, which no line may say.
  case welcome
  case joined
  case history
  case nack
  case ping
  case pong
  case error

  private static let words = Dictionary(
    uniqueKeysWithValues: allCases.map { (Array($0.rawValue.utf8), $0) })

  /// The word that these bytes spell, if they spell one.
  init?(_ bytes: [UInt8]) {
    guard let word = Self.words[bytes] else { return nil }
    self = word
  }
}
