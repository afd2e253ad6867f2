import Testing
import Timeline

@testable import Session

@Suite struct LinkMachineTests {
  private static let start = Instant(nanoseconds: 0)
  private static let lost = LinkEnd.lost(reason: "lost")
  private static let refused = LinkEnd.closed(code: 4001, reason: [])

  private static func machine(
    retries: Int? = nil, waitsWhenRefused: Bool = false
  ) -> LinkMachine {
    LinkMachine(
      limits: LinkMachine.Limits(
        backoff: Backoff.Bounds(base: .seconds(1), ceiling: .seconds(30)),
        stableAfter: .seconds(10), retries: retries, waitsWhenRefused: waitsWhenRefused))
  }

  private static func online(_ machine: LinkMachine, since: Instant = start) -> LinkMachine {
    var machine = machine
    machine.begin()
    machine.opened(now: since)
    return machine
  }

  @Test func aLinkComesGoesAndComesAgain() {
    var machine = Self.machine()
    #expect(machine.state == .idle && machine.attempt == 0 && machine.nextDeadline == nil)
    machine.opened(now: Self.start)
    #expect(machine.state == .idle)
    machine.begin()
    #expect(machine.state == .connecting && machine.attempt == 1 && !machine.isOnline)
    machine.opened(now: Self.start)
    #expect(machine.isOnline && machine.nextDeadline == nil)
    #expect(!machine.isDue(now: Self.start + .seconds(1000)))

    let wait = machine.failed(Self.lost, now: Self.start + .seconds(1), chance: 0)
    #expect(wait == .retry(after: .milliseconds(500)))
    let due = Self.start + .milliseconds(1500)
    #expect(machine.nextDeadline == due && !machine.isOnline && !machine.isParked)
    #expect(!machine.isDue(now: Self.start + .milliseconds(1499)) && machine.isDue(now: due))
    machine.begin()
    #expect(machine.attempt == 2)
  }

  @Test(arguments: [(9, 1000, 2), (10, 500, 0), (1000, 500, 0)])
  func onlyAStableLinkResetsTheBackoff(seconds: Int, milliseconds: Int, attempt: Int) {
    var machine = Self.machine()
    machine.begin()
    _ = machine.failed(Self.lost, now: Self.start, chance: 0)
    machine = Self.online(machine)
    let wait = machine.failed(Self.lost, now: Self.start + .seconds(seconds), chance: 0)
    #expect(wait == .retry(after: .milliseconds(milliseconds)))
    #expect(machine.attempt == attempt)
  }

  @Test(arguments: [0, 1, 3])
  func retriesAreCounted(retries: Int) {
    var machine = Self.machine(retries: retries)
    for _ in 0..<retries {
      machine = Self.online(machine)
      guard case .retry = machine.failed(Self.lost, now: Self.start, chance: 0) else {
        Issue.record("ended too early")
        return
      }
    }
    machine.begin()
    #expect(machine.failed(Self.lost, now: Self.start, chance: 0) == .ended)
    #expect(machine.state == .ended && machine.nextDeadline == nil)
    #expect(machine.failed(Self.lost, now: Self.start, chance: 0) == .ended)
    machine.begin()
    #expect(machine.state == .ended)
  }

  @Test(arguments: [
    (Duration.seconds(7), Duration.seconds(7)), (.milliseconds(100), .milliseconds(500)),
  ])
  func theServersWishIsTheLeastWait(wish: Duration, wait: Duration) {
    var machine = Self.machine()
    machine.begin()
    let end = LinkEnd.refusedUpgrade(status: 503, reason: "", retryAfter: wish)
    #expect(machine.failed(end, now: Self.start, chance: 0) == .retry(after: wait))
  }

  @Test func aRefusalEndsARunThatDoesNotWait() {
    var machine = Self.online(Self.machine())
    #expect(machine.failed(Self.refused, now: Self.start, chance: 0) == .ended)
    #expect(machine.state == .ended)
  }

  @Test(arguments: [
    (LinkEnd.closed(code: 4001, reason: []), Duration.seconds(60)),
    (.refusedUpgrade(status: 403, reason: "", retryAfter: .seconds(5)), .seconds(60)),
    (.refusedUpgrade(status: 401, reason: "", retryAfter: .seconds(90)), .seconds(90)),
  ])
  func aRefusalParksARunThatWaits(end: LinkEnd, wait: Duration) {
    var machine = Self.online(Self.machine(retries: 0, waitsWhenRefused: true))
    #expect(machine.failed(end, now: Self.start, chance: 0) == .parked(retryAfter: wait))
    #expect(machine.isParked && machine.nextDeadline == Self.start + wait)
    machine.cutWait(now: Self.start + .seconds(1))
    #expect(machine.isDue(now: Self.start + .seconds(1)))
    machine.begin()
    #expect(machine.state == .connecting)
  }

  @Test func reconnectingOnRequestIsNoFailure() {
    var machine = Self.online(Self.machine(retries: 0))
    let next = machine.failed(.reconnecting, now: Self.start + .seconds(1), chance: 9)
    #expect(next == .retry(after: .zero))
    #expect(machine.isDue(now: Self.start + .seconds(1)))
  }

  @Test func cuttingAWaitNeedsOne() {
    var machine = Self.machine()
    machine.cutWait(now: Self.start)
    #expect(machine.state == .idle)
    machine.begin()
    machine.cutWait(now: Self.start)
    #expect(machine.state == .connecting)
    _ = machine.failed(Self.lost, now: Self.start, chance: .max)
    machine.cutWait(now: Self.start)
    #expect(machine.isDue(now: Self.start))
  }

  @Test func stoppingIsFinal() {
    var machine = Self.online(Self.machine())
    #expect(machine.stop() == .ended)
    machine.cutWait(now: Self.start)
    #expect(machine.state == .ended && !machine.isDue(now: Self.start))
  }
}
