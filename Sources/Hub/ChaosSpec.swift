/// A bad network on demand, as `--chaos` spells it: `delay=50,drop-after=10-40,lose-acks=3`.
///
/// | switch | what happens |
/// |---|---|
/// | `delay=MS` | each frame of the hub waits so long, at most 60000 |
/// | `drop-after=N` or `N-M` | a link ends without a Close once N frames, of both sides together, have passed; the range is drawn from for each link |
/// | `lose-acks=K` or `P%` | every K-th ack, or each with that chance, isn't sent |
/// | `refuse=STATUS` or `STATUSxN` | requests, or the first N of them, are answered with the status |
/// | `stop-reading=N` | nothing more is read from a link once N frames have come from it |
/// | `seed=N` | makes all chances the same in each run |
///
/// `welcome` is a link's first frame. Pings and other control frames don't count.
package struct ChaosSpec: Equatable, Sendable {
  package enum AckLoss: Equatable, Sendable {
    case every(UInt64)
    case percent(UInt64)
  }

  package struct Refusal: Equatable, Sendable {
    package var status: Int
    /// nil: all.
    package var count: UInt64?
  }

  package internal(set) var delay: Duration?
  package internal(set) var dropAfter: ClosedRange<UInt64>?
  package internal(set) var ackLoss: AckLoss?
  package internal(set) var refusal: Refusal?
  package internal(set) var stopReadingAfter: UInt64?
  package internal(set) var seed: UInt64?

  /// - Throws: a sentence for the person who wrote it.
  package init(_ text: String) throws(ChaosSpecError) {
    var given: [Substring] = []
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = parts[0]
      guard !given.contains(name) else { throw ChaosSpecError("\(name) is given twice") }
      given.append(name)
      guard parts.count == 2, try set(name, parts[1]) else {
        throw ChaosSpecError(
          "\(Self.quoted(item)) isn't one of delay=MS, drop-after=N, drop-after=N-M,"
            + " lose-acks=K, lose-acks=P%, refuse=STATUS, refuse=STATUSxN, stop-reading=N, seed=N")
      }
    }
  }

  /// Returns false for a name or a value that isn't known.
  private mutating func set(
    _ name: Substring, _ value: Substring
  ) throws(ChaosSpecError) -> Bool {
    switch name {
    case "delay":
      guard let milliseconds = Self.number(value) else { return false }
      guard milliseconds <= 60_000 else { throw ChaosSpecError("delay is at most 60000") }
      delay = .milliseconds(Int64(milliseconds))
    case "drop-after":
      let ends = value.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
      guard let low = Self.number(ends[0]), let high = Self.number(ends[ends.count - 1]) else {
        return false
      }
      guard low <= high else { throw ChaosSpecError("drop-after's range is empty") }
      dropAfter = low...high
    case "lose-acks":
      if value.last == "%" {
        guard let percent = Self.number(value.dropLast()), percent <= 100 else { return false }
        ackLoss = .percent(percent)
      } else {
        guard let each = Self.number(value), each > 0 else { return false }
        ackLoss = .every(each)
      }
    case "refuse":
      let parts = value.split(separator: "x", maxSplits: 1, omittingEmptySubsequences: false)
      guard let status = Self.number(parts[0]) else { return false }
      guard (300...599).contains(status) else {
        throw ChaosSpecError("refuse needs a status of 300 to 599")
      }
      var refusal = Refusal(status: Int(status), count: nil)
      if parts.count == 2 {
        guard let count = Self.number(parts[1]) else { return false }
        refusal.count = count
      }
      self.refusal = refusal
    case "stop-reading":
      guard let count = Self.number(value) else { return false }
      stopReadingAfter = count
    case "seed":
      guard let number = Self.number(value) else { return false }
      seed = number
    default: return false
    }
    return true
  }

  /// Digits only, at most 18 of them.
  private static func number(_ text: Substring) -> UInt64? {
    guard (1...18).contains(text.utf8.count),
      text.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    return UInt64(text)
  }

  private static func quoted(_ text: Substring) -> String { "\"\(text.prefix(40))\"" }
}

/// Why a chaos specification can't be used.
package struct ChaosSpecError: Error, Equatable, Sendable {
  package let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}
