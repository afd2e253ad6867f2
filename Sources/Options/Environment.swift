/// The environment as the options see it: what begins with `WSII_`.
package struct Environment: Equatable, Sendable {
  private let variables: [(name: String, value: String)]

  /// Takes the whole environment; only the `WSII_` variables are kept.
  package init(_ pairs: [(name: String, value: String)]) {
    variables = pairs.filter { $0.name.utf8.starts(with: "WSII_".utf8) }
  }

  package static func == (a: Environment, b: Environment) -> Bool {
    a.variables.elementsEqual(b.variables) { $0 == $1 }
  }

  /// The variable's value; an empty one counts as not set.
  func value(of name: String) -> String? {
    guard let value = variables.first(where: { $0.name == name })?.value, !value.isEmpty
    else { return nil }
    return value
  }

  func without(_ name: String) -> Environment {
    Environment(variables.filter { $0.name != name })
  }

  /// The values given for a command's options. A repeatable option has one a line.
  func options(of command: Command) -> [GivenOption] {
    var given: [GivenOption] = []
    for definition in OptionTable.options(of: command) {
      guard definition.isAllowed(in: .environment),
        let value = value(of: definition.name.environmentName)
      else { continue }
      let texts =
        definition.isRepeatable
        ? value.split(separator: "\n").map { String($0) } : [value]
      for text in texts {
        given.append(GivenOption(name: definition.name, text: text, origin: .environment))
      }
    }
    return given
  }

  /// Variables that no option has, but whose names come near one: probably mistyped.
  ///
  /// Others may well be another program's.
  var mistyped: [(name: String, meant: String)] {
    let names = OptionTable.definitions.filter { $0.isAllowed(in: .environment) }
      .map(\.name.environmentName)
    return variables.compactMap { variable in
      // `--token-env WSII_TOKEN` is the name that comes to mind, and no mistyped `--tokens`.
      if names.contains(variable.name) || variable.name == "WSII_TOKEN" { return nil }
      // Nine letters beyond the prefix still allow two differences, not the prefix's share.
      let own = String(decoding: variable.name.utf8.dropFirst(5), as: UTF8.self)
      let candidates = names.map { String(decoding: $0.utf8.dropFirst(5), as: UTF8.self) }
      guard let nearest = NearestName.find(own, among: candidates),
        NearestName.distance(Array(own.utf8), Array(nearest.utf8)) <= 2
      else { return nil }
      return (variable.name, "WSII_" + nearest)
    }
  }
}
