import Glibc
import Options
import Posix
import Reactor
import Session
import Transport

/// Runs `wsii hub --echo` until a signal stops it.
func runHub(_ settings: HubSettings) -> Ending {
  let address: SocketAddress =
    switch settings.listen {
    case .tcp(let host, let port): .tcp(host: host, port: port)
    case .unix(let path): .unix(path: path)
    }
  ProcessStart.raiseDescriptorLimit()
  do throws(SystemError) {
    let loop = try EventLoop()
    let log = try HubLog(settings.log, loop: loop)
    let hub = EchoHub(loop: loop, log: log, maximumMessage: settings.maximumMessage)
    let signals = try SignalSource(Program.signals, loop: loop, receiver: hub)
    defer {
      signals.close()
      hub.close()
    }
    for warning in settings.warnings { log.note(.warning, warning) }
    let place: SocketAddress
    do throws(SystemError) {
      place = try hub.listen(on: address, origins: settings.origins)
    } catch {
      return complain(error)
    }
    if case .unix = place {
      log.note(.notice, "hub listens on \(place) (echo)")
    } else {
      log.note(.notice, "hub listens on \(hub.url) (echo)")
    }
    try loop.run()
    return hub.signal == SIGINT ? .signal(SIGINT) : .exit(.done)
  } catch {
    Complaint.write(error.description)
    return .exit(.inputOutput)
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

extension EchoHub {
  /// There is nothing to reread yet, so HUP means what it means to most programs.
  static let stoppingSignals = [SIGTERM, SIGINT, SIGHUP]
}
