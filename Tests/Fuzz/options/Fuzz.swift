import Options

/// Feeds one of the parsers, chosen by the first byte. No input may trap, and what a value
/// renders to must be read as the same value.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard let choice = input.first else { return 0 }
  let rest = Array(input.dropFirst())
  switch choice % 3 {
  case 0: fuzzFile(rest)
  case 1: fuzzArguments(rest)
  default: fuzzValues(String(decoding: rest, as: UTF8.self))
  }
  return 0
}

private func fuzzFile(_ bytes: [UInt8]) {
  guard case .run(let given) = try? Invocation.parse(["run", "ops"]),
    let file = try? ConfigurationFile(path: "/c/ops.conf", bytes: bytes)
  else { return }
  check { () throws(OptionError) in
    _ = try RunSettings.resolve(given, environment: Environment([]), file: file)
  }
}

/// Arguments are separated by NUL, as in /proc/PID/cmdline; those with `WSII_` and `=` are the
/// environment.
private func fuzzArguments(_ bytes: [UInt8]) {
  let texts = bytes.split(separator: 0, omittingEmptySubsequences: false)
    .map { String(decoding: $0, as: UTF8.self) }
  var pairs: [(name: String, value: String)] = []
  var arguments: [String] = []
  for text in texts {
    let parts = text.split(separator: "=", maxSplits: 1)
    if text.hasPrefix("WSII_"), parts.count == 2 {
      pairs.append((String(parts[0]), String(parts[1])))
    } else {
      arguments.append(text)
    }
  }
  let environment = Environment(pairs)
  check { () throws(OptionError) in
    switch try Invocation.parse(arguments) {
    case .run(let given):
      _ = try RunSettings.connection(given, environment: environment)
      _ = try RunSettings.resolve(given, environment: environment)
    case .hub(let given): _ = try HubSettings.resolve(given, environment: environment)
    case .help(let page): precondition(page.text.hasSuffix("\n"))
    case .version: break
    }
  }
}

private func fuzzValues(_ text: String) {
  if let duration = DurationText.parse(text) {
    precondition(DurationText.parse(DurationText.render(duration)) == duration)
  }
  if let range = DurationText.parseRange(text) {
    let ends = [range.lowerBound, range.upperBound].map { DurationText.render($0) }
    precondition(DurationText.parseRange(ends.joined(separator: "..")) == range)
  }
  if let bytes = SizeText.parse(text) {
    precondition(SizeText.parse(SizeText.render(bytes)) == bytes)
  }
  if let address = HubAddress.parse(text) {
    precondition(HubAddress.parse(address.text) == address)
  }
}

/// An error is one line without control bytes, and has a status of its own.
private func check(_ body: () throws(OptionError) -> Void) {
  do {
    try body()
  } catch {
    precondition(!error.message.utf8.contains { $0 < 0x20 || $0 == 0x7F })
    precondition(error.status == .usage || error.status == .configuration)
  }
}

#if !FUZZING
  @main
  struct Replay {
    static func main() {}
  }
#endif
