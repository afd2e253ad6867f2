import Glibc
import Posix
import Reactor

/// `echo-client URL AGENT [FIRST LAST]`: runs the cases of an Autobahn fuzzing server, which
/// answers what it thinks of a client that gives every message back.
@main
struct Main {
  static func main() {
    let arguments = Array(CommandLine.arguments.dropFirst())
    let bounds = arguments.dropFirst(2).compactMap { Int($0) }
    guard arguments.count == 2 || bounds.count == 2 else {
      complain(
        "usage: echo-client URL AGENT [FIRST LAST], as in echo-client ws://127.0.0.1:9001 me")
      exit(64)
    }
    ProcessStart.ignoreSignalsOfWrites()
    do throws(SystemError) {
      let loop = try EventLoop()
      let cases = CaseLoop(
        loop: loop, server: arguments[0], agent: arguments[1],
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
