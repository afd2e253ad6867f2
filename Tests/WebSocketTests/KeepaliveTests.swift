import Testing
import Timeline

@testable import WebSocket

@Suite struct KeepaliveTests {
  private func opened() -> Keepalive {
    var keepalive = Keepalive(interval: .seconds(20), timeout: .seconds(10))
    keepalive.noteLife(start)
    return keepalive
  }

  @Test("silence asks for a ping, more silence gives up, any life starts anew")
  func silence() {
    var keepalive = opened()
    #expect(keepalive.nextDeadline == after(.seconds(20)))
    #expect(keepalive.action(at: after(.milliseconds(19_999))) == .nothing)
    #expect(keepalive.action(at: after(.seconds(20))) == .sendPing)
    keepalive.notePing(after(.seconds(20)), outputCount: 0)
    #expect(keepalive.action(at: after(.milliseconds(29_999))) == .nothing)
    #expect(keepalive.action(at: after(.seconds(30))) == .giveUp)
    keepalive.noteLife(after(.seconds(29)))
    #expect(keepalive.nextDeadline == after(.seconds(49)))
  }

  @Test("after a suspend the peer is asked before it is given up")
  func suspend() {
    let keepalive = opened()
    #expect(keepalive.action(at: after(.seconds(3_600))) == .sendPing)
  }

  @Test("the ping's clock starts when the ping has left, and runs when nothing moves")
  func queued() {
    var keepalive = opened()
    keepalive.noteOutputTaken(5, now: after(.seconds(1)))
    keepalive.notePing(after(.seconds(20)), outputCount: 100)
    keepalive.noteOutputTaken(60, now: after(.seconds(25)))
    #expect(keepalive.nextDeadline == after(.seconds(35)))
    keepalive.noteOutputTaken(60, now: after(.seconds(30)))
    #expect(keepalive.nextDeadline == after(.seconds(40)))
    keepalive.noteOutputTaken(60, now: after(.seconds(39)))
    #expect(keepalive.nextDeadline == after(.seconds(40)))
  }

  @Test("while reading is paused the clock stands still")
  func paused() {
    var keepalive = opened()
    keepalive.pause()
    #expect(keepalive.nextDeadline == nil)
    #expect(keepalive.action(at: after(.seconds(900))) == .nothing)
    keepalive.resume(after(.seconds(900)))
    #expect(keepalive.nextDeadline == after(.seconds(920)))
    keepalive.notePing(after(.seconds(920)), outputCount: 0)
    keepalive.pause()
    keepalive.resume(after(.seconds(1_000)))
    #expect(keepalive.nextDeadline == after(.seconds(1_010)))
  }
}
