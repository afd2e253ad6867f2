package import WebSocket

/// Where the token comes from; it is read again before each handshake.
package enum TokenSource: Equatable, Sendable {
  case file(String)
  /// The name of an environment variable.
  case environment(String)
  /// A command line for the shell, which prints the token.
  case command(String)
}

/// What `wsii run` does, checked and typed.
///
/// The initial values are the table's defaults; a test keeps the two alike.
package struct RunSettings: Equatable, Sendable {
  package enum Dialect: String, CaseIterable, Sendable {
    /// `native` if the server greets, else `plain`.
    case auto
    case native
    case plain
  }

  package enum AckProof: String, CaseIterable, Sendable {
    case pong
    case write
  }

  package enum RefusalPolicy: String, CaseIterable, Sendable {
    case exit
    case wait
  }

  /// The server's URL; the query items aren't in it yet.
  package var url: WebSocketURL
  /// Where a hub is to be joined, or started if there is none; then `url` is only where to look.
  package var demo: HubAddress?
  /// The connection's name, when it has one.
  package var name: String?
  package var dialect = Dialect.auto
  /// Rooms to join; the first is where lines go that name none. Empty: the dialect's own.
  package var rooms: [String] = []
  package var userID: String?
  package var userName: String?
  /// Messages of a room's past that its first join brings.
  package var history = 0
  package var repeatsOwn = false
  /// Whether the server is told what standard output has taken.
  package var acknowledges = true
  package var headers: [NamedValue] = []
  package var query: [NamedValue] = []
  package var subprotocols: [String] = []
  package var origin: String?
  package var helloPath: String?
  package var proxy: String?
  package var unixSocketPath: String?

  package var connectTimeout: Duration = .seconds(10)
  /// nil: no pings.
  package var pingInterval: Duration? = .seconds(20)
  package var pingTimeout: Duration = .seconds(10)
  package var backoff: ClosedRange<Duration> = .seconds(1)...(.seconds(30))
  package var stableAfter: Duration = .seconds(10)
  /// nil: unlimited. 0: the first close ends the run.
  package var retries: Int?
  package var onRefused = RefusalPolicy.exit

  package var token: TokenSource?
  package var allowsPlaintextToken = false
  package var authoritiesPath: String?
  package var certificatePath: String?
  /// nil: the key is in the certificate's file.
  package var keyPath: String?
  package var isInsecure = false

  /// Bytes of one message.
  package var maximumMessage = 1 << 20
  /// Messages under way without an answer; nil: the dialect's own.
  package var window: Int?
  package var ackProof = AckProof.pong
  package var ackTimeout: Duration = .seconds(10)
  /// Bytes.
  package var maximumOutbox = 64 << 20
  /// Bytes.
  package var maximumOverflow = 256 << 20
  package var drainTimeout: Duration = .seconds(10)
  package var isEphemeral = false
  package var stays = false
  package var isText = false
  package var isQuiet = false
  /// Records after which the run ends.
  package var count: Int?
  /// Time after which the run ends.
  package var lasting: Duration?
  package var traces = false
  package var log = LogSettings()

  /// Sentences about legal but senseless combinations, for stderr.
  package var warnings: [String] = []

  /// The settings of a run without options.
  package init(url: WebSocketURL) {
    self.url = url
  }

  /// Which connection the operand, `--name`, `WSII_URL` or `WSII_NAME` asks for.
  package enum Connection: Equatable, Sendable {
    /// No configuration file is read: its token must not go to another server.
    case url(String)
    case named(String)
    /// The only configuration file, if there is exactly one.
    case unspecified
  }

  /// Tells which configuration file to read, if any.
  package static func connection(
    _ given: GivenArguments, environment: Environment
  ) throws(OptionError) -> Connection {
    let names = given.options.filter { $0.name == .name }
    var wanted = names.last
    if let operand = given.operands.first {
      if ByteSearch.contains(operand, "://") { return .url(operand) }
      if let wanted, wanted.text != operand {
        throw .usage(
          "two names: \(Quoted.text(operand)) and --name \(Quoted.text(wanted.text))")
      }
      wanted = GivenOption(name: .name, text: operand, origin: .commandLine)
    } else if wanted == nil {
      // As on the command line, a name beside a URL only names the URL's connection.
      if let url = environment.value(of: "WSII_URL") { return .url(url) }
      wanted = environment.value(of: "WSII_NAME").map {
        GivenOption(name: .name, text: $0, origin: .environment)
      }
    }
    guard let wanted else { return .unspecified }
    do {
      _ = try ArgumentKind.connectionName.parse(wanted.text)
    } catch {
      let isOperand = wanted.origin == .commandLine && names.isEmpty
      let place = isOperand ? "NAME" : wanted.origin.spelling(of: .name)
      throw OptionError(
        "\(place) \(Quoted.text(wanted.text)): \(error.reason); allowed is"
          + " \(ArgumentKind.connectionName.allowed); a URL begins with ws:// or wss://",
        status: wanted.origin.status)
    }
    return .named(wanted.text)
  }

  /// Checks all values and puts them together: command line, environment, file, default.
  ///
  /// The file is the one that `connection` asked for; with a URL there is none.
  package static func resolve(
    _ given: GivenArguments, environment: Environment, file: ConfigurationFile? = nil
  ) throws(OptionError) -> RunSettings {
    var arguments = given.options
    if let operand = given.operands.first, ByteSearch.contains(operand, "://") {
      arguments.append(GivenOption(name: .url, text: operand, origin: .commandLine))
    }
    // Who names a connection wants its server: a URL left in the environment must not get its token.
    let environment = file == nil ? environment : environment.without("WSII_URL")
    let values = try OptionValues(
      .run, arguments: arguments, environment: environment, file: file)
    guard let url = values.url() else {
      guard let file else { throw .missingConnection(configured: []) }
      throw .configuration("\(Quoted.bare(file.path)): url is missing")
    }
    var settings = RunSettings(url: url)
    settings.name = file?.name ?? values.text(.name)
    if case .file = values.origin(.name), let file, values.text(.name) != file.name {
      throw .configuration(
        "\(values.origin(.name).spelling(of: .name)): the connection's name is the file's,"
          + " \(Quoted.bare(file.name))")
    }
    settings.applyConnection(values)
    settings.applySecurity(values)
    settings.token = try RunSettings.token(values)
    settings.applyDelivery(values)
    settings.warnings = try RunLint(settings, values, environment).findings()
    return settings
  }

  private mutating func applyConnection(_ values: OptionValues) {
    set(&dialect, values.text(.dialect).flatMap(Dialect.init))
    rooms = values.texts(.room)
    userID = values.text(.userID)
    userName = values.text(.userName)
    headers = values.named(.header)
    query = values.named(.query)
    subprotocols = values.texts(.subprotocol)
    origin = values.text(.origin)
    helloPath = values.text(.hello)
    proxy = values.text(.proxy)
    unixSocketPath = values.text(.unixSocket)
    set(&connectTimeout, values.duration(.connectTimeout))
    pingInterval = values.duration(.pingInterval)
    set(&pingTimeout, values.duration(.pingTimeout))
    set(&backoff, values.range(.backoff))
    set(&stableAfter, values.duration(.stableAfter))
    retries = values.number(.retries)
    stays = values.isOn(.stay)
    onRefused = values.text(.onRefused).flatMap(RefusalPolicy.init) ?? (stays ? .wait : .exit)
  }

  private mutating func applySecurity(_ values: OptionValues) {
    allowsPlaintextToken = values.isOn(.plaintextToken)
    authoritiesPath = values.text(.cacert)
    certificatePath = values.text(.cert)
    keyPath = values.text(.key)
    isInsecure = values.isOn(.insecure)
  }

  private mutating func applyDelivery(_ values: OptionValues) {
    set(&maximumMessage, values.number(.maxMessage))
    window = values.number(.window)
    set(&ackProof, values.text(.ackBy).flatMap(AckProof.init))
    set(&ackTimeout, values.duration(.ackTimeout))
    set(&maximumOutbox, values.number(.outboxMax))
    set(&maximumOverflow, values.number(.overflowMax))
    set(&drainTimeout, values.duration(.drainTimeout))
    isEphemeral = values.isOn(.ephemeral)
    set(&history, values.number(.history))
    repeatsOwn = values.isOn(.own)
    acknowledges = values.text(.ack) != "off"
    isText = values.isOn(.text)
    isQuiet = values.isOn(.quiet)
    count = values.number(.count)
    lasting = values.duration(.for)
    traces = values.isOn(.trace)
    log = LogSettings(values)
  }

  /// Of the three token options the one from the best source counts; two from the same source
  /// contradict each other.
  private static func token(_ values: OptionValues) throws(OptionError) -> TokenSource? {
    let options: [(name: OptionName, make: (String) -> TokenSource)] = [
      (.tokenFile, { .file($0) }), (.tokenEnv, { .environment($0) }),
      (.tokenCommand, { .command($0) }),
    ]
    var best: (rank: Int, name: OptionName, source: TokenSource)?
    for option in options {
      guard let text = values.text(option.name) else { continue }
      let origin = values.origin(option.name)
      if let best, best.rank == origin.rank {
        throw OptionError(
          "\(origin.spelling(of: option.name)): \(best.name.rawValue) is given as well;"
            + " there is one token", status: origin.status)
      }
      if let best, best.rank < origin.rank { continue }
      best = (origin.rank, option.name, option.make(text))
    }
    return best?.source
  }
}

/// Gives the property its value; without one it keeps the default.
func set<Value>(_ property: inout Value, _ value: Value?) {
  if let value { property = value }
}
