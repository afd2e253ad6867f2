import CLinux
package import Timeline

/// What a descriptor is waited for, and what was found on it.
package struct Readiness: OptionSet, Sendable {
  package let rawValue: UInt32

  package init(rawValue: UInt32) {
    self.rawValue = rawValue
  }

  /// A read gives bytes, the end, or an error (EPOLLIN).
  package static let readable = Readiness(rawValue: EPOLLIN.rawValue)
  /// A write takes bytes or gives an error (EPOLLOUT).
  package static let writable = Readiness(rawValue: EPOLLOUT.rawValue)
  /// A socket's peer has ended its direction (EPOLLRDHUP).
  package static let peerEnded = Readiness(rawValue: EPOLLRDHUP.rawValue)
  /// Both directions are over (EPOLLHUP); found unasked.
  package static let hangUp = Readiness(rawValue: EPOLLHUP.rawValue)
  /// The descriptor is in error, or a pipe's reader has gone (EPOLLERR); found unasked.
  package static let error = Readiness(rawValue: EPOLLERR.rawValue)

  /// A read won't block: bytes, the end, a hang-up or an error.
  package var allowsReading: Bool {
    !isDisjoint(with: [.readable, .hangUp, .error])
  }

  /// A write won't block: room, or an error to learn.
  package var allowsWriting: Bool {
    !isDisjoint(with: [.writable, .hangUp, .error])
  }
}

/// When a descriptor that stays ready is reported again.
package enum Trigger: Sendable {
  /// Every turn, as long as it is ready.
  case level
  /// Once each time it becomes ready or more arrives; the owner reads or writes until it would block.
  case edge
}

/// Names one registration for ever: a descriptor's number is reused, this isn't.
package struct RegistrationID: Hashable, Sendable {
  let slot: UInt32
  let generation: UInt32

  var epollData: UInt64 {
    UInt64(generation) << 32 | UInt64(slot)
  }

  init(slot: UInt32, generation: UInt32) {
    self.slot = slot
    self.generation = generation
  }

  init(epollData: UInt64) {
    slot = UInt32(truncatingIfNeeded: epollData)
    generation = UInt32(truncatingIfNeeded: epollData >> 32)
  }
}

/// Is told when a registered descriptor is ready.
package protocol ReadinessHandler: AnyObject {
  /// Called on the loop's thread. May add, modify and remove registrations, its own included;
  /// must not block.
  func ready(_ readiness: Readiness, on registration: RegistrationID)
}

/// Takes part in every turn of the loop: flushes what a turn has gathered, and has a deadline.
package protocol TurnHook: AnyObject {
  /// Called once each turn before the loop waits, also when nothing happened.
  ///
  /// Returns the instant at which `deadlinePassed` is wanted, or nil. An instant that isn't in the
  /// future makes the loop look for events without waiting and then call.
  func beforeSleep(now: Instant) -> Instant?

  /// Called after a turn's events when the instant last returned has passed.
  func deadlinePassed(now: Instant)
}
