/// What a native session is told once, at its start. The defaults are the contract's.
package struct NativeSettings: Sendable {
  /// Rooms to be in from the start; the first is where lines go that name none.
  package var rooms: [[UInt8]] = []
  /// Messages of a room's past that its first join brings.
  package var history = 0
  /// Whether own messages come back on standard output.
  package var repeatsOwn = false
  /// Whether the server is told what standard output has taken.
  package var acknowledges = true
  /// Lines are texts instead of records.
  package var isText = false
  /// Standard output is a terminal, which obeys what JSON allows raw.
  package var isForTerminal = false
  /// Bytes of one encoded message.
  package var maximumMessage = 1 << 20
  /// Messages without an answer on a link; the server's welcome may ask for fewer.
  package var window = 64
  package var windowBytes = 1 << 20
  /// How long the server may take to greet, to answer a join, and to answer for history.
  package var answerTimeout = Duration.seconds(10)
  /// Messages to ask for at once.
  package var historyLimit = 200
  /// A run that is in more rooms would cost every turn too much; the user has another run for them.
  package var maximumRooms = 4_096

  package init() {}
}
