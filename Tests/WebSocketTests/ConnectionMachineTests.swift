import Bytes
import Testing
import Timeline

@testable import WebSocket

@Suite struct ConnectionMachineTests {
  @Test("messages go out as whole frames, a client's masked with keys that differ")
  func sending() {
    var server = ConnectionMachine.make(.server)
    #expect(server.sendText("Hello") == true)
    #expect(server.takeOutput() == bytes("81 05 48 65 6c 6c 6f"))
    var client = ConnectionMachine.make(.client)
    let payload = Array("xHellox".utf8)
    var keys: Set<UInt32> = []
    var bitCount = 0
    for _ in 0..<20_000 {
      #expect(client.send(.binary, payload.span, 1..<6) == true)
      let sent = frames(in: client.takeOutput(), from: .client)
      guard sent == [WireFrame(opcode: .binary, payload: Array("Hello".utf8))] else {
        Issue.record("sent \(sent)")
        return
      }
      keys.insert(sent[0].key)
      bitCount += sent[0].key.nonzeroBitCount
    }
    // 20,000 of 2^32 keys: a collision has a chance of 5 %, two of nearly none.
    #expect(keys.count >= 19_998)
    #expect((310_000...330_000).contains(bitCount))
  }

  @Test("a ping's payload is cut to 125 bytes and comes back in a pong")
  func ping() {
    var machine = ConnectionMachine.make(.client)
    #expect(machine.sendPing(Array(repeating: 7, count: 130)) == true)
    let expected = WireFrame(opcode: .ping, payload: Array(repeating: 7, count: 125))
    #expect(frames(in: machine.takeOutput(), from: .client) == [expected])
    #expect(machine.seen(frame(.pong, expected.payload)) == [.pong(expected.payload)])
  }

  @Test("a server gives the storage of a large output back, and a machine is small")
  func storage() {
    var machine = ConnectionMachine.make(.server)
    let large = [UInt8](repeating: 0x61, count: 400_000)
    #expect(machine.send(.binary, large.span, 0..<large.count) == true)
    machine.consumeOutput(200_000, now: start)
    #expect(!machine.output.isEmpty)
    _ = machine.takeOutput()
    #expect(machine.output.appendInPlace { $0.capacity } == 0)
    #expect(MemoryLayout<ConnectionMachine>.size <= 400)
  }

