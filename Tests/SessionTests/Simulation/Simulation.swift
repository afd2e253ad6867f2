import Bytes
import Timeline
import WebSocket

@testable import Session

/// A run of the real bridge in a world of chance: a network that cuts, delays, breaks and freezes, a
/// server that refuses and closes, a reader that stands still. Everything follows from the seed.
///
/// The bridge is driven as the real driver does it. After each turn, and at the end, it is compared
/// with what the world knows.
final class Simulation {
  var dice: Dice
  let plan: SimulationPlan
  let bridge: Bridge
  var now = Moment(
    instant: Instant(nanoseconds: 5_000_000_000_000),
    timestamp: Timestamp(unixMilliseconds: 1_796_000_000_000))

  // The transport.
  var links: [SimulatedLink] = []
  var hasTransport = false
  /// An attempt that hasn't come to anything yet is given up then.
  var connectDeadline: Instant?
  var isStorm = true
  var hasRefused = false

  // Standard input.
  var input: [UInt8] = []
  var acceptable: [[UInt8]] = []
  /// How many of those have been read completely, by where each ends.
  var acceptableEnds: [Int] = []
  var inputPosition = 0
  var badEnds: [Int] = []
  var hasInputEnded = false

  // Standard output and error.
  var output: [UInt8] = []
  var isReaderStuck = false
  /// Since when the reader is behind; for a while that only means that the transport isn't read.
  var pausedSince: Instant?
  var blockDeadline: Instant? { pausedSince.map { $0 + .seconds(2) } }
  var hasOutputClosed = false
  var acceptedIDs: [ArraySlice<UInt8>] = []
  var deliveredIDs: [ArraySlice<UInt8>] = []
  var notes: [String] = []
  var nextFrame = 0

  var hasStopped = false
  var outcome: Outcome?
  var wakeUpCount = 0

  init(seed: UInt64) {
    dice = Dice(seed: seed)
    plan = SimulationPlan(&dice)
    bridge = Bridge(
      settings: plan.settings,
      reports: ReportWriter(style: .records, level: .warning, isQuiet: plan.isQuiet),
      fillWithChance: Dice.source(seed: seed ^ 0xABCD))
    writeInput()
  }

