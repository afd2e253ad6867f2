import Bytes
import Session
import Timeline
import WebSocket

/// One life of a client: a bridge, its link, and what its reader has seen.
final class SimulatedClient {
  let index: Int
  let bridge: Bridge
  let repeatsOwn: Bool
  /// Rooms whose whole history the client wants from the start.
  let wholeRooms: [String]
  var link: SimulatedLink?
  var isReaderStuck = false
  private let blockedAbove: Int
  private(set) var output: [UInt8] = []
  private var takenCount = 0
  var accepted: [(id: String, room: String)] = []
  var delivered: [String] = []
  private(set) var failed: [String] = []
  /// Where the reader stands in each room, by what it has read: the hub's life and the seq.
  var positions: [String: (life: Int, seq: Int)] = [:]
  /// What it has read of each room, by id: each message once, whatever the hub has lost.
  private var readIDs: [String: Set<String>] = [:]
  var violation: String?
  private(set) var readCount = 0
  private(set) var gapCount = 0

  init(index: Int, rooms: [String], repeatsOwn: Bool, history: Int, seed: UInt64) {
    self.index = index
    self.repeatsOwn = repeatsOwn
    wholeRooms = history > 0 ? rooms : []
    blockedAbove = [-1, 100, 1_500][Int(seed % 3)]
    var settings = BridgeSettings(
      link: LinkMachine.Limits(
        backoff: Backoff.Bounds(base: .milliseconds(100), ceiling: .seconds(2)),
        stableAfter: .seconds(1), retries: nil, waitsWhenRefused: true))
    settings.speech = .native
    settings.native.rooms = rooms.map { Array($0.utf8) }
    settings.native.repeatsOwn = repeatsOwn
    settings.native.history = history
    settings.native.historyLimit = 7
    settings.native.window = 5
    settings.staysAfterInput = true
    bridge = Bridge(
      settings: settings, reports: ReportWriter(style: .records, level: .error, isQuiet: false),
      fillWithChance: Dice.source(seed: seed))
  }

  var user: String { "u\(index)" }

  func type(_ line: String, _ now: Moment) {
    guard bridge.wantsInput else { return }
    bridge.inputReceived(Array((line + "\n").utf8).span, now)
  }

  /// The reader takes what there is, and checks it.
  func read(_ hub: SimulatedHub, _ now: Moment) {
    bridge.standardError.removeAll()
    if isReaderStuck {
      bridge.outputBlocked(bridge.standardOutput.count > blockedAbove, now)
      return
    }
    bridge.standardOutput.withUnsafeBytes { output.append(contentsOf: $0) }
    takenCount += bridge.standardOutput.count
    bridge.standardOutput.removeAll()
    bridge.outputWritten(takenCount)
    bridge.outputBlocked(false, now)
    while let end = output.firstIndex(of: UInt8(ascii: "\n")) {
      let line = Array(output[..<end])
      output.removeSubrange(...end)
      check(line, hub)
    }
  }

  private func check(_ line: [UInt8], _ hub: SimulatedHub) {
    guard let record = Record(line) else {
      return fail("no record: \(String(decoding: line, as: UTF8.self))")
    }
    switch record.type {
    case "wsii.accepted": accepted.append((record.messageID, record.room))
    case "wsii.delivered":
      if delivered.contains(record.messageID) { fail("delivered twice: \(record.messageID)") }
      delivered.append(record.messageID)
    case "wsii.failed": failed.append(record.messageID)
    case "wsii.gap":
      gapCount += 1
      checkGap(record, hub)
    case "text":
      readCount += 1
      checkMessage(record, hub)
    case "wsii.text", "wsii.binary": fail("wrapped: \(String(decoding: line, as: UTF8.self))")
    default: break
    }
  }

  private func checkGap(_ gap: Record, _ hub: SimulatedHub) {
    guard let after = gap.after, let before = gap.before else {
      return fail("a gap without bounds")
    }
    if let position = positions[gap.room] {
      // Own messages may stand between the last record and the gap.
      guard isPassedOver(hub, gap.room, position.life, position.seq + 1, after) else {
        return fail("\(gap.room): a gap after \(after) where \(position.seq) was read last")
      }
    }
    if let epoch = gap.epoch {
      guard let life = hub.lifeOfEpoch[epoch] else { return fail("an unknown epoch \(epoch)") }
      positions[gap.room] = (life, before - 1)
    } else {
      guard before > after + 1 else {
        return fail("\(gap.room): a gap of nothing, \(after)-\(before)")
      }
      let life = positions[gap.room]?.life ?? hub.life
      guard life != hub.life || before <= hub.oldest(in: gap.room) else {
        return fail("\(gap.room): a gap before \(before), which the hub still has")
      }
      positions[gap.room] = (life, before - 1)
    }
  }

  private func checkMessage(_ record: Record, _ hub: SimulatedHub) {
    guard let seq = record.seq else { return fail("a message without a number") }
    if !repeatsOwn, record.sender == user { return fail("an own message") }
    guard readIDs[record.room, default: []].insert(record.id).inserted else {
      return fail("\(record.room): \(record.id) twice")
    }
    let candidates =
      positions[record.room].map { [$0.life] } ?? Array((0...hub.life).reversed())
    let life = candidates.first { life in
      let ids = hub.stored[.init(life: life, room: record.room)]?.ids ?? []
      return seq <= ids.count && ids[seq - 1] == record.id
    }
    guard let life else {
      return fail("\(record.room): \(seq) is \(record.id), which the hub has not stored there")
    }
    if let position = positions[record.room] {
      guard seq > position.seq else { return fail("\(record.room): \(seq) after \(position.seq)") }
      guard isPassedOver(hub, record.room, life, position.seq + 1, seq - 1) else {
        return fail("\(record.room): \(seq) after \(position.seq), and no gap")
      }
    }
    positions[record.room] = (life, seq)
  }

  /// Whether all messages of a range are ones that give no record: own ones that aren't repeated to us,
  /// and those that were read before the hub lost them and was sent them again.
  func isPassedOver(_ hub: SimulatedHub, _ room: String, _ life: Int, _ first: Int, _ last: Int)
    -> Bool
  {
    guard first <= last else { return first == last + 1 }
    guard let stored = hub.stored[.init(life: life, room: room)], last <= stored.senders.count
    else { return false }
    return (first - 1..<last).allSatisfy {
      (!repeatsOwn && stored.senders[$0] == user)
        || readIDs[room]?.contains(stored.ids[$0]) ?? false
    }
  }

  private func fail(_ text: String) {
    violation = violation ?? "client \(index): \(text)"
  }
}
