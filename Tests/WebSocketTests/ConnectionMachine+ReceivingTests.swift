import Bytes
import Testing
import Timeline

@testable import WebSocket

/// What a machine of a role showed after an input.
private struct Observation: Equatable {
  var seen: [Seen] = []
  var output: [WireFrame] = []
  var state = ConnectionMachine.State.open
}

private func observe(
  _ role: Role, _ chunks: [[UInt8]], limits: WebSocketLimits = WebSocketLimits()
) -> Observation {
  var machine = ConnectionMachine.make(role, limits: limits)
  var observation = Observation()
  for chunk in chunks { observation.seen += machine.seen(chunk) }
  // A server says that it is done at the next call.
  observation.seen += machine.seen([])
  observation.output = frames(in: machine.outputBytes, from: role)
  observation.state = machine.state
  return observation
}

/// Feeds a server's frames to a client, and the same frames masked to a server.
private func observeBoth(
  limits: WebSocketLimits = WebSocketLimits(), _ make: (Role) -> [UInt8]
) -> [(role: Role, seen: [Seen], output: [WireFrame])] {
  [Role.client, .server].map { role in
    let observation = dripFeed(make(role.peer)) { observe(role, $0, limits: limits) }
    return (role, observation.seen, observation.output)
  }
}

@Suite struct ConnectionMachineReceivingTests {
  @Test(
    "section 5.7's examples are read",
    arguments: [
      (.client, "81 05 48 65 6c 6c 6f", [.text("Hello")], []),
      (.server, "81 85 37 fa 21 3d 7f 9f 4d 51 58", [.text("Hello")], []),
      (.client, "01 03 48 65 6c 80 02 6c 6f", [.text("Hello")], []),
      (
        .client, "89 05 48 65 6c 6c 6f", [],
        [WireFrame(opcode: .pong, payload: Array("Hello".utf8))]
      ),
      (.server, "8a 85 37 fa 21 3d 7f 9f 4d 51 58", [.pong(Array("Hello".utf8))], []),
    ] as [(Role, String, [Seen], [WireFrame])])
  func examples(_ role: Role, _ wire: String, _ seen: [Seen], _ output: [WireFrame]) {
    let observation = dripFeed(bytes(wire)) { observe(role, $0) }
    #expect(observation == Observation(seen: seen, output: output))
  }

  @Test("section 5.7's long binary frames are read", arguments: [0, 125, 126, 256, 65_535, 65_536])
  func lengths(_ length: Int) {
    let payload = (0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    let observed = observeBoth { frame(.binary, payload, from: $0) }
    for (_, seen, _) in observed {
      #expect(seen == [.message(.binary, payload)])
    }
  }

  @Test("control frames stand between fragments, and code points across their borders")
  func interleaved() {
    let observed = observeBoth { sender in
      frame(.text, [0xE2], fin: false, from: sender)
        + frame(.ping, "1", from: sender) + frame(.continuation, [0x82], fin: false, from: sender)
        + frame(.continuation, [], fin: false, from: sender) + frame(.pong, "2", from: sender)
        + frame(.continuation, [0xAC], from: sender) + frame(.text, "", from: sender)
        + frame(.binary, [], fin: false, from: sender) + frame(.continuation, [], from: sender)
        + frame(.text, "next", from: sender)
    }
    for (_, seen, output) in observed {
      #expect(
        seen == [
          .pong(Array("2".utf8)), .text("€"), .text(""), .message(.binary, []), .text("next"),
        ])
      #expect(output == [WireFrame(opcode: .pong, payload: Array("1".utf8))])
    }
  }

