import Glibc
import Posix
import TestSupport
import Testing

/// Each runs in a process of its own, because what is set is the process's.
@Suite("What a process settles at its start and its end")
struct ProcessStartTests {
  @Test("a closed standard descriptor is filled, so that nothing else gets its number")
  func fillsClosed() async {
    await #expect(processExitsWith: .exitCode(7)) {
      close(STDIN_FILENO)
      close(STDOUT_FILENO)
      guard ProcessStart.fillClosedStandardDescriptors() == [STDIN_FILENO, STDOUT_FILENO],
        ProcessStart.fillClosedStandardDescriptors().isEmpty,
        write(STDOUT_FILENO, "x", 1) == 1,
        try FileDescriptor.open("/dev/null", O_RDONLY).number > STDERR_FILENO
      else { exit(1) }
      exit(7)
    }
  }

  @Test("writes to nobody and beyond the file size limit are errors")
  func ignoresSignals() async {
    await #expect(processExitsWith: .exitCode(7)) {
      ProcessStart.ignoreSignalsOfWrites()
      let pipe = try PipeBox()
      pipe.closeReadEnd()
      let scratch = Scratch()
      let file = try FileDescriptor.open("\(scratch.path)/x", O_WRONLY | O_CREAT)
      // The process ends by exit, which deinitialises nothing.
      unlink("\(scratch.path)/x")
      rmdir(scratch.path)
      let resource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
      var old = rlimit()
      getrlimit(resource, &old)
      var limit = rlimit(rlim_cur: 1, rlim_max: old.rlim_max)
      setrlimit(resource, &limit)
      // Put back, because a build for coverage writes its counters at the exit.
      guard case .failed(let error) = IO.write(pipe.writeEnd, [1]), error.number == EPIPE,
        IO.write(file.number, [1, 2]) == .bytes(1),
        case .failed(let beyond) = IO.write(file.number, [3]), beyond.number == EFBIG
      else {
        setrlimit(resource, &old)
        exit(1)
      }
      setrlimit(resource, &old)
      exit(7)
    }
  }

  @Test("the descriptor limit goes up to the hard one")
  func raisesLimit() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
      var limit = rlimit(rlim_cur: 100, rlim_max: 200)
      setrlimit(resource, &limit)
      ProcessStart.raiseDescriptorLimit()
      getrlimit(resource, &limit)
      exit(limit.rlim_cur == 200 && limit.rlim_max == 200 ? 7 : 1)
    }
  }

  @Test("signals that whoever started us ignores are told, and only those")
  func tellsIgnored() async {
    await #expect(processExitsWith: .exitCode(7)) {
      for number in [SIGHUP, SIGINT, SIGTERM] { _ = signal(number, SIG_DFL) }
      _ = signal(SIGHUP, SIG_IGN)
      _ = signal(SIGTERM) { _ in }
      guard ProcessStart.ignored(of: [SIGHUP, SIGINT, SIGTERM]) == [SIGHUP] else { exit(1) }
      exit(7)
    }
  }

  @Test("a process ends by a signal that was ignored and blocked")
  func dies() async {
    await #expect(processExitsWith: .signal(SIGPIPE)) {
      ProcessStart.ignoreSignalsOfWrites()
      SignalMask.block([SIGPIPE])
      ProcessEnd.die(of: SIGPIPE)
    }
    await #expect(processExitsWith: .exitCode(128 + 17)) { ProcessEnd.die(of: SIGCHLD) }
  }
}
