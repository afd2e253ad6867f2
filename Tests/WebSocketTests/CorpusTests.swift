import Foundation
import Testing

@testable import fuzz_frames
@testable import fuzz_handshake

/// Replays what the fuzzers started from and what they found.
@Suite struct CorpusTests {
  private static func inputs(_ name: String) throws -> [(String, [UInt8])] {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Corpus/\(name)")
    return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map {
      ($0, Array(try Data(contentsOf: folder.appendingPathComponent($0))))
    }
  }

  @Test("frames")
  func frames() throws {
    let inputs = try Self.inputs("frames")
    #expect(inputs.count > 10)
    for (name, input) in inputs {
      #expect(FramesInvariant.violation(of: input) == nil, "\(name)")
    }
  }

  @Test("handshakes and URLs")
  func handshake() throws {
    let inputs = try Self.inputs("handshake")
    #expect(inputs.count > 10)
    for (name, input) in inputs {
      #expect(HandshakeInvariant.violation(of: input) == nil, "\(name)")
    }
  }
}
