import Glibc
import Posix
import Reactor
import TestSupport
import Testing
import Timeline
import Transport

/// A proxy in the same loop: reads a CONNECT, and then carries bytes to a port, or refuses.
private final class Proxy: ConnectAttemptDelegate {
  let server: Server
  private let loop: EventLoop
  private let connector: Connector
  private var client: Talk?
  private var upstream: Talk?
  private var attempt: ConnectAttempt?
  private(set) var request = ""
  /// The whole answer instead of a tunnel; empty says nothing at all.
  var answer: String?

  init(_ loop: EventLoop, _ connector: Connector) throws {
    self.loop = loop
    self.connector = connector
    server = try Server(loop)
    server.echoes = false
    server.onAccept = { [unowned self] talk in
      client = talk
      talk.onReceive = { [unowned self] _ in read() }
    }
  }

  private func read() {
    guard let client else { return }
    if let upstream {
      upstream.send(Array(client.received.dropFirst(forwarded)))
      forwarded = client.received.count
      return
    }
    guard client.text.contains("\r\n\r\n"), request.isEmpty else { return }
    request = client.text
    forwarded = client.received.count
    if let answer {
      client.send(answer)
      return
    }
    // CONNECT HOST:PORT HTTP/1.1
    let words = request.split(separator: " ")
    let port = words[1].split(separator: ":").last.flatMap { UInt16($0) } ?? 0
    attempt = connector.connect(.direct("127.0.0.1", port), delegate: self)
  }

  private var forwarded = 0

  func connected(_ attempt: ConnectAttempt, _ stream: any ByteStream) {
    upstream = try? Talk(stream, loop)
    upstream?.onReceive = { [unowned self] upstream in
      client?.send(Array(upstream.received.dropFirst(returned)))
      returned = upstream.received.count
    }
    client?.send("HTTP/1.1 200 Connection established\r\n\r\n")
  }

  private var returned = 0

  func failed(_ attempt: ConnectAttempt, _ error: TransportError) {
    client?.send("HTTP/1.1 502 Bad Gateway\r\n\r\n")
  }

  func close() {
    upstream?.onReceive = nil
    upstream?.close()
    server.close()
  }
}

@Suite("Connections through a proxy")
struct ProxyTests {
  private let loop: EventLoop
  private let connector: Connector
  private let proxy: Proxy
  private let outcome = Outcome()

  init() throws {
    loop = try EventLoop()
    connector = Connector(loop: loop)
    proxy = try Proxy(loop, connector)
  }

  private func finish() {
    outcome.stream?.close()
    proxy.close()
    connector.close()
    loop.close()
  }

  private func target(
    _ host: String, _ port: UInt16, secure: Bool = false, credentials: String = ""
  ) -> TransportTarget {
    var target = TransportTarget(host: host, port: port, isSecure: secure)
    target.proxy = .url("http://\(credentials)127.0.0.1:\(proxy.server.port)")
    target.tls.authorityFile = secure ? Certificates.shared.certificate(.authority) : nil
    return target
  }

