import Glibc

/// What a process settles before it opens anything.
package enum ProcessStart {
  /// Makes a closed pipe and a file beyond the size limit errors of a write (EPIPE, EFBIG) instead
  /// of the process's end by SIGPIPE or SIGXFSZ.
  package static func ignoreSignalsOfWrites() {
    _ = signal(SIGPIPE, SIG_IGN)
    _ = signal(SIGXFSZ, SIG_IGN)
    // Ignored by a parent, it would let our children vanish before they are waited for.
    _ = signal(SIGCHLD, SIG_DFL)
  }

  /// Those of the signals that whoever started us doesn't want us to see: nohup ignores HUP, and a
  /// script's background jobs ignore INT. Blocked for a descriptor they would come all the same.
  package static func ignored(of signals: [CInt]) -> Set<CInt> {
    var ignored: Set<CInt> = []
    for number in signals {
      var action = sigaction()
      guard sigaction(number, nil, &action) == 0 else { continue }
      // SIG_IGN is the address 1 (signal.h); handlers can't be compared in Swift.
      let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
      if handler == 1 { ignored.insert(number) }
    }
    return ignored
  }

  /// Opens /dev/null on each of 0, 1 and 2 that is closed, so that no socket gets its number and
  /// finds messages for people written into it. Returns the numbers that were closed.
  package static func fillClosedStandardDescriptors() -> Set<CInt> {
    var closed: Set<CInt> = []
    // In this order each open gets the number that was found closed: it is the lowest free one.
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO]
    where fcntl(number, F_GETFD) == -1 && errno == EBADF {
      closed.insert(number)
      _ = open("/dev/null", O_RDWR)
    }
    return closed
  }

  /// Raises the number of descriptors that the process may have to what it may be raised to.
  ///
  /// The default of 1,024 is for `select`, which nothing here uses.
  package static func raiseDescriptorLimit() {
    var limit = rlimit()
    guard getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0,
      limit.rlim_cur < limit.rlim_max
    else { return }
    limit.rlim_cur = limit.rlim_max
    // Refused, it stays as it was.
    _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}

/// How a process ends by a signal, so that its parent can see it.
package enum ProcessEnd {
  /// Ends the process as if the signal had never been blocked or ignored; a shell shows 128 + its
  /// number.
  package static func die(of number: CInt) -> Never {
    _ = signal(number, SIG_DFL)
    var set = sigset_t()
    sigemptyset(&set)
    sigaddset(&set, number)
    _ = sigprocmask(SIG_UNBLOCK, &set, nil)
    _ = raise(number)
    // Only a signal whose default is to do nothing comes back.
    exit(128 + number)
  }
}