  @Test("after our Close nothing is sent, and what still comes is delivered")
  func closing() {
    for role in [Role.client, .server] {
      var machine = ConnectionMachine.make(role)
      machine.sendClose(.goingAway, reason: Array("bye".utf8), now: start)
      #expect(machine.state == .closing(deadline: after(.seconds(5))))
      #expect(!machine.isOpen)
      #expect(machine.sendText("late") == false)
      #expect(machine.sendPing([]) == false)
      machine.sendClose(.normal, now: start)
      let input =
        frame(.text, "still", from: role.peer) + frame(.ping, "?", from: role.peer)
        + frame(.pong, "!", from: role.peer) + frame(.close, [3, 233], from: role.peer)
      let seen = machine.seen(input, now: after(.seconds(1)))
      let close = Seen.peerClosed(CloseFrame(code: .goingAway))
      #expect(
        seen == [.text("still"), .pong(Array("!".utf8)), close]
          + (role == .server ? [.closed] : []))
      #expect(frames(in: machine.takeOutput(), from: role) == [.close(1001, "bye")])
      guard role == .client else {
        #expect(machine.state == .closed)
        continue
      }
      // The deadline is still the first one's.
      #expect(machine.nextDeadline == after(.seconds(5)))
      #expect(machine.seen(frame(.text, "ignored")) == [])
      #expect(machine.receiveEnd() == .closed)
      #expect(machine.receiveEnd() == nil)
    }
  }

  @Test("a violation after our Close is told but not answered")
  func violationWhileClosing() {
    var machine = ConnectionMachine.make(.client)
    machine.sendClose(nil, now: start)
    #expect(machine.seen([0x83]) == [.failed(.reservedOpcode(3))])
    #expect(frames(in: machine.takeOutput(), from: .client).map(\.opcode) == [.close])
    #expect(machine.advance(to: after(.seconds(5))) == .closed)
  }

  @Test("an illegal Close that answers ours is told as it is")
  func illegalAnswer() {
    var machine = ConnectionMachine.make(.client)
    machine.sendClose(.normal, now: start)
    let close = CloseFrame(code: .abnormal)
    #expect(machine.seen(frame(.close, [3, 238])) == [.peerClosed(close)])
    #expect(frames(in: machine.takeOutput(), from: .client).count == 1)
  }

  @Test("a Close without an answer, and an end without a Close, are losses")
  func losses() {
    var silent = ConnectionMachine.make(.client)
    silent.sendClose(.normal, now: start)
    #expect(silent.advance(to: after(.milliseconds(4_999))) == nil)
    #expect(silent.advance(to: after(.seconds(5))) == .lost(.closeTimeout))
    #expect(silent.nextDeadline == nil)
    #expect(silent.advance(to: after(.seconds(50))) == nil)
    #expect(silent.seen(frame(.text, "x")) == [])

    var broken = ConnectionMachine.make(.server)
    #expect(broken.seen([0x81]) == [])
    #expect(broken.receiveEnd() == .lost(.endWithoutClose))
    #expect(broken.failInvalidText(now: start) == .failed(.invalidText))
    #expect(broken.state == .closed && broken.output.isEmpty)

    var closing = ConnectionMachine.make(.server)
    closing.sendClose(.normal, now: start)
    #expect(closing.receiveEnd() == .lost(.endWithoutClose))
  }

  @Test("a client whose server won't end the stream ends it at the deadline")
  func lingering() {
    var machine = ConnectionMachine.make(.client)
    let close = Seen.peerClosed(CloseFrame(code: .normal))
    #expect(machine.seen(frame(.close, [3, 232]), now: after(.seconds(60))) == [close])
    #expect(machine.nextDeadline == after(.seconds(65)))
    #expect(machine.advance(to: after(.seconds(64))) == nil)
    #expect(machine.advance(to: after(.seconds(65))) == .closed)
  }

  @Test("silence brings a ping, then the loss; a byte of anything is life")
  func keepalive() {
    var machine = ConnectionMachine.make(.client, keepalive: Keepalive())
    #expect(machine.nextDeadline == after(.seconds(20)))
    #expect(machine.advance(to: after(.seconds(19))) == nil)
    #expect(machine.output.isEmpty)
    #expect(machine.advance(to: after(.seconds(20))) == nil)
    #expect(frames(in: machine.takeOutput(now: after(.seconds(21))), from: .client).count == 1)
    // The ping left a second later, so the answer may come a second later.
    #expect(machine.nextDeadline == after(.seconds(31)))
    #expect(machine.seen([0x81], now: after(.seconds(30))) == [])
    #expect(machine.nextDeadline == after(.seconds(50)))
    #expect(machine.advance(to: after(.seconds(50))) == nil)
    _ = machine.takeOutput(now: after(.seconds(50)))
    #expect(machine.seen([], now: after(.seconds(55))) == [])
    machine.pauseReading()
    #expect(machine.nextDeadline == nil)
    machine.resumeReading(now: after(.seconds(100)))
    #expect(machine.advance(to: after(.seconds(109))) == nil)
    #expect(machine.advance(to: after(.seconds(110))) == .lost(.pingTimeout))
    #expect(machine.state == .closed && machine.output.isEmpty)
    var other = ConnectionMachine.make(.server)
    #expect(other.nextDeadline == nil && other.advance(to: after(.seconds(999))) == nil)
  }

  @Test("the keepalive's ping repeats the caller's, so that its pong proves as much")
  func repeatedPing() {
    var machine = ConnectionMachine.make(.client, keepalive: Keepalive())
    #expect(machine.sendPing(Array("41".utf8)) == true)
    _ = machine.takeOutput()
    #expect(machine.advance(to: after(.seconds(20))) == nil)
    let expected = WireFrame(opcode: .ping, payload: Array("41".utf8))
    #expect(frames(in: machine.takeOutput(), from: .client) == [expected])
  }

  @Test("frames are traced in both directions when asked")
  func traces() {
    var machine = ConnectionMachine.make(.server)
    #expect(machine.seen(frame(.text, "quiet", from: .client)) == [.text("quiet")])
    machine.isTracing = true
    _ = machine.seen(
      frame(.text, "a", fin: false, from: .client) + frame(.ping, "b", from: .client)
        + frame(.continuation, "c", from: .client))
    _ = machine.sendText("d")
    _ = machine.seen(frame(.close, [3, 232], from: .client))
    #expect(
      machine.takeTraces().map(\.description) == [
        "< TEXT more 1 byte \"a\"", "< PING fin 1 byte \"b\"", "> PONG fin 1 byte \"b\"",
        "< CONT fin 1 byte \"c\"", "> TEXT fin 1 byte \"d\"",
        "< CLOSE fin 2 bytes 1000 (normal closure)", "> CLOSE fin 2 bytes 1000 (normal closure)",
      ])
    #expect(machine.takeTraces().isEmpty)
    var client = ConnectionMachine.make(.client)
    client.isTracing = true
    _ = client.seen(frame(.text, "whole"))
    #expect(client.takeTraces().map(\.description) == ["< TEXT fin 5 bytes \"whole\""])
  }

  @Test("the newest pong that was held back follows when the output drains, and only once")
  func heldBackPong() {
    var limits = WebSocketLimits()
    limits.maximumOutputForPongs = 10
    var machine = ConnectionMachine.make(.server, limits: limits)
    #expect(machine.sendText("123456789") == true)
    #expect(
      machine.seen(frame(.ping, "old", from: .client) + frame(.ping, "new", from: .client)) == [])
    let text = WireFrame(opcode: .text, payload: Array("123456789".utf8))
    #expect(frames(in: machine.outputBytes, from: .server) == [text])
    // Eleven bytes wait; with the first of them taken, the pong may follow.
    machine.consumeOutput(1, now: start)
    #expect(Array(machine.outputBytes[10...]) == frame(.pong, "new"))
    machine.consumeOutput(15, now: start)
    #expect(machine.output.isEmpty)
  }

  @Test("encoded frames are queued as they are, and none after a Close")
  func encodedFrames() {
    var machine = ConnectionMachine.make(.server)
    let frames: [UInt8] = [0x81, 1, 0x61, 0x82, 0]
    let isQueued = machine.send(encoded: frames.span)
    let isRestQueued = machine.send(encoded: frames.span.extracting(3..<5))
    #expect(isQueued && isRestQueued)
    #expect(machine.takeOutput() == frames + frames[3...])
    machine.sendClose(.normal, now: Instant(nanoseconds: 0))
    _ = machine.takeOutput()
    let isQueuedBehind = machine.send(encoded: frames.span)
    #expect(!isQueuedBehind)
    #expect(machine.outputBytes == [])
  }
}
