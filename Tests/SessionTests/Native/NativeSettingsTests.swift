import Testing

@testable import Session

@Suite struct NativeSettingsTests {
  @Test("the defaults are the contract's")
  func defaults() {
    let settings = NativeSettings()
    #expect(settings.window == 64 && settings.windowBytes == 1 << 20)
    #expect(settings.maximumMessage == 1 << 20)
    #expect(settings.answerTimeout == .seconds(10))
    #expect(settings.history == 0 && !settings.repeatsOwn && settings.acknowledges)
    #expect(settings.rooms.isEmpty)
  }
}
