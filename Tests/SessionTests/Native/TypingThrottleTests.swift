import Testing
import Timeline

@testable import Session

@Suite struct TypingThrottleTests {
  private let start = Instant(nanoseconds: 0)

  private func at(_ milliseconds: Int) -> Instant { start + .milliseconds(milliseconds) }

  @Test("typing is said once per 300 ms, and stopTyping after 5 s of silence")
  func typing() {
    var throttle = TypingThrottle()
    #expect(throttle.typing(at(0)) == true)
    #expect(throttle.typing(at(299)) == false)
    #expect(throttle.typing(at(300)) == true)
    #expect(throttle.typing(at(400)) == false)
    #expect(throttle.deadline == at(5_400))
    #expect(throttle.advance(at(5_399)) == false)
    #expect(throttle.advance(at(5_400)) == true)
    #expect(throttle.advance(at(9_999)) == false)
    #expect(throttle.deadline == nil)
  }

  @Test("a message or a stopTyping line ends it, once")
  func ended() {
    var throttle = TypingThrottle()
    #expect(throttle.message() == false)
    _ = throttle.typing(at(0))
    #expect(throttle.message() == true)
    #expect(throttle.message() == false)
    _ = throttle.typing(at(1_000))
    #expect(throttle.stopTyping(at(1_001)) == true)
    #expect(throttle.stopTyping(at(1_002)) == false, "nothing to stop, and too soon")
    #expect(throttle.stopTyping(at(1_400)) == true)
  }

  @Test("a lost link forgets it")
  func lost() {
    var throttle = TypingThrottle()
    _ = throttle.typing(at(0))
    throttle.linkLost()
    #expect(throttle.advance(at(9_999)) == false)
    #expect(throttle.typing(at(1)) == true)
  }
}
