package import Hub
package import WebSocket

/// Why a text isn't a value of its kind; the reason never repeats a secret.
struct ValueProblem: Error, Equatable {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}

/// A checked value.
package enum OptionValue: Equatable, Sendable {
  case flag(Bool)
  case text(String)
  case url(WebSocketURL)
  /// The word that stands for "no value": `off`, `unlimited`.
  case none(String)
  case number(Int)
  case duration(Duration)
  case range(ClosedRange<Duration>)
  case named(NamedValue)
  case address(HubAddress)
  case rate(MessageRate)
  case chaos(ChaosSpec)
}

extension ArgumentKind {
  /// Turns a text into a checked value.
  func parse(_ text: String) throws(ValueProblem) -> OptionValue {
    switch self {
    case .flag: return .flag(try flag(text))
    case .header: return .named(try NamedValue.header(text))
    case .queryItem: return .named(try NamedValue.queryItem(text))
    case .url:
      do {
        return .url(try WebSocketURL(text))
      } catch {
        throw ValueProblem(error.description)
      }
    case .listenAddress:
      guard let address = HubAddress.parse(text) else { throw ValueProblem("not an address") }
      return .address(address)
    case .rate:
      guard let rate = MessageRate.parse(text) else { throw ValueProblem("not a rate") }
      return .rate(rate)
    case .chaos:
      do {
        return .chaos(try ChaosSpec(text))
      } catch {
        throw ValueProblem(error.reason)
      }
    case .size(let limits):
      guard let bytes = SizeText.parse(text) else { throw ValueProblem("not a size") }
      return .number(try check(bytes, limits))
    case .count(let limits, let word):
      if let word, text == word { return .none(word) }
      guard let number = NumberText.parse(text) else { throw ValueProblem("not a number") }
      return .number(try check(number, limits))
    case .duration(let limits, let word):
      if let word, text == word { return .none(word) }
      guard let duration = DurationText.parse(text) else { throw ValueProblem("not a time") }
      return .duration(try check(duration, limits))
    case .durationRange(let limits):
      guard let range = DurationText.parseRange(text) else {
        throw ValueProblem("not a range of times")
      }
      _ = try check(range.lowerBound, limits)
      _ = try check(range.upperBound, limits)
      return .range(range)
    case .text, .path, .connectionName, .variable, .word, .token, .origin, .proxy:
      try checkText(text)
      return .text(text)
    }
  }

  /// What is allowed, as the end of an error message; the sentence begins with "allowed is".
  var allowed: String {
    switch self {
    case .flag: "true, yes, 1, false, no or 0"
    case .text: "a text on one line"
    case .path: "a path"
    case .connectionName:
      "up to 64 letters, digits, '.', '_', '-', '@' and '+', beginning with a letter or digit"
    case .url: "ws://HOST[:PORT][/PATH] or wss://..."
    case .variable: "letters, digits and '_'"
    case .duration(let limits, let word):
      "\(DurationText.render(limits.lowerBound)) to \(DurationText.render(limits.upperBound))"
        + (word.map { " or \($0)" } ?? "") + ", as in 10s, 500ms, 2m, 1h"
    case .durationRange(let limits):
      "MIN..MAX between \(DurationText.render(limits.lowerBound)) and"
        + " \(DurationText.render(limits.upperBound)), as in 1s..30s"
    case .size(let limits):
      "\(SizeText.render(limits.lowerBound)) to \(SizeText.render(limits.upperBound)),"
        + " as in 1048576, 64KiB, 1M"
    case .count(let limits, let word):
      (limits.upperBound == .max
        ? "a number from \(limits.lowerBound) on"
        : "\(limits.lowerBound) to \(limits.upperBound)") + (word.map { " or \($0)" } ?? "")
    case .word(let words): words.joined(separator: ", ")
    case .header: "NAME: VALUE or NAME: @FILE"
    case .queryItem: "NAME=VALUE or NAME=@FILE"
    case .token: "letters, digits and !#$%&'*+-.^_`|~"
    case .origin: "http://HOST[:PORT] or https://..., without a path"
    case .proxy: "HOST:PORT, or http, https, socks4, socks4a, socks5 or socks5h and ://HOST:PORT"
    case .rate:
      "N or N/BURST, messages a second and at once, 1 to \(MessageRate.maximum), as in 5 or 5/20"
    case .chaos: "SWITCH=VALUE,... as in delay=50,drop-after=10-40"
    case .listenAddress: "ADDRESS:PORT, [IPV6]:PORT or unix:PATH"
    }
  }

  private func flag(_ text: String) throws(ValueProblem) -> Bool {
    switch text.lowercased() {
    case "true", "yes", "1": return true
    case "false", "no", "0": return false
    default: throw ValueProblem("neither true nor false")
    }
  }

  private func check<Value: Comparable>(
    _ value: Value, _ limits: ClosedRange<Value>
  ) throws(ValueProblem) -> Value {
    if value < limits.lowerBound { throw ValueProblem("too small") }
    if value > limits.upperBound { throw ValueProblem("too large") }
    return value
  }

  private func checkText(_ text: String) throws(ValueProblem) {
    if text.isEmpty { throw ValueProblem("empty") }
    if ASCIIText.hasControl(text) { throw ValueProblem("holds a control character") }
    switch self {
    case .connectionName: try checkName(text)
    case .variable:
      guard text.utf8.allSatisfy({ ASCIIText.isAlphanumeric($0) || $0 == UInt8(ascii: "_") })
      else { throw ValueProblem("not a variable's name") }
    case .word(let words):
      guard !words.contains(text) else { return }
      let nearest = NearestName.find(text, among: words)
      throw ValueProblem("unknown" + (nearest.map { ", did you mean \($0)?" } ?? ""))
    case .token:
      guard text.utf8.allSatisfy(ASCIIText.isToken) else { throw ValueProblem("not a token") }
    case .origin: try checkOrigin(text)
    case .proxy: try checkProxy(text)
    default: break
    }
  }

  /// The name becomes a file's name, so it can't leave the directory or look like an option.
  private func checkName(_ text: String) throws(ValueProblem) {
    guard text.utf8.count <= 64, let first = text.utf8.first, ASCIIText.isAlphanumeric(first),
      text.utf8.allSatisfy({ ASCIIText.isAlphanumeric($0) || "._-@+".utf8.contains($0) })
    else { throw ValueProblem("not a connection's name") }
  }

  /// An origin is scheme, host and port (RFC 6454, section 6.1), or the word null.
  private func checkOrigin(_ text: String) throws(ValueProblem) {
    if text == "null" { return }
    for scheme in ["http://", "https://"] where text.hasPrefix(scheme) {
      let host = text.utf8.dropFirst(scheme.utf8.count)
      guard !host.isEmpty, !host.contains(where: { $0 <= 0x20 || "/?#@,".utf8.contains($0) })
      else { break }
      return
    }
    throw ValueProblem("not an origin")
  }

  private func checkProxy(_ text: String) throws(ValueProblem) {
    if text.utf8.contains(UInt8(ascii: " ")) { throw ValueProblem("holds a space") }
    guard let mark = ByteSearch.firstIndex(of: "://", in: text) else { return }
    let schemes = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"]
    guard schemes.contains(text[..<mark].lowercased()) else {
      throw ValueProblem("unknown scheme")
    }
  }
}
