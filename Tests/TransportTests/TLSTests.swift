import Glibc
import Posix
import Reactor
import TestSupport
import Testing
import Timeline
import Transport

@Suite("Connections with TLS")
struct TLSTests {
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

  private func target(_ server: TLSServer, _ host: String = "localhost") -> TransportTarget {
    var target = TransportTarget.direct(host, server.port, secure: true)
    target.tls.authorityFile = Certificates.shared.certificate(.authority)
    return target
  }

  private func connect(_ target: TransportTarget) throws {
    _ = connector.connect(target, delegate: outcome)
    try loop.turn { outcome.callCount > 0 }
  }

  @Test(
    "a certificate of our authority is accepted, for a name and for an address",
    arguments: [
      ("localhost", "any"), ("127.0.0.1", "any"), ("localhost", "1.2"),
    ])
  func connects(_ host: String, _ version: String) throws {
    let server = try TLSServer(version: version)
    try connect(target(server, host))
    #expect(outcome.error == nil)
    let talk = try Talk(try #require(outcome.stream), loop)
    #expect(talk.stream.mayHoldInput)
    // More than a record, so that some of it waits inside libcurl where epoll can't see it.
    let data = randomBytes(100_000)
    talk.send(data)
    try loop.turn { talk.received.count >= data.count }
    #expect(talk.received == data)
    #expect(talk.stream.send([]) == .bytes(0))
    talk.stream.shutdownWrite()
    talk.close()
    #expect(talk.stream.send([1]) == .failed(.closed(to: "\(host):\(server.port)")))
    #expect(talk.stream.receive() == .end)
    finish()
  }

  @Test(
    "each refused certificate has its kind and says what is wrong",
    arguments: [
      (
        Certificates.Name.expired, TransportError.CertificateProblem.expired,
        "the certificate has expired"
      ),
      (.future, .notYetValid, "the certificate is not valid yet"),
      (.wrongName, .wrongName, "the certificate is for another name"),
      (.selfSigned, .selfSigned, "the certificate is self-signed"),
    ])
  func refuses(
    _ name: Certificates.Name, _ problem: TransportError.CertificateProblem, _ reason: String
  ) throws {
    let server = try TLSServer(name)
    try connect(target(server))
    #expect(outcome.error?.kind == .certificate(problem))
    let line = outcome.error?.description ?? ""
    #expect(line.hasPrefix("localhost:\(server.port): \(reason)"))
    // `--insecure` takes it all the same.
    var insecure = target(server)
    insecure.tls.verifiesPeer = false
    let second = Outcome()
    _ = connector.connect(insecure, delegate: second)
    try loop.turn { second.callCount > 0 }
    #expect(second.error == nil)
    second.stream?.close()
    finish()
  }

  @Test("the system's authorities don't know ours")
  func refusesUnknownIssuer() throws {
    let server = try TLSServer()
    try connect(.direct("localhost", server.port, secure: true))
    #expect(outcome.error?.kind == .certificate(.unknownIssuer))
    #expect(
      outcome.error?.description
        == "localhost:\(server.port): the certificate's issuer is not known")
    finish()
  }

  @Test("an authority that the server itself sends isn't trusted for that")
  func refusesChainWithRoot() throws {
    let server = try TLSServer(.chain)
    try connect(.direct("localhost", server.port, secure: true))
    #expect(outcome.error?.kind == .certificate(.unknownIssuer))
    let reason = "the certificate chain ends in a self-signed authority not trusted here"
    #expect(outcome.error?.description == "localhost:\(server.port): \(reason)")
    finish()
  }

  @Test("below TLS 1.2 nothing is spoken")
  func refusesOldVersion() throws {
    let server = try TLSServer(version: "1.1")
    try connect(target(server))
    #expect(outcome.error?.kind == .tls)
    #expect(outcome.error?.description.contains("TLS handshake failed: ") == true)
    finish()
  }

