#if FUZZING
  @_cdecl("LLVMFuzzerTestOneInput")
  public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    // Words go to one session, the rest is chance for a whole world.
    let violation =
      input.first.map { $0 >= 0x20 && $0 < 0x7F } ?? true
      ? NativeInvariant.violation(of: input)
      : NativeSimulation.violation(seed: 1, input: input, steps: 40)
    if let violation { fatalError(violation) }
    return 0
  }
#else
  /// `fuzz-native FIRST COUNT` runs so many seeds, until one goes wrong; one alone is told in full.
  @main
  struct Replay {
    static func main() {
      let numbers = CommandLine.arguments.dropFirst().compactMap { UInt64($0) }
      guard let first = numbers.first else { return }
      let count = numbers.dropFirst().first ?? 1
      for seed in first..<first + count {
        if let violation = NativeSimulation.violation(seed: seed, isLogging: count == 1) {
          return print(violation)
        }
      }
    }
  }
#endif
