import Reactor
import Timeline

/// Writes down what it is told, and does what a test asks for at that moment.
final class Recorder: ReadinessHandler {
  private(set) var events: [(Readiness, RegistrationID)] = []
  var action: ((Readiness, RegistrationID) -> Void)?

  func ready(_ readiness: Readiness, on registration: RegistrationID) {
    events.append((readiness, registration))
    action?(readiness, registration)
  }

  var readiness: [Readiness] {
    events.map(\.0)
  }

  func clear() {
    events = []
  }
}

extension EventLoop {
  /// One turn that doesn't wait.
  func glance() throws {
    let impatience = Impatience()
    attach(impatience)
    defer { detach(impatience) }
    try turn()
  }
}

private final class Impatience: TurnHook {
  func beforeSleep(now: Instant) -> Instant? {
    now
  }

  func deadlinePassed(now: Instant) {}
}
