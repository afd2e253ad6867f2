import Testing

@testable import Daemon

@Suite struct ShellWordTests {
  @Test(arguments: [
    ("wsii", "wsii"), ("./a/b-c_d+e=f:g,h.i@j%k", "./a/b-c_d+e=f:g,h.i@j%k"), ("a b", "'a b'"),
    ("", "''"), ("it's", #"'it'\''s'"#), ("#ops", "'#ops'"), ("~", "'~'"), ("é", "'é'"),
    ("$(x)", "'$(x)'"),
  ])
  func wordsMeanThemselves(text: String, word: String) {
    #expect(ShellWord.quoted(text) == word)
  }
}
