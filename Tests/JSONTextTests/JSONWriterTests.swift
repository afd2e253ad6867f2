import JSONText
import Testing

@Suite struct JSONWriterTests {
  @Test func writesRecords() throws {
    let source: [UInt8] = Array("xx[1, 2]xx".utf8) + [0xFF]
    var output = Array("before\n".utf8)
    JSONWriter.append(into: &output) { writer in
      writer.member("type", "wsii.\"state\"\n")
      writer.member("attempt", Int.min)
      writer.member("durable", false)
      writer.member("online", true)
      writer.member("raw") { $0.append(contentsOf: source[2..<8]) }
      writer.member("input", bytes: source.span, 7..<source.count)
      writer.member("cut", bytes: source.span, 0..<source.count, maximum: 3)
      writer.object("limits") { inner in
        inner.member("window", 64)
        inner.object("empty") { _ in }
      }
    }
    JSONWriter.append(into: &output) { _ in }
    #expect(
      String(decoding: output, as: UTF8.self)
        == #"""
        before
        {"type":"wsii.\"state\"\n","attempt":-9223372036854775808,"durable":false,"online":true,"#
        """#.dropLast(2)
        + #""raw":[1, 2],"input":"]xx\#u{FFFD}","cut":"xx[","limits":{"window":64,"empty":{}}}{}"#)
    _ = try scan(output, 7..<(output.count - 2)).get()
  }

  @Test func givesTheBytesBackAfterAnError() {
    struct Failure: Error {}
    var output = Array("kept".utf8)
    #expect(throws: Failure.self) {
      try JSONWriter.append(into: &output) { (writer: inout JSONWriter) throws(Failure) in
        writer.member("a", 1)
        throw Failure()
      }
    }
    #expect(String(decoding: output, as: UTF8.self).hasPrefix("kept"))
  }

  /// Building in place must not copy what is already there.
  @Test func appendsInPlace() {
    var output: [UInt8] = []
    output.reserveCapacity(1 << 20)
    let address = output.withUnsafeBufferPointer { $0.baseAddress }
    for _ in 0..<1_000 {
      JSONWriter.append(into: &output) { $0.member("a", "b") }
    }
    #expect(output.withUnsafeBufferPointer { $0.baseAddress } == address)
    #expect(output.count == 9_000)
  }
}
