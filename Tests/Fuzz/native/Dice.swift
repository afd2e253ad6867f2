/// Repeatable chance: first what an input says, then SplitMix64 from a seed.
struct Dice {
  private var state: UInt64
  private var input: ArraySlice<UInt8>

  init(seed: UInt64, input: [UInt8] = []) {
    state = seed
    self.input = input[...]
  }

  mutating func next() -> UInt64 {
    if let byte = input.popFirst() { return UInt64(byte) }
    state &+= 0x9E37_79B9_7F4A_7C15
    var word = state
    word = (word ^ word >> 30) &* 0xBF58_476D_1CE4_E5B9
    word = (word ^ word >> 27) &* 0x94D0_49BB_1331_11EB
    return word ^ word >> 31
  }

  /// A number of the range.
  mutating func pick(_ range: ClosedRange<Int>) -> Int {
    range.lowerBound + Int(next() % UInt64(range.count))
  }

  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[pick(0...elements.count - 1)]
  }

  /// True in `percent` of a hundred cases.
  mutating func comesUp(_ percent: Int) -> Bool { pick(0...99) < percent }

  /// What machines want as their source of chance; never from the input, whose end would change it.
  static func source(seed: UInt64) -> (inout [UInt32]) -> Void {
    var dice = Dice(seed: seed)
    return { words in
      for index in words.indices { words[index] = UInt32(truncatingIfNeeded: dice.next()) }
    }
  }
}