  /// Everything the producer will say.
  private func writeInput() {
    for number in 0..<plan.inputLineCount {
      let pad = String(repeating: "x", count: dice.comesUp(10) ? dice.pick(0...300) : 0)
      var payload = Array(#"{"n":\#(number),"p":"\#(pad)"}"#.utf8)
      var line = payload
      switch plan.settings.format == .json ? dice.pick(0...19) : 19 {
      case 0: input += [0x0A]
      case 1: input += Array("{\"type\":\"wsii.state\"}\r\n".utf8)
      case 2:
        input += Array("{bad\n".utf8)
        badEnds.append(input.count)
      case 3:
        input += [UInt8](repeating: 0x31, count: 500) + [0x0A]
        badEnds.append(input.count)
      case 4:
        payload = Array("text \(number)".utf8)
        line = Array(#"{"type":"wsii.text","text":"text \#(number)"}"#.utf8)
      default: break
      }
      input += line + [0x0A]
      acceptable.append(payload)
      acceptableEnds.append(input.count)
    }
  }

  // MARK: Running

  func run() throws(Violation) {
    bridge.start(now)
    var turnCount = 0
    while outcome == nil {
      isStorm = turnCount < plan.stormCount
      turnCount += 1
      guard turnCount < 6000 else { throw Violation("the run doesn't end: \(bridge.course)") }
      if isStorm { misfortune() }
      finale(turnCount)
      try turn()
      try checkPresent()
      try passTime()
    }
    try checkEnd()
  }

  /// One turn of the driver, in which each descriptor may be ready or not.
  private func turn() throws(Violation) {
    readTransport()
    readInput()
    bridge.settle(now)
    perform()
    sendTransport()
    writeOutput()
    bridge.settle(now)
    perform()
    writeErrors()
  }

  private func isReady() -> Bool { !isStorm || dice.comesUp(plan.traffic) }

  private func readTransport() {
    guard hasTransport, let link = links.last, isReady() else { return }
    if dice.comesUp(plan.traffic) { serverSpeaks(link) }
    link.arrive(isStorm ? dice.pick(1...400) : .max, now.instant)
    guard bridge.wantsTransport, pausedSince == nil, !link.isFrozen else { return }
    let bytes = link.server.takeOutput(isStorm ? dice.pick(1...300) : 4000)
    if !bytes.isEmpty {
      bridge.transportReceived(bytes.span, now)
    } else if link.server.hasEnded {
      bridge.transportEnded(error: nil, now)
    }
    perform()
  }

  private func serverSpeaks(_ link: SimulatedLink) {
    guard dice.comesUp(isStorm ? 60 : 10) else { return }
    let number = nextFrame
    nextFrame += 1
    let isText = plan.settings.format == .text
    switch dice.pick(0...9) {
    case 0: link.server.ping([UInt8(number & 0xFF)], now.instant)
    case 1:
      let line = isText ? "hi \(number)" : #"{"type":"wsii.text","text":"hi \#(number)"}"#
      link.send(.text, Array("hi \(number)".utf8), line: line, now.instant)
    case 2 where !isText:
      link.send(
        .binary, [0, 0, UInt8(number & 0x3F)],
        line: #"{"type":"wsii.binary","data":"AAA\#(Self.base64Digit(number))"}"#, now.instant)
    case 3 where !isText:
      link.send(.text, Array("[\n\(number)]".utf8), line: "[ \(number)]", now.instant)
    default:
      let line = #"{"frame":\#(number),"p":"\#(String(repeating: "y", count: dice.pick(0...40)))"}"#
      link.send(.text, Array(line.utf8), line: line, now.instant)
    }
  }

  private static func base64Digit(_ number: Int) -> Character {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    return digits[number & 0x3F]
  }

  private func readInput() {
    guard inputPosition < input.count || !hasInputEnded else { return bridge.inputRested() }
    guard bridge.wantsInput, isReady() else { return bridge.inputRested() }
    if inputPosition < input.count {
      let count = min(dice.pick(1...400), input.count - inputPosition)
      bridge.inputReceived(Array(input[inputPosition..<(inputPosition + count)]).span, now)
      inputPosition += count
    } else {
      hasInputEnded = true
      bridge.inputEnded(now)
    }
  }

  private func sendTransport() {
    while hasTransport, let link = links.last, bridge.hasTransportOutput, isReady() {
      let room = SimulatedLink.upstreamLimit - link.upstream.count
      guard room > 0 else { return }
      let limit = isStorm ? min(room, dice.pick(1...500)) : room
      let bytes = bridge.withTransportOutput { Array($0.prefix(limit)) } ?? []
      link.takeUpstream(bytes)
      bridge.transportSent(bytes.count, now)
    }
  }

  private func writeOutput() {
    if hasOutputClosed {
      bridge.standardOutput.removeAll()
    } else if !isReaderStuck {
      let count = min(bridge.standardOutput.count, isStorm ? dice.pick(0...2000) : .max)
      bridge.standardOutput.withUnsafeBytes { output.append(contentsOf: $0.prefix(count)) }
      bridge.standardOutput.consume(count)
    }
    let held = bridge.standardOutput.count
    if held >= plan.outputLimit { pausedSince = pausedSince ?? now.instant }
    if held <= plan.outputLimit / 2 { pausedSince = nil }
    bridge.outputPaused(pausedSince != nil, now)
    bridge.outputBlocked(blockDeadline.map { $0 <= now.instant } ?? false, now)
  }

  private func writeErrors() {
    let bytes = bridge.standardError.withUnsafeBytes { Array($0) }
    bridge.standardError.removeAll()
    for line in bytes.split(separator: 0x0A) {
      if line.starts(with: #"{"type":"wsii.accepted""#.utf8) {
        acceptedIDs.append(Self.messageID(line))
      } else if line.starts(with: #"{"type":"wsii.delivered""#.utf8) {
        deliveredIDs.append(Self.messageID(line))
      } else if line.starts(with: "wsii: ".utf8) {
        notes.append(String(decoding: line, as: UTF8.self))
      }
    }
  }

  /// The 36 characters behind `{"type":"wsii.accepted","timestamp":"2026-…Z","messageId":"`.
  private static func messageID(_ line: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let isAccepted = line.starts(with: #"{"type":"wsii.accepted""#.utf8)
    let start = line.startIndex + (isAccepted ? 76 : 77)
    return line[start..<(start + 36)]
  }

  private func perform() {
    for action in bridge.takeActions() {
      switch action {
      case .connect: connect()
      case .dropTransport:
        hasTransport = false
        connectDeadline = nil
      case .finish(let outcome): self.outcome = outcome
      }
    }
  }

  private func connect() {
    guard !isStorm || dice.comesUp(70) else {
      if dice.comesUp(50) {
        bridge.linkFailed(.unreachable(reason: "no route"), now)
      } else {
        connectDeadline = now.instant + .seconds(10)
      }
      return
    }
    hasTransport = true
    links.append(SimulatedLink(base: bridge.outbox.acknowledgedCount, answer()))
    bridge.transportConnected(Rehearsal.makeHandshake(), secrets: [], now)
  }

  private func answer() -> ScriptedServer.Answer {
    guard isStorm, dice.comesUp(30) else { return .accept }
    switch dice.pick(0...4) {
    case 0: return .respond(HTTPResponse(status: 503, text: "busy"))
    case 1: return .respond(HTTPResponse(status: 404, text: "nothing"))
    case 2: return .say("HTTP/1.1 429 Slow down\r\nRetry-After: 3\r\n\r\n")
    case 3: return .say("NOT HTTP\r\n\r\n")
    default: return .nothing
    }
  }

  // MARK: Fate

  /// What goes wrong in a storm.
  private func misfortune() {
    if dice.comesUp(plan.stickiness) { isReaderStuck.toggle() }
    if dice.comesUp(1) { bridge.reconnect(now) }
    guard hasTransport, let link = links.last, dice.comesUp(plan.breakage) else { return }
    switch dice.pick(0...5) {
    case 0: bridge.transportEnded(error: "recv: Connection reset by peer", now)
    case 1: link.server.end()
    case 2: link.frozenSince = now.instant
    case 3: link.server.close(1000, "", now.instant)
    case 4: link.server.close(nil, "", now.instant)
    default: link.server.close(UInt16(dice.pick(0...1) == 0 ? 1001 : 4999), "", now.instant)
    }
  }

  /// What ends the run.
  private func finale(_ turnCount: Int) {
    if !isStorm { isReaderStuck = false }
    let isTime = turnCount > plan.stormCount / 2 && dice.comesUp(5)
    switch plan.ending {
    case .stop(let isInterrupted) where isTime:
      hasStopped = true
      bridge.stop(interrupted: isInterrupted, now)
    case .closedOutput where isTime && !hasOutputClosed:
      hasOutputClosed = true
      bridge.outputClosed(now)
    case .refusal where isTime && hasTransport:
      if let link = links.last, link.server.machine?.isOpen ?? false, !link.isFrozen {
        hasRefused = true
        link.server.close(4001, "", now.instant)
      }
    default: break
    }
  }

  // MARK: Time

  private func passTime() throws(Violation) {
    if isMoving || dice.comesUp(30) {
      go(to: now.instant + .milliseconds(dice.pick(0...40)))
    } else if let deadline = nextDeadline {
      // A standstill is long, but not for ever: every storm passes.
      go(to: min(max(now.instant, deadline), now.instant + .seconds(40)))
    }
    if let deadline = connectDeadline, deadline <= now.instant {
      connectDeadline = nil
      bridge.linkFailed(.unreachable(reason: "timed out"), now)
    }
    if hasTransport, let deadline = links.last?.kernelDeadline, deadline <= now.instant {
      bridge.transportEnded(error: "recv: Connection timed out", now)
      perform()
    }
    guard let deadline = bridge.nextDeadline, deadline <= now.instant else { return }
    bridge.advance(now, unsentByteCount: hasTransport ? links.last?.upstream.count : nil)
    wakeUpCount = bridge.nextDeadline.map { $0 <= now.instant } ?? false ? wakeUpCount + 1 : 0
    guard wakeUpCount < 4 else {
      throw Violation("a deadline stays in the past: \(bridge.course) \(bridge.link.state)")
    }
  }

  /// Whether something is on its way, so that a long wait would be odd.
  private var isMoving: Bool {
    guard hasTransport, let link = links.last, !link.isFrozen else { return false }
    return bridge.hasTransportOutput || !link.upstream.isEmpty
      || (bridge.wantsTransport && pausedSince == nil && !link.server.output.isEmpty)
  }

  private var nextDeadline: Instant? {
    [
      bridge.nextDeadline, connectDeadline, hasTransport ? links.last?.kernelDeadline : nil,
      blockDeadline.flatMap { $0 > now.instant ? $0 : nil },
    ].compactMap { $0 }.min()
  }

  private func go(to instant: Instant) {
    if instant > now.instant { wakeUpCount = 0 }
    now.timestamp.unixMilliseconds += (instant - now.instant).wholeMilliseconds
    now.instant = instant
  }
}
