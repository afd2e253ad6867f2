import Glibc
import Posix
import Reactor
import TestSupport
import Testing
import Timeline

@Suite("The loop tells who is ready")
struct EventLoopTests {
  private let loop: EventLoop
  private let recorder = Recorder()

  init() throws {
    loop = try EventLoop()
  }

  @Test("level-triggered: told every turn until it is read")
  func levelTriggered() throws {
    let pipe = try PipeBox()
    let id = try loop.add(pipe.readEnd, .readable, handler: recorder)
    try loop.glance()
    #expect(recorder.events.isEmpty)
    pipe.write("x")
    try loop.turn()
    try loop.turn()
    #expect(recorder.readiness == [.readable, .readable])
    #expect(recorder.events.allSatisfy { $0.1 == id })
    pipe.read()
    recorder.clear()
    try loop.glance()
    #expect(recorder.events.isEmpty)
    loop.close()
  }

  @Test("edge-triggered: told once, and again when more comes or when asked anew")
  func edgeTriggered() throws {
    let pipe = try PipeBox()
    let id = try loop.add(pipe.readEnd, .readable, .edge, handler: recorder)
    pipe.write("x")
    try loop.turn()
    try loop.glance()
    #expect(recorder.readiness == [.readable])
    pipe.write("y")
    try loop.turn()
    #expect(recorder.readiness == [.readable, .readable])
    try loop.modify(id, .readable)
    try loop.turn()
    #expect(recorder.events.count == 3)
    loop.close()
  }

  @Test(
    "a pause hides bytes, not the hang-up; resuming tells what waits", arguments: [false, true])
  func pauses(_ isEdge: Bool) throws {
    let pipe = try PipeBox()
    let id = try loop.add(pipe.readEnd, .readable, isEdge ? .edge : .level, handler: recorder)
    try loop.modify(id, [])
    pipe.write("x")
    try loop.glance()
    #expect(recorder.events.isEmpty)
    try loop.modify(id, .readable)
    try loop.turn()
    #expect(recorder.readiness == [.readable])
    try loop.modify(id, [])
    recorder.clear()
    pipe.closeWriteEnd()
    try loop.turn()
    #expect(recorder.readiness == [.hangUp])
    loop.close()
  }

  @Test("writable until the pipe is full; an error when the reader goes")
  func writes() throws {
    ProcessStart.ignoreSignalsOfWrites()
    let pipe = try PipeBox()
    _ = try loop.add(pipe.writeEnd, .writable, handler: recorder)
    try loop.turn()
    #expect(recorder.readiness == [.writable])
    let large = [UInt8](repeating: 0, count: 65_536)
    #expect(large.withUnsafeBytes { IO.write(pipe.writeEnd, $0) } == .bytes(65_536))
    recorder.clear()
    try loop.glance()
    #expect(recorder.events.isEmpty)
    pipe.closeReadEnd()
    try loop.turn()
    let found = try #require(recorder.readiness.first)
    #expect(found.contains(.error) && found.allowsWriting && found.allowsReading)
    loop.close()
  }

  @Test("what one handler removes or pauses is not told to another in the same turn")
  func dropsStaleEvents() throws {
    let pipes = [try PipeBox(), try PipeBox(), try PipeBox()]
    let ids = try pipes.map { try loop.add($0.readEnd, .readable, handler: recorder) }
    recorder.action = { [loop] _, id in
      for other in ids where other != id { loop.remove(other) }
    }
    for pipe in pipes { pipe.write("x") }
    try loop.turn()
    #expect(recorder.events.count == 1)
    #expect(loop.registrationCount == 1)
    recorder.action = nil
    loop.close()
    loop.remove(ids[0])
    #expect(loop.registrationCount == 0)
  }

