import Testing

@testable import Hub

struct ChaosSpecTests {
  @Test func `is empty without switches`() throws {
    #expect(throws: ChaosSpecError.self) { try ChaosSpec("") }
  }
}
