import Bytes
import JSONText
import Timeline
import WebSocket

// The loops that every single message goes through, as functions over the parts they need. Called
// with stored properties of a class, each part is entered once a chunk; reached through the object,
// every step for every message would ask the run time whether somebody else is at it (measured: a
// third of the instructions outside the JSON scanner).

/// From frames to lines.
enum InboundStream {
  /// What ended a run of messages.
  enum Stop: Equatable {
    case inputTaken
    case event(ConnectionMachine.Event)
    case invalidText
    /// A binary frame in text format went to the reports.
    case reported
  }

  /// Turns messages into lines, until something else comes up or `count` lines are made; `count` is
  /// what is left of it.
  static func run(
    _ connection: inout ConnectionMachine?, _ dialect: inout PlainDialect,
    _ output: inout ByteQueue, _ reports: inout [UInt8], _ bytes: Span<UInt8>,
    at position: inout Int, now: Instant, count: inout Int
  ) -> Stop {
    while let event = connection?.receive(bytes, at: &position, now: now) {
      guard count > 0, case .message(let kind, let payload) = event else { return .event(event) }
      let delivered: PlainDialect.Delivered
      switch payload {
      case .input(let range):
        delivered = output.appendInPlace { records in
          dialect.deliver(kind, bytes, range, records: &records, reports: &reports)
        }
      case .assembled:
        let whole = connection?.assembled ?? []
        delivered = output.appendInPlace { records in
          dialect.deliver(kind, whole.span, 0..<whole.count, records: &records, reports: &reports)
        }
      }
      switch delivered {
      case .record: count &-= 1
      case .report: return .reported
      case .invalidText: return .invalidText
      }
    }
    return .inputTaken
  }
}

/// From lines to frames.
enum OutboundStream {
  /// Accepts lines that lie whole in the input and become frames as they are, as long as nobody
  /// wants to hear of each; returns the first other line.
  static func run(
    _ splitter: inout LineSplitter, _ dialect: inout PlainDialect, _ outbox: inout EphemeralOutbox,
    _ bytes: Span<UInt8>, at position: inout Int, lineNumber: inout Int
  ) -> (line: LineSplitter.Line, composed: PlainDialect.Composed?)? {
    while let line = splitter.next(bytes, at: &position) {
      lineNumber &+= 1
      guard case .inChunk(let range) = line else { return (line, nil) }
      let text = bytes.extracting(range)
      let composed = dialect.compose(text)
      guard case .line(let kind) = composed else { return (line, composed) }
      outbox.accept(kind, text, line: lineNumber, id: nil)
    }
    return nil
  }

  /// Sends what the window allows.
  static func send(
    _ outbox: inout EphemeralOutbox, _ connection: inout ConnectionMachine?,
    messages: Int, bytes: Int, outputBytes: Int
  ) {
    while outbox.inFlightCount < messages, outbox.inFlightByteCount < bytes,
      (connection?.output.count ?? .max) < outputBytes, let message = outbox.nextUnsent
    {
      guard connection?.send(message.kind, outbox.bytes.span, outbox.range(of: message)) ?? false
      else { return }
      outbox.markSent()
    }
  }
}
