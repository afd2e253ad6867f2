import Timeline

/// Lines that were taken before it was known what the server speaks, as they were given.
///
/// Each already has its id and its time, so that waiting doesn't change what is sent in the end.
struct UndecidedLines {
  struct Line {
    var text: [UInt8]
    var number: Int
    var id: MessageID
    var timestamp: Timestamp
  }

  private(set) var byteCount = 0
  private(set) var lines: [Line] = []

  mutating func keep(_ line: Line) {
    lines.append(line)
    // What keeping a line costs beside its text.
    byteCount += line.text.count + 96
  }

  /// Gives all lines away, oldest first.
  mutating func take() -> [Line] {
    defer { self = UndecidedLines() }
    return lines
  }
}
