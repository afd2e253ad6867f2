import Timeline
import WebSocket

@testable import Session

/// What one seed decides beforehand.
struct SimulationPlan {
  /// What brings the run to its end, once the weather has cleared.
  enum Ending: Equatable {
    case endOfInput
    case records(Int)
    case duration
    /// The others happen in a random turn.
    case stop(isInterrupted: Bool)
    case refusal
    case closedOutput
  }

  var ending: Ending
  var settings: BridgeSettings
  var isQuiet: Bool
  /// Turns of bad weather before everything works.
  var stormCount: Int
  /// In percent of the turns: how often something breaks, and how much goes on meanwhile.
  var breakage: Int
  var traffic: Int
  /// How often the reader of standard output stops or goes on.
  var stickiness: Int
  /// A reader's buffer.
  var outputLimit: Int
  var inputLineCount: Int

  init(_ dice: inout Dice) {
    settings = BridgeSettings(
      link: LinkMachine.Limits(
        backoff: Backoff.Bounds(base: .milliseconds(dice.pick(1...1000)), ceiling: .seconds(5)),
        stableAfter: .seconds(dice.pick(0...10)), retries: nil, waitsWhenRefused: false))
    settings.format = dice.comesUp(80) ? .json : .text
    settings.handshakeTimeout = .seconds(dice.pick(1...10))
    settings.ackTimeout = .seconds(dice.pick(1...10))
    settings.ackBy = dice.comesUp(90) ? .pong : .write
    settings.keepalive =
      dice.comesUp(60) ? Keepalive(interval: .seconds(3), timeout: .seconds(2)) : nil
    settings.windowMessages = dice.comesUp(50) ? dice.pick(1...4) : 8192
    settings.windowBytes = dice.comesUp(20) ? dice.pick(1...300) : 1 << 20
    settings.maximumMessage = 400
    settings.outboxMaximum = dice.comesUp(50) ? dice.pick(200...3000) : 64 << 20
    settings.stallTimeout = .seconds(dice.pick(1...30))
    settings.drainTimeout = .seconds(1_000_000)
    settings.traces = dice.comesUp(10)
    for number in 0..<(dice.comesUp(30) ? dice.pick(1...2) : 0) {
      settings.hello.append(
        BridgeSettings.HelloFrame(kind: .text, payload: Array("hello \(number)".utf8)))
    }
    isQuiet = dice.comesUp(30)
    stormCount = dice.pick(0...250)
    breakage = dice.pick(0...5)
    traffic = dice.pick(10...90)
    stickiness = dice.pick(0...5)
    outputLimit = dice.pick(100...2000)
    inputLineCount = dice.pick(0...80)
    switch dice.pick(0...19) {
    case 0...9: ending = .endOfInput
    case 10...11: ending = .records(dice.pick(1...40))
    case 12...13: ending = .duration
    case 14...16: ending = .stop(isInterrupted: dice.comesUp(30))
    case 17: ending = .refusal
    default: ending = .closedOutput
    }
    if case .records(let count) = ending { settings.recordLimit = count }
    if ending == .duration { settings.duration = .seconds(dice.pick(1...60)) }
    settings.staysAfterInput = ending != .endOfInput
  }
}
