import Testing
import Timeline
import WebSocket

@testable import Session

/// The life of a run: its beginning, its phases and every way to its end.
@Suite struct BridgeTests {
  @Test func linesGoOutAreAcknowledgedAndTheRunEnds() throws {
    let run = Rehearsal().start()
    #expect(run.attempts == [1])
    #expect(try run.states == ["connecting", "online"])
    run.type("{\"a\":1}\n[2]\n3")
    #expect(run.server.texts == ["{\"a\":1}", "[2]"])
    run.endInput()
    #expect(run.server.texts == ["{\"a\":1}", "[2]", "3"])
    #expect(run.server.closeFrame == CloseFrame(code: .normal))
    #expect(run.outcome == .done)
    #expect(try run.told("delivered").count == 3)
  }
}
