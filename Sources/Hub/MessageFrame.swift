/// A message as members get it: one complete frame that live links and the history share.
struct MessageFrame: Sendable {
  /// An unmasked WebSocket frame.
  let bytes: [UInt8]
  /// Where the record, its payload, begins.
  let recordStart: Int
  /// Where the id stands in `bytes`, without quotes and escaped as JSON wants it.
  let idText: Range<Int>
  let senderID: ByteKey

  /// - Parameters:
  ///   - record: one JSON object.
  ///   - idText: where the id's text is in it.
  init(record: [UInt8], idText: Range<Int>, senderID: ByteKey) {
    bytes = ServerFrame.encode(record)
    recordStart = bytes.count &- record.count
    self.idText = (idText.lowerBound &+ recordStart)..<(idText.upperBound &+ recordStart)
    self.senderID = senderID
  }

  var record: Range<Int> { recordStart..<bytes.count }

  /// What keeping it costs: the bytes, and about what arrays and this structure add.
  var cost: Int { bytes.count &+ 128 }
}
