internal import WebSocket

/// Looks for combinations that are legal but can't be meant, and for the one that is forbidden.
struct RunLint {
  private let settings: RunSettings
  private let values: OptionValues
  private let environment: Environment
  private var warnings: [String] = []

  init(_ settings: RunSettings, _ values: OptionValues, _ environment: Environment) {
    self.settings = settings
    self.values = values
    self.environment = environment
  }

  /// Returns a sentence for each finding.
  ///
  /// A token that would cross a network unencrypted is an error, whatever its source.
  consuming func findings() throws(OptionError) -> [String] {
    try checkToken()
    checkSecrets()
    checkSecurity()
    checkTimes()
    checkDelivery()
    checkEnvironment()
    return warnings
  }

  /// Whether others may read what is sent. A proxy sees it too, even on the way to loopback.
  private var isExposed: Bool {
    if settings.url.isSecure || settings.unixSocketPath != nil { return false }
    return !settings.url.isLoopback || settings.proxy != nil
  }

  private func checkToken() throws(OptionError) {
    if settings.token != nil, isExposed, !settings.allowsPlaintextToken {
      throw .configuration(
        "the token would travel unencrypted to \(Quoted.bare(settings.url.host));"
          + " use wss://, or --plaintext-token if that is meant")
    }
    let field = settings.headers.first { $0.name.lowercased() == "authorization" }
    if settings.token != nil, field != nil {
      let origin = values.origin(.header)
      throw OptionError(
        "\(origin.spelling(of: .header)): the token goes into Authorization already",
        status: origin.status)
    }
  }

  private mutating func checkSecrets() {
    for (option, items) in [(OptionName.header, settings.headers), (.query, settings.query)] {
      guard let item = items.first(where: \.isSecretLike) else { continue }
      let name = Quoted.bare(item.name)
      if isExposed, !settings.allowsPlaintextToken {
        warnings.append("--\(option.rawValue) \(name) travels unencrypted over ws://")
      }
      if case .literal = item.value, values.origin(option) == .commandLine {
        warnings.append(
          "--\(option.rawValue) \(name): other users see command lines; @FILE reads the value")
      }
    }
  }

  private mutating func checkSecurity() {
    for option in [OptionName.cacert, .cert, .key, .insecure]
    where values.isGiven(option) && !settings.url.isSecure {
      if option != .insecure || settings.isInsecure {
        warnings.append("--\(option.rawValue) does nothing over ws://")
      }
    }
    if settings.keyPath != nil, settings.certificatePath == nil {
      warnings.append("--key does nothing without --cert")
    }
    if settings.isInsecure, settings.authoritiesPath != nil {
      warnings.append("--cacert does nothing with --insecure")
    }
    if settings.proxy != nil, settings.unixSocketPath != nil {
      warnings.append("--proxy does nothing with --unix-socket")
    }
    if settings.allowsPlaintextToken, settings.token == nil {
      warnings.append("--plaintext-token does nothing without a token")
    }
  }

  private mutating func checkTimes() {
    if let interval = settings.pingInterval {
      if settings.pingTimeout > interval {
        warnings.append(
          "--ping-timeout \(DurationText.render(settings.pingTimeout)) is longer than"
            + " --ping-interval \(DurationText.render(interval))")
      }
    } else if values.isGiven(.pingTimeout) {
      warnings.append("--ping-timeout does nothing with --ping-interval off")
    }
    if settings.retries == 0 {
      for option in [OptionName.backoff, .stableAfter] where values.isGiven(option) {
        warnings.append("--\(option.rawValue) does nothing with --retries 0")
      }
    }
    if let lasting = settings.lasting, lasting < settings.connectTimeout {
      if values.isGiven(.connectTimeout) {
        warnings.append(
          "--for \(DurationText.render(lasting)) is shorter than --connect-timeout"
            + " \(DurationText.render(settings.connectTimeout))")
      }
    }
  }

  private mutating func checkDelivery() {
    if settings.maximumOutbox < settings.maximumMessage {
      warnings.append(
        "--outbox-max \(SizeText.render(settings.maximumOutbox)) is smaller than one message"
          + " of --max-message \(SizeText.render(settings.maximumMessage))")
    }
    if settings.ackProof == .write {
      for option in [OptionName.ackTimeout, .window] where values.isGiven(option) {
        warnings.append("--\(option.rawValue) does nothing with --ack-by write")
      }
    }
    if settings.dialect == .plain {
      for option in [OptionName.room, .history, .own, .ack] where values.isGiven(option) {
        warnings.append("--\(option.rawValue) does nothing with --dialect plain")
      }
    } else if settings.dialect == .native {
      if values.isGiven(.ackBy) {
        warnings.append("--ack-by does nothing with --dialect native")
      }
    }
    if settings.token != nil {
      for option in [OptionName.userID, .userName] where values.isGiven(option) {
        warnings.append("--\(option.rawValue) does nothing with a token, which says who you are")
      }
    }
    if settings.stays, values.isGiven(.drainTimeout) {
      warnings.append("--drain-timeout does nothing with --stay")
    }
  }

  private mutating func checkEnvironment() {
    for variable in environment.mistyped {
      if case .environment(variable.name) = settings.token { continue }
      warnings.append(
        "\(Quoted.bare(variable.name)) isn't an option; did you mean \(variable.meant)?")
    }
  }
}
