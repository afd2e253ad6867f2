/// Text from a peer in a form that can't obey, forge or break the line it is shown in.
///
/// Only this module's own descriptions use it: frames, close reasons, heads.
enum VisibleText {
  /// The bytes as text. Printable characters stay; controls, line separators, characters that are
  /// invisible or change the direction of writing, quotes and backslashes are escaped; what isn't
  /// UTF-8 becomes U+FFFD.
  static func escaped(_ bytes: some Collection<UInt8>) -> String {
    var text = ""
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      switch scalar {
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      default:
        if isVisible(scalar) {
          text.unicodeScalars.append(scalar)
        } else {
          text += "\\u{\(String(scalar.value, radix: 16))}"
        }
      }
    }
    return text
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

  private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .surrogate,
      .unassigned:
      false
    default: true
    }
  }
}
