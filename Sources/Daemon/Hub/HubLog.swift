import Bytes
import Options
import Posix
import Reactor
import Session
import Timeline

/// Where a hub says what happens.
protocol HubLog: AnyObject {
  func note(_ level: LogLevel, _ text: @autoclosure () -> String)
  /// Writes what can be written.
  func flush(now: Instant)
  func close()
}

/// What the hub says on standard error. It never waits for its reader.
final class StandardErrorLog: HubLog {
  /// A reader that has left so much unread gets no more until it reads.
  private static let maximumWaiting = 65_536

  private var writer: ReportWriter
  private let sink: OutputSink
  private var waiting = ByteQueue()

  init(_ settings: LogSettings, loop: EventLoop) throws(SystemError) {
    let stream = try StandardStream(2, .output)
    sink = OutputSink(stream, overflowLimit: 0, loop: loop)
    writer = ReportWriter(
      style: ReportWriter.Style(settings.format, isTerminal: stream.kind == .terminal),
      level: LogLevel(settings.level), isQuiet: false)
  }

  func note(_ level: LogLevel, _ text: @autoclosure () -> String) {
    guard waiting.count < Self.maximumWaiting else { return }
    writer.appendNote(level, text(), WallClock.now(), to: &waiting)
  }

  func flush(now: Instant) {
    // Nobody is left to be told that this failed.
    if !waiting.isEmpty, sink.flush(&waiting, now: now) != nil { sink.close() }
  }

  func close() {
    sink.close()
  }
}
