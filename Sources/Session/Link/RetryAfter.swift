package import Timeline

/// The Retry-After field (RFC 9110, section 10.2.3): seconds, or a date.
package enum RetryAfter {
  /// A server's wish beyond this is held to be an error of its clock.
  package static let longestWait = Duration.seconds(3600)

  /// Reads the field's value; nil if it is neither form. A date in the past is no wait at all.
  package static func parse(_ value: [UInt8], now: Timestamp) -> Duration? {
    if let date = Timestamp(httpDate: value) {
      let (wait, overflow) = date.unixMilliseconds.subtractingReportingOverflow(
        now.unixMilliseconds)
      return min(max(.milliseconds(overflow ? 0 : wait), .zero), longestWait)
    }
    guard !value.isEmpty, value.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    // Digits beyond any sensible wait need not be computed; leading zeros are none.
    let seconds = value.drop { $0 == 0x30 }.prefix(10).reduce(Int64(0)) {
      $0 * 10 + Int64($1 &- 0x30)
    }
    return min(.seconds(seconds), longestWait)
  }
}
