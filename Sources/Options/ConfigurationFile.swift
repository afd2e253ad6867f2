/// A connection's configuration: each line an option without its dashes, `name = value`.
///
/// Lines that begin with `#`, and blank ones, say nothing. Blanks around name and value go;
/// quotes mean themselves. CRLF line ends are accepted.
package struct ConfigurationFile: Equatable, Sendable {
  /// Larger files are none of ours.
  package static let maximumCount = 65_536

  /// The connection's name: the file's name without `.conf`.
  package let name: String
  package let path: String
  let options: [GivenOption]

  /// Reads the file's bytes. Names, duplicates and the bytes themselves are checked here, the
  /// values with all others.
  package init(path: String, bytes: [UInt8]) throws(OptionError) {
    self.path = path
    name = ConfigurationFile.connectionName(path)
    if bytes.count > ConfigurationFile.maximumCount {
      throw .configuration(
        "\(Quoted.bare(path)): larger than \(SizeText.render(ConfigurationFile.maximumCount))")
    }
    var options: [GivenOption] = []
    var number = 0
    for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      number += 1
      let place = "\(Quoted.bare(path)):\(number): "
      do throws(ValueProblem) {
        guard let (definition, text) = try ConfigurationFile.read(line) else { continue }
        let earlier = options.first { $0.name == definition.name }
        if let earlier, !definition.isRepeatable, case .file(_, let first) = earlier.origin {
          throw ValueProblem("\(definition.name.rawValue) is already given on line \(first)")
        }
        options.append(
          GivenOption(
            name: definition.name, text: text, origin: .file(path: path, line: number)))
      } catch {
        throw .configuration(place + error.reason)
      }
    }
    self.options = options
  }

  /// The path with which a file named in this one is opened: relative to this one's directory,
  /// because a daemon's working directory is nobody's choice.
  func resolve(_ relative: String) -> String {
    guard !relative.utf8.starts(with: "/".utf8),
      let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
    else { return relative }
    return String(path[...slash]) + relative
  }

  private static func connectionName(_ path: String) -> String {
    let file = path.utf8.split(separator: UInt8(ascii: "/")).last ?? path.utf8[...]
    let name = String(Substring(file))
    return name.hasSuffix(".conf") ? String(name.dropLast(5)) : name
  }

  private static func read(
    _ line: ArraySlice<UInt8>
  ) throws(ValueProblem) -> (OptionDefinition, String)? {
    let content = ASCIIText.trimmed(line)
    if content.isEmpty || content.first == UInt8(ascii: "#") { return nil }
    guard let text = String(validating: content, as: UTF8.self) else {
      throw ValueProblem("not valid UTF-8")
    }
    if let bad = text.utf8.first(where: { ASCIIText.isControl($0) && $0 != 0x09 }) {
      throw ValueProblem(bad == 0 ? "holds a NUL byte" : "holds a control character")
    }
    guard let equals = text.utf8.firstIndex(of: UInt8(ascii: "=")) else {
      throw ValueProblem("'=' is missing; a line is NAME = VALUE")
    }
    let name = ASCIIText.trimmed(text[..<equals])
    let value = ASCIIText.trimmed(text[text.utf8.index(after: equals)...])
    return (try definition(of: name), value)
  }

  /// The file is shared by every command that works with connections; so far that is `run`.
  private static func definition(of name: String) throws(ValueProblem) -> OptionDefinition {
    if let known = OptionName(rawValue: name) {
      guard let definition = OptionTable.definition(of: known, for: .run) else {
        throw ValueProblem("\(name) isn't an option of a connection")
      }
      if !definition.isAllowed(in: .file) {
        throw ValueProblem("\(name) is never taken from a file; give --\(name) each time")
      }
      return definition
    }
    if name.utf8.starts(with: "-".utf8) {
      throw ValueProblem("\(Quoted.text(name)): options stand here without their dashes")
    }
    let names = OptionTable.options(of: .run).filter { $0.isAllowed(in: .file) }
    let nearest = NearestName.find(name, among: names.map(\.name.rawValue))
    throw ValueProblem(
      "unknown option \(Quoted.text(name))" + (nearest.map { "; did you mean \($0)?" } ?? ""))
  }
}