  @Test(
    "a server that wants a client's certificate gets it",
    arguments: [
      (true, "any"), (true, "1.2"), (false, "any"), (false, "1.2"),
    ])
  func presentsCertificate(_ hasCertificate: Bool, _ version: String) throws {
    let server = try TLSServer(wantsClient: true, version: version)
    var target = target(server)
    if hasCertificate {
      target.tls.certificateFile = Certificates.shared.certificate(.client)
      target.tls.keyFile = Certificates.shared.key(.client)
    }
    try connect(target)
    if version == "1.2" && !hasCertificate {
      #expect(outcome.error?.kind == .tls)
      return finish()
    }
    // In TLS 1.3 the client is done before the server has looked at its certificate.
    let talk = try Talk(try #require(outcome.stream), loop)
    // Bytes on their way would make the server's end a reset, which can take its alert with it.
    if hasCertificate { talk.send("who am I") }
    try loop.turn { !talk.received.isEmpty || talk.error != nil || talk.hasEnded }
    if hasCertificate {
      #expect(talk.text == "who am I")
    } else {
      let error = try #require(talk.error)
      #expect(error.object.contains("certificate required"))
    }
    talk.close()
    finish()
  }

  @Test("files that can't be used are named before anything is sent")
  func refusesBadFiles() throws {
    let server = try TLSServer()
    let certificates = Certificates.shared
    let garbage = certificates.file("garbage", "no certificate")
    let missing = "/nowhere/ca.pem"
    let changes: [((inout TransportTarget.TLSSettings) -> Void, String)] = [
      ({ $0.authorityFile = missing }, "open \(missing): No such file or directory"),
      ({ $0.certificateFile = missing }, "open \(missing): No such file or directory"),
      (
        {
          $0.certificateFile = certificates.certificate(.client)
          $0.keyFile = missing
        }, "open \(missing): No such file or directory"
      ),
      ({ $0.authorityFile = garbage }, garbage),
      ({ $0.certificateFile = garbage }, garbage),
      (
        {
          $0.certificateFile = certificates.certificate(.client)
          $0.keyFile = certificates.key(.good)
        }, "key"
      ),
    ]
    for (change, text) in changes {
      var target = target(server)
      change(&target.tls)
      let outcome = Outcome()
      _ = connector.connect(target, delegate: outcome)
      try loop.turn { outcome.callCount > 0 }
      #expect(outcome.error?.kind == .configuration, "\(outcome.error?.description ?? "")")
      #expect(outcome.error?.description.contains(text) == true)
    }
    finish()
  }

  @Test("a send refused by a stalled reader is completed byte by byte", arguments: ["any", "1.2"])
  func survivesStalledReader(_ version: String) throws {
    // More than all buffers on the way, in pieces that are no multiple of a record.
    let count = 5_000_001
    let server = try TLSServer(.good, .stall, count: count, version: version)
    try connect(target(server))
    let talk = try Talk(try #require(outcome.stream), loop)
    let data = randomBytes(count)
    var start = 0
    for size in [1, 100_000, 2_000_000, 2_899_000] {
      talk.send(Array(data[start..<start + size]))
      start += size
    }
    #expect(talk.blockedSendCount > 0)
    #expect(talk.pendingCount > 0)
    talk.send(Array(data[start...]))
    server.proceed()
    try loop.turn { talk.received.count >= count || talk.error != nil || talk.hasEnded }
    #expect(talk.error == nil && !talk.hasEnded)
    #expect(talk.received == data)
    talk.close()
    finish()
  }

  @Test("a reader that pauses with decrypted bytes inside finds them when it goes on")
  func pausesReading() throws {
    let server = try TLSServer()
    try connect(target(server))
    let stream = try #require(outcome.stream)
    let talk = try Talk(stream, loop)
    talk.send([UInt8](repeating: 9, count: 16_000))
    talk.reads = false
    // One record arrives whole; only a small part of it is asked for.
    try loop.turn {
      if case .bytes(64) = stream.receive() { return true }
      return false
    }
    try talk.resume()
    try loop.turn { talk.received.count >= 16_000 - 64 }
    talk.close()
    finish()
  }

  @Test("a peer that ends without a closing alert still delivers what it said")
  func endsAbruptly() throws {
    let server = try TLSServer(.good, .abrupt)
    try connect(target(server))
    let talk = try Talk(try #require(outcome.stream), loop)
    try loop.turn { talk.hasEnded || talk.error != nil }
    #expect(talk.text == "last words")
    talk.close()
    finish()
  }

  @Test("a server that never completes the handshake is left after the time limit")
  func limitsHandshake() throws {
    let silent = try Server(loop)
    silent.echoes = false
    var target = TransportTarget.direct("127.0.0.1", silent.port, secure: true)
    target.connectTimeout = .milliseconds(250)
    let start = MonotonicClock.now()
    try connect(target)
    #expect(MonotonicClock.now() - start >= .milliseconds(250))
    #expect(outcome.error?.kind == .timedOut)
    #expect(
      outcome.error?.description
        == "127.0.0.1:\(silent.port): TLS handshake not completed within 0.25 s")
    silent.close()
    finish()
  }

  @Test("after a sleep of the machine libcurl's timer is early, and its time limit still comes")
  func survivesEarlyTimer() throws {
    let silent = try Server(loop)
    silent.echoes = false
    var target = TransportTarget.direct("127.0.0.1", silent.port, secure: true)
    target.connectTimeout = .milliseconds(600)
    let start = MonotonicClock.now()
    _ = connector.connect(target, delegate: outcome)
    try loop.turn { silent.talks.first?.received.isEmpty == false }
    // What a suspend does: our clock has gone on, libcurl's hasn't.
    connector.deadlinePassed(now: start + .milliseconds(800))
    // Were the timer lost, the connector's own limit would have to end this, in other words.
    try loop.turn { outcome.callCount > 0 }
    #expect(
      outcome.error?.description.hasSuffix("TLS handshake not completed within 0.6 s") == true)
    silent.close()
    finish()
  }

  @Test("time that passed while the machine slept counts")
  func countsSleep() throws {
    let silent = try Server(loop)
    silent.echoes = false
    _ = connector.connect(.direct("127.0.0.1", silent.port, secure: true), delegate: outcome)
    try loop.turn { silent.talks.first?.received.isEmpty == false }
    connector.deadlinePassed(now: MonotonicClock.now() + .seconds(3600))
    #expect(outcome.error?.kind == .timedOut)
    #expect(
      outcome.error?.description == "127.0.0.1:\(silent.port): no connection within 10 s")
    silent.close()
    finish()
  }

  @Test("cancelled in the middle of the handshake, the connection is gone at once")
  func cancelsHandshake() throws {
    let silent = try Server(loop)
    silent.echoes = false
    let attempt = connector.connect(
      .direct("127.0.0.1", silent.port, secure: true), delegate: outcome)
    // The ClientHello has come.
    try loop.turn { silent.talks.first?.received.isEmpty == false }
    attempt.cancel()
    try loop.turn { silent.talks[0].hasEnded || silent.talks[0].error != nil }
    #expect(outcome.callCount == 0)
    silent.close()
    finish()
  }

  @Test(
    "a server that breaks the handshake off, or doesn't speak TLS, is told apart",
    arguments: [
      ("", TransportError.Kind.tls), ("HTTP/1.1 400 Bad Request\r\n\r\n", .tls),
    ])
  func breaksHandshake(_ answer: String, _ kind: TransportError.Kind) throws {
    let server = try Server(loop)
    server.echoes = false
    server.onAccept = { talk in
      talk.onReceive = { talk in
        if answer.isEmpty { talk.close() } else { talk.send(answer) }
      }
    }
    try connect(.direct("127.0.0.1", server.port, secure: true))
    #expect(outcome.error?.kind == kind)
    server.close()
    finish()
  }
}
