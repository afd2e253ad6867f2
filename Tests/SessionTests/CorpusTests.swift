import Foundation
import Testing

@testable import fuzz_session

/// Replays what the fuzzer started from and what it found.
@Suite struct CorpusTests {
  @Test func runsByScript() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Corpus/session")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names.count > 10)
    for name in names {
      let input = Array(try Data(contentsOf: folder.appendingPathComponent(name)))
      #expect(SessionInvariant.violation(of: input) == nil, "\(name)")
    }
  }
}
