import Testing
import WebSocket

@testable import Session

@Suite struct BridgeSettingsTests {
  @Test func theDefaultsAreTheContracts() {
    let settings = BridgeSettings(
      link: LinkMachine.Limits(
        backoff: Backoff.Bounds(base: .seconds(1), ceiling: .seconds(30)),
        stableAfter: .seconds(10), retries: nil, waitsWhenRefused: false))
    #expect(settings.link.refusedWait == .seconds(60))
    #expect(settings.handshakeTimeout == .seconds(10) && settings.ackTimeout == .seconds(10))
    #expect(settings.refusalBodyTimeout == .seconds(1))
    #expect(settings.drainTimeout == .seconds(10) && settings.stallTimeout == .seconds(30))
    #expect(settings.maximumMessage == 1 << 20 && settings.outboxMaximum == 64 << 20)
    #expect(settings.windowBytes == 1 << 20 && settings.hastyCloseTimeout < .milliseconds(100))
    let hello = BridgeSettings.HelloFrame(kind: .text, payload: [1])
    #expect(hello.kind == .text && hello.payload == [1] && settings.hello.isEmpty)
  }
}
