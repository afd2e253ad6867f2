import Glibc

/// The process's environment.
enum EnvironmentVariables {
  /// All of them, in the order the process has them; what isn't UTF-8 is repaired.
  static var all: [(name: String, value: String)] {
    var result: [(name: String, value: String)] = []
    var entry = environ
    while let text = entry.pointee {
      let line = String(cString: text)
      if let equals = line.utf8.firstIndex(of: UInt8(ascii: "=")) {
        result.append(
          (String(line[..<equals]), String(line[line.utf8.index(after: equals)...])))
      }
      entry += 1
    }
    return result
  }

  /// Takes a secret out of the environment: of children, and of /proc/PID/environ, which shows the
  /// bytes that the process was started with, so that they are overwritten where they stand.
  static func erase(_ name: String) {
    let prefix = name + "="
    var entry = environ
    while let text = entry.pointee {
      if strncmp(text, prefix, prefix.utf8.count) == 0 {
        let value = text + prefix.utf8.count
        explicit_bzero(value, strlen(value))
      }
      entry += 1
    }
    _ = unsetenv(name)
  }
}
