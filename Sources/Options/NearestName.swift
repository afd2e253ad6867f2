/// Finds the name that a mistyped one was probably meant to be.
enum NearestName {
  /// Names longer than any option aren't compared; the comparison is quadratic.
  private static let maximumCount = 40

  /// Returns the candidate with the fewest differences, or nil if none is near.
  ///
  /// Near is at most a third of the name's letters, or a beginning of at least three letters.
  static func find(_ name: String, among candidates: [String]) -> String? {
    let bytes = Array(name.utf8)
    if bytes.isEmpty || bytes.count > maximumCount { return nil }
    var nearest: String?
    var fewest = bytes.count / 3 + 1
    for candidate in candidates {
      let differences = distance(bytes, Array(candidate.utf8))
      if differences < fewest {
        fewest = differences
        nearest = candidate
      }
    }
    if nearest == nil && bytes.count >= 3 {
      nearest = candidates.first { $0.utf8.starts(with: bytes) }
    }
    return nearest
  }

  /// The edit distance, in which two neighbours that changed places count once.
  static func distance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var beforeLast: [Int] = []
    var last = Array(0...b.count)
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var best = min(row[j] + 1, last[j + 1] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          best = min(best, beforeLast[j - 1] + 1)
        }
        row.append(best)
      }
      beforeLast = last
      last = row
    }
    return last[b.count]
  }
}
