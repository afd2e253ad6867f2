import Testing
import Timeline

@testable import Session

@Suite struct TextLineTests {
  @Test(
    "nobody can forge or split a line",
    arguments: [
      ("Ada", "hi there", "5 <Ada> hi there"),
      ("A> x <b", "a\nb", #"5 <A\x3e\x20x\x20\x3cb> a\nb"#),
      ("A\\", "\u{1B}[2J\\", #"5 <A\\> \x1b[2J\\"#),
    ])
  func lines(_ sender: String, _ text: String, _ expected: String) {
    var line: [UInt8] = []
    TextLine.append(
      time: Timestamp(unixMilliseconds: 5_999), sender: Array(sender.utf8), text: Array(text.utf8),
      into: &line)
    #expect(String(decoding: line, as: UTF8.self) == expected + "\n")
  }
}
