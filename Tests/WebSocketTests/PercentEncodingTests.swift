import Testing

@testable import WebSocket

@Suite struct PercentEncodingTests {
  @Test("every byte survives")
  func roundTrip() {
    let all = (0...255).map { UInt8($0) }
    #expect(PercentEncoding.decoded(PercentEncoding.encoded(all).utf8) == all)
    #expect(PercentEncoding.encoded("aZ0-._~ +&=/€".utf8) == "aZ0-._~%20%2B%26%3D%2F%E2%82%AC")
  }

  @Test("odd spellings are read as far as they go")
  func decoding() {
    #expect(PercentEncoding.decoded("a+b%2f%2F%2g%2".utf8) == Array("a b//%2g%2".utf8))
    #expect(PercentEncoding.decoded("%41".utf8) == [0x41])
    #expect(PercentEncoding.decoded("%a".utf8) == Array("%a".utf8))
  }

  @Test("a query's first item of a name is found")
  func query() {
    let query = "a=1&to%6ben=x%20y&token=z&empty=&bare".utf8
    #expect(PercentEncoding.value(of: "token", in: query) == Array("x y".utf8))
    #expect(PercentEncoding.value(of: "empty", in: query) == [])
    #expect(PercentEncoding.value(of: "bare", in: query) == [])
    #expect(PercentEncoding.value(of: "none", in: query) == nil)
  }
}
