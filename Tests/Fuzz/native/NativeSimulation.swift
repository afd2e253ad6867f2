import Hub
import Session
import Timeline
import WebSocket

/// The hub and a few clients on a bad network, in virtual time.
///
/// A run of steps, each by chance: a line is typed, bytes move, a link is cut with whatever is on its
/// way, the hub or a client begins anew, a reader stands still, time passes. Then all of that stops,
/// and what is still under way may finish. What must hold:
///
/// - No reader sees a message twice, or one out of its room's order.
/// - What a reader does not see lies within a gap whose bounds fit what it saw before and after.
/// - In the end every reader has what its rooms have.
/// - Each message that was accepted in a life that lasts is acknowledged, once, and stands in the
///   history of a life of the hub; in none does it stand twice.
/// - The messages of one client stand in a room in the order of their acceptance.
package final class NativeSimulation {
  private static let rooms = ["lobby", "ops", "räume"]

  private var dice: Dice
  private let seed: UInt64
  private let hub: SimulatedHub
  private var clients: [SimulatedClient] = []
  /// Rooms that a client's present life was in all the time.
  private var wished: [[String]] = []
  private var links: [SimulatedLink] = []
  private var messageCount = 0
  private var lifeCount = 0
  private let historyCount: Int
  package private(set) var log: [String] = []
  private let isLogging: Bool
  private var now = Moment(
    instant: Instant(nanoseconds: 1_000_000_000_000),
    timestamp: Timestamp(unixMilliseconds: 1_796_000_000_000))

  private init(_ dice: Dice, seed: UInt64, isLogging: Bool) {
    var dice = dice
    self.seed = seed
    self.isLogging = isLogging
    var limits = HubLimits()
    limits.maximumHistoryCount = dice.pick([4, 20, 1_000])
    limits.maximumPageBytes = dice.pick([300, 256 << 10])
    limits.maximumBacklog = dice.pick([3_000, 4 << 20])
    limits.window = dice.pick([1, 3, 64])
    if dice.comesUp(25) { limits.rate = HubLimits.Rate(perSecond: 20, burst: 3) }
    let chaos = dice.comesUp(30) ? dice.pick(["lose-acks=3", "lose-acks=30%", "delay=40"]) : nil
    historyCount = limits.maximumHistoryCount
    hub = SimulatedHub(
      limits: limits, chaos: chaos.map(Self.spec),
      refusesPercent: dice.pick([0, 0, 10, 30]), seed: seed)
    self.dice = dice
    for index in 0..<dice.pick(2...4) {
      clients.append(makeClient(index))
      wished.append(Self.rooms)
    }
    hub.note = { [unowned self] in note($0) }
  }

  /// One that can't be read would test nothing.
  private static func spec(_ text: String) -> ChaosSpec {
    do {
      return try ChaosSpec(text)
    } catch {
      fatalError("\(text): \(error)")
    }
  }

  /// Runs one seed, or one input of a fuzzer; returns what didn't hold.
  package static func violation(
    seed: UInt64, input: [UInt8] = [], steps: Int = 400, isLogging: Bool = false
  ) -> String? {
    let simulation = NativeSimulation(
      Dice(seed: seed, input: input), seed: seed, isLogging: isLogging)
    let found = simulation.run(steps)
    for line in simulation.log { print(line) }
    return found.map { "seed \(seed): \($0)" }
  }

  private func note(_ text: @autoclosure () -> String) {
    if isLogging { log.append("\(now.instant.nanoseconds / 1_000_000 % 1_000_000) \(text())") }
  }

  private func makeClient(_ index: Int) -> SimulatedClient {
    lifeCount += 1
    let rooms = Array(Self.rooms.prefix(dice.pick(1...Self.rooms.count)))
    return SimulatedClient(
      index: index, rooms: rooms, repeatsOwn: dice.comesUp(50),
      history: dice.comesUp(50) ? 1_000 : 0, seed: seed &* 31 &+ UInt64(lifeCount))
  }

  // MARK: The run

  private func run(_ steps: Int) -> String? {
    for client in clients { client.bridge.start(now) }
    settle()
    for _ in 0..<steps {
      step()
      settle()
      if let violation { return violation }
    }
    return finish() ?? judge()
  }

  private var violation: String? {
    hub.violation ?? clients.lazy.compactMap(\.violation).first
  }

  private func step() {
    let client = dice.pick(clients)
    switch dice.pick(0...99) {
    case 0...29: say(client)
    case 30...33: client.type(#"{"type":"typing","conversationId":"lobby"}"#, now)
    case 34...35:
      note("\(client.index) joins or leaves")
      let verb = dice.comesUp(50) ? "join" : "leave"
      client.type(#"{"type":"\#(verb)","conversationId":"ops"}"#, now)
      // What is missed while out of a room isn't told.
      client.positions["ops"] = nil
      wished[client.index].removeAll { $0 == "ops" }
    case 36...69: moveBytes()
    case 70...73: cut(dice.comesUp(30) ? links : links.isEmpty ? [] : [dice.pick(links)])
    case 74:
      guard dice.comesUp(40) else { return }
      note("hub restarts")
      cut(links)
      hub.restart()
    case 75:
      guard dice.comesUp(40) else { return }
      note("\(client.index) restarts")
      cut(links.filter { $0.client == client.index })
      clients[client.index] = makeClient(client.index)
      wished[client.index] = Self.rooms
      clients[client.index].bridge.start(now)
    case 76...79:
      client.isReaderStuck.toggle()
      note("\(client.index)'s reader \(client.isReaderStuck ? "stops" : "reads")")
    case 80...81: pass(.seconds(dice.pick(1...15)))
    default: pass(.milliseconds(dice.pick(0...60)))
    }
  }

  private func say(_ client: SimulatedClient) {
    for _ in 0..<dice.pick([1, 1, 3]) {
      messageCount += 1
      let room = dice.pick(Self.rooms)
      if room == "ops" { client.positions["ops"] = nil }
      note("\(client.index) says \(messageCount) in \(room)")
      client.type(
        #"{"id":"m\#(messageCount)","conversationId":"\#(room)","text":"\#(messageCount)"}"#, now)
    }
  }

  // MARK: The network

  private func moveBytes() {
    guard !links.isEmpty else { return }
    let link = dice.pick(links)
    if dice.comesUp(20), link.hasHistoryUnderWay {
      // By mere chance hardly any answer would find its reader gone.
      clients[link.client].isReaderStuck = true
      return
    }
    let limit = dice.comesUp(40) ? dice.pick(1...40) : Int.max
    move(link, isUp: dice.comesUp(50), limit: limit)
  }

  private func move(_ link: SimulatedLink, isUp: Bool, limit: Int) {
    guard !link.isCut else { return }
    let client = clients[link.client]
    if isUp {
      let bytes = Array(link.toServer.prefix(limit))
      link.toServer.removeFirst(bytes.count)
      if !bytes.isEmpty, !link.hasServerEnded { hub.receive(bytes, on: link, now) }
    } else if client.link === link, client.bridge.wantsTransport {
      let bytes = Array(link.toClient.prefix(limit))
      link.toClient.removeFirst(bytes.count)
      if !bytes.isEmpty { client.bridge.transportReceived(bytes.span, now) }
      if link.toClient.isEmpty, link.hasServerEnded, client.link === link {
        client.bridge.transportEnded(error: nil, now)
      }
    }
  }

  private func cut(_ doomed: [SimulatedLink]) {
    for link in doomed where !link.isCut {
      note("link of \(link.client) is cut")
      link.isCut = true
      hub.end(link, now)
      let client = clients[link.client]
      if client.link === link { client.bridge.transportEnded(error: "reset", now) }
    }
  }

  private func connect(_ client: SimulatedClient) {
    guard
      let handshake = try? ClientHandshake(
        url: WebSocketURL("ws://hub/?userId=\(client.user)"),
        nonce: [UInt8](repeating: 7, count: 16))
    else { return }
    let link = SimulatedLink(client: client.index)
    client.link = link
    links.append(link)
    client.bridge.transportConnected(handshake, secrets: [], now)
  }

  /// Each bridge ends its turn.
  private func settle() {
    for client in clients {
      for _ in 0..<4 {
        client.bridge.settle(now)
        for action in client.bridge.takeActions() {
          switch action {
          case .connect: connect(client)
          case .dropTransport:
            guard let link = client.link else { continue }
            client.link = nil
            link.isCut = true
            hub.end(link, now)
          case .finish(let outcome): client.violation = "client \(client.index) ended: \(outcome)"
          }
        }
        guard let link = client.link, !link.isCut,
          let bytes = client.bridge.withTransportOutput({ Array($0) }), !bytes.isEmpty
        else { continue }
        link.toServer += bytes
        client.bridge.transportSent(bytes.count, now)
      }
      client.read(hub, now)
    }
    links.removeAll(where: \.isCut)
  }

  private func pass(_ wait: Duration) {
    let end = now.instant + wait
    while true {
      let deadlines =
        clients.compactMap(\.bridge.nextDeadline) + [hub.nextDeadline].compactMap { $0 }
      guard let next = deadlines.min(), next <= end else { break }
      go(to: max(next, now.instant))
      for client in clients {
        client.bridge.advance(now, unsentByteCount: client.link?.toServer.count)
      }
      hub.advance(now)
      settle()
    }
    go(to: end)
  }

  private func go(to instant: Instant) {
    now.timestamp.unixMilliseconds += Int64((instant - now.instant) / .milliseconds(1))
    now.instant = instant
  }

  // MARK: The end

  /// Lets everything that is under way finish.
  private func finish() -> String? {
    note("the end begins")
    for client in clients { client.isReaderStuck = false }
    for round in 0..<1_500 {
      settle()
      var hasMoved = false
      for link in links {
        hasMoved = hasMoved || !link.toServer.isEmpty || !link.toClient.isEmpty
        move(link, isUp: true, limit: .max)
        settle()
        move(link, isUp: false, limit: .max)
        settle()
      }
      if let violation { return violation }
      if !hasMoved {
        // Long enough for what is late, or refused for now, to be tried again.
        if round > 20, clients.allSatisfy({ $0.bridge.isSettled }) { return nil }
        pass(.seconds(1))
      }
    }
    return "it doesn't come to an end"
  }

  private func judge() -> String? {
    note(
      "stored \(hub.stored.values.map(\.ids.count)) delivered \(clients.map(\.delivered.count)) accepted \(clients.map(\.accepted.count)) failed \(clients.map(\.failed)) gaps \(clients.map(\.gapCount)) read \(clients.map(\.readCount)) life \(hub.life)"
    )
    for client in clients {
      for (id, room) in client.accepted {
        guard client.delivered.contains(id) else {
          return "client \(client.index): \(id) in \(room) was accepted and not delivered"
        }
        let lives = hub.stored.filter { $0.key.room == room && $0.value.ids.contains(id) }
        if lives.isEmpty { return "\(id) was delivered, and isn't in the history of \(room)" }
      }
      for room in wished[client.index] {
        let count = hub.stored[.init(life: hub.life, room: room)]?.ids.count ?? 0
        let isWhole = client.wholeRooms.contains(room) && count <= historyCount
        guard let position = client.positions[room] ?? (isWhole ? (hub.life, 0) : nil) else {
          continue
        }
        guard position.life == hub.life,
          client.isPassedOver(hub, room, hub.life, position.seq + 1, count)
        else {
          return
            "client \(client.index) has \(room) up to \(position), and the hub up to"
            + " (\(hub.life), \(count))"
        }
      }
    }
    for (key, stored) in hub.stored {
      guard Set(stored.ids).count == stored.ids.count else { return "twice in \(key)" }
      for client in clients {
        let numbers = zip(stored.ids, stored.senders).filter { $0.1 == client.user }
          .compactMap { Int($0.0.dropFirst()) }
        guard numbers == numbers.sorted() else { return "order in \(key): \(numbers)" }
      }
    }
    return nil
  }
}
