/// Finds a short text inside another, comparing bytes (`String` would compare characters).
enum ByteSearch {
  /// Returns where the needle first begins, or nil. Naive, since both are short.
  static func firstIndex(of needle: String, in text: String) -> String.Index? {
    let view = text.utf8
    return view.indices.first { view[$0...].starts(with: needle.utf8) }
  }

  static func contains(_ text: String, _ needle: String) -> Bool {
    firstIndex(of: needle, in: text) != nil
  }
}
