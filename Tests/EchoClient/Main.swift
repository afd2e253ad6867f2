import Glibc
import Posix
import Reactor

/// `echo-client HOST PORT AGENT [FIRST LAST]`: runs the cases of an Autobahn fuzzing server, which
/// answers what it thinks of a client that gives every message back.
@main
struct Main {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard arguments.count == 3 || arguments.count == 5, let port = UInt16(arguments[1]) else {
      complain("usage: echo-client HOST PORT AGENT [FIRST LAST]")
      exit(64)
    }
    let bounds = arguments.dropFirst(3).compactMap { Int($0) }
    ProcessStart.ignoreSignalsOfWrites()
    do throws(SystemError) {
      let loop = try EventLoop()
      let cases = CaseLoop(
        loop: loop, host: arguments[0], port: port, agent: arguments[2],
        range: bounds.count == 2 ? (bounds[0], bounds[1]) : nil)
      cases.start()
      try loop.run()
      cases.close()
      if let failure = cases.failure {
        complain(failure)
        exit(69)
      }
    } catch {
      complain(error.description)
      exit(74)
    }
  }

  private static func complain(_ text: String) {
    let line = Array("echo-client: \(text)\n".utf8)
    _ = line.withUnsafeBytes { IO.write(STDERR_FILENO, $0, object: "stderr") }
  }
}
