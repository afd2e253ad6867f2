import Glibc
import Options
import Posix
import Reactor
import Session
import Timeline
import WebSocket

/// `wsii run`: puts a run together from its settings, and takes it to its end.
struct RunCommand {
  let settings: RunSettings
  let environment: [(name: String, value: String)]
  /// Standard descriptors that were closed when the process began.
  let closedDescriptors: Set<CInt>
  /// The program as it was called, for what it tells to type.
  let program: String

  func run() -> Ending {
    do {
      return try runLoop()
    } catch let error as SystemError {
      Complaint.write("\(error)")
      return .exit(.inputOutput)
    } catch {
      // Everything else that is thrown here names a setting.
      Complaint.write("\(error)")
      return .exit(.configuration)
    }
  }

  private func runLoop() throws -> Ending {
    // Our own copy is what the handshakes read.
    if case .environment(let name) = settings.token { EnvironmentVariables.erase(name) }
    let outputStream = try StandardStream(STDOUT_FILENO, .output)
    // Closed from the start, /dev/null stands in its place: a record must not end there unnoticed.
    if closedDescriptors.contains(STDOUT_FILENO) { outputStream.close() }
    let errorStream = try StandardStream(STDERR_FILENO, .output)
    let input = try openInput()
    var bridgeSettings = BridgeSettings(settings, inputEnds: input != nil)
    bridgeSettings.outputIsTerminal = outputStream.kind == .terminal
    bridgeSettings.native.isForTerminal = bridgeSettings.outputIsTerminal
    if let path = settings.helloPath {
      bridgeSettings.hello = try HelloFile.read(
        path, format: bridgeSettings.format, maximumMessage: settings.maximumMessage)
    }
    let bridge = Bridge(
      settings: bridgeSettings,
      reports: ReportWriter(
        style: ReportWriter.Style(settings.log.format, isTerminal: errorStream.kind == .terminal),
        level: LogLevel(settings.log.level), isQuiet: settings.isQuiet),
      fillWithChance: Entropy.refill)
    let loop = try EventLoop()
    defer { loop.close() }
    let demo = try settings.demo.map { try Demo(at: $0, settings, loop: loop, bridge: bridge) }
    let handshakes = HandshakeMaker(
      settings: settings, url: demo?.url ?? settings.url, environment: environment, loop: loop)
    // What can't be read at the start is a mistake of the configuration; later it may be a file that
    // is just being renewed, and is tried again.
    try handshakes.check()
    let driver = try RunDriver(
      loop: loop, bridge: bridge, handshakes: handshakes,
      input: input,
      output: OutputSink(outputStream, overflowLimit: settings.maximumOverflow, loop: loop),
      errors: OutputSink(errorStream, overflowLimit: 0, loop: loop))
    let signals = try SignalSource(Program.signals, loop: loop, receiver: driver)
    let now = Moment(instant: loop.now, timestamp: WallClock.now())
    greet(bridge, handshakes.warning, now)
    for line in demo?.guide(settings, program: program) ?? [] { bridge.note(.notice, line, now) }
    bridge.start(now)
    try loop.run()
    driver.close()
    try demo?.end(loop)
    signals.close()
    return ending(driver.outcome ?? .done)
  }

  private func greet(_ bridge: Bridge, _ tokenWarning: String?, _ now: Moment) {
    for warning in settings.warnings + (tokenWarning.map { [$0] } ?? []) {
      bridge.note(.warning, warning, now)
    }
    if settings.isInsecure {
      bridge.note(
        .warning, "insecure: the server's certificate is not checked (--insecure)", now)
    }
    // Who asked for it knows, and a quiet run has only its failures to tell.
    bridge.note(
      settings.isEphemeral || settings.isQuiet ? .info : .notice,
      "ephemeral: what is accepted is kept in memory only, and lost with this process",
      now)
  }

  /// Standard input, unless it is one that never says anything: closed, or /dev/null, which is what
  /// cron and systemd give.
  private func openInput() throws(SystemError) -> StandardStream? {
    if closedDescriptors.contains(STDIN_FILENO) { return nil }
    let stream = try StandardStream(STDIN_FILENO, .input)
    return stream.kind == .device ? nil : stream
  }

  private func ending(_ outcome: Outcome) -> Ending {
    switch outcome {
    case .done: .exit(.done)
    case .badInput: .exit(.badInput)
    case .unavailable: .exit(.unavailable)
    case .inputOutputError: .exit(.inputOutput)
    case .protocolViolation: .exit(.protocolError)
    case .refused: .exit(.refused)
    case .otherUser: .exit(.configuration)
    case .interrupted: .signal(SIGINT)
    case .brokenPipe: .signal(SIGPIPE)
    }
  }
}

extension BridgeSettings {
  init(_ settings: RunSettings, inputEnds: Bool) {
    self.init(
      link: LinkMachine.Limits(
        backoff: Backoff.Bounds(
          base: settings.backoff.lowerBound, ceiling: settings.backoff.upperBound),
        stableAfter: settings.stableAfter, retries: settings.retries,
        waitsWhenRefused: settings.onRefused == .wait))
    format = settings.isText ? .text : .json
    switch settings.dialect {
    case .auto: speech = .undecided
    case .native: speech = .native
    case .plain: speech = .plain
    }
    native.rooms = (settings.rooms.isEmpty ? ["lobby"] : settings.rooms).map { Array($0.utf8) }
    native.history = settings.history
    native.repeatsOwn = settings.repeatsOwn
    native.acknowledges = settings.acknowledges
    native.isText = settings.isText
    native.maximumMessage = settings.maximumMessage
    if let window = settings.window { native.window = window }
    handshakeTimeout = settings.connectTimeout
    keepalive = settings.pingInterval.map {
      Keepalive(interval: $0, timeout: settings.pingTimeout)
    }
    ackBy = settings.ackProof == .pong ? .pong : .write
    ackTimeout = settings.ackTimeout
    maximumMessage = settings.maximumMessage
    if let window = settings.window { windowMessages = window }
    outboxMaximum = settings.maximumOutbox
    drainTimeout = settings.drainTimeout
    // With a number of records or a time to wait for, the end of the input isn't the end: a question
    // on standard input is followed by its answers.
    staysAfterInput = settings.stays || settings.count != nil || settings.lasting != nil
    recordLimit = settings.count
    duration = settings.lasting
    traces = settings.traces
  }
}

extension ReportWriter.Style {
  init(_ format: LogSettings.Format, isTerminal: Bool) {
    switch format {
    case .auto: self = isTerminal ? .lines : .records
    case .text: self = .lines
    case .json: self = .recordsOnly
    }
  }
}

extension LogLevel {
  init(_ level: LogSettings.Level) {
    switch level {
    case .error: self = .error
    case .warning: self = .warning
    case .notice: self = .notice
    case .info: self = .info
    case .debug: self = .debug
    }
  }
}
