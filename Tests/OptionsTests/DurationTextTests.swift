import Testing

@testable import Options

@Suite struct DurationTextTests {
  @Test(arguments: [
    ("10", Duration.seconds(10)), ("10s", .seconds(10)), ("500ms", .milliseconds(500)),
    ("2m", .seconds(120)), ("1h", .seconds(3_600)), ("3d", .seconds(259_200)), ("0", .zero),
    ("9223372036854775807ms", .milliseconds(Int64.max)), ("9223372036854775807", nil),
    ("9223372036854775808ms", nil), ("", nil), ("s", nil), ("1.5s", nil), ("10 s", nil),
    ("10S", nil), ("-1s", nil), ("1us", nil), ("1h30m", nil),
  ])
  func textsAreTimes(text: String, duration: Duration?) {
    #expect(DurationText.parse(text) == duration)
  }

  @Test(arguments: [
    ("1s..30s", Duration.seconds(1)...(.seconds(30))), ("5..5", .seconds(5)...(.seconds(5))),
    ("100ms..1m", .milliseconds(100)...(.seconds(60))), ("30s..1s", nil), ("1s", nil),
    ("1s..", nil), ("..1s", nil), ("1s.30s", nil), ("1s...30s", nil), ("..", nil), (".", nil),
    ("", nil), ("1s..2s..3s", nil),
  ])
  func textsAreRanges(text: String, range: ClosedRange<Duration>?) {
    #expect(DurationText.parseRange(text) == range)
  }

  @Test(arguments: [
    (Duration.zero, "0s"), (.milliseconds(1), "1ms"), (.milliseconds(1_500), "1500ms"),
    (.seconds(90), "90s"), (.seconds(120), "2m"), (.seconds(7_200), "2h"),
    (.seconds(86_400), "1d"), (.microseconds(1_999), "1ms"),
    (.seconds(Int64.max), "9223372036854775807s"),
  ])
  func renderedTimesAreShort(duration: Duration, text: String) {
    #expect(DurationText.render(duration) == text)
  }
}
