import Testing

@testable import Hub

@Suite struct ClientIDTests {
  @Test("a slot alone is nobody")
  func identity() {
    let ids: Set = [
      ClientID(slot: 1, number: 1), ClientID(slot: 1, number: 2), ClientID(slot: 1, number: 1),
    ]
    #expect(ids.count == 2)
  }
}
