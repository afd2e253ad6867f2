import Testing
import Timeline

@testable import Hub

@Suite struct DelayedActionsTests {
  private func instant(_ seconds: Int) -> Instant {
    Instant(nanoseconds: Int64(seconds) * 1_000_000_000)
  }

  @Test("they come in their order, when they are due")
  func order() {
    var delayed = DelayedActions()
    #expect(delayed.nextDeadline == nil)
    #expect(delayed.take(instant(9)) == nil)
    for slot in 0..<200 {
      let id = ClientID(slot: slot, number: 1)
      let frame = [UInt8](repeating: 1, count: slot)
      switch slot % 3 {
      case 0: delayed.append(.send(frame, to: id), due: instant(slot))
      case 1: delayed.append(.broadcast(frame, to: [id]), due: instant(slot))
      default: delayed.append(.drop(id), due: instant(slot))
      }
    }
    #expect(delayed.byteCount > 200 * 128)
    for slot in 0..<200 {
      #expect(delayed.nextDeadline == instant(slot))
      #expect(delayed.take(instant(slot - 1)) == nil)
      let id = ClientID(slot: slot, number: 1)
      switch delayed.take(instant(slot)) {
      case .send(let frame, let to)?: #expect(slot % 3 == 0 && to == id && frame.count == slot)
      case .broadcast(let frame, let to)?:
        #expect(slot % 3 == 1 && to == [id] && frame.count == slot)
      case let other: #expect(other == .drop(id) && slot % 3 == 2)
      }
    }
    #expect(delayed.nextDeadline == nil && delayed.byteCount == 0)
  }
}
