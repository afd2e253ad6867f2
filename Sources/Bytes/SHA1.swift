/// SHA-1 (FIPS 180-4), which RFC 6455 section 4.2.2 demands for `Sec-WebSocket-Accept`.
///
/// It proves there that the peer speaks WebSocket and protects nothing, so that SHA-1 being broken
/// doesn't matter. The hub also tells a client's messages apart by it, where a client that made two
/// look the same would only deceive itself. No part of that is worth a C library.
package enum SHA1 {
  /// Returns the 20 bytes of the digest.
  package static func digest(of message: Span<UInt8>) -> [UInt8] {
    var state: (UInt32, UInt32, UInt32, UInt32, UInt32) = (
      0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0
    )
    var schedule = InlineArray<80, UInt32>(repeating: 0)
    // Padding: a one bit, zeros, and the length in bits as a 64-bit number, to a multiple of 64.
    let bitCount = UInt64(message.count) &* 8
    let blockCount = (message.count &+ 8) / 64 &+ 1
    let paddedCount = blockCount &* 64
    for block in 0..<blockCount {
      if (block &+ 1) &* 64 <= message.count {
        // All but the last block or two: whole words, half the time.
        for word in 0..<16 {
          schedule[word] = UInt32(
            bigEndian: message.bytes.unsafeLoadUnaligned(
              fromByteOffset: block &* 64 &+ word &* 4, as: UInt32.self))
        }
        compress(&state, &schedule)
        continue
      }
      for word in 0..<16 {
        var value: UInt32 = 0
        for offset in 0..<4 {
          let index = block &* 64 &+ word &* 4 &+ offset
          let byte: UInt8
          if index < message.count {
            byte = message[index]
          } else if index == message.count {
            byte = 0x80
          } else if index >= paddedCount &- 8 {
            let shift = UInt64(paddedCount &- 1 &- index) &* 8
            byte = UInt8(truncatingIfNeeded: bitCount &>> shift)
          } else {
            byte = 0
          }
          value = value &<< 8 | UInt32(byte)
        }
        schedule[word] = value
      }
      compress(&state, &schedule)
    }
    var digest: [UInt8] = []
    digest.reserveCapacity(20)
    for word in [state.0, state.1, state.2, state.3, state.4] {
      for shift: UInt32 in [24, 16, 8, 0] {
        digest.append(UInt8(truncatingIfNeeded: word &>> shift))
      }
    }
    return digest
  }

  /// The compression function; `schedule` holds the block's sixteen words at its start.
  private static func compress(
    _ state: inout (UInt32, UInt32, UInt32, UInt32, UInt32),
    _ schedule: inout InlineArray<80, UInt32>
  ) {
    for index in 16..<80 {
      schedule[index] = rotate(
        schedule[index - 3] ^ schedule[index - 8] ^ schedule[index - 14] ^ schedule[index - 16],
        1)
    }
    var (a, b, c, d, e) = state
    for index in 0..<80 {
      let mix: UInt32
      let constant: UInt32
      switch index {
      case 0..<20: (mix, constant) = (b & c | ~b & d, 0x5A82_7999)
      case 20..<40: (mix, constant) = (b ^ c ^ d, 0x6ED9_EBA1)
      case 40..<60: (mix, constant) = (b & c | b & d | c & d, 0x8F1B_BCDC)
      default: (mix, constant) = (b ^ c ^ d, 0xCA62_C1D6)
      }
      let next = rotate(a, 5) &+ mix &+ e &+ constant &+ schedule[index]
      (e, d, c, b, a) = (d, c, rotate(b, 30), a, next)
    }
    state.0 &+= a
    state.1 &+= b
    state.2 &+= c
    state.3 &+= d
    state.4 &+= e
  }

  private static func rotate(_ word: UInt32, _ count: UInt32) -> UInt32 {
    word &<< count | word &>> (32 &- count)
  }
}
