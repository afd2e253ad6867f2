internal import Bytes

/// Text from a peer in a form that can't obey, forge or break the line it is shown in.
///
/// Only this module's own descriptions use it: frames, close reasons, heads.
enum VisibleText {
  /// The bytes as text for a place between quotes, see `TerminalText`.
  static func escaped(_ bytes: some Collection<UInt8>) -> String {
    let parts = bytes.split(separator: UInt8(ascii: "\""), omittingEmptySubsequences: false)
    return parts.map { TerminalText.visible(Array($0)) }.joined(separator: "\\\"")
  }

  /// The bytes as two hexadecimal digits each.
  static func hexadecimal(_ bytes: some Collection<UInt8>) -> String {
    var text = ""
    for byte in bytes {
      if !text.isEmpty { text += " " }
      if byte < 16 { text += "0" }
      text += String(byte, radix: 16)
    }
    return text
  }
}
