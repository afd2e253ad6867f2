import Bytes
import Timeline
import WebSocket

/// What must hold for a connection whatever a peer sends.
package enum FramesInvariant {
  /// What was seen of a machine.
  private struct Observation: Equatable {
    var events: [ConnectionMachine.Event] = []
    var messages: [[UInt8]] = []
    var output: [UInt8] = []
    var state = ConnectionMachine.State.open
  }

  private static let now = Instant(nanoseconds: 0)

  /// Checks an input: a byte for the role, a byte for the cuts, then what the peer sends.
  ///
  /// - Returns: what didn't hold, nil if all did.
  package static func violation(of input: [UInt8]) -> String? {
    guard input.count >= 2 else { return nil }
    let role: Role = input[0] & 1 == 0 ? .client : .server
    let validates = input[0] & 2 == 0
    let wire = Array(input[2...])
    let whole = observe(role, [wire], validates: true)
    let single = observe(role, wire.map { [$0] }, validates: true)
    guard single == whole else { return "byte by byte: \(single), whole: \(whole)" }
    let cut = observe(role, chunks(wire, seed: input[1]), validates: true)
    guard cut == whole else { return "cut: \(cut), whole: \(whole)" }
    if !validates { _ = observe(role, chunks(wire, seed: input[1]), validates: false) }
    for message in whole.messages where message.count > limits.maximumMessage {
      return "message of \(message.count) bytes"
    }
    guard whole.output.count <= limits.maximumOutputForPongs + 512 else {
      return "output of \(whole.output.count) bytes"
    }
    // The other side understands every byte of the answer.
    let answered = observe(role.peer, [whole.output], validates: true)
    for event in answered.events {
      if case .failed(let error) = event { return "our own output fails: \(error)" }
      if case .peerClosed(let close) = event, let error = close.violation {
        return "our own Close is illegal: \(error)"
      }
    }
    return nil
  }

  private static let limits: WebSocketLimits = {
    var limits = WebSocketLimits()
    limits.maximumMessage = 300
    limits.maximumFragments = 8
    limits.maximumOutputForPongs = 64
    return limits
  }()

  private static func observe(
    _ role: Role, _ chunks: [[UInt8]], validates: Bool
  ) -> Observation {
    var key: UInt32 = 0
    let keys = MaskingKeys { pool in
      for index in pool.indices {
        key &+= 0x9E37_79B9
        pool[index] = key
      }
    }
    var machine =
      role == .client
      ? ConnectionMachine(
        client: keys, limits: limits, validatesWholeMessages: validates, now: now)
      : ConnectionMachine(serverWith: limits, now: now)
    machine.isTracing = true
    var observation = Observation()
    for chunk in chunks {
      var position = 0
      while let event = machine.receive(chunk.span, at: &position, now: now) {
        switch event {
        case .message(let kind, .input(let range)):
          observation.events.append(.message(kind, .assembled))
          observation.messages.append(Array(chunk[range]))
        case .message:
          observation.events.append(event)
          observation.messages.append(machine.assembled)
        default: observation.events.append(event)
        }
      }
      precondition(position == chunk.count, "input was left")
    }
    for trace in machine.takeTraces() { precondition(trace.description.utf8.count < 2_000) }
    observation.state = machine.state
    observation.output = machine.output.withUnsafeBytes { Array($0) }
    return observation
  }

  private static func chunks(_ wire: [UInt8], seed: UInt8) -> [[UInt8]] {
    var chunks: [[UInt8]] = []
    var rest = wire[...]
    var size = Int(seed)
    while !rest.isEmpty {
      size = (size * 5 + 3) % 61
      chunks.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    return chunks
  }
}
