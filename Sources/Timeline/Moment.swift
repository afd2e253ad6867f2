/// The present, as the shell hands it to the core once a turn: the steady clock for waits and the
/// civil one for records.
package struct Moment: Hashable, Sendable {
  package var instant: Instant
  package var timestamp: Timestamp

  package init(instant: Instant, timestamp: Timestamp) {
    self.instant = instant
    self.timestamp = timestamp
  }
}
