import Testing

@testable import Session

@Suite struct NativeRequestTests {
  @Test("what a client says, with any room's name")
  func requests() {
    let room = Array("a\"ä\u{1}".utf8)
    let name = #""conversationId":"a\"ä\u0001""#
    let said: [([UInt8], String)] = [
      (NativeRequest.pong, #"{"type":"pong"}"#),
      (NativeRequest.join(room), #"{"type":"join",\#(name)}"#),
      (NativeRequest.leave(room), #"{"type":"leave",\#(name)}"#),
      (
        NativeRequest.history(room, after: 38, limit: 200),
        #"{"type":"history",\#(name),"after":38,"limit":200}"#
      ),
      (
        NativeRequest.acknowledge(room, seq: 42, .delivered),
        #"{"type":"ack",\#(name),"seq":42,"status":"delivered"}"#
      ),
      (
        NativeRequest.acknowledge(room, seq: 42, .read),
        #"{"type":"ack",\#(name),"seq":42,"status":"read"}"#
      ),
      (NativeRequest.typing(room, isTyping: true), #"{"type":"typing",\#(name)}"#),
      (NativeRequest.typing(room, isTyping: false), #"{"type":"stopTyping",\#(name)}"#),
    ]
    for (frame, text) in said { #expect(String(decoding: frame, as: UTF8.self) == text) }
  }
}
