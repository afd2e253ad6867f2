package import Hub

/// What `wsii hub` does, checked and typed.
///
/// The initial values are the table's defaults; a test keeps the two alike.
package struct HubSettings: Equatable, Sendable {
  package var listen = HubAddress.tcp(host: "127.0.0.1", port: 7717)
  /// Gives every message back instead of serving rooms.
  package var echoes = false
  /// nil: everybody may connect.
  package var tokensPath: String?
  /// Bytes of one message.
  package var maximumMessage = 1 << 20
  /// Messages that a room keeps.
  package var maximumHistory = 1_000
  /// Of one client's messages; nil: as fast as it likes.
  package var rate: MessageRate?
  package var chaos: ChaosSpec?
  package var isEphemeral = false
  /// The origins of other pages that may connect, as browsers send them.
  package var origins: [String] = []
  package var log = LogSettings()
  /// Sentences for stderr.
  package var warnings: [String] = []

  package init() {}

  /// Checks all values and puts them together: command line, environment, default.
  package static func resolve(
    _ given: GivenArguments, environment: Environment
  ) throws(OptionError) -> HubSettings {
    let values = try OptionValues(.hub, arguments: given.options, environment: environment)
    var settings = HubSettings()
    set(&settings.listen, values.address(.listen))
    settings.echoes = values.isOn(.echo)
    settings.tokensPath = values.text(.tokens)
    set(&settings.maximumMessage, values.number(.maxMessage))
    set(&settings.maximumHistory, values.number(.historyMax))
    settings.rate = values.rate(.rate)
    settings.chaos = values.chaos(.chaos)
    settings.isEphemeral = values.isOn(.ephemeral)
    settings.origins = values.texts(.origin)
    settings.log = LogSettings(values)
    if !settings.listen.isLocal, settings.tokensPath == nil {
      let origin = values.origin(.listen)
      throw OptionError(
        "\(origin.spelling(of: .listen)) \(Quoted.text(settings.listen.text)): beyond this machine"
          + " a hub needs --tokens FILE, a line TOKEN USER-ID NAME for each who may connect;"
          + " without it: 127.0.0.1, [::1], localhost and unix:PATH", status: origin.status)
    }
    if settings.echoes {
      for name in [OptionName.historyMax, .rate, .chaos] where values.isGiven(name) {
        settings.warnings.append(
          "\(values.origin(name).spelling(of: name)) does nothing with --echo")
      }
    }
    for variable in environment.mistyped {
      settings.warnings.append(
        "\(Quoted.bare(variable.name)) isn't an option; did you mean \(variable.meant)?")
    }
    return settings
  }
}
