import Testing

@testable import Hub

@Suite struct IdentityTests {
  @Test("a user id is its own name, unless there is one")
  func names() throws {
    let ada = try Identity(userID: bytes("u1"))
    #expect(ada.name == bytes("u1"))
    #expect(!ada.isMadeUp)
    #expect(try Identity(userID: bytes("u1"), name: bytes("Ada L.")).name == bytes("Ada L."))
  }

  @Test("guests have an id by chance")
  func guests() throws {
    let guest = try Identity(guest: 0)
    #expect(guest.userID == bytes("guest-222222"))
    #expect(guest.name == guest.userID)
    #expect(guest.isMadeUp)
    #expect(try Identity(guest: 1, name: bytes("Bob")).name == bytes("Bob"))
    #expect(throws: IdentityError("the name is empty")) {
      try Identity(guest: 1, name: [])
    }
  }

  @Test(
    "what would hide or forge something is refused",
    arguments: [
      ([], "the user id is empty"),
      ([UInt8](repeating: 0x61, count: 65), "the user id has more than 64 bytes"),
      ([0x61, 0xFF], "the user id is no UTF-8"),
      (bytes("a\nb"), "the user id has a character that can't be shown"),
      (bytes("a\u{202E}b"), "the user id has a character that can't be shown"),
      (bytes("a\u{9B}b"), "the user id has a character that can't be shown"),
      (bytes("a b"), "the user id has a space"),
      (bytes("a\u{A0}b"), "the user id has a space"),
    ])
  func refused(_ userID: [UInt8], _ reason: String) {
    #expect(throws: IdentityError(reason)) { try Identity(userID: userID) }
  }

  @Test("a name may have spaces, but be no longer than an id")
  func longNames() throws {
    let longest = [UInt8](repeating: 0x20, count: 64)
    #expect(try Identity(userID: bytes("u"), name: longest).name == longest)
    #expect(throws: IdentityError("the name has more than 64 bytes")) {
      try Identity(userID: bytes("u"), name: longest + [0x20])
    }
  }
}
