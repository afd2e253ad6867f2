/// Repeatable chance (SplitMix64).
struct Dice: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }

  /// A number of the range; cheaper than `Int.random` in a debug build.
  mutating func pick(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() >> 33) % range.count
  }

  /// True in `percent` of a hundred cases.
  mutating func comesUp(_ percent: Int) -> Bool {
    Int(next() >> 33) % 100 < percent
  }

  /// What a `Bridge` wants as its source of chance.
  static func source(seed: UInt64) -> (inout [UInt32]) -> Void {
    var dice = Dice(seed: seed)
    return { words in
      for index in words.indices { words[index] = UInt32(truncatingIfNeeded: dice.next()) }
    }
  }
}
