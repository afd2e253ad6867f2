@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt { 0 }

#if !FUZZING
  @main
  struct Replay {
    static func main() {}
  }
#endif
