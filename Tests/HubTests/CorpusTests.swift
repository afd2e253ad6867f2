import Foundation
import Testing

@testable import fuzz_hub

@Suite struct CorpusTests {
  @Test("what fuzzing started from and found holds")
  func corpus() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("Corpus/hub")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names.count > 5)
    for name in names {
      let input = Array(try Data(contentsOf: folder.appendingPathComponent(name)))
      #expect(HubInvariant.violation(of: input) == nil, "\(name)")
    }
  }

  @Test("scripts by chance hold", arguments: 0..<64)
  func chance(_ seed: UInt64) {
    var state = seed &* 0x9E37_79B9_7F4A_7C15
    let script = (0..<1_500).map { _ in
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return UInt8(truncatingIfNeeded: state >> 56)
    }
    #expect(HubInvariant.violation(of: script) == nil, "seed \(seed)")
  }
}
