package import WebSocket

/// Messages that were accepted and are not known to have arrived, in memory only.
///
/// | state | meaning | leaves by |
/// |---|---|---|
/// | queued | accepted, not on this link | `markSent` |
/// | sent | on this link, unanswered | `acknowledge`; `linkLost` makes it queued again |
/// | acknowledged | gone | |
///
/// Messages are numbered from 0 in the order of acceptance, for the whole run. The payloads stand
/// behind each other in one array, so accepting is a copy and nothing is allocated per message.
/// What is sent is always a prefix of what waits: a lost link puts the mark back to its start, which
/// keeps order and sends each message again with the same id.
package struct EphemeralOutbox: Sendable {
  package struct Message: Sendable {
    package let kind: MessageKind
    /// Line of standard input, counted from 1.
    package let line: Int
    package let id: MessageID?
    /// Where the payload stands, counted from the first byte ever accepted.
    let start: Int
    let end: Int
  }

  /// The payloads from the oldest unanswered message on; `range(of:)` points into it.
  package private(set) var bytes: [UInt8] = []
  private var messages: [Message] = []
  /// What `bytes[0]` and `messages[0]` are in the run's own counting.
  private var firstByte = 0
  private var firstNumber = 0
  /// Number of the oldest message that isn't acknowledged, and of the oldest that isn't sent.
  package private(set) var acknowledgedCount = 0
  package private(set) var sentCount = 0

  package init() {}

  package var acceptedCount: Int { firstNumber + messages.count }
  package var isEmpty: Bool { acknowledgedCount == acceptedCount }
  /// Messages and bytes that are not acknowledged.
  package var count: Int { acceptedCount - acknowledgedCount }
  package var byteCount: Int { firstByte + bytes.count - start(of: acknowledgedCount) }
  /// Memory that they take: for short lines what is noted about each is more than the line.
  package var heldByteCount: Int { byteCount + count * MemoryLayout<Message>.stride }
  package var inFlightCount: Int { sentCount - acknowledgedCount }
  package var inFlightByteCount: Int { start(of: sentCount) - start(of: acknowledgedCount) }
  package var unsentByteCount: Int { firstByte + bytes.count - start(of: sentCount) }

  private func start(of number: Int) -> Int {
    let index = number - firstNumber
    return index < messages.count ? messages[index].start : firstByte + bytes.count
  }

  package mutating func accept(
    _ kind: MessageKind, _ payload: Span<UInt8>, line: Int, id: MessageID?
  ) {
    let start = firstByte + bytes.count
    payload.withUnsafeBufferPointer { bytes.append(contentsOf: $0) }
    messages.append(
      Message(kind: kind, line: line, id: id, start: start, end: firstByte + bytes.count))
  }

  /// The next message for the wire.
  package var nextUnsent: Message? {
    let index = sentCount - firstNumber
    return index < messages.count ? messages[index] : nil
  }

  package func range(of message: Message) -> Range<Int> {
    message.start - firstByte..<message.end - firstByte
  }

  /// The message that `nextUnsent` gave is on its way.
  package mutating func markSent() {
    precondition(sentCount < acceptedCount, "nothing is left to send")
    sentCount += 1
  }

  /// The server has the messages up to, not including, this number. Numbers beyond what was sent on
  /// this link are held to be an error of the server and count as far as was sent.
  package mutating func acknowledge(upTo number: Int, _ each: (Message) -> Void) {
    let end = min(number, sentCount)
    while acknowledgedCount < end {
      each(messages[acknowledgedCount - firstNumber])
      acknowledgedCount += 1
    }
    cutOffAcknowledged()
  }

  /// Whatever was sent and not acknowledged is unknown: it will be sent again.
  package mutating func linkLost() {
    sentCount = acknowledgedCount
  }

  /// Moves the rest of each array to the front once more than half of it is done with, so that
  /// nothing is moved more than once on average; gives large storage back when all is done.
  private mutating func cutOffAcknowledged() {
    let doneBytes = start(of: acknowledgedCount) - firstByte
    let doneMessages = acknowledgedCount - firstNumber
    if doneBytes == bytes.count {
      firstByte += doneBytes
      bytes.removeAll(keepingCapacity: bytes.capacity <= 2 << 20)
    } else if doneBytes > bytes.count / 2 {
      firstByte += doneBytes
      bytes.removeSubrange(0..<doneBytes)
    }
    if doneMessages == messages.count {
      firstNumber += doneMessages
      messages.removeAll(keepingCapacity: messages.capacity <= 1 << 14)
    } else if doneMessages > messages.count / 2 {
      firstNumber += doneMessages
      messages.removeSubrange(0..<doneMessages)
    }
  }
}
