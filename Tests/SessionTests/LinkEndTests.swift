import Testing

@testable import Session

@Suite struct LinkEndTests {
  struct Case {
    var end: LinkEnd
    var explanation: String
    var isRefusal = false
    var isViolation = false
    var closeCode: UInt16?
    var httpStatus: Int?
    var retryAfter: Duration?
  }

  private static let cases: [Case] = [
    Case(end: .unreachable(reason: "no route"), explanation: "no route"),
    Case(end: .noCredentials(reason: "no file"), explanation: "no file"),
    Case(end: .refusedByProxy(reason: "407"), explanation: "407", isRefusal: true),
    Case(
      end: .refusedUpgrade(status: 401, reason: "", retryAfter: nil),
      explanation: "the server answered 401", isRefusal: true, httpStatus: 401),
    Case(
      end: .refusedUpgrade(status: 403, reason: "No", retryAfter: .seconds(2)),
      explanation: "the server answered 403 No", isRefusal: true, httpStatus: 403,
      retryAfter: .seconds(2)),
    Case(
      end: .refusedUpgrade(status: 503, reason: "Busy", retryAfter: .seconds(7)),
      explanation: "the server answered 503 Busy", httpStatus: 503, retryAfter: .seconds(7)),
    Case(
      end: .protocolViolation(reason: "masked", code: 1002), explanation: "masked",
      isViolation: true, closeCode: 1002),
    Case(
      end: .protocolViolation(reason: "no Upgrade", code: nil), explanation: "no Upgrade",
      isViolation: true),
    Case(end: .closed(code: nil, reason: []), explanation: "the server closed without a code"),
    Case(
      end: .closed(code: 1000, reason: []), explanation: "the server closed with 1000",
      closeCode: 1000),
    Case(
      end: .closed(code: 1001, reason: [0x62, 0x79, 0x65, 0xFF]),
      explanation: "the server closed with 1001: bye\u{FFFD}", closeCode: 1001),
    Case(
      end: .closed(code: 1008, reason: []), explanation: "the server closed with 1008",
      isRefusal: true, closeCode: 1008),
    Case(
      end: .closed(code: 4001, reason: []), explanation: "the server closed with 4001",
      isRefusal: true, closeCode: 4001),
    Case(
      end: .closed(code: 4003, reason: []), explanation: "the server closed with 4003",
      isRefusal: true, closeCode: 4003),
    Case(
      end: .closed(code: 4002, reason: []), explanation: "the server closed with 4002",
      closeCode: 4002),
    Case(end: .lost(reason: "reset"), explanation: "reset"),
    Case(end: .left(reason: "nobody reads"), explanation: "nobody reads"),
    Case(end: .reconnecting, explanation: "asked to reconnect"),
  ]

  @Test(arguments: cases)
  func itIsJudgedAndExplained(example: Case) {
    let end = example.end
    #expect(end.explanation == example.explanation)
    #expect(end.isRefusal == example.isRefusal)
    #expect(end.isProtocolViolation == example.isViolation)
    #expect(end.closeCode == example.closeCode)
    #expect(end.httpStatus == example.httpStatus)
    #expect(end.retryAfter == example.retryAfter)
  }
}
