import Glibc
import Posix
import Reactor
import TestSupport
import Testing
import Timeline
import Transport

@Suite("Connections without TLS")
struct ConnectorTests {
  private let loop: EventLoop
  private let connector: Connector
  private let outcome = Outcome()

  init() throws {
    loop = try EventLoop()
    connector = Connector(loop: loop)
  }

  private func finish() {
    outcome.stream?.close()
    connector.close()
    loop.close()
  }

  private func connect(_ target: TransportTarget) throws {
    let attempt = connector.connect(target, delegate: outcome)
    #expect(outcome.callCount == 0)
    try loop.turn { outcome.callCount > 0 }
    #expect(outcome.callCount == 1)
    attempt.cancel()
  }

  @Test(
    "bytes go both ways, also more than the sockets hold",
    arguments: [
      SocketAddress.tcp(host: "127.0.0.1", port: 0), .tcp(host: "::1", port: 0),
    ])
  func connects(_ address: SocketAddress) throws {
    guard case .tcp(let host, _) = address else { return }
    let server = try Server(loop, address)
    try connect(.direct(host, server.port))
    let talk = try Talk(try #require(outcome.stream), loop)
    #expect(!talk.stream.mayHoldInput)
    let data = randomBytes(6_000_000)
    talk.send(data)
    #expect(talk.pendingCount > 0)
    try loop.turn { talk.received.count >= data.count }
    #expect(talk.received == data)
    talk.stream.shutdownWrite()
    try loop.turn { server.talks[0].hasEnded }
    server.talks[0].close()
    try loop.turn { talk.hasEnded }
    talk.close()
    #expect(talk.stream.send([1]) == .failed(.closed(to: "\(address.withPort(server.port))")))
    #expect(talk.stream.receive() == .end)
    server.close()
    finish()
  }

  @Test("the socket has a user timeout, no delay and keepalive")
  func setsSocketOptions() throws {
    let server = try Server(loop)
    var target = TransportTarget.direct("127.0.0.1", server.port)
    target.userTimeout = .milliseconds(12_345)
    try connect(target)
    let socket = try #require(outcome.stream).descriptor
    for (level, name, value) in [
      (CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, 12_345), (CInt(IPPROTO_TCP), TCP_NODELAY, 1),
      (SOL_SOCKET, SO_KEEPALIVE, 1),
    ] as [(CInt, CInt, CInt)] {
      var found: CInt = 0
      var size = socklen_t(MemoryLayout<CInt>.size)
      #expect(getsockopt(socket, level, name, &found, &size) == 0)
      #expect(found == value)
    }
    #expect(fcntl(socket, F_GETFD) & FD_CLOEXEC != 0)
    #expect(fcntl(socket, F_GETFL) & O_NONBLOCK != 0)
    server.close()
    finish()
  }

  @Test("a Unix socket stands in for the network")
  func connectsUnix() throws {
    let scratch = Scratch()
    let path = "\(scratch.path)/s"
    let server = try Server(loop, .unix(path: path))
    var target = TransportTarget(host: "chat.example", port: 80, isSecure: false)
    target.unixSocketPath = path
    try connect(target)
    let talk = try Talk(try #require(outcome.stream), loop)
    talk.send("over a path")
    try loop.turn { talk.text == "over a path" }
    talk.close()
    server.close()
    finish()
  }

  @Test("both families of localhost are tried", arguments: ["127.0.0.1", "::1"])
  func racesFamilies(_ host: String) throws {
    let server = try Server(loop, .tcp(host: host, port: 0))
    try connect(.direct("localhost", server.port))
    #expect(outcome.error == nil)
    server.close()
    finish()
  }

  @Test("each failure has its kind and a line that names the place")
  func fails() throws {
    let scratch = Scratch()
    let closed = try Server(loop)
    let port = closed.port
    closed.close()
    let file = scratch.file("no-socket", "")
    var unixMissing = TransportTarget.direct("h", 1)
    unixMissing.unixSocketPath = "\(scratch.path)/missing"
    var unixFile = unixMissing
    unixFile.unixSocketPath = file
    var unixLong = unixMissing
    unixLong.unixSocketPath = String(repeating: "x", count: 108)
    var unixNUL = unixMissing
    unixNUL.unixSocketPath = "a\0b"
    let cases: [(TransportTarget, TransportError.Kind, String)] = [
      (.direct("127.0.0.1", port), .refused, "127.0.0.1:\(port): Connection refused"),
      (.direct("::1", port), .refused, "[::1]:\(port): Connection refused"),
      (.direct("localhost", port), .refused, "localhost:\(port): Connection refused"),
      (.direct("name.invalid", 80), .nameNotFound, "name.invalid:80: name not found"),
      (
        .direct("bad host", 80), .configuration,
        "bad host:80: URL using bad/illegal format or missing URL"
      ),
      (.direct("a\0b", 80), .configuration, "a\0b:80: the address contains a NUL byte"),
      (unixMissing, .refused, "unix:\(scratch.path)/missing: No such file or directory"),
      (unixFile, .refused, "unix:\(file): Connection refused"),
      (
        unixLong, .configuration,
        "unix:\(unixLong.unixSocketPath ?? ""): the path is longer than 107 bytes"
      ),
      (unixNUL, .configuration, "unix:a\0b: the address contains a NUL byte"),
    ]
    for (target, kind, line) in cases {
      let outcome = Outcome()
      _ = connector.connect(target, delegate: outcome)
      try loop.turn { outcome.callCount > 0 }
      #expect(outcome.error?.kind == kind)
      #expect(outcome.error?.description == line)
    }
    #expect(loop.registrationCount == 0)
    finish()
  }

  @Test(
    "an attempt ends without a word when it is cancelled, in its first turns too", arguments: 0..<6)
  func cancels(_ turns: Int) throws {
    let server = try Server(loop)
    let attempt = connector.connect(.direct("localhost", server.port), delegate: outcome)
    // As many turns as get it through the name and into the connection, or none at all.
    for _ in 0..<turns where outcome.callCount == 0 {
      loop.askForTurn()
      try loop.turn()
    }
    guard outcome.callCount == 0 else {
      server.close()
      return finish()
    }
    let before = MonotonicClock.now()
    attempt.cancel()
    attempt.cancel()
    #expect(MonotonicClock.now() - before < .milliseconds(100))
    // A later attempt of the same connector goes through, and nothing was told of the first.
    let second = Outcome()
    _ = connector.connect(.direct("127.0.0.1", server.port), delegate: second)
    try loop.turn { second.callCount > 0 }
    #expect(second.error == nil)
    #expect(outcome.callCount == 0)
    second.stream?.close()
    server.close()
    finish()
  }

  @Test("a failed attempt can be followed by the next from within its delegate's call")
  func retriesFromDelegate() throws {
    final class Retrier: ConnectAttemptDelegate {
      let connector: Connector
      let port: UInt16
      var attempts: [ConnectAttempt] = []
      var stream: (any ByteStream)?
      init(_ connector: Connector, _ port: UInt16) {
        self.connector = connector
        self.port = port
      }
      func connected(_ attempt: ConnectAttempt, _ stream: any ByteStream) { self.stream = stream }
      func failed(_ attempt: ConnectAttempt, _ error: TransportError) {
        let host = attempts.count < 3 ? "bad host" : "127.0.0.1"
        attempts.append(connector.connect(.direct(host, port), delegate: self))
      }
    }
    let server = try Server(loop)
    let retrier = Retrier(connector, server.port)
    retrier.attempts.append(connector.connect(.direct("bad host", 1), delegate: retrier))
    try loop.turn { retrier.stream != nil }
    #expect(retrier.attempts.count == 4)
    retrier.stream?.close()
    server.close()
    finish()
  }

  @Test("a connection whose delegate has gone is closed")
  func closesUnwanted() throws {
    let server = try Server(loop)
    var gone: Outcome? = Outcome()
    _ = connector.connect(
      .direct("127.0.0.1", server.port), delegate: try #require(gone))
    gone = nil
    try loop.turn { server.talks.first?.hasEnded == true }
    server.close()
    finish()
  }

  @Test("closing the connector ends attempts and leaves streams open")
  func closesConnector() throws {
    let server = try Server(loop)
    try connect(.direct("127.0.0.1", server.port))
    let second = Outcome()
    _ = connector.connect(.direct("127.0.0.1", server.port), delegate: second)
    connector.close()
    let talk = try Talk(try #require(outcome.stream), loop)
    talk.send("still here")
    try loop.turn { talk.text == "still here" }
    #expect(second.callCount == 0)
    talk.close()
    server.close()
    loop.close()
  }
}

/// Each in a process of its own.
@Suite("Connections of a process")
struct ConnectorProcessTests {
  @Test("two hundred connections and cancelled attempts leave no descriptor behind")
  func leavesNothing() async {
    await #expect(processExitsWith: .exitCode(7)) {
      // In a function, so that all is let go before the search for leaks at the exit.
      func run() throws -> CInt {
        let loop = try EventLoop()
        let connector = Connector(loop: loop)
        let server = try Server(loop)
        var before = 0
        for cycle in 0..<200 {
          if cycle == 10 { before = openDescriptorCount() }
          let outcome = Outcome()
          let attempt = connector.connect(.direct("127.0.0.1", server.port), delegate: outcome)
          if cycle % 5 == 4 {
            attempt.cancel()
            continue
          }
          try loop.turn { outcome.callCount > 0 }
          guard let stream = outcome.stream else { return 1 }
          stream.close()
          try loop.turn { server.talks.allSatisfy { $0.hasEnded || $0.error != nil } }
          server.forgetTalks()
        }
        let after = openDescriptorCount()
        server.close()
        connector.close()
        loop.close()
        return after == before ? 7 : 2
      }
      exit(try run())
    }
  }
}
