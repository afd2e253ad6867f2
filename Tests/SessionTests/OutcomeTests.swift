import Testing

@testable import Session

@Suite struct OutcomeTests {
  /// The gravest first, as sysexits numbers them: 77, 76, 74, 69, 65; before them what overrides.
  private static let order: [(any WritableKeyPath<Verdict, Bool> & Sendable, Outcome)] = [
    (\.isInterrupted, .interrupted), (\.hasBrokenPipe, .brokenPipe), (\.isRefused, .refused),
    (\.hasProtocolViolation, .protocolViolation), (\.hasInputOutputError, .inputOutputError),
    (\.isUnavailable, .unavailable), (\.hasBadInput, .badInput),
  ]

  @Test(arguments: 0..<128)
  func theGravestDecides(bits: Int) {
    var verdict = Verdict()
    var expected = Outcome.done
    for (index, (flag, outcome)) in Self.order.enumerated().reversed()
    where bits & 1 << index != 0 {
      verdict[keyPath: flag] = true
      expected = outcome
    }
    #expect(verdict.outcome == expected)
  }
}
