/// The beginning of a refusal's body, which often says in words what the status doesn't.
///
/// As much as fits the limit is kept and then it is over; an undelimited body may also be ended by the
/// end of the stream. What the caller sees doesn't depend on how the bytes were cut.
struct RefusalBody {
  private enum Framing {
    case length(remaining: Int)
    case chunkSize(line: [UInt8])
    case chunk(remaining: Int)
    /// The line end after a chunk.
    case chunkEnd
    case untilEnd
    case done
  }

  private(set) var bytes: [UInt8] = []
  private let maximum: Int
  private var framing: Framing

  /// - Parameter maximum: of bytes to keep, above 0.
  init(status: Int, head: HTTPHead, maximum: Int) {
    self.maximum = maximum
    if status == 204 || status == 304 || maximum <= 0 {
      framing = .done
    } else if head.hasElement("chunked", in: "Transfer-Encoding") {
      framing = .chunkSize(line: [])
    } else if let value = head.value(of: "Content-Length") {
      // A length that is no number, or none we can hold, is as good as a very long one.
      let length = Int(String(decoding: value, as: UTF8.self)) ?? Int.max
      framing = length <= 0 ? .done : .length(remaining: length)
    } else {
      framing = .untilEnd
    }
  }

  var isComplete: Bool {
    if case .done = framing { return true }
    return false
  }

  /// Takes bytes until the body is complete.
  mutating func read(_ input: Span<UInt8>, at position: inout Int) {
    while position < input.count, !isComplete {
      let byte = input[position]
      position += 1
      take(byte)
    }
  }

  private mutating func take(_ byte: UInt8) {
    switch framing {
    case .length(let remaining):
      keep(byte)
      if remaining == 1 { framing = .done } else { advance(.length(remaining: remaining - 1)) }
    case .untilEnd:
      keep(byte)
      advance(.untilEnd)
    case .chunkSize(var line):
      if byte == 0x0A {
        framing = Self.chunk(after: line)
      } else {
        line.append(byte)
        // No number needs so many digits; an extension isn't worth reading on for.
        framing = line.count > 64 ? .done : .chunkSize(line: line)
      }
    case .chunk(let remaining):
      keep(byte)
      advance(remaining == 1 ? .chunkEnd : .chunk(remaining: remaining - 1))
    case .chunkEnd:
      if byte == 0x0A { framing = .chunkSize(line: []) }
    case .done: break
    }
  }

  private mutating func keep(_ byte: UInt8) {
    bytes.append(byte)
  }

  private mutating func advance(_ next: Framing) {
    framing = bytes.count >= maximum ? .done : next
  }

  /// A chunk's size line, `1a3;extension` (RFC 9112, section 7.1); the last chunk is empty.
  private static func chunk(after line: [UInt8]) -> Framing {
    var size = 0
    var digitCount = 0
    for byte in line {
      guard let digit = PercentEncoding.digit(byte) else { break }
      digitCount += 1
      // Held where it can't overflow; only the first bytes matter.
      size = min(size, 1 << 32) * 16 + Int(digit)
    }
    return digitCount == 0 || size == 0 ? .done : .chunk(remaining: size)
  }
}
