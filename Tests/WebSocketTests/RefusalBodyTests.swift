import Testing

@testable import WebSocket

@Suite struct RefusalBodyTests {
  private struct Reading: Equatable {
    var text: String
    var isComplete: Bool
    var taken: Int
  }

  private func read(
    _ body: String, _ fields: [HTTPField], status: Int = 400, maximum: Int = 8
  ) -> Reading {
    dripFeed(Array(body.utf8)) { chunks in
      let head = HTTPHead(startLine: [], fields: fields)
      var reader = RefusalBody(status: status, head: head, maximum: maximum)
      var taken = 0
      for chunk in chunks {
        var position = 0
        reader.read(chunk.span, at: &position)
        taken += position
      }
      return Reading(
        text: String(decoding: reader.bytes, as: UTF8.self), isComplete: reader.isComplete,
        taken: taken)
    }
  }

  @Test("a body ends by its length, its last chunk, the stream's end or the limit")
  func framing() {
    let length = { (value: String) in [HTTPField(known: "Content-Length", value)] }
    #expect(read("abcdef", length("3")) == Reading(text: "abc", isComplete: true, taken: 3))
    #expect(read("ab", length("3")) == Reading(text: "ab", isComplete: false, taken: 2))
    #expect(read("abc", length("0")) == Reading(text: "", isComplete: true, taken: 0))
    #expect(read("abc", length("-1")) == Reading(text: "", isComplete: true, taken: 0))
    #expect(
      read("0123456789", length("99999999999999999999"))
        == Reading(text: "01234567", isComplete: true, taken: 8))
    #expect(read("0123456789", []) == Reading(text: "01234567", isComplete: true, taken: 8))
    #expect(read("0123", []) == Reading(text: "0123", isComplete: false, taken: 4))
    #expect(read("0123", [], status: 204) == Reading(text: "", isComplete: true, taken: 0))
    #expect(read("0123", [], maximum: 0) == Reading(text: "", isComplete: true, taken: 0))
  }

  @Test("chunks are joined")
  func chunks() {
    let fields = [HTTPField(known: "Transfer-Encoding", "gzip, Chunked")]
    #expect(
      read("3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n", fields).text == "abcde")
    #expect(read("3\r\nabc\r\n0\r\n", fields).isComplete)
    #expect(read("3\r\nabc\r\n", fields) == Reading(text: "abc", isComplete: false, taken: 8))
    #expect(read("F\r\n0123456789abcdef", fields).text == "01234567")
    #expect(read("fffffffffffffffffffff\r\nab", fields).text == "ab")
    #expect(read("x\r\nabc", fields) == Reading(text: "", isComplete: true, taken: 3))
    #expect(read(String(repeating: "0", count: 99), fields).isComplete)
  }
}
