import Bytes
import JSONText
import Testing
import WebSocket

@testable import Session

@Suite struct PlainDialectTests {
  // MARK: From a line to a frame

  private static func compose(
    _ line: [UInt8], _ format: PlainDialect.Format = .json
  ) -> (PlainDialect.Composed, built: [UInt8]) {
    var dialect = PlainDialect(format: format, isForTerminal: false)
    return (dialect.compose(line.span), dialect.built)
  }

  @Test(arguments: [
    "{}", "[]", "1", "null", "true", "\"text\"", " {\"a\": 1}\t", #"{"type":"message"}"#,
    #"{"type":"wsi"}"#, #"{"type":"wsii"}"#, #"{"type":"Wsii.text"}"#, #"{"type":7}"#,
    #"{"type":["wsii.text"]}"#, #"["wsii.text"]"#, #"{"x":{"type":"wsii.state"}}"#,
    "{\"a\":\"\u{202E}\u{7F}\"}", #"{"a":"😀"}"#,
  ])
  func aJSONLineIsAFrameAsItStands(line: String) {
    #expect(Self.compose(Array(line.utf8)).0 == .line(.text))
  }

  @Test(arguments: ["", " ", "\t \r", "\r"])
  func blankLinesAreSkipped(line: String) {
    #expect(Self.compose(Array(line.utf8)).0 == .skipped)
  }

