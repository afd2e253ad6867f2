import Testing

@testable import Session

@Suite struct NativeIdentityTests {
  @Test("somebody is who they are by id and name")
  func equality() {
    let ada = NativeIdentity(userID: [1], userName: [2])
    #expect(ada == NativeIdentity(userID: [1], userName: [2]))
    #expect(ada != NativeIdentity(userID: [1], userName: nil))
  }
}
