import Bytes
import Timeline

/// A message as a line for people and for ii's scripts: `<epoch seconds> <sender> text`.
///
/// Nobody can forge a line, split one, or send a terminal a command: in the text whatever a terminal
/// may obey is made visible, in the sender also what would look like its end.
enum TextLine {
  static func append(
    time: Timestamp, sender: [UInt8], text: [UInt8], into line: inout [UInt8]
  ) {
    let seconds = time.unixMilliseconds / 1_000
    line.append(contentsOf: "\(seconds) <".utf8)
    var visible: [UInt8] = []
    TerminalText.append(sender.span, 0..<sender.count, escapesBackslash: true, into: &visible)
    for byte in visible {
      switch byte {
      case UInt8(ascii: " "): line.append(contentsOf: #"\x20"#.utf8)
      case UInt8(ascii: "<"): line.append(contentsOf: #"\x3c"#.utf8)
      case UInt8(ascii: ">"): line.append(contentsOf: #"\x3e"#.utf8)
      default: line.append(byte)
      }
    }
    line.append(contentsOf: "> ".utf8)
    TerminalText.append(text.span, 0..<text.count, escapesBackslash: true, into: &line)
    line.append(UInt8(ascii: "\n"))
  }
}
