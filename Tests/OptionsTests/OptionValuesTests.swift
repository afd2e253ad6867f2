import Hub
import Testing
import WebSocket

@testable import Options

@Suite struct OptionValuesTests {
  private static func values(
    _ command: Command = .run, line: [(OptionName, String)] = [],
    environment: [(name: String, value: String)] = [], file: String? = nil
  ) throws -> OptionValues {
    let arguments = line.map { GivenOption(name: $0.0, text: $0.1, origin: .commandLine) }
    let read = try file.map { try ConfigurationFile(path: "/c/ops.conf", bytes: Array($0.utf8)) }
    return try OptionValues(
      command, arguments: arguments, environment: Environment(environment), file: read)
  }

  @Test func theFirstSourceCounts() throws {
    let file = "max-message = 3"
    let environment = [(name: "WSII_MAX_MESSAGE", value: "2")]
    var values = try OptionValuesTests.values(
      line: [(.maxMessage, "9"), (.maxMessage, "1")], environment: environment, file: file)
    #expect(values.number(.maxMessage) == 1)
    #expect(values.origin(.maxMessage) == .commandLine)
    values = try OptionValuesTests.values(environment: environment, file: file)
    #expect(values.number(.maxMessage) == 2)
    values = try OptionValuesTests.values(file: file)
    #expect(values.number(.maxMessage) == 3)
    #expect(values.origin(.maxMessage) == .file(path: "/c/ops.conf", line: 1))
    #expect(values.isGiven(.maxMessage))
    values = try OptionValuesTests.values()
    #expect(values.number(.maxMessage) == 1 << 20)
    #expect(!values.isGiven(.maxMessage))
  }

  @Test func repeatableOptionsReplaceAndDoNotAdd() throws {
    let environment = [(name: "WSII_SUBPROTOCOL", value: "c\nd")]
    let both = try OptionValuesTests.values(
      line: [(.subprotocol, "a"), (.subprotocol, "b")], environment: environment)
    #expect(both.texts(.subprotocol) == ["a", "b"])
    #expect(
      try OptionValuesTests.values(environment: environment).texts(.subprotocol) == ["c", "d"])
  }

  @Test func aFlagIsSwitchedOff() throws {
    let values = try OptionValuesTests.values(line: [(.quiet, "false")], file: "quiet = yes")
    #expect(!values.isOn(.quiet))
    #expect(try OptionValuesTests.values(file: "quiet = yes").isOn(.quiet))
  }

  @Test func everyShapeOfValueIsFound() throws {
    let values = try OptionValuesTests.values(
      line: [
        (.header, "A: b"), (.backoff, "1s..2s"), (.connectTimeout, "3s"), (.origin, "http://a"),
      ])
    #expect(values.named(.header) == [NamedValue(name: "A", value: .literal("b"))])
    #expect(values.range(.backoff) == .seconds(1)...(.seconds(2)))
    #expect(values.duration(.connectTimeout) == .seconds(3))
    #expect(values.text(.origin) == "http://a")
    #expect(try OptionValuesTests.values(line: [(.url, "ws://x")]).url() == WebSocketURL("ws://x"))
    #expect(values.url() == nil)
    #expect(
      try OptionValuesTests.values(.hub, line: [(.listen, "[::1]:1")]).address(.listen)
        == .tcp(host: "::1", port: 1))
    let hub = try OptionValuesTests.values(.hub, line: [(.rate, "5"), (.chaos, "delay=5")])
    #expect(hub.rate(.rate) == MessageRate(perSecond: 5, burst: 5))
    #expect(try hub.chaos(.chaos) == ChaosSpec("delay=5"))
    #expect(hub.rate(.chaos) == nil && hub.chaos(.rate) == nil)
  }

  @Test func anotherShapeIsNone() throws {
    let values = try OptionValuesTests.values(line: [(.origin, "http://a"), (.pingInterval, "off")])
    #expect(values.number(.origin) == nil && values.duration(.pingInterval) == nil)
    #expect(values.range(.origin) == nil && values.address(.origin) == nil)
    #expect(values.named(.origin).isEmpty && values.texts(.maxMessage).isEmpty)
    #expect(values.named(.cert).isEmpty && values.texts(.cert).isEmpty)
    #expect(values.origin(.listen) == .byDefault)
  }

  @Test func pathsInAFileAreRelativeToIt() throws {
    let values = try OptionValuesTests.values(
      file: "token-file = t\nheader = A: @h\nheader = B: h\ncacert = /ca\ntoken-command = a/b")
    #expect(values.text(.tokenFile) == "/c/t")
    #expect(values.text(.cacert) == "/ca")
    #expect(values.text(.tokenCommand) == "a/b")
    #expect(values.named(.header).map(\.value) == [.file("/c/h"), .literal("h")])
    #expect(try OptionValuesTests.values(line: [(.tokenFile, "t")]).text(.tokenFile) == "t")
  }

  @Test(arguments: [
    (
      [(OptionName.connectTimeout, "x\n")], "", "",
      "--connect-timeout 'x\\n': not a time; allowed is 1ms to 1d, as in 10s, 500ms, 2m, 1h",
      Status.usage
    ),
    (
      [], "x", "", "WSII_RETRIES 'x': not a number; allowed is 0 to 1000000 or unlimited",
      .configuration
    ),
    (
      [], "", "\nack-by = x", "/c/ops.conf:2: ack-by 'x': unknown; allowed is pong, write",
      .configuration
    ),
    (
      [(.ackBy, "pong")], "", "ack-by = x",
      "/c/ops.conf:1: ack-by 'x': unknown; allowed is pong, write", .configuration
    ),
    (
      [(.header, "Upgrade: secret")], "", "",
      "--header: can't set upgrade: the handshake sets it; allowed is NAME: VALUE or NAME: @FILE",
      .usage
    ),
    (
      [(.url, "ftp://x?token=secret")], "", "",
      "URL: the URL begins with \"ftp\":// instead of ws:// or wss://; allowed is ws://HOST[:PORT][/PATH] or wss://...",
      .usage
    ),
  ])
  func everyBadValueIsOneLine(
    line: [(OptionName, String)], variable: String, file: String, message: String,
    status: Status
  ) {
    #expect(throws: OptionError(message, status: status)) {
      try OptionValuesTests.values(
        line: line, environment: [(name: "WSII_RETRIES", value: variable)], file: file)
    }
  }
}
