import Bytes
import JSONText

/// Anything at all goes in: must never trap, and what holds of the results is checked.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  check([UInt8](UnsafeBufferPointer(start: start, count: count)))
  return 0
}

private func check(_ bytes: [UInt8]) {
  checkScan(bytes)
  checkStrings(bytes)
  checkLines(bytes)
}

private func checkScan(_ bytes: [UInt8]) {
  var scanner = JSONScanner(wanted: ["type", "a", ""], maximumDepth: 16)
  let whole = try? scanner.scan(bytes.span, 0..<bytes.count)
  let members = (0..<3).map { scanner.member($0) }
  // The same text somewhere else gives the same answer.
  let padded = [0xFF, 0x22] + bytes + [UInt8](repeating: 0x22, count: bytes.count % 70)
  let moved = try? scanner.scan(padded.span, 2..<(bytes.count + 2))
  precondition((whole == nil) == (moved == nil))
  guard let whole, let moved else { return }
  precondition(moved.range == (whole.range.lowerBound + 2)..<(whole.range.upperBound + 2))
  precondition(moved.kind == whole.kind && moved.isASCII == whole.isASCII)
  precondition(moved.hasLineBreak == whole.hasLineBreak)

  precondition(String(validating: bytes, as: UTF8.self) != nil, "accepted bad UTF-8")
  precondition(whole.isASCII == bytes[whole.range].allSatisfy { $0 < 0x80 })
  precondition(whole.hasLineBreak == bytes[whole.range].contains { $0 == 10 || $0 == 13 })
  for case (let index, let member?) in members.enumerated() {
    precondition(scanner.member(index)?.range.count == member.range.count)
    let isString = member.kind == .string
    let range =
      isString ? (member.range.lowerBound - 1)..<(member.range.upperBound + 1) : member.range
    var inner = JSONScanner(wanted: [], maximumDepth: 16)
    let outline = try? inner.scan(bytes.span, range)
    precondition(outline?.kind == member.kind && outline?.range == range)
    if isString {
      let real = JSONString.unescape(bytes.span, member.range)
      precondition(String(validating: real, as: UTF8.self) != nil)
      precondition(member.hasEscapes || real == Array(bytes[member.range]))
    }
  }
  if whole.kind == .number {
    let text = String(decoding: bytes[whole.range], as: UTF8.self)
    precondition(Double(text)?.isFinite == true, "accepted \(text)")
  }
  for isForTerminal in [false, true] {
    var line: [UInt8] = []
    if isForTerminal {
      whole.appendForTerminal(bytes.span, into: &line)
    } else {
      whole.append(bytes.span, into: &line)
    }
    let again = try? scanner.scan(line.span, 0..<line.count)
    precondition(again?.kind == whole.kind && again?.range == 0..<line.count)
    precondition(again?.hasLineBreak == false)
    if !isForTerminal { precondition(line.count == whole.range.count) }
  }
}

private func checkStrings(_ bytes: [UInt8]) {
  let isValid = String(validating: bytes, as: UTF8.self) != nil
  precondition(UTF8Validator.isValid(bytes.span, 0..<bytes.count) == isValid)
  var validator = UTF8Validator()
  let cut = bytes.count / 3
  let isAlive =
    validator.validate(bytes.span, 0..<cut) && validator.validate(bytes.span, cut..<bytes.count)
  precondition((isAlive && validator.isComplete) == isValid)

  for escapes in [JSONString.Escapes.required, .terminal] {
    var text: [UInt8] = [0x22]
    JSONString.appendEscaped(bytes.span, 0..<bytes.count, escapes: escapes, into: &text)
    text.append(0x22)
    var scanner = JSONScanner(wanted: [])
    let outline = try? scanner.scan(text.span, 0..<text.count)
    precondition(outline?.kind == .string)
    let real = JSONString.unescape(text.span, 1..<(text.count - 1))
    precondition(real == Array(String(decoding: bytes, as: UTF8.self).utf8))
  }
  var shown: [UInt8] = []
  TerminalText.append(bytes.span, 0..<bytes.count, into: &shown)
  guard let visible = String(validating: shown, as: UTF8.self) else { preconditionFailure() }
  precondition(!visible.unicodeScalars.contains { TerminalText.isUnsafe($0.value) })
  let encoded = Base64.encode(bytes.span, 0..<bytes.count)
  precondition(Base64.decode(encoded.span, 0..<encoded.count) == bytes)
  if let decoded = Base64.decode(bytes.span, 0..<bytes.count) {
    precondition(Base64.encode(decoded.span, 0..<decoded.count) == bytes)
  }
}

/// However a stream is cut, the lines are the same.
private func checkLines(_ bytes: [UInt8]) {
  let maximum = Int(bytes.first ?? 0)
  let whole = lines(of: bytes, maximum, chunk: max(bytes.count, 1))
  for chunk in [1, 3, Int(bytes.last ?? 0) + 1] {
    precondition(lines(of: bytes, maximum, chunk: chunk) == whole)
  }
}

private func lines(of bytes: [UInt8], _ maximum: Int, chunk: Int) -> [[UInt8]] {
  var splitter = LineSplitter(maximumLength: maximum)
  var lines: [[UInt8]] = []
  func take(_ line: LineSplitter.Line, _ bytes: [UInt8]) {
    switch line {
    case .inChunk(let range): lines.append(Array(bytes[range]))
    case .assembled:
      precondition(splitter.assembled.count <= maximum)
      lines.append(splitter.assembled)
    case .tooLong(let byteCount):
      precondition(byteCount > maximum)
      lines.append(splitter.assembled + Array("#\(byteCount)".utf8))
    }
  }
  for start in stride(from: 0, to: bytes.count, by: chunk) {
    let part = Array(bytes[start..<min(start + chunk, bytes.count)])
    var position = 0
    while let line = splitter.next(part.span, at: &position) { take(line, part) }
  }
  if let line = splitter.end() { take(line, []) }
  return lines
}

#if !FUZZING
  @main
  struct Replay {
    static func main() {}
  }
#endif
