import Bytes
import JSONText
package import WebSocket

/// The dialect of servers that nothing is known about: a line is a frame, a frame is a line.
///
/// | format | from a line | from a frame |
/// |---|---|---|
/// | json | one JSON value, checked: a text frame with the same bytes | a JSON object or array: the same bytes, raw line breaks between tokens as spaces |
/// | | `{"type":"wsii.text","text":…}`: a text frame with that text | anything else in a text frame: such a record |
/// | | `{"type":"wsii.binary","data":…}`: a binary frame (base64) | a binary frame: such a record |
/// | | another `wsii.` type: skipped, it is a report of a wsii upstream | a `wsii.` type: wrapped as text, only wsii speaks for wsii |
/// | text | the text of a text frame | the text, a line break inside as `\n` |
///
/// Nothing is completed, throttled or deduplicated.
package struct PlainDialect: Sendable {
  package enum Format: Sendable { case json, text }

  /// What becomes of a line.
  package enum Composed: Equatable, Sendable {
    /// A frame with the line's own bytes.
    case line(MessageKind)
    /// A frame with the bytes in `built`.
    case built(MessageKind)
    case skipped
    case refused(reason: String)
  }

  /// What became of a frame.
  package enum Delivered: Equatable, Sendable {
    /// One record or text line was appended.
    case record
    /// A binary frame in text format: its record was appended to the reports instead.
    case report
    /// A text frame isn't UTF-8; the connection fails with 1007.
    case invalidText
  }

  private let format: Format
  /// Whether standard output is a terminal, which obeys what JSON allows raw.
  private let isForTerminal: Bool
  private var typeScanner = JSONScanner(wanted: ["type"])
  private var wrapScanner = JSONScanner(wanted: ["text", "data"])
  /// The payload of the last `.built` frame.
  package private(set) var built: [UInt8] = []

  package init(format: Format, isForTerminal: Bool) {
    self.format = format
    self.isForTerminal = isForTerminal
  }

  // MARK: From a line to a frame

  package mutating func compose(_ line: Span<UInt8>) -> Composed {
    let whole = 0..<line.count
    guard format == .json else {
      return UTF8Validator.isValid(line, whole) ? .line(.text) : .refused(reason: "not UTF-8")
    }
    if line.isBlank { return .skipped }
    do throws(JSONError) {
      let outline = try typeScanner.scan(line, whole)
      guard outline.kind == .object, let type = typeScanner.member(0), type.kind == .string
      else { return .line(.text) }
      return composeTyped(line, type: type)
    } catch {
      return .refused(reason: error.reason)
    }
  }

  private mutating func composeTyped(_ line: Span<UInt8>, type: JSONValue) -> Composed {
    guard type.isReserved(in: line) else { return .line(.text) }
    switch type.text(in: line) {
    case Array("wsii.text".utf8):
      return composeWrapped(line, member: 0, name: "text") { $0 }
    case Array("wsii.binary".utf8):
      return composeWrapped(line, member: 1, name: "data") { Base64.decode($0.span, 0..<$0.count) }
    default:
      return .skipped
    }
  }

  private mutating func composeWrapped(
    _ line: Span<UInt8>, member: Int, name: String, _ decode: ([UInt8]) -> [UInt8]?
  ) -> Composed {
    // The line has been scanned before; a second look costs only those who wrap.
    guard (try? wrapScanner.scan(line, 0..<line.count)) != nil,
      let value = wrapScanner.member(member), value.kind == .string
    else {
      return .refused(
        reason: "a wsii.\(member == 0 ? "text" : "binary") record needs a string \"\(name)\"")
    }
    guard let payload = decode(value.text(in: line)) else {
      return .refused(reason: "\"\(name)\" is not base64")
    }
    built = payload
    return .built(member == 0 ? .text : .binary)
  }

  // MARK: From a frame to a line

  /// Appends what the frame becomes, with its line break, to `records` (or to `reports`).
  package mutating func deliver(
    _ kind: MessageKind, _ payload: Span<UInt8>, _ range: Range<Int>,
    records: inout [UInt8], reports: inout [UInt8]
  ) -> Delivered {
    guard kind == .text else {
      if format == .text {
        appendBinary(payload, range, to: &reports)
        return .report
      }
      appendBinary(payload, range, to: &records)
      return .record
    }
    if format == .text {
      guard UTF8Validator.isValid(payload, range) else { return .invalidText }
      appendTextLine(payload, range, to: &records)
      return .record
    }
    do throws(JSONError) {
      let outline = try typeScanner.scan(payload, range)
      if outline.kind == .object || outline.kind == .array, !claimsToBeWsii(payload) {
        appendJSONLine(payload, outline, to: &records)
        return .record
      }
    } catch {
      guard UTF8Validator.isValid(payload, range) else { return .invalidText }
    }
    appendWrappedText(payload, range, to: &records)
    return .record
  }

  private mutating func claimsToBeWsii(_ payload: Span<UInt8>) -> Bool {
    guard let type = typeScanner.member(0), type.kind == .string else { return false }
    return type.isReserved(in: payload)
  }

  private func appendJSONLine(
    _ payload: Span<UInt8>, _ outline: JSONOutline, to records: inout [UInt8]
  ) {
    if isForTerminal {
      outline.appendForTerminal(payload, into: &records)
    } else {
      outline.append(payload, into: &records)
    }
    records.append(UInt8(ascii: "\n"))
  }

  private func appendTextLine(
    _ payload: Span<UInt8>, _ range: Range<Int>, to records: inout [UInt8]
  ) {
    if isForTerminal {
      TerminalText.append(payload, range, escapesBackslash: false, into: &records)
    } else {
      TerminalText.appendOneLine(payload, range, into: &records)
    }
    records.append(UInt8(ascii: "\n"))
  }

  private func appendWrappedText(
    _ payload: Span<UInt8>, _ range: Range<Int>, to records: inout [UInt8]
  ) {
    records.append(contentsOf: #"{"type":"wsii.text","text":""#.utf8)
    JSONString.appendEscaped(
      payload, range, escapes: isForTerminal ? .terminal : .required, into: &records)
    records.append(contentsOf: "\"}\n".utf8)
  }

  private func appendBinary(
    _ payload: Span<UInt8>, _ range: Range<Int>, to records: inout [UInt8]
  ) {
    records.append(contentsOf: #"{"type":"wsii.binary","data":""#.utf8)
    Base64.append(payload, range, into: &records)
    records.append(contentsOf: "\"}\n".utf8)
  }
}

extension Span<UInt8> {
  /// Whether nothing but JSON's white space stands here.
  var isBlank: Bool {
    for index in indices {
      switch self[index] {
      case 0x20, 0x09, 0x0A, 0x0D: continue
      default: return false
      }
    }
    return true
  }
}
