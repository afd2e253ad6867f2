/// The one table of options.
///
/// An option stands here once it works, not before. A name may stand twice when two commands
/// give it another meaning; whether it takes an argument must then be the same, because the
/// command may follow the option.
package enum OptionTable {
  /// Limits of the time options: a day is more than any link can wait for, and far from overflow.
  private static let moment: ClosedRange<Duration> = .milliseconds(1)...(.seconds(86_400))
  private static let wait: ClosedRange<Duration> = .zero...(.seconds(86_400))
  /// `--for` may mean weeks.
  private static let run: ClosedRange<Duration> = .milliseconds(1)...(.seconds(31_536_000))
  /// A message lies in memory, so its limit has a limit.
  private static let message: ClosedRange<Int> = 1...(1 << 30)
  private static let store: ClosedRange<Int> = 0...(1 << 50)
  /// An outbox that holds nothing would never read its input.
  private static let outbox: ClosedRange<Int> = 1...(1 << 50)

  package static let definitions: [OptionDefinition] = connection + security + delivery + output

  private static let connection: [OptionDefinition] = [
    OptionDefinition(
      .url, .url, "URL", says: "the server's address (the operand, or in a file)", in: .connection,
      barredFrom: [.commandLine]),
    OptionDefinition(
      .name, short: "n", .connectionName, "NAME", says: "names the connection", in: .connection,
      isCommon: true),
    OptionDefinition(
      .dialect, .word(["auto", "native", "plain"]), "NAME", default: "auto",
      says: "the server's protocol; auto finds out", in: .connection),
    OptionDefinition(
      .room, .text, "ROOM", note: "lobby", says: "joins; lines go to the first",
      in: .connection, isRepeatable: true, isCommon: true),
    OptionDefinition(
      .userID, .text, "ID", says: "who you are, where no token tells", in: .connection),
    OptionDefinition(
      .userName, .text, "NAME", says: "what others see, likewise", in: .connection),
    OptionDefinition(
      .demo, .flag, says: "starts a hub here or joins one, to talk in", in: .connection,
      isCommon: true, barredFrom: [.environment, .file]),
    OptionDefinition(
      .header, .header, "'N: VALUE'", says: "sends a header; @FILE reads the value",
      in: .connection, isRepeatable: true, isSecret: true, isCommon: true),
    OptionDefinition(
      .query, .queryItem, "N=VALUE", says: "adds a query item; @FILE reads it",
      in: .connection, isRepeatable: true, isSecret: true),
    OptionDefinition(
      .subprotocol, .token, "NAME", says: "offers a subprotocol", in: .connection,
      isRepeatable: true,
      isCommon: true),
    OptionDefinition(
      .origin, .origin, "ORIGIN", says: "sends this Origin", in: .connection),
    OptionDefinition(
      .hello, .path, "FILE", says: "lines sent first on every link, never queued", in: .connection),
    OptionDefinition(
      .proxy, .proxy, "URL", says: "goes through an HTTP or SOCKS proxy", in: .connection,
      isSecret: true),
    OptionDefinition(
      .unixSocket, .path, "PATH", says: "connects to a Unix socket", in: .connection),
    OptionDefinition(
      .connectTimeout, .duration(moment, or: nil), "TIME", default: "10s",
      says: "limit for name, TCP, TLS and handshake", in: .connection),
    OptionDefinition(
      .pingInterval, .duration(moment, or: "off"), "TIME", default: "20s",
      says: "pings a silent server", in: .connection),
    OptionDefinition(
      .pingTimeout, .duration(moment, or: nil), "TIME", default: "10s",
      says: "the link is dead without an answer", in: .connection),
    OptionDefinition(
      .backoff, .durationRange(moment), "MIN..MAX", default: "1s..30s",
      says: "waits between tries, doubling, +-50%", in: .connection),
    OptionDefinition(
      .stableAfter, .duration(wait, or: nil), "TIME", default: "10s",
      says: "a link this old resets the backoff", in: .connection),
    OptionDefinition(
      .retries, .count(0...1_000_000, or: "unlimited"), "N", default: "unlimited",
      says: "tries after a lost link; 0: one link", in: .connection, isCommon: true),
    OptionDefinition(
      .onRefused, .word(["exit", "wait"]), "exit|wait", note: "exit; wait with --stay",
      says: "after a refusal", in: .connection),
  ]

  private static let security: [OptionDefinition] = [
    OptionDefinition(
      .tokenFile, .path, "FILE", says: "reads the token from a file", in: .security, isCommon: true),
    OptionDefinition(
      .tokenEnv, .variable, "VARIABLE", says: "takes the token from the environment", in: .security),
    OptionDefinition(
      .tokenCommand, .text, "COMMAND", says: "runs a command that prints the token", in: .security),
    OptionDefinition(
      .plaintextToken, .flag, says: "lets the token travel over ws://", in: .security),
    OptionDefinition(
      .cacert, .path, "FILE", says: "trusts these authorities instead", in: .security,
      isCommon: true),
    OptionDefinition(.cert, .path, "FILE", says: "the client's certificate (PEM)", in: .security),
    OptionDefinition(.key, .path, "FILE", says: "its key, if not in the same file", in: .security),
    OptionDefinition(
      .insecure, .flag, says: "doesn't verify the server", in: .security,
      barredFrom: [.file]),
  ]

  private static let delivery: [OptionDefinition] = [
    OptionDefinition(
      .maxMessage, .size(message), "SIZE", default: "1MiB", says: "limit for one message",
      in: .delivery, of: [.run, .hub]),
    OptionDefinition(
      .window, .count(1...65_536, or: nil), "N", note: "the dialect's",
      says: "messages under way at once", in: .delivery),
    OptionDefinition(
      .ack, .word(["auto", "off"]), "auto|off", default: "auto",
      says: "tells senders what stdout has taken", in: .delivery),
    OptionDefinition(
      .ackBy, .word(["pong", "write"]), "pong|write", default: "pong",
      says: "what proves delivery", in: .delivery),
    OptionDefinition(
      .ackTimeout, .duration(moment, or: nil), "TIME", default: "10s",
      says: "the link is dead without proof", in: .delivery),
    OptionDefinition(
      .outboxMax, .size(outbox), "SIZE", default: "64MiB", says: "limit for what waits to be sent",
      in: .delivery),
    OptionDefinition(
      .drainTimeout, .duration(wait, or: nil), "TIME", default: "10s",
      says: "at the end of stdin: time to deliver", in: .delivery, isCommon: true),
    OptionDefinition(
      .ephemeral, .flag, says: "nothing on disk; a crash loses the queue", in: .delivery),
    OptionDefinition(
      .stay, .flag, says: "stays when stdin ends", in: .delivery, isCommon: true),
    OptionDefinition(
      .count, .count(1...Int.max, or: nil), "N", says: "ends after N records", in: .delivery,
      isCommon: true),
    OptionDefinition(
      .for, .duration(run, or: nil), "SECONDS", says: "ends after a time", in: .delivery,
      isCommon: true),
  ]

  private static let output: [OptionDefinition] = [
    OptionDefinition(
      .history, .count(0...1_000_000, or: nil), "N", default: "0",
      says: "a room's past, on the first join", in: .output, isCommon: true),
    OptionDefinition(
      .own, .flag, says: "repeats your own messages", in: .output),
    OptionDefinition(
      .listen, .listenAddress, "ADDRESS", default: "127.0.0.1:7717",
      says: "ADDRESS:PORT or unix:PATH", in: .connection, of: [.hub], isCommon: true),
    OptionDefinition(
      .tokens, .path, "FILE", says: "who may connect: TOKEN USER-ID NAME a line", in: .security,
      of: [.hub], isCommon: true),
    OptionDefinition(
      .ephemeral, .flag, says: "nothing on disk; the hub's end loses all", in: .delivery,
      of: [.hub], isCommon: true),
    OptionDefinition(
      .historyMax, .count(1...1_000_000, or: nil), "N", default: "1000",
      says: "messages that a room keeps", in: .delivery, of: [.hub], isCommon: true),
    OptionDefinition(
      .rate, .rate, "N[/BURST]", says: "messages a second of one client", in: .delivery,
      of: [.hub], isCommon: true),
    OptionDefinition(
      .echo, .flag, says: "no rooms: gives every message back", in: .delivery, of: [.hub],
      isCommon: true),
    OptionDefinition(
      .chaos, .chaos, "SPEC", says: "a bad network: delay=50,drop-after=10-40", in: .delivery,
      of: [.hub], isCommon: true),
    OptionDefinition(
      .origin, .origin, "ORIGIN", says: "also serves pages from here", in: .security,
      of: [.hub], isRepeatable: true, isCommon: true),
    OptionDefinition(
      .text, .flag, says: "lines are texts, in and out, not JSON", in: .output, isCommon: true),
    OptionDefinition(
      .quiet, .flag, says: "leaves the wsii.* records out", in: .output, isCommon: true),
    OptionDefinition(
      .overflowMax, .size(store), "SIZE", default: "256MiB",
      says: "limit for what a slow stdout leaves", in: .output),
    OptionDefinition(
      .trace, .flag, says: "shows each frame on stderr", in: .output, isCommon: true),
    OptionDefinition(
      .logFormat, .word(["auto", "text", "json"]), "auto|text|json", default: "auto",
      says: "stderr's form", in: .output, of: [.run, .hub]),
    OptionDefinition(
      .logLevel, .word(["error", "warning", "notice", "info", "debug"]), "LEVEL",
      default: "notice", says: "error, warning, notice, info, debug", in: .output,
      of: [.run, .hub], isCommon: true),
    OptionDefinition(
      .help, short: "h", .flag, says: "shows the common options", in: .output,
      of: [.run, .hub, .help], isCommon: true, barredFrom: [.environment, .file]),
    OptionDefinition(
      .version, .flag, says: "shows the version", in: .output, of: [],
      barredFrom: [.environment, .file]),
  ]

  /// The options of a command, in the order of help.
  package static func options(of command: Command) -> [OptionDefinition] {
    definitions.filter { $0.commands.contains(command) }
  }

  /// The option as the command understands it, or nil if it isn't the command's.
  package static func definition(
    of name: OptionName, for command: Command
  ) -> OptionDefinition? {
    definitions.first { $0.name == name && $0.commands.contains(command) }
  }

  /// The first option that has the name, whatever its command.
  static func definition(of name: OptionName) -> OptionDefinition? {
    definitions.first { $0.name == name }
  }

  static func definition(short: Character) -> OptionDefinition? {
    definitions.first { $0.short == short }
  }
}
