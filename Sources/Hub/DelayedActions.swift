import Timeline

/// What the chaos switch `delay` holds back, in its order.
struct DelayedActions {
  private var actions: [(due: Instant, action: HubMachine.Action)?] = []
  private var head = 0
  /// Bytes of the frames in it.
  private(set) var byteCount = 0

  var nextDeadline: Instant? {
    head < actions.count ? actions[head]?.due : nil
  }

  /// Holds an action back; `due` is never before that of an earlier one.
  mutating func append(_ action: HubMachine.Action, due: Instant) {
    actions.append((due, action))
    byteCount &+= Self.cost(of: action)
  }

  /// Returns the next action if it is due.
  mutating func take(_ now: Instant) -> HubMachine.Action? {
    guard head < actions.count, let (due, action) = actions[head], due <= now else { return nil }
    actions[head] = nil
    head &+= 1
    byteCount &-= Self.cost(of: action)
    if head > 64, head > actions.count / 2 {
      actions.removeSubrange(0..<head)
      head = 0
    }
    return action
  }

  /// With about what the structure adds.
  private static func cost(of action: HubMachine.Action) -> Int {
    switch action {
    case .send(let frame, _), .broadcast(let frame, _): frame.count &+ 128
    default: 128
    }
  }
}
