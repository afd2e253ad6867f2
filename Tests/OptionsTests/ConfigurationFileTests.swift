import Testing

@testable import Options

@Suite struct ConfigurationFileTests {
  private static func read(_ text: String) throws -> [String] {
    let file = try ConfigurationFile(path: "/c/ops.conf", bytes: Array(text.utf8))
    return file.options.map { option in
      guard case .file(_, let line) = option.origin else { return "" }
      return "\(line):\(option.name.rawValue)=\(option.text)"
    }
  }

  @Test(arguments: [
    ("", []), ("\n\n", []), ("# url = x", []), ("  # x\n", []),
    ("url = ws://x\n", ["1:url=ws://x"]), ("url=ws://x", ["1:url=ws://x"]),
    ("\t url\t=  ws://x?a=b  \r\n\r\nquiet = yes\r\n", ["1:url=ws://x?a=b", "3:quiet=yes"]),
    ("header = A: 1\nheader = B: \"2\" # x", ["1:header=A: 1", "2:header=B: \"2\" # x"]),
    ("name = ops", ["1:name=ops"]), ("token-command = a\tb", ["1:token-command=a\tb"]),
    ("quiet =", ["1:quiet="]),
  ])
  func linesAreOptions(text: String, options: [String]) throws {
    #expect(try ConfigurationFileTests.read(text) == options)
  }

  @Test(arguments: [
    ("quiet", "1: '=' is missing; a line is NAME = VALUE"),
    ("\nquite = yes", "2: unknown option 'quite'; did you mean quiet?"),
    ("zzz = 1", "1: unknown option 'zzz'"), (" = 1", "1: unknown option ''"),
    ("--quiet = 1", "1: '--quiet': options stand here without their dashes"),
    ("insecure = yes", "1: insecure is never taken from a file; give --insecure each time"),
    ("help = yes", "1: help is never taken from a file; give --help each time"),
    ("listen = x:1", "1: listen isn't an option of a connection"),
    ("version = 1", "1: version isn't an option of a connection"),
    ("quiet = 1\n\nquiet = 0", "3: quiet is already given on line 1"),
    ("quiet = \0", "1: holds a NUL byte"), ("quiet = a\u{1B}", "1: holds a control character"),
    ("quiet = a\rb", "1: holds a control character"),
  ])
  func badLinesAreNamed(text: String, message: String) {
    #expect(throws: OptionError("/c/ops.conf:" + message, status: .configuration)) {
      try ConfigurationFileTests.read(text)
    }
  }

  @Test func brokenUTF8IsNamed() {
    #expect(throws: OptionError("/c/ops.conf:2: not valid UTF-8", status: .configuration)) {
      try ConfigurationFile(path: "/c/ops.conf", bytes: [0x0A, 0x61, 0x3D, 0xFF])
    }
    // Nobody reads a comment, so its bytes don't matter.
    #expect(throws: Never.self) {
      try ConfigurationFile(path: "x", bytes: [0x23, 0xFF, 0x00])
    }
  }

  @Test func largeFilesAreRefusedUnread() {
    let blank = [UInt8](repeating: 0x0A, count: ConfigurationFile.maximumCount)
    #expect(throws: Never.self) { try ConfigurationFile(path: "/c/x", bytes: blank) }
    #expect(throws: OptionError("/c/x: larger than 64KiB", status: .configuration)) {
      try ConfigurationFile(path: "/c/x", bytes: blank + [0])
    }
  }

  /// Cut anywhere, a file is read or refused with a line number, and never traps.
  @Test func everyBeginningIsReadOrRefused() {
    let text = Array("# é\r\nurl = wss://x\r\nheader = A: é\nping-interval = 5s\n".utf8)
    for count in 0...text.count {
      do {
        let file = try ConfigurationFile(path: "c", bytes: Array(text.prefix(count)))
        #expect(file.options.count <= 3)
      } catch {
        #expect(error.message.hasPrefix("c:"))
        #expect(error.status == .configuration)
      }
    }
  }

  @Test(arguments: [
    ("/c/ops.conf", "ops", "t", "/c/t"), ("/c/ops.conf", "ops", "/t", "/t"),
    ("ops.conf", "ops", "t", "t"), ("c/ops", "ops", "a/t", "c/a/t"), ("", "", "t", "t"),
  ])
  func pathsAreRelativeToTheFile(
    path: String, name: String, relative: String, resolved: String
  ) throws {
    let file = try ConfigurationFile(path: path, bytes: [])
    #expect(file.name == name)
    #expect(file.resolve(relative) == resolved)
  }
}
