package import Bytes
import JSONText
package import Timeline
import WebSocket

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

  /// Hiding a shorter text wherever it stands would hide more than it protects.
  private static let shortestSecret = 4
  /// So much of a secret's beginning gives the secret away.
  private static let shortestBeginning = 8

  private let style: Style
  private let level: LogLevel
  let isQuiet: Bool
  /// Texts that become `***` wherever they turn up: a server may quote a token back at us. So do
  /// their beginnings, since quotes are cut short, and their forms in a URL and in a trace.
  package var secrets: [String] = [] {
    didSet {
      let spellings = secrets.flatMap {
        [Array($0.utf8), Array(PercentEncoding.encoded($0.utf8).utf8), Self.escaped($0)]
      }
      secretBytes = Array(Set(spellings))
        .filter { $0.count >= Self.shortestSecret }
    }
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

  /// The report as a record whatever the style is, for standard output.
  package mutating func appendAsRecord(
    _ report: Report, _ now: Timestamp, to queue: inout ByteQueue
  ) {
    guard !isQuiet else { return }
    refreshTimestamp(now)
    queue.appendInPlace { appendRecord(report, to: &$0) }
  }

  /// Whether reports on standard error are for people.
  package var isForPeople: Bool { style == .lines }

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
      appendLine("wsii: ", TerminalText.visible(masked(text)), to: &queue)
    }
  }

  /// A line of `--trace`, with the time of day; shown whatever the level is. The text is safe to
  /// print already.
  package mutating func appendTrace(
    _ text: String, _ now: Timestamp, to queue: inout ByteQueue
  ) {
    refreshTimestamp(now)
    if style == .recordsOnly {
      queue.appendInPlace { bytes in
        appendHead("trace", to: &bytes)
        appendMember("text", text, to: &bytes)
        bytes.append(contentsOf: "}\n".utf8)
      }
    } else {
      // From `2026-11-30T20:15:00.123Z` the time of day: a trace is read beside other logs of it.
      let time = String(decoding: cachedText[11..<23], as: UTF8.self)
      appendLine(time + " ", masked(text), to: &queue)
    }
  }

  /// As the lines of a trace write it: printable, with quotes and backslashes escaped.
  private static func escaped(_ secret: String) -> [UInt8] {
    var bytes: [UInt8] = []
    JSONString.appendEscaped(secret, into: &bytes)
    return bytes
  }

  private func appendLine(_ prefix: String, _ text: String, to queue: inout ByteQueue) {
    queue.append(contentsOf: Array((prefix + text + "\n").utf8))
  }

  private func masked(_ text: String) -> String {
    secretBytes.isEmpty ? text : String(decoding: masked(Array(text.utf8)), as: UTF8.self)
  }

  private func masked(_ text: [UInt8]) -> [UInt8] {
    guard !secretBytes.isEmpty else { return text }
    var result: [UInt8] = []
    var rest = text[...]
    while let first = rest.first {
      let hidden = secretBytes.reduce(0) { max($0, Self.hiddenCount(rest, $1)) }
      if hidden > 0 {
        result.append(contentsOf: "***".utf8)
        rest = rest.dropFirst(hidden)
      } else {
        result.append(first)
        rest = rest.dropFirst()
      }
    }
    return result
  }

  /// How much of the text's beginning is the secret, or enough of it.
  private static func hiddenCount(_ text: ArraySlice<UInt8>, _ secret: [UInt8]) -> Int {
    guard text.first == secret.first else { return 0 }
    let common = zip(text, secret).prefix { $0 == $1 }.count
    return common == secret.count || common >= shortestBeginning ? common : 0
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
    case .delivered(let id, let seq, let timestamp):
      // The server's time of the message is worth more than ours of its answer.
      appendHead("delivered", timestamp: timestamp, to: &bytes)
      appendID(id, to: &bytes)
      if let seq { appendMember("seq", seq, to: &bytes) }
    case .failed(let id, let reason):
      appendHead("failed", to: &bytes)
      appendID(id, to: &bytes)
      appendMember("reason", reason, to: &bytes)
    case .gap(let reason):
      appendHead("gap", to: &bytes)
      appendMember("reason", reason, to: &bytes)
    case .missing(let room, let after, let before, let epoch):
      appendHead("gap", to: &bytes)
      appendText("conversationId", room, to: &bytes)
      appendMember("after", after, to: &bytes)
      appendMember("before", before, to: &bytes)
      if let epoch { appendText("epoch", epoch, to: &bytes) }
    case .serverError(let room, let reason):
      appendHead("error", to: &bytes)
      appendMember("source", "server", to: &bytes)
      if let room { appendText("conversationId", room, to: &bytes) }
      appendMember("reason", reason, to: &bytes)
    case .error(let source, let line, let reason, let input):
      appendHead("error", to: &bytes)
      appendMember("source", source, to: &bytes)
      appendMember("line", line, to: &bytes)
      appendMember("reason", reason, to: &bytes)
      appendMember("input", input, maximum: Report.maximumInput, to: &bytes)
    }
    bytes.append(contentsOf: "}\n".utf8)
  }

  private func appendState(_ link: LinkReport, to bytes: inout [UInt8]) {
    appendMember("state", link.state.rawValue, to: &bytes)
    if let reason = link.reason { appendMember("reason", reason, to: &bytes) }
    if let code = link.closeCode { appendMember("closeCode", Int(code), to: &bytes) }
    if let reason = link.closeReason {
      appendMember("closeReason", reason, maximum: .max, to: &bytes)
    }
    if let status = link.httpStatus { appendMember("httpStatus", status, to: &bytes) }
    if let attempt = link.attempt { appendMember("attempt", attempt, to: &bytes) }
    if let wait = link.retryIn {
      appendMember("retryInMs", Int(clamping: wait.wholeMilliseconds), to: &bytes)
    }
  }

  private func appendHead(
    _ type: StaticString, timestamp: [UInt8]? = nil, to bytes: inout [UInt8]
  ) {
    bytes.append(contentsOf: #"{"type":"wsii."#.utf8)
    type.withUTF8Buffer { bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    if let timestamp {
      appendText("timestamp", timestamp, to: &bytes)
    } else {
      bytes.append(contentsOf: #","timestamp":""#.utf8)
      bytes.append(contentsOf: cachedText)
      bytes.append(UInt8(ascii: "\""))
    }
  }

  private func appendID(_ name: MessageName, to bytes: inout [UInt8]) {
    switch name {
    case .local(let id):
      bytes.append(contentsOf: #","messageId":""#.utf8)
      id.append(to: &bytes)
      bytes.append(UInt8(ascii: "\""))
    case .shared(let id, let room):
      appendText("messageId", id, to: &bytes)
      appendText("conversationId", room, to: &bytes)
    }
  }

  /// A text of any length that is an identifier: neither masked nor cut, or it would be another one.
  private func appendText(_ name: StaticString, _ value: [UInt8], to bytes: inout [UInt8]) {
    appendName(name, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
    JSONString.appendEscaped(value.span, 0..<value.count, escapes: .terminal, into: &bytes)
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

  private func appendMember(
    _ name: StaticString, _ value: [UInt8], maximum: Int, to bytes: inout [UInt8]
  ) {
    appendName(name, to: &bytes)
    bytes.append(UInt8(ascii: "\""))
    let shown = masked(value)
    let isCut = JSONString.appendEscaped(
      shown.span, 0..<shown.count, escapes: .terminal, maximum: maximum, into: &bytes)
    if isCut { bytes.append(contentsOf: "…".utf8) }
    bytes.append(UInt8(ascii: "\""))
  }
}
