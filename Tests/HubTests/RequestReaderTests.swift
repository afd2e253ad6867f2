import Testing

@testable import Hub

@Suite struct RequestReaderTests {
  /// What is read, in a few words.
  private func read(_ text: String, _ limits: HubLimits = HubLimits()) -> String {
    read(bytes(text), limits)
  }

  private func read(_ text: [UInt8], _ limits: HubLimits = HubLimits()) -> String {
    var reader = RequestReader(limits)
    // Not at the beginning of the span, as a frame isn't at that of a buffer.
    let input = bytes("xx") + text + bytes("yy")
    func word(_ text: [UInt8]?) -> String {
      text.map { String(decoding: $0, as: UTF8.self) } ?? "-"
    }
    do throws(Objection) {
      switch try reader.read(input.span, 2..<(2 + text.count), from: bytes("me")) {
      case nil: return "nothing"
      case .ping?: return "ping"
      case .join(let room)?: return "join \(word(room.bytes))"
      case .leave(let room)?: return "leave \(word(room.bytes))"
      case .history(let room, let query)?:
        return "history \(word(room.bytes)) \(query.edge) \(query.count)"
      case .message(let draft)?:
        return "message \(word(draft.id)) \(word(draft.room.bytes)) \(word(draft.type))"
      case .acknowledge(let room, let seq, let status)?:
        return "ack \(word(room.bytes)) \(seq) \(status)"
      case .typing(let room, let isOver)?: return "typing \(word(room.bytes)) \(isOver)"
      }
    } catch {
      let kind =
        error.messageID == nil ? "error \(word(error.re))" : "nack \(word(error.messageID))"
      return "\(kind) \(word(error.room)) \(error.code.rawValue): \(error.reason)"
    }
  }

