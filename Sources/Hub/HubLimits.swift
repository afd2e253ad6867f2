/// What clients may cost the hub at most; checked before memory is taken.
package struct HubLimits: Sendable {
  /// The longest frame of a client that is taken as a message, in bytes; `welcome` tells it. The
  /// record that members get is longer by what the server sets, at most `addedToRecord`.
  package var maximumMessage = 1 << 20

  /// How many unanswered messages a client may have; `welcome` tells it. It is advice: with more,
  /// only the token bucket and the backlog stop a client.
  package var window = 64

  /// Messages a second that a client may send, and how many at once; nil: as many as it likes.
  package var rate: Rate?

  /// What a room keeps: what one screen scrolls back, and a bound for rooms of long messages.
  package var maximumHistoryCount = 1_000
  package var maximumHistoryBytes = 16 << 20

  /// What all rooms together keep. Beyond it the largest histories give way.
  package var maximumTotalHistoryBytes = 256 << 20

  /// Rooms of the hub. Beyond it the one that has been without a member longest is forgotten.
  package var maximumRooms = 4_096

  /// Rooms that one client may be in; what `--rooms-max` of a client is by default.
  package var maximumRoomsPerClient = 512

  /// Bytes of a room's name: what fits a file name.
  package var maximumRoomName = 200

  /// Bytes of a message's id. Callers of wsii may have 64; other clients may like longer ones.
  package var maximumID = 128

  /// Bytes of a message's type.
  package var maximumType = 64

  /// Messages in one answer to `history`, and how many without a `limit`.
  package var maximumPageCount = 1_000
  package var defaultPageCount = 100

  /// Bytes of messages in one answer to `history`, unless its first message alone is longer. Far
  /// below what clients take as one frame, and small beside a backlog.
  package var maximumPageBytes = 256 << 10

  /// Ids remembered of one identity in one room, and for how long (P2 promises a week).
  package var maximumKnownIDs = 65_536
  package var knownIDLifetime = Duration.seconds(30 * 86_400)

  /// Ids remembered in all, of about 110 bytes each. Beyond it who has most loses the oldest.
  package var maximumTotalKnownIDs = 1 << 19

  /// Bytes that may wait for a client to read them. Beyond it the client is closed: it catches up
  /// from the history once it reads again.
  package var maximumBacklog = 4 << 20

  /// Bytes that may wait for all clients together. Beyond it those are closed that have more
  /// than `fairBacklog` of them. Enough that one message of the longest to some hundred clients
  /// closes nobody who only had no time to read it yet.
  package var maximumTotalBacklog = 256 << 20
  package var fairBacklog = 256 << 10

  /// Answers to `join` and `history`, which may be long, wait while a client has so much unread.
  package var maximumBacklogForAnswers = 512 << 10
  /// How many of a client's requests may wait so; further ones are refused.
  package var maximumWaitingRequests = 512

  /// In larger rooms nobody is told what others have received or read: a message to a thousand
  /// users would come back as a thousand receipts.
  package var maximumUsersForReceipts = 256

  /// Users remembered after their last link, for their presence and what they have read.
  package var maximumAbsentUsers = 1_024

  /// What the chaos switch `delay` holds back at most. Beyond it messages are refused as `full`.
  package var maximumDelayedBytes = 16 << 20

  package init() {}

  /// A token bucket's measures.
  package struct Rate: Equatable, Sendable {
    /// Tokens a second, more than 0.
    package var perSecond: Double
    /// Tokens of a full bucket, at least 1.
    package var burst: Int

    package init(perSecond: Double, burst: Int) {
      self.perSecond = perSecond
      self.burst = burst
    }
  }

  /// By how many bytes a record may be longer than the frame that the client has sent: identity and
  /// time, and the name of the room where that was escaped more shortly.
  package static let addedToRecord = 4_096

  /// What the WebSocket layer should take as one message of a client. Above `maximumMessage`, so that
  /// a message that is too large can be told so by its id; what is longer still ends the link.
  package var maximumFrame: Int { min(maximumMessage, .max &- 65_536) &+ 65_536 }
}
