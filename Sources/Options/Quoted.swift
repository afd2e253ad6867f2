/// Writes text that came from outside into a message: short, on one line, without terminal escapes.
enum Quoted {
  /// Longer texts are cut here; an error is one line, and its reader knows the rest.
  static let maximumCount = 60

  /// Returns the text in single quotes.
  static func text(_ text: String) -> String {
    "'" + bare(text) + "'"
  }

  /// Returns the text without quotes.
  static func bare(_ text: String) -> String {
    var result = ""
    var count = 0
    for scalar in text.unicodeScalars {
      if count == maximumCount { return result + "..." }
      count += 1
      if isShown(scalar) {
        result.unicodeScalars.append(scalar)
      } else {
        result += "\\u{" + String(scalar.value, radix: 16) + "}"
      }
    }
    return result
  }

  /// Control bytes, line separators and direction marks could forge or disturb a terminal's line.
  private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned: false
    default: true
    }
  }
}
