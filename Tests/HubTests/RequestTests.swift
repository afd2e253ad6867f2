import Testing

@testable import Hub

@Suite struct RequestTests {
  @Test("a receipt is of two kinds")
  func receipts() {
    #expect(ReceiptStatus(rawValue: "delivered") == .delivered)
    #expect(ReceiptStatus(rawValue: "read") == .read)
    #expect(ReceiptStatus(rawValue: "Read") == nil)
    #expect(ReceiptStatus.read.rawValue == "read")
    let query = HistoryQuery(edge: .after(3), count: 1)
    #expect(query == HistoryQuery(edge: .after(3), count: 1))
    #expect(query != HistoryQuery(edge: .before(3), count: 1))
    let objection = Objection(code: .full, reason: "no")
    #expect(objection == Objection(code: .full, reason: "no"))
  }
}
