import Testing

@testable import Hub

@Suite struct ChaosSpecTests {
  @Test("each switch is read")
  func switches() throws {
    let spec = try ChaosSpec(
      "delay=50,drop-after=10-40,lose-acks=3,refuse=503x2,stop-reading=20,seed=7")
    #expect(spec.delay == .milliseconds(50))
    #expect(spec.dropAfter == 10...40)
    #expect(spec.ackLoss == .every(3))
    #expect(spec.refusal == ChaosSpec.Refusal(status: 503, count: 2))
    #expect(spec.stopReadingAfter == 20)
    #expect(spec.seed == 7)
    let other = try ChaosSpec("drop-after=0,lose-acks=100%,refuse=401,stop-reading=0")
    #expect(other.delay == nil && other.seed == nil)
    #expect(other.dropAfter == 0...0)
    #expect(other.ackLoss == .percent(100))
    #expect(other.refusal == ChaosSpec.Refusal(status: 401, count: nil))
    #expect(other.stopReadingAfter == 0)
  }

  @Test(
    "what isn't known or makes no sense is refused",
    arguments: [
      "", "delay", "delay=", "delay=-1", "delay=1.5", "delay=1ms", "delay=60001",
      "delay=1,delay=2", "delay=1,", "delay=1, seed=1", "Delay=1", "delay=9999999999999999999",
      "drop-after=5-3", "drop-after=-3", "drop-after=3-", "drop-after=1-2-3", "drop-after=a",
      "lose-acks=0", "lose-acks=101%", "lose-acks=%", "lose-acks=x", "refuse=200", "refuse=600",
      "refuse=503x", "refuse=x3", "refuse=503x2x1", "stop-reading=x", "seed=x", "nonsense=1",
    ])
  func refused(_ text: String) {
    #expect(throws: ChaosSpecError.self) { try ChaosSpec(text) }
  }

  @Test("the reason says what would be right")
  func reasons() {
    func reason(_ text: String) -> String {
      do throws(ChaosSpecError) {
        _ = try ChaosSpec(text)
        return ""
      } catch {
        return error.reason
      }
    }
    #expect(reason("delay=1,delay=2") == "delay is given twice")
    #expect(reason("refuse=200") == "refuse needs a status of 300 to 599")
    #expect(reason("lag=5").hasPrefix(#""lag=5" isn't one of delay=MS, drop-after=N,"#))
    #expect(reason("drop-after=4-2") == "drop-after's range is empty")
    #expect(reason("delay=60001") == "delay is at most 60000")
  }
}
