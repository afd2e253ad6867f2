/// How fast messages may come, as a user writes it: `5` a second, or `5/20`, with 20 at once.
package struct MessageRate: Equatable, Sendable {
  static let maximum = 1_000_000

  package let perSecond: Int
  /// Without one given as many as in a second.
  package let burst: Int

  static func parse(_ text: String) -> MessageRate? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    let numbers = parts.compactMap { NumberText.parse(String($0)) }
    guard numbers.count == parts.count, (1...2).contains(numbers.count),
      let perSecond = numbers.first, let burst = numbers.last,
      numbers.allSatisfy({ (1...maximum).contains($0) })
    else { return nil }
    return MessageRate(perSecond: perSecond, burst: burst)
  }
}
