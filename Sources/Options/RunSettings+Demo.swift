extension RunSettings {
  /// Whether the options ask for a demonstration, or against it; nil: neither.
  package static func wantsDemo(_ given: GivenArguments) -> Bool? {
    given.options.last { $0.name == .demo }.map { $0.text == "true" }
  }

  /// A run that is told of no server: a hub where `wsii hub` would listen, found or started.
  ///
  /// - Parameter isOnTerminal: lines are typed and read by a person, so they are texts unless the
  ///   options say otherwise.
  package static func demo(
    _ given: GivenArguments, environment: Environment, isOnTerminal: Bool
  ) throws(OptionError) -> RunSettings {
    if let operand = given.operands.first {
      throw .usage("--demo has a server already; \(Quoted.text(operand)) is one too many")
    }
    if let dialect = given.options.last(where: { $0.name == .dialect }), dialect.text == "plain" {
      throw .usage("--dialect plain: a demo's hub speaks native")
    }
    for name in [OptionName.unixSocket, .proxy]
    where given.options.contains(where: { $0.name == name }) {
      throw .usage("--\(name.rawValue): a demo's hub is on this machine, at 127.0.0.1")
    }
    var address = HubSettings().listen
    if let text = environment.value(of: OptionName.listen.environmentName) {
      guard let given = HubAddress.parse(text), case .tcp = given, given.isLocal else {
        throw .configuration(
          "\(OptionName.listen.environmentName) \(Quoted.text(text)): a demo's hub needs a port of"
            + " this machine, as in 127.0.0.1:7717")
      }
      address = given
    }
    // What is set there for other runs.
    let environment = [OptionName.url, .name, .dialect, .unixSocket, .proxy].reduce(environment) {
      $0.without($1.environmentName)
    }
    var settings = try resolve(
      GivenArguments(
        command: .run, operands: ["ws://\(address.text)"],
        options: given.options.filter { $0.name != .demo }), environment: environment)
    settings.demo = address
    settings.dialect = .native
    settings.isEphemeral = true
    let saysText =
      given.options.contains { $0.name == .text }
      || environment.value(of: OptionName.text.environmentName) != nil
    if isOnTerminal, !saysText { settings.isText = true }
    return settings
  }
}
