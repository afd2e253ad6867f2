package import Timeline

/// A UUID of version 7 (RFC 9562, section 5.7): ids that sort by the time of acceptance.
package struct MessageID: Hashable, Sendable {
  package let high: UInt64
  package let low: UInt64

  /// 48 bits of milliseconds, then 74 bits of chance around the version and variant bits.
  package init(timestamp: Timestamp, chance: (UInt32, UInt32, UInt32)) {
    let milliseconds = UInt64(truncatingIfNeeded: max(timestamp.unixMilliseconds, 0))
    high = milliseconds << 16 | 0x7000 | UInt64(chance.0 & 0x0FFF)
    low =
      1 << 63 | UInt64(chance.1 & 0x3FFF_FFFF) << 32 | UInt64(chance.2)
  }

  /// Appends the 36 characters of the usual form.
  package func append(to bytes: inout [UInt8]) {
    func appendHex(_ word: UInt64, _ shifts: StrideThrough<Int>) {
      for shift in shifts {
        let digit = UInt8(truncatingIfNeeded: word >> UInt64(shift)) & 0xF
        bytes.append(digit < 10 ? digit &+ 0x30 : digit &+ 0x57)
      }
    }
    appendHex(high, stride(from: 60, through: 32, by: -4))
    bytes.append(UInt8(ascii: "-"))
    appendHex(high, stride(from: 28, through: 16, by: -4))
    bytes.append(UInt8(ascii: "-"))
    appendHex(high, stride(from: 12, through: 0, by: -4))
    bytes.append(UInt8(ascii: "-"))
    appendHex(low, stride(from: 60, through: 48, by: -4))
    bytes.append(UInt8(ascii: "-"))
    appendHex(low, stride(from: 44, through: 0, by: -4))
  }

  /// The usual form, for sentences.
  package var text: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}
