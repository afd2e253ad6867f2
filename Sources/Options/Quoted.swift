internal import Bytes

/// Writes text that came from outside into a message: short, on one line, without terminal escapes.
enum Quoted {
  /// Longer texts are cut here; an error is one line, and its reader knows the rest.
  static let maximumCount = 60

  /// Returns the text in single quotes.
  static func text(_ text: String) -> String {
    "'" + bare(text) + "'"
  }

  /// Returns the text without quotes, with what a terminal may obey or hide made visible.
  static func bare(_ text: String) -> String {
    let shown = String(text.unicodeScalars.prefix(maximumCount))
    let isCut = shown.utf8.count < text.utf8.count
    return TerminalText.visible(shown, escapesBackslash: false) + (isCut ? "..." : "")
  }
}
