import Hub
import Testing
import WebSocket

@testable import Options

@Suite struct OptionValueTests {
  private static let moment: ClosedRange<Duration> = .milliseconds(1)...(.seconds(60))

  @Test(arguments: [
    (ArgumentKind.flag, "true", OptionValue.flag(true)), (.flag, "YES", .flag(true)),
    (.flag, "1", .flag(true)), (.flag, "False", .flag(false)), (.flag, "no", .flag(false)),
    (.flag, "0", .flag(false)), (.text, "a b", .text("a b")), (.path, "/x", .text("/x")),
    (.connectionName, "ops-1@x.y+z_", .text("ops-1@x.y+z_")),
    (.variable, "A_1", .text("A_1")), (.duration(moment, or: nil), "1s", .duration(.seconds(1))),
    (.duration(moment, or: "off"), "off", .none("off")),
    (.durationRange(moment), "1s..2s", .range(.seconds(1)...(.seconds(2)))),
    (.size(1...10), "10", .number(10)), (.count(0...5, or: "unlimited"), "0", .number(0)),
    (.count(0...5, or: "unlimited"), "unlimited", .none("unlimited")),
    (.word(["a", "b"]), "b", .text("b")), (.token, "chat.v1", .text("chat.v1")),
    (.header, "A: b", .named(NamedValue(name: "A", value: .literal("b")))),
    (.queryItem, "a=b", .named(NamedValue(name: "a", value: .literal("b")))),
    (.origin, "https://a.example:8443", .text("https://a.example:8443")),
    (.origin, "null", .text("null")), (.proxy, "host:3128", .text("host:3128")),
    (.proxy, "SOCKS5h://u:p@host:1", .text("SOCKS5h://u:p@host:1")),
    (.listenAddress, "unix:x", .address(.unix(path: "x"))),
    (.rate, "5/20", .rate(MessageRate(perSecond: 5, burst: 20))),
  ])
  func goodTextsBecomeValues(kind: ArgumentKind, text: String, value: OptionValue) throws {
    #expect(try kind.parse(text) == value)
  }

  @Test(arguments: [
    (ArgumentKind.flag, "on", "neither true nor false"), (.text, "", "empty"),
    (.text, "a\nb", "holds a control character"), (.path, "a\0", "holds a control character"),
    (.connectionName, "../x", "not a connection's name"),
    (.connectionName, "-x", "not a connection's name"),
    (.connectionName, "a b", "not a connection's name"),
    (.connectionName, String(repeating: "a", count: 65), "not a connection's name"),
    (.url, "x", "the URL doesn't begin with ws:// or wss://"),
    (.variable, "A-B", "not a variable's name"),
    (.duration(moment, or: nil), "off", "not a time"),
    (.duration(moment, or: "off"), "0", "too small"),
    (.duration(moment, or: nil), "61", "too large"),
    (.durationRange(moment), "1s", "not a range of times"),
    (.durationRange(moment), "0..1", "too small"), (.durationRange(moment), "1..61", "too large"),
    (.size(1...10), "x", "not a size"), (.size(1...10), "11", "too large"),
    (.count(1...5, or: nil), "unlimited", "not a number"),
    (.count(1...5, or: nil), "0", "too small"),
    (.word(["pong", "write"]), "pnog", "unknown, did you mean pong?"),
    (.word(["pong", "write"]), "zzz", "unknown"), (.token, "a b", "not a token"),
    (.header, "x", "':' is missing"), (.queryItem, "x", "'=' is missing"),
    (.origin, "a.example", "not an origin"), (.origin, "http://a/", "not an origin"),
    (.origin, "http://", "not an origin"), (.proxy, "ftp://x", "unknown scheme"),
    (.proxy, "a b", "holds a space"), (.listenAddress, "x", "not an address"),
    (.rate, "0", "not a rate"), (.chaos, "delay=1,delay=2", "delay is given twice"),
  ])
  func badTextsSayWhy(kind: ArgumentKind, text: String, reason: String) {
    #expect(throws: ValueProblem(reason)) { try kind.parse(text) }
  }

  @Test(arguments: [
    (ArgumentKind.flag, "true, yes, 1, false, no or 0"), (.text, "a text on one line"),
    (.path, "a path"), (.variable, "letters, digits and '_'"),
    (.url, "ws://HOST[:PORT][/PATH] or wss://..."),
    (.duration(moment, or: "off"), "1ms to 1m or off, as in 10s, 500ms, 2m, 1h"),
    (.duration(moment, or: nil), "1ms to 1m, as in 10s, 500ms, 2m, 1h"),
    (.durationRange(moment), "MIN..MAX between 1ms and 1m, as in 1s..30s"),
    (.size(1...2048), "1 to 2KiB, as in 1048576, 64KiB, 1M"),
    (.count(0...5, or: "unlimited"), "0 to 5 or unlimited"),
    (.count(1...Int.max, or: nil), "a number from 1 on"), (.word(["a", "b"]), "a, b"),
    (.header, "NAME: VALUE or NAME: @FILE"), (.queryItem, "NAME=VALUE or NAME=@FILE"),
    (.token, "letters, digits and !#$%&'*+-.^_`|~"),
    (.origin, "http://HOST[:PORT] or https://..., without a path"),
    (.listenAddress, "ADDRESS:PORT, [IPV6]:PORT or unix:PATH"),
    (.rate, "N or N/BURST, messages a second and at once, 1 to 1000000, as in 5 or 5/20"),
    (.chaos, "SWITCH=VALUE,... as in delay=50,drop-after=10-40"),
  ])
  func whatIsAllowedIsASentence(kind: ArgumentKind, allowed: String) {
    #expect(kind.allowed == allowed)
  }

  @Test func urlsAndSwitchesAreTakenApart() throws {
    #expect(try ArgumentKind.url.parse("ws://x") == .url(WebSocketURL("ws://x")))
    #expect(try ArgumentKind.chaos.parse("delay=5") == .chaos(ChaosSpec("delay=5")))
  }

  @Test(arguments: [ArgumentKind.connectionName, .proxy])
  func longSentencesStayOnOneLine(kind: ArgumentKind) {
    #expect(!kind.allowed.isEmpty && kind.allowed.count < 120)
  }
}
