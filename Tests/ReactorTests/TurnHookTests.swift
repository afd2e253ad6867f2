import Glibc
import Posix
import Reactor
import TestSupport
import Testing
import Timeline

/// Has a deadline, and writes down when it is called.
private final class Hook: TurnHook {
  var deadline: Instant?
  private(set) var turnCount = 0
  private(set) var passed: [Instant] = []
  var onBeforeSleep: (() -> Void)?
  var onPassed: (() -> Void)?

  init(_ deadline: Instant? = nil) {
    self.deadline = deadline
  }

  func beforeSleep(now: Instant) -> Instant? {
    turnCount += 1
    onBeforeSleep?()
    return deadline
  }

  func deadlinePassed(now: Instant) {
    passed.append(now)
    deadline = nil
    onPassed?()
  }
}

@Suite("Hooks take part in every turn and have deadlines")
struct TurnHookTests {
  private let loop: EventLoop

  init() throws {
    loop = try EventLoop()
  }

  @Test("deadlines pass in order, none early")
  func ordersDeadlines() throws {
    let start = MonotonicClock.now()
    let waits: [Int64] = [30, 10, 0, 20, -5]
    let hooks = waits.map { Hook(start + .milliseconds($0)) }
    let wanted = hooks.map(\.deadline)
    for hook in hooks { loop.attach(hook) }
    try loop.turn { hooks.allSatisfy { !$0.passed.isEmpty } }
    for (hook, deadline) in zip(hooks, wanted) {
      #expect(hook.passed.count == 1)
      #expect(hook.passed[0] >= deadline ?? start)
    }
    #expect(hooks[1].passed[0] <= hooks[3].passed[0])
    #expect(hooks[3].passed[0] <= hooks[0].passed[0])
    loop.close()
  }

  @Test(
    "a deadline that moves forward wakes the loop once for the old one, one that moves back in time"
  )
  func movesDeadlines() throws {
    let start = MonotonicClock.now()
    let hook = Hook(start + .seconds(3600))
    loop.attach(hook)
    // Arms the timer for an hour, then for 10 ms.
    hook.onBeforeSleep = { [loop] in loop.askForTurn() }
    try loop.turn()
    hook.onBeforeSleep = nil
    hook.deadline = start + .milliseconds(10)
    try loop.turn { !hook.passed.isEmpty }
    #expect(hook.passed[0] >= start + .milliseconds(10))
    // Armed for 10 ms, wanted for 30: the early wake-up is no deadline.
    let later = MonotonicClock.now()
    hook.deadline = later + .milliseconds(10)
    loop.askForTurn()
    let shifting = Hook()
    loop.attach(shifting)
    shifting.onBeforeSleep = {
      if shifting.turnCount == 2 { hook.deadline = later + .milliseconds(30) }
    }
    try loop.turn { hook.passed.count == 2 }
    #expect(hook.passed[1] >= later + .milliseconds(10))
    shifting.onBeforeSleep = nil
    loop.close()
  }

  @Test("without events and deadlines due, an hour's deadline doesn't turn the loop")
  func idles() throws {
    let hook = Hook(MonotonicClock.now() + .seconds(3600))
    loop.attach(hook)
    let waker = Hook(MonotonicClock.now() + .milliseconds(50))
    loop.attach(waker)
    try loop.turn()
    #expect(hook.turnCount == 1)
    #expect(waker.passed.count == 1)
    loop.close()
  }

  @Test("a hook that asks for a turn is not left to sleep")
  func asksForTurn() throws {
    let hook = Hook()
    hook.onBeforeSleep = { [loop] in loop.askForTurn() }
    loop.attach(hook)
    try loop.turn()
    try loop.turn()
    #expect(hook.turnCount == 2)
    hook.onBeforeSleep = nil
    loop.close()
  }

  @Test("hooks may attach and detach hooks, themselves included, at any moment")
  func changesHooks() throws {
    let late = Hook(MonotonicClock.now())
    let first = Hook(MonotonicClock.now())
    let second = Hook(MonotonicClock.now())
    first.onBeforeSleep = { [loop] in
      if first.turnCount == 1 { loop.attach(late) }
    }
    first.onPassed = { [loop] in
      loop.detach(first)
      loop.detach(second)
    }
    loop.attach(first)
    loop.attach(second)
    try loop.turn()
    #expect(first.passed.count == 1)
    #expect(second.passed.isEmpty)
    #expect(late.turnCount == 1 && late.passed.count == 1)
    late.deadline = MonotonicClock.now()
    try loop.turn()
    #expect(first.turnCount == 1 && second.turnCount == 1 && late.turnCount == 2)
    first.onBeforeSleep = nil
    first.onPassed = nil
    loop.close()
  }

  @Test("a hook that closes the loop in its turn ends it quietly")
  func closesInHook() throws {
    let hook = Hook()
    let other = Hook(MonotonicClock.now())
    hook.onBeforeSleep = { [loop] in loop.close() }
    loop.attach(hook)
    loop.attach(other)
    try loop.run()
    #expect(hook.turnCount == 1)
    #expect(other.passed.isEmpty)
    hook.onBeforeSleep = nil
  }
}
