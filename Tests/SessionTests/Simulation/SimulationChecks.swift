import Bytes
import WebSocket

@testable import Session

/// What must never be seen, whatever the seed.
struct Violation: Error, CustomStringConvertible {
  var description: String

  init(_ description: String) {
    self.description = description
  }
}

extension Simulation {
  /// Lines that have been read to their end and were fit to be sent.
  private var acceptedCount: Int {
    acceptableEnds.prefix { $0 <= inputPosition }.count
  }

  /// How far the server has the messages, over all links.
  private var coveredCount: Int {
    links.map { $0.base + max(0, $0.server.received.count - plan.settings.hello.count) }.max() ?? 0
  }

  private func demand(_ condition: Bool, _ text: @autoclosure () -> String) throws(Violation) {
    guard condition else { throw Violation(text()) }
  }

  /// After each turn.
  func checkPresent() throws(Violation) {
    let outbox = bridge.outbox
    try demand(
      outbox.acceptedCount == acceptedCount,
      "\(outbox.acceptedCount) messages accepted of \(acceptedCount) lines")
    if let link = links.last { try check(link) }
    if plan.settings.ackBy == .pong {
      try demand(
        outbox.acknowledgedCount <= coveredCount,
        "\(outbox.acknowledgedCount) acknowledged, the server has \(coveredCount)")
      try demand(
        outbox.inFlightCount <= plan.settings.windowMessages, "the window is exceeded")
    }
    if !plan.isQuiet {
      try demand(
        acceptedIDs.count == acceptedCount && deliveredIDs.count == outbox.acknowledgedCount,
        "told \(acceptedIDs.count) accepted, \(deliveredIDs.count) delivered")
    }
    try demand(
      bridge.standardOutput.count <= plan.outputLimit + 12_000,
      "\(bridge.standardOutput.count) bytes of records")
    try demand(
      outbox.heldByteCount <= plan.settings.outboxMaximum + 12_000,
      "\(outbox.heldByteCount) bytes in the outbox")
    try demand((bridge.connection?.output.count ?? 0) <= 20_000, "too much output")
  }

  /// The server hears the hello frames, then each unanswered message once, in order.
  private func check(_ link: SimulatedLink) throws(Violation) {
    let hello = plan.settings.hello
    let received = link.server.received
    for index in max(0, received.count - 40)..<received.count {
      let expected =
        index < hello.count ? hello[index].payload : acceptable[link.base + index - hello.count]
      try demand(
        received[index].payload == expected,
        "link \(links.count): message \(index) is \(received[index].text)")
    }
  }

  /// After the run.
  func checkEnd() throws(Violation) {
    for link in links { try check(link) }
    try demand(!hasTransport, "the transport was left open")
    try demand(bridge.nextDeadline == nil, "a deadline after the end")
    try checkOutput()
    try checkDelivery()
  }

  private func checkOutput() throws(Violation) {
    bridge.standardOutput.withUnsafeBytes { output.append(contentsOf: $0) }
    let lines = output.split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    var expected = links.flatMap(\.handedOverLines)
    if case .records(let limit) = plan.ending {
      try demand(lines.count == limit, "\(lines.count) records of \(limit)")
      expected = Array(expected.prefix(limit))
    }
    if hasOutputClosed { return }
    for (index, line) in lines.enumerated() {
      try demand(
        index < expected.count && line == expected[index], "record \(index) is \(line)")
    }
    try demand(lines.count == expected.count, "\(lines.count) records of \(expected.count)")
  }

  private func checkDelivery() throws(Violation) {
    let lost = bridge.outbox.count
    let line = notes.first { $0.contains("not delivered") }
    try demand((line != nil) == (lost > 0), "\(lost) lost, told: \(line ?? "nothing")")
    if let line {
      try demand(line.hasPrefix("wsii: \(lost) message"), "\(lost) lost, told: \(line)")
      try demand(notes.count { $0.contains("not delivered") } == 1, "told twice: \(line)")
    }
    try demand(
      deliveredIDs.elementsEqual(acceptedIDs.prefix(deliveredIDs.count)), "ids out of order")
    let hasBadInput = badEnds.contains { $0 <= inputPosition }
    let plain: Outcome = hasBadInput ? .badInput : .done
    let expected: [Outcome]
    switch plan.ending {
    case .endOfInput:
      try demand(lost == 0 && acceptedCount == acceptable.count, "\(lost) not delivered")
      expected = [plain]
    case .records, .duration:
      try demand(lost == 0, "\(lost) not delivered")
      expected = [plain]
    case .stop(let isInterrupted):
      expected = [isInterrupted ? .interrupted : lost > 0 ? .unavailable : plain]
    case .refusal: expected = [.refused]
    case .closedOutput: expected = [.brokenPipe]
    }
    try demand(
      expected.contains(outcome ?? .done), "ended as \(String(describing: outcome))")
    if plan.settings.ackBy == .pong, lost == 0 {
      try demand(coveredCount >= acceptedCount, "the server has \(coveredCount)")
    }
  }
}
