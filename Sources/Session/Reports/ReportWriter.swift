package import Bytes
import JSONText
package import Timeline

/// Writes what wsii has to say, as records or as lines for people.
///
/// Whatever a server or a stranger's line put into a text is made safe here: escaped in records,
/// made visible in lines.
package struct ReportWriter: Sendable {
  package enum Style: Sendable {
    /// Everything for people: standard error is a terminal.
    case lines
    /// Reports as NDJSON records, notes as lines: standard error goes into a pipe or a file.
    case records
    /// Everything as records, for collectors of logs.
    case recordsOnly
  }

  /// A bad line is shown so far.
  private static let maximumInput = 120

  private let style: Style
  private let level: LogLevel
  private let isQuiet: Bool
  /// Texts that stand for `***` wherever they turn up: a server may quote a token back at us.
  package var secrets: [String] = [] {
    didSet { secretBytes = secrets.filter { $0.utf8.count >= 4 }.map { Array($0.utf8) } }
  }
  private var secretBytes: [[UInt8]] = []
  /// One timestamp serves a whole turn, and formatting it costs more than the rest of a record.
  private var cachedTimestamp: Timestamp?
  private var cachedText: [UInt8] = []

  /// `isQuiet` leaves out every report; notes below `level` are left out as well.
  package init(style: Style, level: LogLevel, isQuiet: Bool) {
    self.style = style
    self.level = level
    self.isQuiet = isQuiet
  }

  /// Whether each message's acceptance and delivery is told. People who look on aren't told unless
  /// they ask for it: the line they typed is on their screen already.
  package var showsMessages: Bool {
    !isQuiet && (style != .lines || level >= .debug)
  }

  package mutating func append(_ report: Report, _ now: Timestamp, to queue: inout ByteQueue) {
    guard !isQuiet else { return }
    if style == .lines {
      guard report.level <= level else { return }
      appendNote(report.level, report.sentence, now, to: &queue)
    } else {
      refreshTimestamp(now)
      queue.appendInPlace { appendRecord(report, to: &$0) }
    }
  }

  /// A sentence for people that is no record of the contract.
  package mutating func appendNote(
    _ level: LogLevel, _ text: String, _ now: Timestamp, to queue: inout ByteQueue
  ) {
    guard level <= self.level else { return }
    if style == .recordsOnly {
      refreshTimestamp(now)
      queue.appendInPlace { bytes in
        appendHead("note", to: &bytes)
        appendMember("level", "\(level)", to: &bytes)
        appendMember("text", text, to: &bytes)
        bytes.append(contentsOf: "}\n".utf8)
      }
    } else {
      appendLine("wsii: ", text, to: &queue)
    }
  }

  /// A line of `--trace`, with the time of day; shown whatever the level is.
  package mutating func appendTrace(
    _ text: String, _ now: Timestamp, to queue: inout ByteQueue
  ) {
    refreshTimestamp(now)
    // From `2026-11-30T20:15:00.123Z` the time of day: a trace is read beside other logs of the day.
    appendLine(String(decoding: cachedText[11..<23], as: UTF8.self) + " ", text, to: &queue)
  }

  private func appendLine(_ prefix: String, _ text: String, to queue: inout ByteQueue) {
    queue.append(contentsOf: Array((prefix + TerminalText.visible(masked(text)) + "\n").utf8))
  }

  private func masked(_ text: String) -> String {
    secretBytes.isEmpty ? text : String(decoding: masked(Array(text.utf8)), as: UTF8.self)
  }

  private func masked(_ text: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var rest = text[...]
    while let first = rest.first {
      if let secret = secretBytes.first(where: { rest.starts(with: $0) }) {
        result.append(contentsOf: "***".utf8)
        rest = rest.dropFirst(secret.count)
      } else {
        result.append(first)
        rest = rest.dropFirst()
      }
    }
    return result
  }

  // MARK: Records

  private mutating func refreshTimestamp(_ now: Timestamp) {
    guard cachedTimestamp != now else { return }
    cachedTimestamp = now
    cachedText.removeAll(keepingCapacity: true)
    now.appendRFC3339(to: &cachedText)
  }

  private func appendRecord(_ report: Report, to bytes: inout [UInt8]) {
    switch report {
    case .state(let link):
      appendHead("state", to: &bytes)
      appendState(link, to: &bytes)
    case .accepted(let id, let line):
      appendHead("accepted", to: &bytes)
      appendID(id, to: &bytes)
      appendMember("line", line, to: &bytes)
      bytes.append(contentsOf: #","durable":false"#.utf8)
    case .delivered(let id):
      appendHead("delivered", to: &bytes)
      appendID(id, to: &bytes)
    case .failed(let id, let reason):
      appendHead("failed", to: &bytes)
      appendID(id, to: &bytes)
      appendMember("reason", reason, to: &bytes)
    case .gap(let reason):
      appendHead("gap", to: &bytes)
      appendMember("reason", reason, to: &bytes)
    case .error(let source, let line, let reason, let input):
      appendHead("error", to: &bytes)
      appendMember("source", source, to: &bytes)
      appendMember("line", line, to: &bytes)
      appendMember("reason", reason, to: &bytes)
      appendMember("input", input, to: &bytes)
    }
    bytes.append(contentsOf: "}\n".utf8)
  }

  private func appendState(_ link: LinkReport, to bytes: inout [UInt8]) {
    appendMember("state", link.state.rawValue, to: &bytes)
    if let reason = link.reason { appendMember("reason", reason, to: &bytes) }
    if let code = link.closeCode { appendMember("closeCode", Int(code), to: &bytes) }
    if let reason = link.closeReason { appendMember("closeReason", reason, to: &bytes) }
    if let status = link.httpStatus { appendMember("httpStatus", status, to: &bytes) }
    if let attempt = link.attempt { appendMember("attempt", attempt, to: &bytes) }
    if let wait = link.retryIn {
      appendMember("retryInMs", Int(clamping: wait.wholeMilliseconds), to: &bytes)
    }
  }

  private func appendHead(_ type: StaticString, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: #"{"type":"wsii."#.utf8)
    type.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: #"","timestamp":""#.utf8)
    bytes.append(contentsOf: cachedText)
    bytes.append(UInt8(ascii: "\""))
  }

  private func appendID(_ id: MessageID, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: #","messageId":""#.utf8)
    id.append(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  private func appendName(_ name: StaticString, to bytes: inout [UInt8]) {
    bytes.append(contentsOf: #",""#.utf8)
    name.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(contentsOf: #"":"#.utf8)
  }

  private func appendMember(_ name: StaticString, _ value: Int, to bytes: inout [UInt8]) {
    appendName(name, to: &bytes)
    bytes.append(contentsOf: String(value).utf8)
  }

  private func appendMember(_ name: StaticString, _ value: String, to bytes: inout [UInt8]) {
    appendName(name, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
    JSONString.appendEscaped(masked(value), escapes: .terminal, into: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  private func appendMember(_ name: StaticString, _ value: [UInt8], to bytes: inout [UInt8]) {
    appendName(name, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
    let shown = masked(value)
    let isCut = JSONString.appendEscaped(
      shown.span, 0..<shown.count, escapes: .terminal, maximum: Self.maximumInput, into: &bytes)
    if isCut { bytes.append(contentsOf: "…".utf8) }
    bytes.append(UInt8(ascii: "\""))
  }
}

extension Report {
  var level: LogLevel {
    switch self {
    case .state(let link): link.state == .connecting ? .info : .notice
    case .accepted, .delivered: .debug
    case .failed, .error: .error
    case .gap: .warning
    }
  }

  /// The report as a sentence, still with whatever strangers wrote into it.
  var sentence: String {
    switch self {
    case .state(let link): link.sentence
    case .accepted(_, let line): "line \(line) accepted"
    case .delivered(let id):
      "delivered \(id.text)"
    case .failed(let id, let reason): "message \(id.text) failed: \(reason)"
    case .gap(let reason): "messages are missing here: \(reason)"
    case .error(let source, let line, let reason, let input):
      "\(source) line \(line): \(reason): \(String(decoding: input.prefix(120), as: UTF8.self))"
    }
  }
}

extension MessageID {
  /// The usual form, for sentences.
  package var text: String {
    var bytes: [UInt8] = []
    append(to: &bytes)
    return String(decoding: bytes, as: UTF8.self)
  }
}

extension LinkReport {
  fileprivate var sentence: String {
    var sentence = state.rawValue
    if let reason { sentence += ": \(reason)" }
    if let retryIn {
      sentence += "; next try in \(retryIn.shortText)"
      if let attempt, attempt > 1 { sentence += " (after \(attempt) attempts)" }
    }
    return sentence
  }
}
