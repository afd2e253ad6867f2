import Testing

@testable import Hub

@Suite struct ClientTests {
  @Test("a rate gives it two buckets")
  func buckets() {
    let identity = TestHub.identity("ada")
    let id = ClientID(slot: 0, number: 1)
    let free = Client(id, identity, User(identity), nil)
    #expect(free.bucket == nil && free.ephemeralBucket == nil)
    let rate = HubLimits.Rate(perSecond: 1, burst: 1)
    let bound = Client(id, identity, User(identity), rate)
    #expect(bound.bucket != nil && bound.ephemeralBucket != nil)
  }
}
