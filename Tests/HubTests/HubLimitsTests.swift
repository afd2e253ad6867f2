import Testing

@testable import Hub

@Suite struct HubLimitsTests {
  @Test("a frame may be longer than a message, so that it can be refused by its id")
  func frame() {
    var limits = HubLimits()
    #expect(limits.maximumFrame == 1_114_112)
    limits.maximumMessage = .max
    #expect(limits.maximumFrame == .max)
    #expect(HubLimits.Rate(perSecond: 5, burst: 10) == HubLimits.Rate(perSecond: 5, burst: 10))
  }
}
