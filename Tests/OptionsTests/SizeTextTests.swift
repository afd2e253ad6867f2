import Testing

@testable import Options

@Suite struct SizeTextTests {
  @Test(arguments: [
    ("0", 0), ("1048576", 1_048_576), ("1k", 1_024), ("1K", 1_024), ("64M", 67_108_864),
    ("64MiB", 67_108_864), ("64mib", 67_108_864), ("2GiB", 2_147_483_648), ("1t", 1 << 40),
    ("8388608TiB", nil), ("8388607TiB", 8_388_607 << 40), ("1MB", nil), ("1B", nil), ("M", nil),
    ("", nil), ("1.5M", nil), ("-1", nil), ("1 M", nil), ("9223372036854775808", nil),
  ])
  func textsAreBytes(text: String, bytes: Int?) {
    #expect(SizeText.parse(text) == bytes)
  }

  @Test(arguments: [
    (0, "0"), (1, "1"), (1_024, "1KiB"), (1_025, "1025"), (1 << 20, "1MiB"), (3 << 29, "1536MiB"),
    (1 << 30, "1GiB"), (1 << 50, "1024TiB"),
  ])
  func renderedSizesAreExact(bytes: Int, text: String) {
    #expect(SizeText.render(bytes) == text)
    #expect(SizeText.parse(text) == bytes)
  }
}
