import CLinux
import Glibc
package import Posix
package import Timeline

/// Waits for descriptors and deadlines on one thread and calls whoever is concerned.
///
/// A turn of the loop is: every hook's `beforeSleep`, one `epoll_wait`, the handlers of what is
/// ready, then the hooks whose deadline has passed. Nothing else ever wakes it, so an idle process
/// uses no processor time at all.
///
/// The loop is not Sendable: the compiler proves that it stays on its thread. Handlers and hooks are
/// held strongly until they are removed; `close()` removes all, which breaks the cycles between the
/// loop and owners that keep a reference to it.
package final class EventLoop {
  /// The instant at which this turn's events were found; reading it costs nothing.
  package private(set) var now: Instant

  private let epoll: FileDescriptor
  private var timer: DeadlineTimer
  private var table = RegistrationTable()
  private var hooks: [HookEntry] = []
  private var isStopping = false
  private var needsTurn = false
  /// Room for one wait's events. A constant pointer, because each access to a variable of a class is
  /// checked for exclusivity at run time: with them checked, half of a turn's instructions went there.
  private let events: UnsafeMutableBufferPointer<epoll_event>
  private var hasDetachedHooks = false
  /// What regular files and the like are given instead of an epoll entry, gathered once a turn.
  private var alwaysReady: [RegistrationID] = []

  private struct HookEntry {
    var hook: (any TurnHook)?
    var deadline: Instant?
  }

  package init() throws(SystemError) {
    let number = epoll_create1(CInt(EPOLL_CLOEXEC))
    guard number >= 0 else { throw .current("epoll_create1", "") }
    epoll = FileDescriptor(adopting: number)
    timer = try DeadlineTimer()
    events = .allocate(capacity: 64)
    events.initialize(repeating: epoll_event())
    now = MonotonicClock.now()
    var event = epoll_event()
    // Edge-triggered, so that an expiry needs no read to be over.
    event.events = EPOLLIN.rawValue | EPOLLET.rawValue
    event.data.u64 = RegistrationID.timer.epollData
    guard epoll_ctl(epoll.number, EPOLL_CTL_ADD, timer.number, &event) == 0 else {
      throw .current("epoll_ctl", "timer")
    }
  }

  deinit {
    events.deallocate()
  }

  // MARK: Descriptors

  /// Registers a descriptor; the handler is held until `remove`.
  ///
  /// A descriptor that epoll refuses because it can't block (a regular file, /dev/null) is reported
  /// every turn as long as it is asked for, whatever the trigger.
  /// A descriptor has at most one registration, and must be removed before it is closed.
  package func add(
    _ descriptor: CInt, _ interest: Readiness, _ trigger: Trigger = .level,
    handler: any ReadinessHandler
  ) throws(SystemError) -> RegistrationID {
    let id = table.insert(
      Registration(
        descriptor: descriptor, interest: interest, trigger: trigger, handler: handler))
    var event = epoll_event()
    event.events = Self.mask(interest, trigger)
    event.data.u64 = id.epollData
    if epoll_ctl(epoll.number, EPOLL_CTL_ADD, descriptor, &event) == 0 { return id }
    let error = SystemError.current("epoll_ctl", "descriptor \(descriptor)")
    guard error.number == EPERM else {
      table.remove(id)
      throw error
    }
    table.update(id) { $0.isAlwaysReady = true }
    alwaysReady.append(id)
    return id
  }

  /// Changes what a registration waits for; an empty set pauses it (except for hang-up and error).
  ///
  /// With an edge trigger this also reports once more what is ready already. A registration that has
  /// been removed is left alone.
  package func modify(_ id: RegistrationID, _ interest: Readiness) throws(SystemError) {
    guard let registration = table[id] else { return }
    if registration.interest == interest && registration.trigger == .level { return }
    table.update(id) { $0.interest = interest }
    if registration.isAlwaysReady { return }
    var event = epoll_event()
    event.events = Self.mask(interest, registration.trigger)
    event.data.u64 = id.epollData
    guard epoll_ctl(epoll.number, EPOLL_CTL_MOD, registration.descriptor, &event) == 0 else {
      throw .current("epoll_ctl", "descriptor \(registration.descriptor)")
    }
  }

  /// Ends a registration: its handler is let go, and events of this turn not yet told are dropped.
  package func remove(_ id: RegistrationID) {
    guard let registration = table.remove(id) else { return }
    if registration.isAlwaysReady {
      alwaysReady.removeAll { $0 == id }
    } else {
      // Fails only if the descriptor was closed before: then epoll has forgotten it by itself.
      var event = epoll_event()
      _ = epoll_ctl(epoll.number, EPOLL_CTL_DEL, registration.descriptor, &event)
    }
  }

  /// How many descriptors are registered.
  package var registrationCount: Int {
    table.count
  }

  // MARK: Hooks

  /// Adds a hook at the end of the order in which hooks are called; it is held until detached.
  package func attach(_ hook: any TurnHook) {
    hooks.append(HookEntry(hook: hook))
  }

  package func detach(_ hook: any TurnHook) {
    // Only emptied here: the array may be walked through just now.
    for index in hooks.indices where hooks[index].hook === hook {
      hooks[index].hook = nil
      hasDetachedHooks = true
    }
  }

  /// Makes the loop go round once more without waiting.
  ///
  /// For a hook whose deadline has changed outside its `beforeSleep`, which may have been called
  /// already in this turn.
  package func askForTurn() {
    needsTurn = true
  }

  // MARK: Running

  /// Turns until `stop()` is called.
  package func run() throws(SystemError) {
    isStopping = false
    while !isStopping {
      try turn()
    }
  }

  /// Makes `run()` return at the end of the present turn, or before the next wait.
  package func stop() {
    isStopping = true
  }

  /// Goes round once; waits unless something is ready, due, or `stop()` was called.
  package func turn() throws(SystemError) {
    needsTurn = false
    let deadline = callHooksBeforeSleep()
    var mayWait = !needsTurn && !isStopping && !hasWaitingAlwaysReady
    if let deadline, mayWait {
      // `now` may be old if the hooks took long; the timer then fires at once, which is as good.
      if deadline <= now { mayWait = false } else { timer.arm(for: deadline) }
    }
    let count = try wait(mayWait)
    now = MonotonicClock.now()
    // The sources that are always ready are taken before handlers can add new ones.
    let always = alwaysReady
    dispatch(count)
    for id in always { dispatch(id, [.readable, .writable]) }
    callHooksPastDeadline()
  }

  /// Lets every handler and hook go.
  package func close() {
    for id in table.identifiers { remove(id) }
    hooks = []
    isStopping = true
  }

  // MARK: Parts of a turn

  private func callHooksBeforeSleep() -> Instant? {
    var earliest: Instant?
    var index = 0
    // By index, because a hook may attach and detach hooks.
    while index < hooks.count {
      if let hook = hooks[index].hook {
        let deadline = hook.beforeSleep(now: now)
        if index < hooks.count { hooks[index].deadline = deadline }
        if let deadline { earliest = earliest.map { min($0, deadline) } ?? deadline }
      }
      index += 1
    }
    return earliest
  }

  private func callHooksPastDeadline() {
    var index = 0
    while index < hooks.count {
      if let hook = hooks[index].hook, let deadline = hooks[index].deadline, deadline <= now {
        hooks[index].deadline = nil
        hook.deadlinePassed(now: now)
      }
      index += 1
    }
    if hasDetachedHooks {
      hasDetachedHooks = false
      hooks.removeAll { $0.hook == nil }
    }
  }

  private var hasWaitingAlwaysReady: Bool {
    alwaysReady.contains { table[$0].map { !$0.interest.isEmpty } ?? false }
  }

  private func wait(_ mayWait: Bool) throws(SystemError) -> Int {
    while true {
      let count = epoll_wait(
        epoll.number, events.baseAddress, CInt(truncatingIfNeeded: events.count),
        mayWait ? -1 : 0)
      if count >= 0 { return Int(count) }
      guard errno == EINTR else { throw .current("epoll_wait", "") }
    }
  }

  private func dispatch(_ count: Int) {
    for index in 0..<count {
      let id = RegistrationID(epollData: events[index].data.u64)
      if id == .timer {
        timer.hasFired()
      } else {
        dispatch(id, Readiness(rawValue: events[index].events))
      }
    }
  }

  /// Tells a handler, unless an earlier one of this turn has removed or paused the registration.
  private func dispatch(_ id: RegistrationID, _ readiness: Readiness) {
    guard let registration = table[id] else { return }
    let wanted = registration.interest.union(
      registration.isAlwaysReady ? [] : [.hangUp, .error])
    let found = readiness.intersection(wanted)
    if !found.isEmpty { registration.handler.ready(found, on: id) }
  }

  private static func mask(_ interest: Readiness, _ trigger: Trigger) -> UInt32 {
    switch trigger {
    case .level: interest.rawValue
    case .edge: interest.rawValue | EPOLLET.rawValue
    }
  }
}
