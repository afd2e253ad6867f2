import Bytes

/// Writes one record, `{"name":value,…}`, at the end of an array of bytes.
///
///     JSONWriter.append(into: &output) { writer in
///       writer.member("type", "wsii.state")
///       writer.member("attempt", 3)
///     }
///
/// Strings are escaped; names are written as they are and must be plain.
package struct JSONWriter: ~Copyable {
  private var output: [UInt8]
  private var needsComma = false

  private init(_ output: consuming [UInt8]) {
    self.output = output
  }

  /// Appends an object with the members that `body` writes. No terminator follows.
  package static func append<E: Error>(
    into output: inout [UInt8], _ body: (inout JSONWriter) throws(E) -> Void
  ) throws(E) {
    // The array is moved into the writer and back, so nothing is copied.
    var writer = JSONWriter([])
    swap(&writer.output, &output)
    defer { swap(&writer.output, &output) }
    writer.output.append(UInt8(ascii: "{"))
    try body(&writer)
    writer.output.append(UInt8(ascii: "}"))
  }

  package mutating func member(_ name: StaticString, _ value: String) {
    begin(name)
    output.append(UInt8(ascii: "\""))
    JSONString.appendEscaped(value, into: &output)
    output.append(UInt8(ascii: "\""))
  }

  package mutating func member(_ name: StaticString, _ value: Int) {
    begin(name)
    output.append(contentsOf: String(value).utf8)
  }

  package mutating func member(_ name: StaticString, _ value: Bool) {
    begin(name)
    output.append(contentsOf: (value ? "true" : "false").utf8)
  }

  /// Writes a string of arbitrary bytes: invalid UTF-8 is repaired, and it is cut to `maximum` bytes.
  package mutating func member(
    _ name: StaticString, bytes: Span<UInt8>, _ range: Range<Int>, maximum: Int = .max
  ) {
    begin(name)
    output.append(UInt8(ascii: "\""))
    JSONString.appendEscaped(bytes, range, maximum: maximum, into: &output)
    output.append(UInt8(ascii: "\""))
  }

  /// Writes whatever `body` appends, which must be one JSON value.
  package mutating func member(_ name: StaticString, build body: (inout [UInt8]) -> Void) {
    begin(name)
    body(&output)
  }

  /// Writes a member that is an object itself.
  package mutating func object(_ name: StaticString, _ body: (inout JSONWriter) -> Void) {
    begin(name)
    output.append(UInt8(ascii: "{"))
    needsComma = false
    body(&self)
    output.append(UInt8(ascii: "}"))
    needsComma = true
  }

  private mutating func begin(_ name: StaticString) {
    if needsComma { output.append(UInt8(ascii: ",")) }
    needsComma = true
    output.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { output.append(contentsOf: $0) }
    output.append(UInt8(ascii: "\""))
    output.append(UInt8(ascii: ":"))
  }
}