  @Test(
    "each request is read",
    arguments: [
      (#"{"type":"ping"}"#, "ping"),
      (#"{"type":"ping","id":"x","conversationId":5}"#, "ping"),
      (#"{"type":"pong"}"#, "nothing"),
      (#"{"type":"error","re":"x"}"#, "nothing"),
      (#"{"type":"join","conversationId":"ops"}"#, "join ops"),
      (#" { "conversationId" : "o\u0070s" , "\u0074ype" : "j\u006fin" } "#, "join ops"),
      (#"{"type":"join","conversationId":"ops","id":"x","userId":"me"}"#, "join ops"),
      (#"{"type":"join","conversationId":"\u0000\n/../é"}"#, "join \0\n/../é"),
      (#"{"type":"leave","conversationId":"ops"}"#, "leave ops"),
      (#"{"type":"typing","conversationId":"ops"}"#, "typing ops false"),
      (#"{"type":"stopTyping","conversationId":"ops"}"#, "typing ops true"),
      (#"{"type":"history","conversationId":"ops"}"#, "history ops newest 100"),
      (
        #"{"type":"history","conversationId":"ops","after":38,"limit":200}"#,
        "history ops after(38) 200"
      ),
      (
        #"{"type":"history","conversationId":"ops","before":0,"limit":1}"#,
        "history ops before(0) 1"
      ),
      (
        #"{"type":"history","conversationId":"ops","after":9007199254740992,"limit":5000}"#,
        "history ops after(9007199254740992) 1000"
      ),
      (#"{"type":"ack","conversationId":"ops","seq":42}"#, "ack ops 42 delivered"),
      (
        #"{"type":"ack","conversationId":"ops","seq":42,"status":"delivered"}"#,
        "ack ops 42 delivered"
      ),
      (#"{"type":"ack","conversationId":"ops","seq":0,"status":"read"}"#, "ack ops 0 read"),
      (#"{"type":"text","id":"m1","conversationId":"ops","text":"hi"}"#, "message m1 ops text"),
      (#"{"type":"my.own","id":"é\u0000","conversationId":"o"}"#, "message é\0 o my.own"),
      (#"{"type":"text","id":"m1","conversationId":"ops","userId":"you"}"#, "message m1 ops text"),
      (#"{"type":"Join","id":"m1","conversationId":"ops"}"#, "message m1 ops Join"),
    ])
  func requests(_ text: String, _ expected: String) {
    #expect(read(text) == expected)
  }

  @Test(
    "what can't be done is refused by what is known of it",
    arguments: [
      ("", "error - - bad_request: no JSON value"),
      ("{", "error - - bad_request: the JSON value ends too early"),
      ("[]", "error - - bad_request: a frame is a JSON object"),
      ("\"join\"", "error - - bad_request: a frame is a JSON object"),
      (#"{"type":"ping","type":"ping"}"#, #"error - - bad_request: duplicate key "type""#),
      ("{}", "error - - bad_request: the type is missing"),
      (#"{"type":5}"#, "error - - bad_request: the type is missing"),
      (#"{"id":"x"}"#, "nack x - bad_request: the type is missing"),
      (#"{"id":"x","conversationId":"ops"}"#, "nack x ops bad_request: the type is missing"),
      (#"{"type":"text"}"#, "error text - bad_request: a message needs an id"),
      (
        #"{"type":"text","id":5,"conversationId":"o"}"#,
        "error text o bad_request: the id is a string of 1 to 128 bytes"
      ),
      (
        #"{"type":"text","id":"","conversationId":"o"}"#,
        "nack  o bad_request: the id is a string of 1 to 128 bytes"
      ),
      (
        #"{"type":"text","id":"x"}"#,
        "nack x - bad_request: the conversationId is a string of 1 to 200 bytes"
      ),
      (
        #"{"type":"text","id":"x","conversationId":""}"#,
        "nack x - bad_request: the conversationId is a string of 1 to 200 bytes"
      ),
      (
        #"{"type":"","id":"x","conversationId":"o"}"#,
        "nack x o bad_request: the type has 1 to 64 bytes"
      ),
      (
        #"{"type":"wsii.state","id":"x","conversationId":"o"}"#,
        "nack x o forbidden: types that begin with wsii. are the receiver's own"
      ),
      (
        #"{"type":"wsii.","text":"x"}"#,
        "error wsii. - forbidden: types that begin with wsii. are the receiver's own"
      ),
      (#"{"type":"welcome","userId":"x"}"#, "error welcome - forbidden: only a server says that"),
      (
        #"{"type":"joined","conversationId":"o"}"#,
        "error joined o forbidden: only a server says that"
      ),
      (#"{"type":"nack","messageId":"m"}"#, "error nack - forbidden: only a server says that"),
      (
        #"{"type":"pr\u0065sence","userId":"me","id":"x"}"#,
        "nack x - forbidden: only a server says that"
      ),
      (
        #"{"type":"join"}"#,
        "error join - bad_request: the conversationId is a string of 1 to 200 bytes"
      ),
      (
        #"{"type":"join","conversationId":["o"],"id":"x"}"#,
        "error join - bad_request: the conversationId is a string of 1 to 200 bytes"
      ),
      (
        #"{"type":"typing","conversationId":"o","userId":"you"}"#,
        "error typing o forbidden: a client speaks for its own user only"
      ),
      (
        #"{"type":"ack","conversationId":"o","seq":1,"userId":7}"#,
        "error ack o forbidden: a client speaks for its own user only"
      ),
      (#"{"type":"ack","conversationId":"o"}"#, "error ack o bad_request: the seq is missing"),
      (
        #"{"type":"ack","conversationId":"o","messageId":"m"}"#,
        "error ack o bad_request: the seq is missing"
      ),
      (
        #"{"type":"ack","conversationId":"o","seq":1,"status":"seen"}"#,
        "error ack o bad_request: the status is delivered or read"
      ),
      (
        #"{"type":"ack","conversationId":"o","seq":1,"status":null}"#,
        "error ack o bad_request: the status is delivered or read"
      ),
      (
        #"{"type":"history","conversationId":"o","after":1,"before":2}"#,
        "error history o bad_request: either after or before, not both"
      ),
      (
        #"{"type":"history","conversationId":"o","limit":0}"#,
        "error history o bad_request: the limit is at least 1"
      ),
    ])
  func objections(_ text: String, _ expected: String) {
    #expect(read(text) == expected)
  }

  @Test(
    "a seq is a number that every reader reads alike",
    arguments: ["-1", "1.0", "1e3", "9007199254740993", "99999999999999999", "\"1\"", "null", "[]"])
  func numbers(_ number: String) {
    for (type, name) in [("ack", "seq"), ("history", "after"), ("history", "limit")] {
      #expect(
        read(#"{"type":"\#(type)","conversationId":"o","\#(name)":\#(number)}"#)
          == "error \(type) o bad_request: \(name) is a number without sign, fraction and"
          + " exponent, up to 2^53")
    }
  }

  @Test("names have limits, in bytes")
  func lengths() {
    func text(_ id: Int, _ room: Int, _ type: Int) -> String {
      let parts = [id, room, type].map { String(repeating: "é", count: $0) }
      return read(#"{"type":"\#(parts[2])","id":"\#(parts[0])","conversationId":"\#(parts[1])"}"#)
    }
    #expect(text(64, 100, 32).hasPrefix("message é"))
    #expect(text(65, 100, 32).hasSuffix("the id is a string of 1 to 128 bytes"))
    #expect(text(65, 100, 32).hasPrefix("nack ééé"))
    #expect(text(512, 100, 32).hasPrefix("nack ééé"))
    #expect(text(513, 100, 32).hasPrefix("error ééé"))
    #expect(text(64, 101, 32).hasSuffix("the conversationId is a string of 1 to 200 bytes"))
    #expect(text(64, 100, 33).hasSuffix("the type has 1 to 64 bytes"))
    // What is said about a type that is too long doesn't repeat all of it.
    #expect(read(#"{"type":"\#(String(repeating: "a", count: 1_000))"}"#).utf8.count < 200)
  }

  @Test("no text is too odd", arguments: 0..<40)
  func cuts(_ seed: Int) {
    let whole = bytes(
      #"{"type":"history","id":"m","conversationId":"o\"\\","after":1,"limit":2,"x":[{"y":"z"}]}"#)
    for end in whole.indices { _ = read(Array(whole[..<end])) }
    var broken = whole
    var state = UInt64(seed)
    for _ in 0..<200 {
      state = state &* 6_364_136_223_846_793_005 &+ 1
      broken[Int(state >> 33) % broken.count] = UInt8(truncatingIfNeeded: state >> 56)
      _ = read(broken)
    }
  }
}
