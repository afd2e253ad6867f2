import Timeline

/// A link as the hub knows it.
final class Client {
  /// A room's messages are refused until the refused one comes again, so that order holds.
  struct Hold {
    var messageID: [UInt8]
    var code: RefusalCode
    var reason: String
  }

  let id: ClientID
  let identity: Identity
  let user: User
  var rooms: [ByteKey: Room] = [:]
  var holds: [ByteKey: Hold] = [:]
  /// Of messages and requests; nil: there is no limit.
  var bucket: TokenBucket?
  /// Of what is dropped above the limit. Its own, or typing would slow messages down.
  var ephemeralBucket: TokenBucket?
  /// Requests whose answers wait for the backlog or the bucket.
  var waiting: [Request] = []
  /// Reading goes on then; nil: it isn't stopped.
  var pausedUntil: Instant?
  /// Nothing more is read; what comes nevertheless is as if it hadn't been.
  var isDeaf = false
  /// Its link is about to be ended: it gets no more.
  var isDoomed = false
  var chaos: Chaos.Link?
  /// The last round of `HubMachine.presence` that has told it.
  var round: UInt64 = 0

  init(_ id: ClientID, _ identity: Identity, _ user: User, _ rate: HubLimits.Rate?) {
    self.id = id
    self.identity = identity
    self.user = user
    bucket = rate.map(TokenBucket.init)
    ephemeralBucket = bucket
  }
}
