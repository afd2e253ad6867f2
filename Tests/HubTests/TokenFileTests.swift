import Testing

@testable import Hub

@Suite struct TokenFileTests {
  @Test("a line is a token, a user id and a name")
  func lines() throws {
    let text = """
      # who may connect
      s3cr3t u1 Ada Lovelace\r

      \t t2\tu2
      t3 u1   Ada's phone  \t
      """
    let file = try TokenFile(bytes(text))
    #expect(file.count == 3)
    #expect(
      try file.identity(for: bytes("s3cr3t"))
        == Identity(userID: bytes("u1"), name: bytes("Ada Lovelace")))
    #expect(try file.identity(for: bytes("t2")) == Identity(userID: bytes("u2")))
    #expect(file.identity(for: bytes("t3"))?.name == bytes("Ada's phone"))
    for other in ["", "s3cr3", "s3cr3t ", "#", "u1"] {
      #expect(file.identity(for: bytes(other)) == nil)
    }
  }

  @Test(
    "the first wrong line is named, without what stands in it",
    arguments: [
      ("", "there is no token in it"),
      ("# nobody\n\n", "there is no token in it"),
      ("t u\nt", "line 2: no user id behind the token"),
      ("t u\nt v", "line 2: the token stands in an earlier line too"),
      ("\u{FEFF}t u", "line 1: the token has a byte that isn't visible ASCII"),
      ("tö u", "line 1: the token has a byte that isn't visible ASCII"),
      ("t u\u{7F}", "line 1: the user id has a character that can't be shown"),
      ("t u a\u{1B}[2J", "line 1: the name has a character that can't be shown"),
      (String(repeating: "t", count: 513) + " u", "line 1: the token has more than 512 bytes"),
    ])
  func wrong(_ text: String, _ reason: String) {
    do throws(TokenFileError) {
      _ = try TokenFile(bytes(text))
      Issue.record("accepted")
    } catch {
      #expect(error.description == reason)
    }
  }
}
