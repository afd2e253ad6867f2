import Testing

@testable import WebSocket

@Suite struct WebSocketLimitsTests {
  @Test("the defaults take what real peers send and fit together")
  func defaults() {
    let limits = WebSocketLimits()
    #expect(limits.maximumMessage == 1 << 20)
    // The Autobahn suite's longest message has more than 65,536 fragments.
    #expect(limits.maximumFragments == 1 << 18)
    #expect(limits.maximumHead == 16 << 10 && limits.maximumHeaderLine == 8 << 10)
    #expect(limits.maximumHeaderFields == 100)
    #expect(limits.maximumRefusalBody == 1 << 10)
    #expect(limits.closeTimeout == .seconds(5) && limits.failTimeout == .seconds(1))
    #expect(limits.maximumOutputForPongs == 16 << 10)
  }
}
