/// Reads a head as it arrives, within limits.
///
/// Byte by byte: a head is read once a connection, and this way its cost and its answers don't depend
/// on how the bytes were cut. The bytes after the blank line stay where they are.
struct HTTPHeadReader {
  private let limits: WebSocketLimits
  private var count = 0
  private var line: [UInt8] = []
  private var startLine: [UInt8]?
  private var fields: [HTTPField] = []

  init(limits: WebSocketLimits) {
    self.limits = limits
  }

  /// Reads up to the end of the head; nil when more bytes are needed.
  ///
  /// - Parameter position: moved past what was taken.
  mutating func read(
    _ input: Span<UInt8>, at position: inout Int
  ) throws(HTTPHeadError) -> HTTPHead? {
    while position < input.count {
      let byte = input[position]
      position += 1
      count += 1
      guard count <= limits.maximumHead else { throw .headTooLong(maximum: limits.maximumHead) }
      if byte == 0x0A {
        guard line.popLast() == 0x0D else { throw .illegalLineEnd }
        if let head = try endLine() { return head }
      } else {
        guard line.last != 0x0D else { throw .illegalLineEnd }
        // One more for the CR, which is no part of the line.
        guard line.count <= limits.maximumHeaderLine else {
          throw .lineTooLong(maximum: limits.maximumHeaderLine)
        }
        line.append(byte)
      }
    }
    return nil
  }

  private mutating func endLine() throws(HTTPHeadError) -> HTTPHead? {
    defer { line.removeAll(keepingCapacity: true) }
    guard let startLine else {
      startLine = line
      return nil
    }
    if line.isEmpty {
      let head = HTTPHead(startLine: startLine, fields: fields)
      self = HTTPHeadReader(limits: limits)
      return head
    }
    guard fields.count < limits.maximumHeaderFields else {
      throw .tooManyFields(maximum: limits.maximumHeaderFields)
    }
    fields.append(try HTTPField(line: line))
    return nil
  }
}
