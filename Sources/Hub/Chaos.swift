/// Decides what goes wrong, by a specification and a seed: the same calls give the same decisions.
struct Chaos {
  /// What is decided for one link.
  struct Link: Equatable {
    /// Frames of either side until the link ends; nil: it doesn't.
    var framesLeft: UInt64?
    /// Frames of the client until no more are read; nil: all are.
    var readingsLeft: UInt64?

    /// Counts a frame. Returns whether the link ends now.
    mutating func countFrame() -> Bool {
      guard let left = framesLeft else { return false }
      framesLeft = left &- min(left, 1)
      return left <= 1
    }

    /// Counts a frame of the client. Returns whether no more is read now.
    mutating func countReading() -> Bool {
      guard let left = readingsLeft else { return false }
      readingsLeft = left &- min(left, 1)
      return left <= 1
    }
  }

  private let spec: ChaosSpec
  private var state: UInt64
  private var refusalCount: UInt64 = 0
  private var ackCount: UInt64 = 0

  /// - Parameter seed: used if the specification has none.
  init(_ spec: ChaosSpec, seed: UInt64) {
    self.spec = spec
    state = spec.seed ?? seed
  }

  /// The status to refuse a request with.
  mutating func takeRefusal() -> Int? {
    guard let refusal = spec.refusal else { return nil }
    if let count = refusal.count, refusalCount >= count { return nil }
    refusalCount &+= 1
    return refusal.status
  }

  mutating func makeLink() -> Link {
    let frames = spec.dropAfter.map { range in
      let width = range.upperBound &- range.lowerBound &+ 1
      return range.lowerBound &+ next() % width
    }
    return Link(framesLeft: frames, readingsLeft: spec.stopReadingAfter)
  }

  /// Whether the next ack is lost.
  mutating func losesAck() -> Bool {
    switch spec.ackLoss {
    case nil: return false
    case .every(let count):
      ackCount &+= 1
      return ackCount % count == 0
    case .percent(let percent): return next() % 100 < percent
    }
  }

  /// SplitMix64 (Steele, Lea, Flood 2014).
  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word &>> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word &>> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word &>> 31
  }
}
