/// Random bits as text: lower-case letters and digits, five bits each.
enum ChanceText {
  /// Appends six characters for 30 of the bits.
  static func append(_ chance: UInt32, to text: inout [UInt8]) {
    var rest = chance
    for _ in 0..<6 {
      let digit = UInt8(truncatingIfNeeded: rest & 31)
      // Without 0, 1, l and o there are 32 left, and none is taken for another.
      text.append(Self.character(digit))
      rest &>>= 5
    }
  }

  private static func character(_ digit: UInt8) -> UInt8 {
    switch digit {
    case 0..<8: UInt8(ascii: "2") &+ digit
    case 8..<19: UInt8(ascii: "a") &+ (digit &- 8)
    case 19..<21: UInt8(ascii: "m") &+ (digit &- 19)
    default: UInt8(ascii: "p") &+ (digit &- 21)
    }
  }
}
