#if FUZZING
  @_cdecl("LLVMFuzzerTestOneInput")
  public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    if let violation = HubInvariant.violation(of: input) { fatalError(violation) }
    return 0
  }
#else
  /// The corpus is replayed by the tests; a plain build of this program has nothing to do.
  @main
  struct Replay {
    static func main() {}
  }
#endif
