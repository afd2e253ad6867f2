import JSONText

/// A line of standard output, or a frame's text, as far as the simulation looks.
struct Record {
  private static let names = [
    "type", "id", "conversationId", "seq", "senderId", "after", "before", "epoch", "messageId",
    "text",
  ]

  var type = ""
  var id = ""
  var room = ""
  var sender = ""
  var epoch: String?
  var messageID = ""
  var text = ""
  var seq: Int?
  var after: Int?
  var before: Int?

  /// nil: no JSON object in one line.
  init?(_ bytes: [UInt8]) {
    var scanner = JSONScanner(wanted: Self.names)
    guard let outline = try? scanner.scan(bytes.span, 0..<bytes.count), outline.kind == .object,
      !outline.hasLineBreak
    else { return nil }
    func string(_ index: Int) -> String? {
      guard let value = scanner.member(index), value.kind == .string else { return nil }
      return String(decoding: JSONString.unescape(bytes.span, value.range), as: UTF8.self)
    }
    func number(_ index: Int) -> Int? {
      scanner.member(index).flatMap { Int(String(decoding: bytes[$0.range], as: UTF8.self)) }
    }
    type = string(0) ?? ""
    id = string(1) ?? ""
    room = string(2) ?? ""
    seq = number(3)
    sender = string(4) ?? ""
    after = number(5)
    before = number(6)
    epoch = string(7)
    messageID = string(8) ?? ""
    text = string(9) ?? ""
  }
}