  @Test("an event for a removed registration doesn't reach the next one on the same number")
  func dropsStaleEventsOfReusedNumber() throws {
    let first = try PipeBox()
    let second = try PipeBox()
    let newcomer = Recorder()
    let ids = [first, second].map { try? loop.add($0.readEnd, .readable, handler: recorder) }
    var newID: RegistrationID?
    recorder.action = { [loop] _, id in
      guard newID == nil, let other = ids.first(where: { $0 != id }) ?? nil else { return }
      // Removed and registered again within the turn: same descriptor, same slot, another id.
      loop.remove(other)
      let descriptor = other == ids[0] ? first.readEnd : second.readEnd
      newID = try? loop.add(descriptor, .readable, handler: newcomer)
      #expect(newID != nil && newID != other)
    }
    first.write("x")
    second.write("x")
    try loop.turn()
    #expect(recorder.events.count == 1)
    #expect(newcomer.events.isEmpty)
    recorder.clear()
    recorder.action = nil
    try loop.turn()
    #expect(newcomer.events.count == 1)
    loop.close()
  }

  @Test(
    "regular files and /dev/null are ready whenever they are asked for",
    arguments: [
      "/dev/null", "/proc/self/exe",
    ])
  func alwaysReady(_ path: String) throws {
    let file = try FileDescriptor.open(path, O_RDONLY)
    let id = try loop.add(file.number, .readable, .edge, handler: recorder)
    try loop.turn()
    try loop.turn()
    #expect(recorder.readiness == [.readable, .readable])
    try loop.modify(id, [])
    try loop.glance()
    #expect(recorder.events.count == 2)
    try loop.modify(id, .readable)
    recorder.action = { [loop] _, id in loop.remove(id) }
    try loop.turn()
    #expect(recorder.events.count == 3)
    #expect(loop.registrationCount == 0)
    try loop.glance()
    #expect(recorder.events.count == 3)
    recorder.action = nil
    loop.close()
  }

  @Test("bad registrations are refused, and leave nothing behind")
  func refusesBad() throws {
    #expect(throws: SystemError(call: "epoll_ctl", object: "descriptor -1", number: EBADF)) {
      _ = try loop.add(-1, .readable, handler: recorder)
    }
    let pipe = try PipeBox()
    let id = try loop.add(pipe.readEnd, .readable, handler: recorder)
    let object = "descriptor \(pipe.readEnd)"
    #expect(throws: SystemError(call: "epoll_ctl", object: object, number: EEXIST)) {
      _ = try loop.add(pipe.readEnd, .readable, handler: recorder)
    }
    #expect(loop.registrationCount == 1)
    pipe.closeReadEnd()
    #expect(throws: SystemError.self) { try loop.modify(id, [.readable, .writable]) }
    loop.remove(id)
    loop.remove(id)
    try loop.modify(id, .readable)
    #expect(loop.registrationCount == 0)
  }

  @Test("run goes on until stop")
  func runsAndStops() throws {
    let pipe = try PipeBox()
    _ = try loop.add(pipe.readEnd, .readable, handler: recorder)
    pipe.write("x")
    recorder.action = { [loop, recorder] _, _ in
      if recorder.events.count == 5 { loop.stop() }
    }
    try loop.run()
    #expect(recorder.events.count == 5)
    recorder.action = nil
    loop.close()
  }

  @Test("the instant stands still until the next turn")
  func keepsNow() throws {
    let before = loop.now
    #expect(loop.now == before)
    try loop.glance()
    #expect(loop.now > before)
  }

  @Test("a closed loop has let everything go")
  func closes() throws {
    weak var gone: Recorder?
    do {
      let pipe = try PipeBox()
      let recorder = Recorder()
      recorder.action = { [loop] _, _ in loop.stop() }
      _ = try loop.add(pipe.readEnd, .readable, handler: recorder)
      gone = recorder
      loop.close()
    }
    #expect(gone == nil)
  }

  @Test("more events than fit in one wait all arrive")
  func manyEvents() throws {
    let pipes = try (0..<150).map { _ in try PipeBox() }
    for pipe in pipes {
      _ = try loop.add(pipe.readEnd, .readable, .edge, handler: recorder)
      pipe.write("x")
    }
    try loop.turn { recorder.events.count >= 150 }
    #expect(Set(recorder.events.map(\.1)).count == 150)
    loop.close()
  }
}
