import Testing
import Timeline

@testable import Session

@Suite struct AckProbeTests {
  private static let start = Instant(nanoseconds: 0)

  /// A probe that ends at the link's byte 118, of which 100 wait in the output.
  private static func begun() -> AckProbe {
    var probe = AckProbe(timeout: .seconds(10))
    probe.linkBegan()
    probe.transportTook(18)
    probe.begin(covering: 3, outputCount: 100, now: start)
    return probe
  }

  /// Looks at each deadline until the probe is late; returns how long that took. `unsent` says what
  /// the kernel holds after so many seconds.
  private static func lateness(
    _ probe: inout AckProbe, unsent: (Double) -> Int?
  ) -> Duration? {
    while let deadline = probe.deadline, deadline < start + .seconds(100) {
      let seconds = Double((deadline - start).wholeMilliseconds) / 1000
      if probe.isLate(unsentByteCount: unsent(seconds), now: deadline) { return deadline - start }
    }
    return nil
  }

  @Test func onlyItsOwnPongProvesSomething() {
    var probe = AckProbe(timeout: .seconds(10))
    #expect(!probe.isOutstanding && probe.deadline == nil)
    #expect(probe.take(probe.payload) == nil)
    let first = probe.payload
    #expect(first.starts(with: "wsii".utf8) && first.count == 12)
    probe.begin(covering: 3, outputCount: 100, now: Self.start)
    #expect(probe.isOutstanding && probe.deadline == Self.start + .milliseconds(2500))
    #expect(probe.take([]) == nil && probe.take(Array(first.dropLast())) == nil)
    #expect(probe.take(first) == 3)
    #expect(!probe.isOutstanding && probe.deadline == nil)
    #expect(probe.payload != first && probe.take(first) == nil)
  }

  @Test func aCancelledProbeProvesNothingLater() {
    var probe = Self.begun()
    let payload = probe.payload
    probe.cancel()
    #expect(!probe.isOutstanding)
    probe.begin(covering: 9, outputCount: 1, now: Self.start)
    #expect(probe.take(payload) == nil && probe.isOutstanding)
    let isLate = probe.isLate(unsentByteCount: 0, now: Self.start)
    #expect(!isLate)
  }

  @Test func withoutProgressItIsLateAfterTheTimeout() {
    var probe = Self.begun()
    #expect(Self.lateness(&probe) { _ in 18 } == .seconds(10))
  }

  @Test func bytesBehindThePingAreNoProgress() {
    var probe = Self.begun()
    probe.transportTook(100)
    var behind = 0
    // The kernel takes a hundred bytes each look and delivers none.
    let wait = Self.lateness(&probe) { _ in
      behind += 100
      return 118 + behind
    }
    #expect(wait == .seconds(10))
  }

  @Test func aSlowLinkIsAlive() {
    var probe = Self.begun()
    probe.transportTook(100)
    // Five bytes a second: all has arrived after 20 s, then the server has its 10 s.
    let wait = Self.lateness(&probe) { max(0, 100 - Int($0 * 5)) }
    #expect(wait == .seconds(30))
  }

  @Test func whatIsLeftInOurOwnQueueCountsToo() {
    var probe = Self.begun()
    var seconds = 0.0
    while seconds < 20 {
      seconds += 2.5
      probe.transportTook(10)
      let now = Self.start + .milliseconds(Int64(seconds * 1000))
      let isLate = probe.isLate(unsentByteCount: 0, now: now)
      #expect(!isLate)
    }
    #expect(Self.lateness(&probe) { _ in 0 } == .seconds(30))
  }

  @Test func anUnknownQueueMeansThatWhatWasTakenHasArrived() {
    var probe = Self.begun()
    probe.transportTook(100)
    #expect(Self.lateness(&probe) { _ in nil } == .milliseconds(12_500))
  }

  @Test func restartingGivesTheServerItsTimeAgain() {
    var probe = Self.begun()
    _ = probe.isLate(unsentByteCount: 0, now: Self.start + .seconds(9))
    probe.restart(now: Self.start + .seconds(20))
    #expect(probe.deadline == Self.start + .milliseconds(22_500))
    #expect(Self.lateness(&probe) { _ in 0 } == .seconds(30))
    probe.cancel()
    probe.restart(now: Self.start)
    #expect(probe.deadline == nil)
  }

  @Test func aTimeoutOfNothingStillLetsTimePass() {
    var probe = AckProbe(timeout: .zero)
    probe.begin(covering: 1, outputCount: 1, now: Self.start)
    #expect(probe.deadline == Self.start + .milliseconds(1))
    let isLate = probe.isLate(unsentByteCount: 0, now: Self.start + .milliseconds(1))
    #expect(isLate)
  }

  @Test func aNewLinkCountsItsOwnBytes() {
    var probe = Self.begun()
    probe.transportTook(1000)
    probe.linkBegan()
    probe.begin(covering: 3, outputCount: 100, now: Self.start)
    probe.transportTook(50)
    _ = probe.isLate(unsentByteCount: 60, now: Self.start + .seconds(3))
    #expect(Self.lateness(&probe) { _ in 60 } == .seconds(10))
  }
}