  private static let badLines: [([UInt8], String)] = [
    (Array("x".utf8), "\"x\" where a JSON value should begin"),
    ([0x22, 0xFF, 0x22], "invalid UTF-8"),
    (Array("{\"a\":\0}".utf8), "byte 0x00 where a JSON value should begin"),
    ([0xEF, 0xBB, 0xBF] + Array("{}".utf8), "a byte order mark before the JSON value"),
    (Array("NaN".utf8), "\"N\" where a JSON value should begin"),
    (Array("1e999".utf8), "a number beyond the range of a double"),
    (Array(#"{"a":1,"a":2}"#.utf8), "duplicate key \"a\""),
    (Array(String(repeating: "[", count: 10_000).utf8), "nested deeper than 128"),
    (Array(#""\ud83d""#.utf8), "half a surrogate pair in a string"),
    (Array("{} {}".utf8), "more bytes after the JSON value"),
    (Array("{\"a\":".utf8), "the JSON value ends too early"),
    (Array(#"{"type":"wsii.text"}"#.utf8), "a wsii.text record needs a string \"text\""),
    (Array(#"{"type":"wsii.text","text":1}"#.utf8), "a wsii.text record needs a string \"text\""),
    (
      Array(#"{"type":"wsii.binary","text":"x"}"#.utf8),
      "a wsii.binary record needs a string \"data\""
    ),
    (Array(#"{"type":"wsii.binary","data":"?"}"#.utf8), "\"data\" is not base64"),
    (Array(#"{"type":"wsii.binary","data":"AA"}"#.utf8), "\"data\" is not base64"),
  ]

  @Test(arguments: badLines)
  func aBadLineIsRefused(line: [UInt8], reason: String) {
    #expect(Self.compose(line).0 == .refused(reason: reason))
  }

  private static let wrapped: [(String, MessageKind, [UInt8])] = [
    (
      #"{"type":"wsii.text","text":"hi\n\u0000\ud83d\ude00"}"#, MessageKind.text,
      Array("hi\n\0😀".utf8)
    ),
    (#"{"text":"","type":"wsii.text","more":1}"#, .text, []),
    (#"{"type":"wsi\u0069.text","text":"x"}"#, .text, Array("x".utf8)),
    (#"{"type":"wsii.binary","data":"AP8="}"#, .binary, [0x00, 0xFF]),
    (#"{"type":"wsii.binary","data":""}"#, .binary, []),
    (#"{"type":"wsii.binary","data":"AP8\u003d"}"#, .binary, [0x00, 0xFF]),
  ]

  @Test(arguments: wrapped)
  func aWrappedFrameIsUnwrapped(line: String, kind: MessageKind, payload: [UInt8]) {
    let (composed, built) = Self.compose(Array(line.utf8))
    #expect(composed == .built(kind) && built == payload)
  }

  @Test(arguments: [
    #"{"type":"wsii.state","state":"online"}"#, #"{"type":"wsii."}"#, #"{"type":"wsii.textual"}"#,
    #"{"type":"\u0077sii.error"}"#,
  ])
  func reportsOfAnotherWsiiAreSkipped(line: String) {
    #expect(Self.compose(Array(line.utf8)).0 == .skipped)
  }

  private static let textLines: [([UInt8], PlainDialect.Composed)] = [
    (Array("".utf8), PlainDialect.Composed.line(.text)), (Array("hi".utf8), .line(.text)),
    (Array(#"{"type":"wsii.state"}"#.utf8), .line(.text)), (Array("a\0é".utf8), .line(.text)),
    ([0xC3], .refused(reason: "not UTF-8")), ([0xED, 0xA0, 0x80], .refused(reason: "not UTF-8")),
  ]

  @Test(arguments: textLines)
  func aTextLineIsAFramesText(line: [UInt8], composed: PlainDialect.Composed) {
    #expect(Self.compose(line, .text).0 == composed)
  }

  // MARK: From a frame to a line

  private static func deliver(
    _ kind: MessageKind, _ payload: [UInt8], _ format: PlainDialect.Format = .json,
    isForTerminal: Bool = false
  ) -> (PlainDialect.Delivered, records: String, reports: String) {
    var dialect = PlainDialect(format: format, isForTerminal: isForTerminal)
    // In the middle of an input, as frames lie.
    let input = [0x5B, 0x22] + payload + [0x22, 0x5D]
    var records: [UInt8] = []
    var reports: [UInt8] = []
    let delivered = dialect.deliver(
      kind, input.span, 2..<(2 + payload.count), records: &records, reports: &reports)
    return (
      delivered, String(decoding: records, as: UTF8.self), String(decoding: reports, as: UTF8.self)
    )
  }

  private static let frames: [(String, String)] = [
    (#"{"a":1}"#, #"{"a":1}"#), ("[]", "[]"), (" \r\n{}\n ", "{}"),
    ("{\n\"a\":\r\n[1]}", "{ \"a\":  [1]}"), (#"{"type":"wsii"}"#, #"{"type":"wsii"}"#),
    (#"{"type":1}"#, #"{"type":1}"#), ("[\"\u{202E}\u{7F}\"]", "[\"\u{202E}\u{7F}\"]"),
    (#"{"a":{"type":"wsii.state"}}"#, #"{"a":{"type":"wsii.state"}}"#),
    // What is no strict object or array, or speaks for wsii, arrives wrapped.
    ("", #"{"type":"wsii.text","text":""}"#), ("hi", #"{"type":"wsii.text","text":"hi"}"#),
    ("7", #"{"type":"wsii.text","text":"7"}"#), ("null", #"{"type":"wsii.text","text":"null"}"#),
    (#""s""#, #"{"type":"wsii.text","text":"\"s\""}"#),
    (#"{"a":1,"a":2}"#, #"{"type":"wsii.text","text":"{\"a\":1,\"a\":2}"}"#),
    ("a\nb\0\u{1B}", #"{"type":"wsii.text","text":"a\nb\u0000\u001b"}"#),
    ("x\u{202E}\u{7F}", "{\"type\":\"wsii.text\",\"text\":\"x\u{202E}\u{7F}\"}"),
    (#"{"type":"wsii.state"}"#, #"{"type":"wsii.text","text":"{\"type\":\"wsii.state\"}"}"#),
    (
      #"{"type":"\u0077sii\u002estate"}"#,
      #"{"type":"wsii.text","text":"{\"type\":\"\\u0077sii\\u002estate\"}"}"#
    ),
    (
      #"{"type":"wsii.text","text":"x"}"#,
      #"{"type":"wsii.text","text":"{\"type\":\"wsii.text\",\"text\":\"x\"}"}"#
    ),
  ]

  @Test(arguments: frames)
  func aTextFrameIsOneLineOfJSON(payload: String, line: String) throws {
    let (delivered, records, reports) = Self.deliver(.text, Array(payload.utf8))
    #expect(delivered == .record && records == line + "\n" && reports.isEmpty)
    _ = try Told(Array(line.utf8))
  }

  @Test(arguments: [
    ("[\"\u{202E}\u{7F}é\u{9B}\u{E0041}\"]\n", #"["\u202e\u007fé\u009b\udb40\udc41"]"#),
    ("{\n}", "{ }"),
    ("\u{2028}", #"{"type":"wsii.text","text":"\u2028"}"#),
  ])
  func whatATerminalMayObeyIsEscapedOnOne(payload: String, line: String) {
    let (_, records, _) = Self.deliver(.text, Array(payload.utf8), isForTerminal: true)
    #expect(records == line + "\n")
  }

  @Test(arguments: [PlainDialect.Format.json, .text])
  func badUTF8IsTheServersError(format: PlainDialect.Format) {
    for payload: [UInt8] in [[0xFF], [0x5B, 0x22, 0xC3, 0x22, 0x5D], [0xED, 0xA0, 0x80]] {
      let (delivered, records, reports) = Self.deliver(.text, payload, format)
      #expect(delivered == .invalidText && records.isEmpty && reports.isEmpty)
    }
  }

  @Test func aBinaryFrameIsARecordOrAReport() {
    let line = "{\"type\":\"wsii.binary\",\"data\":\"AP8=\"}\n"
    #expect(Self.deliver(.binary, [0x00, 0xFF]) == (.record, line, ""))
    #expect(Self.deliver(.binary, [0x00, 0xFF], .text) == (.report, "", line))
    #expect(
      Self.deliver(.binary, []) == (.record, "{\"type\":\"wsii.binary\",\"data\":\"\"}\n", ""))
  }

  @Test(arguments: [
    ("hi", "hi", "hi"), ("", "", ""), ("a\nb\r\n\\", #"a\nb\r\n\"#, #"a\nb\r\n\"#),
    ("\u{1B}[2J\u{202E}\t", "\u{1B}[2J\u{202E}\t", #"\x1b[2J\u202e\t"#),
  ])
  func inTextFormatAFramesTextIsALine(payload: String, pipe: String, terminal: String) {
    let bytes = Array(payload.utf8)
    #expect(Self.deliver(.text, bytes, .text) == (.record, pipe + "\n", ""))
    #expect(
      Self.deliver(.text, bytes, .text, isForTerminal: true) == (.record, terminal + "\n", ""))
  }

  /// What one wsii prints, another one sends as the same frame.
  @Test(arguments: 0..<20)
  func wrappingAndUnwrappingAreInverse(seed: UInt64) throws {
    var dice = Dice(seed: seed)
    var dialect = PlainDialect(format: .json, isForTerminal: dice.comesUp(50))
    for _ in 0..<50 {
      let payload = (0..<dice.pick(0...30)).map { _ in UInt8(truncatingIfNeeded: dice.next()) }
      let kind: MessageKind =
        UTF8Validator.isValid(payload.span, 0..<payload.count)
        ? .text : .binary
      var line: [UInt8] = []
      var reports: [UInt8] = []
      let delivered = dialect.deliver(
        kind, payload.span, 0..<payload.count, records: &line, reports: &reports)
      #expect(delivered == .record && line.popLast() == 0x0A && !line.contains(0x0A))
      _ = try Told(line)
      switch dialect.compose(line.span) {
      case .built(let builtKind): #expect(builtKind == kind && dialect.built == payload)
      case .line(.text): #expect(kind == .text)
      case let other: Issue.record("\(other)")
      }
    }
  }
}