  @Test("a plain connection goes through a tunnel as well")
  func tunnelsPlain() throws {
    let server = try Server(loop)
    let target = target("chat.example", server.port, credentials: "user:secret@")
    _ = connector.connect(target, delegate: outcome)
    try loop.turn { outcome.callCount > 0 }
    #expect(proxy.request.hasPrefix("CONNECT chat.example:\(server.port) HTTP/1.1\r\n"))
    #expect(proxy.request.contains("Proxy-Authorization: Basic dXNlcjpzZWNyZXQ="))
    let talk = try Talk(try #require(outcome.stream), loop)
    talk.send("through")
    try loop.turn { talk.text == "through" }
    talk.close()
    server.close()
    finish()
  }

  @Test("TLS is spoken with the server, not with the proxy")
  func tunnelsTLS() throws {
    let server = try TLSServer()
    _ = connector.connect(target("localhost", server.port, secure: true), delegate: outcome)
    try loop.turn { outcome.callCount > 0 }
    let talk = try Talk(try #require(outcome.stream), loop)
    talk.send("sealed")
    try loop.turn { talk.text == "sealed" }
    talk.close()
    finish()
  }

  @Test(
    "a refusal has the proxy's status, and nobody's password",
    arguments: [
      (407, ": it wants a user and a password in its URL"), (403, ""), (502, ""),
    ], [false, true])
  func refuses(_ status: (Int, String), _ isSecure: Bool) throws {
    proxy.answer = "HTTP/1.1 \(status.0) No\r\nContent-Length: 5\r\n\r\nsorry"
    let target = target("chat.example", 443, secure: isSecure, credentials: "user:secret@")
    _ = connector.connect(target, delegate: outcome)
    try loop.turn { outcome.callCount > 0 }
    #expect(outcome.error?.kind == .proxyRefused(status: status.0))
    let line = "chat.example:443: the proxy refused with status \(status.0)\(status.1)"
    #expect(outcome.error?.description == line)
    finish()
  }

  @Test("a proxy that is silent, closed, unknown or nonsense")
  func fails() throws {
    proxy.answer = ""
    let port = proxy.server.port
    let closed = try Server(loop)
    let closedPort = closed.port
    closed.close()
    let cases: [(String, TransportError.Kind, String)] = [
      ("http://u:p4ss@127.0.0.1:\(port)", .timedOut, "no answer from the proxy within 0.3 s"),
      (
        "http://u:p4ss@127.0.0.1:\(closedPort)", .refused,
        "proxy 127.0.0.1:\(closedPort): Connection refused"
      ),
      ("http://u:p4ss@proxy.invalid:1", .nameNotFound, "the proxy's name is not found"),
      ("wat://u:p4ss@127.0.0.1:1", .configuration, "the proxy's URL can't be used"),
      ("http://u:p4ss@bad host:1", .configuration, "the proxy's URL can't be used"),
    ]
    for (url, kind, reason) in cases {
      var target = TransportTarget(host: "chat.example", port: 80, isSecure: false)
      target.proxy = .url(url)
      target.connectTimeout = .milliseconds(300)
      let outcome = Outcome()
      _ = connector.connect(target, delegate: outcome)
      try loop.turn { outcome.callCount > 0 }
      #expect(outcome.error?.kind == kind)
      #expect(outcome.error?.description == "chat.example:80: \(reason)")
    }
    finish()
  }

  @Test("cancelled while the proxy thinks")
  func cancels() throws {
    proxy.answer = ""
    let attempt = connector.connect(target("chat.example", 80), delegate: outcome)
    try loop.turn { !proxy.request.isEmpty }
    attempt.cancel()
    try loop.turn { proxy.server.talks[0].hasEnded }
    #expect(outcome.callCount == 0)
    finish()
  }
}

/// Each in a process of its own.
@Suite("The environment and the proxy")
struct ProxyProcessTests {
  @Test("the environment's proxy is used, except for what no_proxy names, and can be refused")
  func readsEnvironment() async {
    await #expect(processExitsWith: .exitCode(7)) {
      // In a function, so that all is let go before the search for leaks at the exit.
      func run() throws -> CInt {
        let loop = try EventLoop()
        let connector = Connector(loop: loop)
        let proxy = try Proxy(loop, connector)
        let server = try Server(loop)
        setenv("http_proxy", "http://127.0.0.1:\(proxy.server.port)", 1)
        setenv("no_proxy", "127.0.0.1", 1)
        for (host, mode, isProxied) in [
          ("127.0.0.1", TransportTarget.Proxy.environment, false),
          ("127.0.0.1", .direct, false),
          ("localhost", .environment, true),
        ] {
          var target = TransportTarget(host: host, port: server.port, isSecure: false)
          target.proxy = mode
          let outcome = Outcome()
          _ = connector.connect(target, delegate: outcome)
          try loop.turn { outcome.callCount > 0 }
          guard outcome.error == nil, proxy.request.isEmpty != isProxied else { return 1 }
          outcome.stream?.close()
        }
        proxy.close()
        server.close()
        connector.close()
        loop.close()
        return 7
      }
      exit(try run())
    }
  }

  @Test("a proxy asked for by name is meant, whatever no_proxy says")
  func ignoresNoProxy() async {
    await #expect(processExitsWith: .exitCode(7)) {
      // In a function, so that all is let go before the search for leaks at the exit.
      func run() throws -> CInt {
        let loop = try EventLoop()
        let connector = Connector(loop: loop)
        let proxy = try Proxy(loop, connector)
        let server = try Server(loop)
        setenv("no_proxy", "*", 1)
        var target = TransportTarget(host: "localhost", port: server.port, isSecure: false)
        target.proxy = .url("http://127.0.0.1:\(proxy.server.port)")
        let outcome = Outcome()
        _ = connector.connect(target, delegate: outcome)
        try loop.turn { outcome.callCount > 0 }
        let isProxied = outcome.error == nil && !proxy.request.isEmpty
        outcome.stream?.close()
        proxy.close()
        server.close()
        connector.close()
        loop.close()
        return isProxied ? 7 : 1
      }
      exit(try run())
    }
  }
}
