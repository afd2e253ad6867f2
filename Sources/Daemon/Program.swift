import Glibc
import Options
import Posix

/// The whole command: from the process's arguments to its end.
package enum Program {
  package static let version = "0.1.0"

  /// Signals that are taken from a descriptor; blocked before libcurl starts its threads.
  static let signals: [CInt] = {
    let wanted = [SIGTERM, SIGINT, SIGHUP, SIGUSR1]
    let ignored = ProcessStart.ignored(of: wanted)
    return wanted.filter { !ignored.contains($0) }
  }()

  package static func main() -> Never {
    let closed = ProcessStart.fillClosedStandardDescriptors()
    ProcessStart.ignoreSignalsOfWrites()
    ProcessStart.returnLargeBlocks()
    let arguments = CommandLine.arguments.dropFirst()
    let ending: Ending
    do throws(OptionError) {
      ending = try run(Array(arguments), closedDescriptors: closed)
    } catch {
      Complaint.write(error.message)
      ending = .exit(error.status)
    }
    switch ending {
    case .exit(let status): exit(status.rawValue)
    case .signal(let number): ProcessEnd.die(of: number)
    }
  }

  private static func run(
    _ arguments: [String], closedDescriptors: Set<CInt>
  ) throws(OptionError) -> Ending {
    switch try Invocation.parse(arguments) {
    case .help(let page): return print(page.text)
    case .version: return print("wsii \(version)\n")
    case .run(let given):
      let variables = EnvironmentVariables.all
      let settings = try Configuration.runSettings(given, variables)
      SignalMask.block(signals)
      return RunCommand(
        settings: settings, environment: variables, closedDescriptors: closedDescriptors,
        program: CommandLine.arguments.first ?? "wsii"
      ).run()
    case .hub(let given):
      let settings = try HubSettings.resolve(
        given, environment: Environment(EnvironmentVariables.all))
      SignalMask.block(signals)
      return runHub(settings)
    }
  }

  /// Writes data to standard output; a reader who has gone (`wsii help run | head -1`) is no error.
  private static func print(_ text: String) -> Ending {
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      switch rest.withUnsafeBytes({ IO.write(STDOUT_FILENO, $0, object: "stdout") }) {
      case .bytes(let count): rest = rest.dropFirst(count)
      case .wouldBlock: _ = IO.poll(STDOUT_FILENO, for: CInt(POLLOUT), milliseconds: -1)
      case .failed(let error) where error.isBrokenPipe: return .signal(SIGPIPE)
      case .failed(let error):
        Complaint.write(error.description)
        return .exit(.inputOutput)
      case .end: return .exit(.inputOutput)
      }
    }
    return .exit(.done)
  }
}

/// How the process ends.
enum Ending: Equatable {
  case exit(ExitStatus)
  /// By the signal's default effect, so that a parent sees it.
  case signal(CInt)
}

/// A line for people on standard error, before or after a loop takes care of it.
enum Complaint {
  static func write(_ text: String) {
    let line = Array("wsii: \(text)\n".utf8)
    // Nobody is left to be told that this failed.
    _ = line.withUnsafeBytes { IO.write(STDERR_FILENO, $0, object: "stderr") }
  }
}
