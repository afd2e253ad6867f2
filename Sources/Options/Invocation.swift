/// What the command line asks for. Values aren't checked yet; that is the settings' work.
package enum Invocation: Equatable, Sendable {
  case run(GivenArguments)
  case hub(GivenArguments)
  case help(HelpPage)
  case version

  /// Reads the arguments, without the program's name.
  ///
  /// Options stand anywhere, also before the command: `--name=value`, `--name value`, `-nvalue`,
  /// `-n value`, `--no-flag`; after `--` all are operands, and a lone `-` is one too. Long names
  /// aren't abbreviated, because a later option would change what an abbreviation means.
  package static func parse(_ arguments: [String]) throws(OptionError) -> Invocation {
    var reader = ArgumentReader(arguments)
    return try reader.read()
  }
}

/// The operands and options of one command, in the order given.
package struct GivenArguments: Equatable, Sendable {
  package let command: Command
  package let operands: [String]
  let options: [GivenOption]
}

/// Walks over the arguments once.
private struct ArgumentReader {
  private let arguments: [String]
  private var position = 0
  private var command: Command?
  private var operands: [String] = []
  private var options: [GivenOption] = []
  private var wantsHelp = false
  private var wantsVersion = false

  init(_ arguments: [String]) {
    self.arguments = arguments
  }

  mutating func read() throws(OptionError) -> Invocation {
    var onlyOperands = false
    while position < arguments.count, !wantsHelp, !wantsVersion {
      let argument = arguments[position]
      position += 1
      if onlyOperands || argument == "-" || !argument.utf8.starts(with: "-".utf8) {
        try take(operand: argument)
      } else if argument == "--" {
        onlyOperands = true
      } else if argument.utf8.starts(with: "--".utf8) {
        try take(long: String(decoding: argument.utf8.dropFirst(2), as: UTF8.self))
      } else {
        try take(shorts: Array(argument).dropFirst())
      }
    }
    return try invocation()
  }

  private func invocation() throws(OptionError) -> Invocation {
    if wantsVersion { return .version }
    guard let command else {
      if wantsHelp { return .help(.overview) }
      throw .usage("no command; wsii --help lists them")
    }
    if wantsHelp { return .help(command == .help ? .overview : .common(command)) }
    for option in options where OptionTable.definition(of: option.name, for: command) == nil {
      throw .usage(strange(option.name, for: command))
    }
    let given = GivenArguments(command: command, operands: operands, options: options)
    switch command {
    case .run:
      try limitOperands(to: 1)
      return .run(given)
    case .hub:
      try limitOperands(to: 0)
      return .hub(given)
    case .help:
      try limitOperands(to: 1)
      guard let topic = operands.first else { return .help(.overview) }
      let subject = try named(topic)
      return .help(subject == .help ? .overview : .full(subject))
    }
  }

  private func limitOperands(to count: Int) throws(OptionError) {
    if operands.count > count {
      throw .usage("unexpected argument \(Quoted.text(operands[count]))")
    }
  }

  private mutating func take(operand: String) throws(OptionError) {
    if command == nil {
      command = try named(operand)
    } else {
      operands.append(operand)
    }
  }

  private func named(_ text: String) throws(OptionError) -> Command {
    if let command = Command(rawValue: text) { return command }
    var message = "unknown command \(Quoted.text(text))"
    if let nearest = NearestName.find(text, among: Command.allCases.map(\.rawValue)) {
      message += "; did you mean \(nearest)?"
    } else if ByteSearch.contains(text, "://") {
      message += "; did you mean wsii run URL?"
    } else {
      message += "; wsii --help lists them"
    }
    throw .usage(message)
  }

  private mutating func take(long text: String) throws(OptionError) {
    let equals = text.utf8.firstIndex(of: UInt8(ascii: "="))
    let name = equals.map { String(text[..<$0]) } ?? text
    let value = equals.map { String(text[text.utf8.index(after: $0)...]) }
    if let definition = written(name) {
      guard definition.kind == .flag else {
        if let value { return add(definition.name, value) }
        return add(definition.name, try next(after: "--" + name, definition))
      }
      if value != nil {
        throw .usage("--\(name) takes no value; --no-\(name) switches it off")
      }
      return add(definition.name, "true")
    }
    if let definition = negated(name) {
      if value != nil { throw .usage("--\(name) takes no value") }
      return add(definition.name, "false")
    }
    throw .usage(unknown(name))
  }

  /// `-abc value`: each letter is a flag, up to the one that takes the rest or the next argument.
  private mutating func take(shorts: ArraySlice<Character>) throws(OptionError) {
    var rest = shorts
    while let letter = rest.popFirst() {
      guard let definition = OptionTable.definition(short: letter) else {
        throw .usage("unknown option -\(Quoted.bare(String(letter)))")
      }
      if definition.kind == .flag {
        add(definition.name, "true")
      } else {
        let value = rest.isEmpty ? try next(after: "-\(letter)", definition) : String(rest)
        return add(definition.name, value)
      }
    }
  }

  private mutating func next(
    after spelling: String, _ definition: OptionDefinition
  ) throws(OptionError) -> String {
    guard position < arguments.count else {
      throw .usage("\(spelling) needs \(definition.metavar ?? "a value")")
    }
    position += 1
    return arguments[position - 1]
  }

  private mutating func add(_ name: OptionName, _ text: String) {
    switch name {
    case .help: wantsHelp = true
    case .version: wantsVersion = true
    default: options.append(GivenOption(name: name, text: text, origin: .commandLine))
    }
  }

  /// The option that the name stands for on a command line.
  private func written(_ name: String) -> OptionDefinition? {
    guard let name = OptionName(rawValue: name), let definition = OptionTable.definition(of: name),
      definition.isAllowed(in: .commandLine)
    else { return nil }
    return definition
  }

  /// The flag that `no-FLAG` switches off.
  private func negated(_ name: String) -> OptionDefinition? {
    guard name.utf8.starts(with: "no-".utf8),
      let definition = written(String(decoding: name.utf8.dropFirst(3), as: UTF8.self)),
      definition.kind == .flag, definition.name != .help, definition.name != .version
    else { return nil }
    return definition
  }

  private func unknown(_ name: String) -> String {
    let names = OptionTable.definitions.filter { definition in
      definition.isAllowed(in: .commandLine)
        && (command.map { definition.commands.contains($0) } ?? true)
    }.map(\.name.rawValue)
    var message = "unknown option --\(Quoted.bare(name))"
    if let nearest = NearestName.find(name, among: names) {
      message += "; did you mean --\(nearest)?"
    } else if let command {
      message += "; wsii help \(command.rawValue) lists them"
    }
    return message
  }

  private func strange(_ name: OptionName, for command: Command) -> String {
    let owners = OptionTable.definitions.filter { $0.name == name }.flatMap(\.commands)
    let list = owners.map { "wsii " + $0.rawValue }.joined(separator: " and ")
    return "--\(name.rawValue) is an option of \(list), not of wsii \(command.rawValue)"
  }
}
