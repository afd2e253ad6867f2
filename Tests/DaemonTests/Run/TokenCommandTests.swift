import Posix
import Reactor
import TestSupport
import Testing
import Timeline

@testable import Daemon

@Suite struct TokenCommandTests {
  private static func run(_ line: String, mayWatch: Bool) throws -> String {
    let loop = try EventLoop()
    defer { loop.close() }
    var result: Result<String, HandshakeMaker.Failure>?
    let command = TokenCommand(line, loop: loop, mayWatch: mayWatch) { result = $0 }
    try loop.turn { result != nil }
    #expect(loop.registrationCount == 0)
    withExtendedLifetime(command) {}
    switch try #require(result) {
    case .success(let token): return token
    case .failure(let failure): return "failure: \(failure)"
    }
  }

  @Test(
    arguments: [
      ("echo secret", "secret\n"),
      ("printf half; exec >&-; printf more >&2; exit 0", "half"),
      ("(sleep 0.1; echo late) & wait", "late\n"),
      ("true", ""),
      ("exit 3", "failure: --token-command ended with status 3"),
      ("echo kept; kill -9 $$", "failure: --token-command was ended by signal 9"),
      ("printf '\\377'", "failure: --token-command printed something that isn't UTF-8"),
      ("yes | head -c 70000", "failure: --token-command printed more than 64 KiB"),
      ("cat; readlink /proc/$$/fd/0", "/dev/null\n"),
    ], [true, false])
  func givesWhatWasPrinted(example: (line: String, result: String), mayWatch: Bool) throws {
    #expect(try Self.run(example.line, mayWatch: mayWatch) == example.result)
  }

  @Test("what stays in the background with the output isn't waited for", arguments: [true, false])
  func leavesTheBackgroundAlone(mayWatch: Bool) throws {
    let begin = MonotonicClock.now()
    #expect(try Self.run("sleep 8 & echo secret", mayWatch: mayWatch) == "secret\n")
    #expect(MonotonicClock.now() - begin < .seconds(6))
  }

  @Test func aCancelledCommandEndsWithoutAWord() throws {
    let loop = try EventLoop()
    defer { loop.close() }
    var wasTold = false
    let command = TokenCommand("sleep 8", loop: loop) { _ in wasTold = true }
    let begin = MonotonicClock.now()
    command.cancel()
    #expect(MonotonicClock.now() - begin < .seconds(6))
    #expect(loop.registrationCount == 0 && !wasTold)
  }
}
