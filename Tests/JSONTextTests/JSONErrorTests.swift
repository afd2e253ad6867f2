import JSONText
import Testing

@Suite struct JSONErrorTests {
  @Test(
    arguments: [
      (.empty, "no JSON value"), (.byteOrderMark, "a byte order mark before the JSON value"),
      (.truncated, "the JSON value ends too early"),
      (.expectedValue(0x7D), "\"}\" where a JSON value should begin"),
      (.expectedValue(0x20), "byte 0x20 where a JSON value should begin"),
      (.expectedValue(0x21), "\"!\" where a JSON value should begin"),
      (.expectedValue(0x7E), "\"~\" where a JSON value should begin"),
      (.expectedValue(0x7F), "byte 0x7f where a JSON value should begin"),
      (.expectedValue(0xC3), "byte 0xc3 where a JSON value should begin"),
      (.expectedKey, "no quoted key where one should be"),
      (.expectedColon, "no colon after a key"),
      (.expectedCommaOrEnd, "neither a comma nor the end after a value"),
      (.trailingBytes, "more bytes after the JSON value"),
      (.controlByte(0x09), "byte 0x09 inside a string"), (.invalidUTF8, "invalid UTF-8"),
      (.controlByte(0x1F), "byte 0x1f inside a string"),
      (.invalidEscape, "an invalid escape in a string"),
      (.loneSurrogate, "half a surrogate pair in a string"),
      (.invalidNumber, "a malformed number"),
      (.numberOutOfRange, "a number beyond the range of a double"),
      (.tooDeep(maximum: 128), "nested deeper than 128"),
      (.duplicateKey("room"), "duplicate key \"room\""),
    ] as [(JSONError.Kind, String)])
  func saysWhyInOneSentence(_ kind: JSONError.Kind, _ reason: String) {
    let error = JSONError(kind, at: 3)
    #expect(error.reason == reason)
    #expect(error.kind == kind && error.offset == 3)
    #expect(error != JSONError(kind, at: 4))
  }
}
