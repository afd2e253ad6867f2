internal import Hub
internal import WebSocket

/// A command's checked values, each from the first source that gives the option.
struct OptionValues {
  struct Entry: Equatable {
    let values: [OptionValue]
    /// The last value's origin, which for a repeatable option stands for all.
    let origin: OptionOrigin
  }

  private var entries: [OptionName: Entry] = [:]

  /// Checks every given value, also those that a better source replaces: a mistake that waits
  /// for the day on which an option is left out is worse than an early message.
  init(
    _ command: Command, arguments: [GivenOption], environment: Environment,
    file: ConfigurationFile? = nil
  ) throws(OptionError) {
    let sources = [arguments, environment.options(of: command), file?.options ?? []]
    for definition in OptionTable.options(of: command) {
      var chosen: Entry?
      for source in sources {
        let entry = try OptionValues.entry(definition, source, file)
        if chosen == nil { chosen = entry }
      }
      if chosen == nil, let text = definition.defaultText {
        let given = GivenOption(name: definition.name, text: text, origin: .byDefault)
        chosen = try OptionValues.entry(definition, [given], nil)
      }
      entries[definition.name] = chosen
    }
  }

  private static func entry(
    _ definition: OptionDefinition, _ source: [GivenOption], _ file: ConfigurationFile?
  ) throws(OptionError) -> Entry? {
    var values: [OptionValue] = []
    var origin = OptionOrigin.byDefault
    for given in source where given.name == definition.name {
      do {
        var value = try definition.kind.parse(given.text)
        if case .file = given.origin, let file { value = value.resolved(definition.kind, file) }
        // The last one counts on a command line, as everywhere in Unix.
        values = definition.isRepeatable ? values + [value] : [value]
        origin = given.origin
      } catch {
        throw OptionError(
          OptionValues.message(definition, given, error), status: given.origin.status)
      }
    }
    return values.isEmpty ? nil : Entry(values: values, origin: origin)
  }

  /// One line: where, what, why, and what is allowed.
  private static func message(
    _ definition: OptionDefinition, _ given: GivenOption, _ problem: ValueProblem
  ) -> String {
    // A URL may carry a token in its query.
    let isHidden = definition.isSecret || definition.kind == .url
    let value = isHidden ? "" : " " + Quoted.text(given.text)
    return "\(given.origin.spelling(of: definition.name))\(value): \(problem.reason);"
      + " allowed is \(definition.kind.allowed)"
  }

  func origin(_ name: OptionName) -> OptionOrigin {
    entries[name]?.origin ?? .byDefault
  }

  /// Whether the user gave the option a value, as opposed to the table.
  func isGiven(_ name: OptionName) -> Bool {
    origin(name) != .byDefault
  }

  func isOn(_ name: OptionName) -> Bool {
    entries[name]?.values.last == .flag(true)
  }

  func text(_ name: OptionName) -> String? {
    texts(name).last
  }

  func texts(_ name: OptionName) -> [String] {
    (entries[name]?.values ?? []).compactMap { value in
      if case .text(let text) = value { text } else { nil }
    }
  }

  func url() -> WebSocketURL? {
    if case .url(let url) = entries[.url]?.values.last { url } else { nil }
  }

  func named(_ name: OptionName) -> [NamedValue] {
    (entries[name]?.values ?? []).compactMap { value in
      if case .named(let item) = value { item } else { nil }
    }
  }

  func number(_ name: OptionName) -> Int? {
    if case .number(let number) = entries[name]?.values.last { number } else { nil }
  }

  func duration(_ name: OptionName) -> Duration? {
    if case .duration(let duration) = entries[name]?.values.last { duration } else { nil }
  }

  func range(_ name: OptionName) -> ClosedRange<Duration>? {
    if case .range(let range) = entries[name]?.values.last { range } else { nil }
  }

  func rate(_ name: OptionName) -> MessageRate? {
    if case .rate(let rate) = entries[name]?.values.last { rate } else { nil }
  }

  func chaos(_ name: OptionName) -> ChaosSpec? {
    if case .chaos(let chaos) = entries[name]?.values.last { chaos } else { nil }
  }

  func address(_ name: OptionName) -> HubAddress? {
    if case .address(let address) = entries[name]?.values.last { address } else { nil }
  }
}

extension OptionValue {
  /// The value with its path made relative to the file that gave it.
  fileprivate func resolved(_ kind: ArgumentKind, _ file: ConfigurationFile) -> OptionValue {
    switch self {
    case .text(let path) where kind == .path: return .text(file.resolve(path))
    case .named(let item):
      guard case .file(let path) = item.value else { return self }
      return .named(NamedValue(name: item.name, value: .file(file.resolve(path))))
    default: return self
    }
  }
}
