import Timeline

/// What a room's sender is told about how far we have come: cumulative, and only after standard
/// output has taken the record.
///
/// A record is *placed* when it is put behind others for standard output, at a position in the
/// stream of bytes, and *taken* when the stream has been written up to there. What has been taken
/// and not been told on this link is due, at once or `interval` after the last time: a room full of
/// receivers that answered each message alone would cost the server the square of their number.
struct RoomReceipts {
  static let interval = Duration.milliseconds(200)
  /// Places kept apart. With more of them under way the newest ones are merged: then the server is
  /// told later, never too early.
  private static let maximumPlaces = 64

  private struct Place {
    var position: Int
    var seq: Int
  }

  private var places: [Place] = []
  private var takenSeq = 0
  /// What the user has said by a line, for this link and those to come.
  private var readSeq = 0
  private var deliveredSeq = 0
  private var told: (delivered: Int, read: Int) = (0, 0)
  private var lastTold: Instant?

  mutating func place(_ seq: Int, at position: Int) {
    if places.count == Self.maximumPlaces, let last = places.indices.last {
      places[last] = Place(position: position, seq: seq)
    } else {
      places.append(Place(position: position, seq: seq))
    }
  }

  /// Everything before `position` has been written.
  mutating func taken(upTo position: Int) {
    guard let first = places.first, first.position <= position else { return }
    let count = places.prefix { $0.position <= position }.count
    takenSeq = max(takenSeq, places[count - 1].seq)
    places.removeFirst(count)
  }

  /// A line has said so itself.
  mutating func request(_ status: AckStatus, seq: Int) {
    switch status {
    case .delivered: deliveredSeq = max(deliveredSeq, seq)
    case .read: readSeq = max(readSeq, seq)
    }
  }

  private var isDue: Bool {
    max(takenSeq, deliveredSeq) > told.delivered || readSeq > told.read
  }

  /// When `next` has something to say.
  var nextDeadline: Instant? {
    guard isDue else { return nil }
    return lastTold.map { $0 + Self.interval } ?? Instant(nanoseconds: .min)
  }

  /// What is due; `send` returns false when the link takes no more.
  mutating func tell(
    _ now: Instant, isLast: Bool, _ send: (Int, AckStatus) -> Bool
  ) {
    guard let deadline = nextDeadline, isLast || now >= deadline else { return }
    let delivered = max(takenSeq, deliveredSeq)
    if delivered > told.delivered {
      guard send(delivered, .delivered) else { return }
      told.delivered = delivered
    }
    if readSeq > told.read {
      guard send(readSeq, .read) else { return }
      told.read = readSeq
    }
    lastTold = now
  }

  /// What was told last may have been lost with the link: it is told again, once.
  mutating func linkLost() {
    told = (0, 0)
    lastTold = nil
  }

  /// The numbers begin anew, or are of no interest any more.
  mutating func forget() {
    self = RoomReceipts()
  }
}
