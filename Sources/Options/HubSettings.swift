/// What `wsii hub --echo` does, checked and typed.
package struct HubSettings: Equatable, Sendable {
  package var listen = HubAddress.tcp(host: "127.0.0.1", port: 7717)
  /// Bytes of one message.
  package var maximumMessage = 1 << 20
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
    set(&settings.maximumMessage, values.number(.maxMessage))
    settings.origins = values.texts(.origin)
    settings.log = LogSettings(values)
    if !values.isOn(.echo) {
      throw .usage("wsii hub needs --echo; there is no other hub yet")
    }
    if !settings.listen.isLocal {
      throw .configuration(
        "\(values.origin(.listen).spelling(of: .listen)) \(Quoted.text(settings.listen.text)):"
          + " beyond this machine a hub needs tokens, which don't exist yet;"
          + " allowed are 127.0.0.1, [::1], localhost and unix:PATH")
    }
    for variable in environment.mistyped {
      settings.warnings.append(
        "\(Quoted.bare(variable.name)) isn't an option; did you mean \(variable.meant)?")
    }
    return settings
  }
}
