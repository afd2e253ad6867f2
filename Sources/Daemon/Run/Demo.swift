import Glibc
import Hub
import Options
import Posix
import Reactor
import Session
import Timeline
import Transport
import WebSocket

/// What `wsii run` talks to when it is told of no server: a hub of its own, or one that listens
/// already.
final class Demo {
  private enum Place {
    /// Our hub, where everybody looks for one.
    case own
    /// Our hub elsewhere, because another program has that port.
    case elsewhere
    /// Somebody else's hub.
    case joined
  }

  let url: WebSocketURL
  private let address: HubAddress
  private let place: Place
  private let hub: HubServer?

  /// - Throws: why no hub could be started.
  init(
    at address: HubAddress, _ settings: RunSettings, loop: EventLoop, bridge: Bridge
  ) throws {
    var limits = HubLimits()
    limits.maximumMessage = settings.maximumMessage
    ProcessStart.raiseDescriptorLimit()
    let hub = HubServer(
      loop: loop, log: BridgeLog(bridge),
      application: Rooms(HubMachine(limits: limits, fillWithChance: Entropy.refill)))
    place = try Self.settle(hub, at: address, settings.url)
    self.address = address
    if place == .joined {
      hub.close()
      self.hub = nil
      url = settings.url
    } else {
      self.hub = hub
      url = try WebSocketURL(hub.url)
    }
  }

  private static func settle(
    _ hub: HubServer, at address: HubAddress, _ url: WebSocketURL
  ) throws(SystemError) -> Place {
    do throws(SystemError) {
      _ = try hub.listen(on: SocketAddress(address), origins: [])
      return .own
    } catch {
      guard error.number == EADDRINUSE else { throw error }
    }
    if HubProbe.findsHub(at: url) { return .joined }
    _ = try hub.listen(on: .tcp(host: "127.0.0.1", port: 0), origins: [])
    return .elsewhere
  }

  /// Three lines: what this is, how somebody else comes here, and how a program does.
  func guide(_ settings: RunSettings, program: String) -> [String] {
    let server = hub?.url ?? "ws://\(address.text)"
    let room = settings.rooms.first ?? "lobby"
    let what =
      switch place {
      case .own: "a hub runs here, at \(server)"
      case .elsewhere:
        "\(address.text) is taken by another program, so a hub runs here, at \(server)"
      case .joined: "joined the hub at \(server)"
      }
    let line = settings.isText ? "a line that you type" : #"a line such as {"text":"hi"}"#
    let wsii = ShellWord.quoted(program)
    let option = settings.rooms.isEmpty ? "" : " --room \(ShellWord.quoted(room))"
    let other =
      place == .elsewhere ? "\(wsii) run --text \(server)\(option)" : "\(wsii) run\(option)"
    return [
      "\(what); \(line) goes to the room \(room), Ctrl-D ends",
      "in a second terminal: \(other)",
      "in a script: echo '{\"text\":\"hi\"}' | \(wsii) run\(option) \(server)",
    ]
  }

  /// Says goodbye to the others, if they are here with us, and turns the loop until they are gone.
  func end(_ loop: EventLoop) throws(SystemError) {
    guard let hub else { return }
    hub.stop()
    try loop.run()
    hub.close()
  }
}

/// A hub's notes among those of the bridge beside it.
private final class BridgeLog: HubLog {
  private let bridge: Bridge

  init(_ bridge: Bridge) {
    self.bridge = bridge
  }

  func note(_ level: LogLevel, _ text: @autoclosure () -> String) {
    let now = Moment(instant: MonotonicClock.now(), timestamp: WallClock.now())
    bridge.note(level, "hub: \(text())", now)
  }

  func flush(now: Instant) {}
  func close() {}
}

/// Words as a shell reads them.
enum ShellWord {
  static func quoted(_ text: String) -> String {
    let isPlain = text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: "_-+=:,./@%".utf8.contains(byte)
      }
    }
    if isPlain, !text.isEmpty { return text }
    var word = "'"
    for character in text { word += character == "'" ? #"'\''"# : String(character) }
    return word + "'"
  }
}
