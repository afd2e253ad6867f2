import Foundation
import Testing

@testable import fuzz_native

/// The client and the hub together; `fuzz-native` runs more seeds, and tells one in full.
@Suite struct NativeSimulationTests {
  @Test(
    "nothing twice, nothing missing without a gap, order per room",
    arguments: (0..<6).map { $0 * 5 + 1 })
  func seeds(_ first: Int) {
    for seed in first..<first + 5 {
      #expect(NativeSimulation.violation(seed: UInt64(seed)) == nil)
    }
  }

  @Test("the same for a seed that nobody has tried yet; the violation names it")
  func anySeed() {
    #expect(NativeSimulation.violation(seed: .random(in: 1_000...1 << 40)) == nil)
  }

  @Test("what the fuzzer started from and what it found")
  func corpus() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Corpus/native")
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    #expect(names.count > 2)
    for name in names {
      let input = Array(try Data(contentsOf: folder.appendingPathComponent(name)))
      #expect(NativeInvariant.violation(of: input) == nil, "\(name)")
    }
  }

  @Test("a run can be told in full")
  func told() {
    #expect(NativeSimulation.violation(seed: 3, steps: 40, isLogging: true) == nil)
  }
}
