import Testing

@testable import WebSocket

@Suite struct HTTPHeadReaderTests {
  private struct Reading: Equatable {
    var head: HTTPHead?
    var error: HTTPHeadError?
    var taken = 0
  }

  private func read(_ text: String, _ limits: WebSocketLimits = WebSocketLimits()) -> Reading {
    dripFeed(Array(text.utf8)) { chunks in
      var reader = HTTPHeadReader(limits: limits)
      var reading = Reading()
      for chunk in chunks where reading.head == nil && reading.error == nil {
        var position = 0
        do throws(HTTPHeadError) {
          reading.head = try reader.read(chunk.span, at: &position)
        } catch {
          reading.error = error
        }
        reading.taken += position
      }
      return reading
    }
  }

  @Test("what stands behind the blank line isn't taken")
  func rest() {
    let text = "HTTP/1.1 101 OK\r\nA: b\r\nC:\r\n\r\n"
    let reading = read(text + "\u{1}\u{2}rest")
    #expect(reading.taken == text.utf8.count)
    #expect(reading.head?.startLine == Array("HTTP/1.1 101 OK".utf8))
    #expect(reading.head?.fields == [.init(known: "A", "b"), .init(known: "C", "")])
    #expect(read("HTTP/1.1 101 OK\r\nA: b\r\n") == Reading(taken: 23))
  }

  @Test(
    "broken lines and limits end the reading",
    arguments: [
      ("a\nb", .illegalLineEnd), ("a\rb", .illegalLineEnd), ("a\r\r\n", .illegalLineEnd),
      ("\n", .illegalLineEnd), ("a\r\nb: c\r\n d\r\n", .foldedLine),
      ("a\r\nb\r\n", .illegalField([0x62])),
      ("0123456789012345678901", .lineTooLong(maximum: 20)),
      ("a\r\nb:\r\nb:\r\nb:\r\n", .tooManyFields(maximum: 2)),
      ("a\r\n01234567:\r\n01234567:01234567", .headTooLong(maximum: 30)),
    ] as [(String, HTTPHeadError)])
  func errors(_ text: String, _ error: HTTPHeadError) {
    var limits = WebSocketLimits()
    limits.maximumHead = 30
    limits.maximumHeaderLine = 20
    limits.maximumHeaderFields = 2
    #expect(read(text, limits).error == error)
    let longest = "01234567890123456789\r\n\r\n"
    #expect(read(longest, limits).head?.startLine.count == 20)
  }
}
