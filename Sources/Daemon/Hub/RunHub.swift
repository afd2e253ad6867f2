import Glibc
import Hub
import Options
import Posix
import Reactor
import Session
import Transport

/// Runs `wsii hub` until a signal stops it.
func runHub(_ settings: HubSettings) -> Ending {
  ProcessStart.raiseDescriptorLimit()
  do throws(SystemError) {
    let loop = try EventLoop()
    let log = try StandardErrorLog(settings.log, loop: loop)
    let application: any HubApplication
    do throws(TokensError) {
      application = try makeApplication(settings, log)
    } catch {
      Complaint.write(error.description)
      return .exit(.configuration)
    }
    let hub = HubServer(loop: loop, log: log, application: application)
    let signals = try SignalSource(Program.signals, loop: loop, receiver: hub)
    defer {
      signals.close()
      hub.close()
      loop.close()
    }
    for warning in settings.warnings { log.note(.warning, warning) }
    let place: SocketAddress
    do throws(SystemError) {
      place = try hub.listen(on: SocketAddress(settings.listen), origins: settings.origins)
    } catch {
      return complain(error)
    }
    greet(settings, hub, at: place)
    try loop.run()
    return hub.signal == SIGINT ? .signal(SIGINT) : .exit(.done)
  } catch {
    Complaint.write(error.description)
    return .exit(.inputOutput)
  }
}

private func makeApplication(
  _ settings: HubSettings, _ log: any HubLog
) throws(TokensError) -> any HubApplication {
  let tokens = try settings.tokensPath.map { path throws(TokensError) in
    try readTokens(path, log)
  }
  if settings.echoes { return Echo(maximumMessage: settings.maximumMessage, tokens: tokens) }
  return Rooms(
    HubMachine(
      limits: HubLimits(settings), tokens: tokens, chaos: settings.chaos,
      fillWithChance: Entropy.refill))
}

private func readTokens(_ path: String, _ log: any HubLog) throws(TokensError) -> TokenFile {
  do {
    let contents = try FileReader.read(path)
    if contents.isReadableByOthers {
      log.note(.warning, "\(path): other users can read the tokens; chmod 600 helps")
    }
    return try TokenFile(contents.bytes)
  } catch let error as TokenFileError {
    throw TokensError(description: "--tokens \(path): \(error)")
  } catch {
    throw TokensError(description: "--tokens: \(error)")
  }
}

private struct TokensError: Error {
  let description: String
}

private func greet(_ settings: HubSettings, _ hub: HubServer, at place: SocketAddress) {
  let suffix = settings.echoes ? " (echo)" : ""
  if case .unix = place {
    hub.log.note(.notice, "hub listens on \(place)\(suffix)")
  } else {
    hub.log.note(.notice, "hub listens on \(hub.url)\(suffix)")
  }
  if settings.chaos != nil, !settings.echoes {
    hub.log.note(.warning, "CHAOS: this hub breaks links on purpose, for tests only (--chaos)")
  }
  if !settings.echoes, !settings.isEphemeral {
    hub.log.note(
      .notice, "histories are kept in memory only, and lost when the hub ends (--ephemeral)")
  }
}

private func complain(_ error: SystemError) -> Ending {
  switch error.number {
  case EADDRINUSE:
    Complaint.write("hub: \(error); --listen 127.0.0.1:0 takes a free port")
    return .exit(.unavailable)
  case EADDRNOTAVAIL, ENAMETOOLONG:
    Complaint.write("hub: \(error)")
    return .exit(.configuration)
  default:
    Complaint.write("hub: \(error)")
    return .exit(.unavailable)
  }
}

extension SocketAddress {
  init(_ address: HubAddress) {
    switch address {
    case .tcp(let host, let port): self = .tcp(host: host, port: port)
    case .unix(let path): self = .unix(path: path)
    }
  }
}

extension HubLimits {
  /// What a message of a history costs on average at most, so that a longer history than usual may
  /// have more memory than usual.
  private static let averageMessage = 16 << 10

  init(_ settings: HubSettings) {
    self.init()
    maximumMessage = settings.maximumMessage
    maximumHistoryCount = settings.maximumHistory
    maximumHistoryBytes = min(
      max(maximumHistoryBytes, settings.maximumHistory * Self.averageMessage),
      maximumTotalHistoryBytes)
    rate = settings.rate.map { Rate(perSecond: Double($0.perSecond), burst: $0.burst) }
  }
}

extension HubServer {
  /// There is nothing to reread yet, so HUP means what it means to most programs.
  static let stoppingSignals = [SIGTERM, SIGINT, SIGHUP]
}