  @Test(
    "every violation fails the connection with its code, once, and nothing after it counts",
    arguments: [
      (.client, "91 00", .reservedBits(0x10)), (.client, "a1 00", .reservedBits(0x20)),
      (.client, "c1 00", .reservedBits(0x40)), (.client, "83 00", .reservedOpcode(3)),
      (.client, "8b 00", .reservedOpcode(11)), (.client, "81 80 01 02 03 04", .maskedFrame),
      (.server, "81 00", .unmaskedFrame), (.client, "81 7e 00 05", .lengthNotMinimal(5)),
      (.client, "82 7f 00 00 00 00 00 00 00 05", .lengthNotMinimal(5)),
      (.client, "82 7f 80 00 00 00 00 00 00 00", .lengthTopBit(1 << 63)),
      (.client, "09 00", .fragmentedControl(.ping)),
      (.client, "89 7e 00 7e", .controlTooLong(.ping)),
      (.client, "80 00", .unexpectedContinuation), (.client, "00 00", .unexpectedContinuation),
      (.client, "01 00 81 00", .expectedContinuation(.text)),
      (.client, "01 00 82 00", .expectedContinuation(.binary)),
      (.client, "88 01 03", .closeBodyOfOneByte),
      (.client, "81 01 ff", .invalidText), (.client, "81 02 c0 80", .invalidText),
      (.client, "81 03 ed a0 80", .invalidText), (.client, "81 04 f4 90 80 80", .invalidText),
      (.client, "81 01 c3", .invalidText), (.client, "01 01 c3 80 00", .invalidText),
      (.client, "01 01 c3 80 01 28", .invalidText),
      (.server, "81 81 00 00 00 00 ff", .invalidText),
      (.server, "01 81 00 00 00 00 c3 80 80 00 00 00 00", .invalidText),
      (
        .client, "82 7f 00 00 01 00 00 00 00 00",
        .messageTooBig(declared: 1 << 40, maximum: 1_048_576)
      ),
      (
        .client, "02 01 00 80 7f 7f ff ff ff ff ff ff ff",
        .messageTooBig(declared: 1 << 63 - 1 + 1, maximum: 1_048_576)
      ),
    ] as [(Role, String, ProtocolError)])
  func violations(_ role: Role, _ wire: String, _ error: ProtocolError) {
    let before = frame(.text, "before", from: role.peer)
    let behind = frame(.text, "behind", from: role.peer)
    let observation = dripFeed(before + bytes(wire) + behind) { observe(role, $0) }
    #expect(
      observation.seen == [.text("before"), .failed(error)] + (role == .server ? [.closed] : []))
    #expect(observation.output == [.close(error.closeCode.rawValue, error.description)])
    switch role {
    case .client:
      #expect(observation.state == .ending(deadline: after(.seconds(1))))
    case .server: #expect(observation.state == .closed)
    }
  }

  @Test("bad text fails before the message ends")
  func early() {
    var machine = ConnectionMachine.make(.client)
    let text = bytes("ce ba e1 bd b9 cf 83 ce bc ce b5 ed a0")
    let head: [UInt8] = [0x01, 100]
    #expect(machine.seen(head + text) == [.failed(.invalidText)])
  }

  @Test("limits hold for one frame and for the sum, and the limit itself is allowed")
  func limits() {
    var limits = WebSocketLimits()
    limits.maximumMessage = 8
    limits.maximumFragments = 3
    var observed = observeBoth(limits: limits) { frame(.text, "12345678", from: $0) }
    for (_, seen, _) in observed {
      #expect(seen == [.text("12345678")])
    }
    observed = observeBoth(limits: limits) {
      frame(.text, "1234", fin: false, from: $0) + frame(.continuation, "12345", from: $0)
    }
    for (role, seen, output) in observed {
      let error = ProtocolError.messageTooBig(declared: 9, maximum: 8)
      #expect(seen == [.failed(error)] + (role == .server ? [.closed] : []))
      #expect(output == [.close(1009, error.description)])
    }
    observed = observeBoth(limits: limits) {
      frame(.text, "1", fin: false, from: $0) + frame(.continuation, "2", fin: false, from: $0)
        + frame(.continuation, "3", from: $0) + frame(.text, "a", fin: false, from: $0)
        + frame(.continuation, fin: false, from: $0)
        + frame(.continuation, fin: false, from: $0) + frame(.continuation, from: $0)
    }
    for (_, seen, _) in observed {
      #expect(seen.prefix(2) == [.text("123"), .failed(.tooManyFragments(maximum: 3))])
    }
  }

  @Test("a declared length costs no memory until its bytes come")
  func declared() {
    var limits = WebSocketLimits()
    limits.maximumMessage = 1 << 41
    var machine = ConnectionMachine.make(.client, limits: limits)
    let head: [UInt8] = bytes("82 7f 00 00 01 00 00 00 00 00")
    #expect(machine.seen(head + [1, 2, 3]) == [])
    #expect(machine.assembled == [1, 2, 3])
    #expect(machine.assembled.capacity < 1_000)
  }

  @Test("a million tiny fragments stay small, and end at the limit")
  func fragments() {
    var limits = WebSocketLimits()
    limits.maximumFragments = 1_000_000
    var machine = ConnectionMachine.make(.client, limits: limits)
    #expect(machine.seen(frame(.text, "a", fin: false)) == [])
    var block: [UInt8] = []
    for index in 0..<1_000 {
      block += frame(.continuation, index % 2 == 0 ? [0x61] : [], fin: false)
    }
    var seen: [Seen] = []
    for _ in 0..<1_000 { seen += machine.seen(block) }
    #expect(seen == [.failed(.tooManyFragments(maximum: 1_000_000))])
    #expect(machine.assembled.capacity < 2_000_000)
    #expect(machine.output.count < 200)
  }

  @Test("storage of a large message is given back when the next bytes are asked for")
  func release() {
    var machine = ConnectionMachine.make(.server)
    let large = [UInt8](repeating: 0x61, count: 500_000)
    #expect(machine.seen(frame(.text, large, from: .client)) == [.message(.text, large)])
    #expect(machine.assembled.capacity == 0)
  }

  @Test("whole text can be left to the caller, text in parts is still checked")
  func leftToCaller() {
    var machine = ConnectionMachine(
      client: .seeded(), validatesWholeMessages: false, now: start)
    #expect(machine.seen(frame(.text, [0xFF])) == [.message(.text, [0xFF])])
    #expect(machine.failInvalidText(now: start) == .failed(.invalidText))
    #expect(machine.seen(frame(.text, "x")) == [])
    #expect(frames(in: machine.outputBytes, from: .client) == [.close(1007, "text is not UTF-8")])
    var other = ConnectionMachine(client: .seeded(), validatesWholeMessages: false, now: start)
    #expect(other.seen([0x81, 2, 0xFF]) == [.failed(.invalidText)])
    #expect(other.failInvalidText(now: start) == .failed(.invalidText))
    #expect(frames(in: other.outputBytes, from: .client).count == 1)
  }

  @Test(
    "a peer's Close comes raw, and is answered once with what it deserves",
    arguments: [
      ([], nil, [], .some([])),
      ([0x03, 0xE8], 1000, [], .some([0x03, 0xE8])),
      ([0x0F, 0xA1, 0x78], 4001, [0x78], .some([0x0F, 0xA1])),
      ([0x03, 0xED], 1005, [], nil), ([0x03, 0xEE, 0x79], 1006, [0x79], nil),
      ([0x03, 0xF7], 1015, [], nil), ([0x00, 0x00], 0, [], nil), ([0x03, 0xE7], 999, [], nil),
      ([0x03, 0xEC], 1004, [], nil), ([0x07, 0xD0], 2000, [], nil), ([0x13, 0x88], 5000, [], nil),
      ([0xFF, 0xFF], 65_535, [], nil),
      (
        [0x0F, 0xA1, 0xC3], 4001, [0xC3],
        .some([0x03, 0xEF] + Array("close reason is not UTF-8".utf8))
      ),
    ] as [([UInt8], UInt16?, [UInt8], [UInt8]?)])
  func peerClose(_ body: [UInt8], _ code: UInt16?, _ reason: [UInt8], _ answer: [UInt8]?) {
    let observed = observeBoth {
      frame(.close, body, from: $0) + frame(.ping, "p", from: $0) + frame(.text, "x", from: $0)
    }
    for (role, seen, output) in observed {
      let close = CloseFrame(code: code.map(CloseCode.init(rawValue:)), reason: reason)
      #expect(seen == [.peerClosed(close)] + (role == .server ? [.closed] : []))
      let expected = answer ?? WireFrame.close(1002, "close code \(code ?? 0)").payload
      #expect(output == [WireFrame(opcode: .close, payload: expected)])
    }
  }

  @Test("pongs never pile up: the newest ping is answered when the output drains")
  func pongFlood() {
    var machine = ConnectionMachine.make(.client)
    let payload = [UInt8](repeating: 1, count: 125)
    for _ in 0..<10_000 { #expect(machine.seen(frame(.ping, payload)).isEmpty) }
    #expect(machine.output.count <= machine.limits.maximumOutputForPongs + 131)
    #expect(machine.seen(frame(.ping, "newest")).isEmpty)
    let first = machine.output.count - 1
    let waiting = machine.outputBytes
    machine.consumeOutput(first, now: start)
    let left = [waiting[first]] + machine.takeOutput().dropFirst()
    let answers = frames(in: waiting + left.dropFirst(), from: .client)
    #expect(answers.last == WireFrame(opcode: .pong, payload: Array("newest".utf8)))
    #expect(machine.output.isEmpty)
    machine.consumeOutput(0, now: start)
    #expect(machine.output.isEmpty)
  }

  @Test("a frame is traced when it is complete, one after the other")
  func traces() {
    var machine = ConnectionMachine.make(.client)
    machine.isTracing = true
    let input = frame(.text, "whole") + frame(.text, "a", fin: false) + frame(.pong, "b")
    _ = machine.seen(input + frame(.continuation, "cd").dropLast())
    let lines = [
      "< TEXT fin 5 bytes \"whole\"", "< TEXT more 1 byte \"a\"", "< PONG fin 1 byte \"b\"",
    ]
    #expect(machine.takeTraces().map(\.description) == lines)
    _ = machine.seen([0x64])
    #expect(machine.takeTraces().map(\.description) == ["< CONT fin 2 bytes \"cd\""])
  }
}
