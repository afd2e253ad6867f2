import Glibc
import Options
import Posix

/// Finds and reads the configuration file that a command line asks for.
enum Configuration {
  /// Checked settings of `wsii run`.
  static func runSettings(
    _ given: GivenArguments, _ variables: [(name: String, value: String)]
  ) throws(OptionError) -> RunSettings {
    let environment = Environment(variables)
    let wantsDemo = RunSettings.wantsDemo(given)
    if wantsDemo == true { return try demoSettings(given, environment) }
    switch try RunSettings.connection(given, environment: environment) {
    case .url:
      return try RunSettings.resolve(given, environment: environment)
    case .named(let name):
      let path = "\(directory(variables))/\(name).conf"
      return try RunSettings.resolve(
        given, environment: environment, file: try read(path, name: name))
    case .unspecified:
      let names = configuredNames(in: directory(variables))
      if names.isEmpty, wantsDemo == nil, isatty(STDIN_FILENO) == 1 {
        return try demoSettings(given, environment)
      }
      guard names.count == 1, let name = names.first else {
        throw .missingConnection(configured: names)
      }
      let path = "\(directory(variables))/\(name).conf"
      return try RunSettings.resolve(
        given, environment: environment, file: try read(path, name: name))
    }
  }

  private static func demoSettings(
    _ given: GivenArguments, _ environment: Environment
  ) throws(OptionError) -> RunSettings {
    try RunSettings.demo(
      given, environment: environment,
      isOnTerminal: isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1)
  }

  /// `$XDG_CONFIG_HOME/wsii`, else `~/.config/wsii`. The XDG specification ignores relative paths.
  private static func directory(_ variables: [(name: String, value: String)]) -> String {
    func value(_ name: String) -> String? {
      variables.first { $0.name == name && !$0.value.isEmpty }?.value
    }
    if let base = value("XDG_CONFIG_HOME"), base.hasPrefix("/") { return "\(base)/wsii" }
    return "\(value("HOME") ?? "")/.config/wsii"
  }

  private static func read(
    _ path: String, name: String
  ) throws(OptionError) -> ConfigurationFile {
    let contents: FileContents
    do throws(FileError) {
      contents = try FileReader.read(path, limit: ConfigurationFile.maximumCount + 1)
    } catch {
      if case .system(let error) = error, error.number == ENOENT {
        throw .missingConfiguration(name: name, path: path)
      }
      throw .configuration("\(error)")
    }
    return try ConfigurationFile(path: path, bytes: contents.bytes)
  }

  private static func configuredNames(in directory: String) -> [String] {
    guard let stream = opendir(directory) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if name.hasSuffix(".conf"), !name.hasPrefix(".") { names.append(String(name.dropLast(5))) }
    }
    return names.sorted()
  }
}
