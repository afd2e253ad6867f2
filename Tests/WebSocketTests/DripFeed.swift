import Testing

/// Runs a parser over an input whole, cut in two at every place, and byte by byte, and expects the
/// same result each time: what a peer means doesn't depend on how the network cut it.
///
/// - Parameter run: feeds the pieces one after the other and gives all that was observed.
/// - Returns: the result, for the caller to judge.
@discardableResult
func dripFeed<Result: Equatable>(
  _ input: [UInt8], sourceLocation: SourceLocation = #_sourceLocation,
  _ run: ([[UInt8]]) -> Result
) -> Result {
  let whole = run([input])
  // Every place of what is short; of what is long every place of the beginning, then some.
  let isShort = input.count <= 1_024
  let beginning = 0...(isShort ? input.count : 32)
  let rest = isShort ? 0..<0 : 33..<(input.count + 1)
  for cut in Array(beginning) + rest.filter({ $0 % (input.count / 32) == 0 }) {
    let result = run([Array(input[..<cut]), Array(input[cut...])])
    if result != whole {
      Issue.record("cut at \(cut): \(result), whole: \(whole)", sourceLocation: sourceLocation)
      return whole
    }
  }
  let single = run(input.map { [$0] })
  #expect(single == whole, "byte by byte", sourceLocation: sourceLocation)
  return whole
}
