import Bytes

/// Cuts a stream of bytes into lines (NDJSON framing), however it arrives.
///
/// A line that lies whole in a chunk is only pointed at; the others are assembled. The terminator, LF
/// or CRLF, isn't part of a line. Memory stays within `maximumLength`: what is longer is skipped
/// up to its end and reported once.
package struct LineSplitter: Sendable {
  package enum Line: Equatable, Sendable {
    /// The line lies in the chunk given to `next`.
    case inChunk(Range<Int>)
    /// The line is `assembled`, valid until the next call.
    case assembled
    /// A line of so many bytes was skipped; `assembled` has its beginning, at most
    /// `keptPrefix` bytes.
    case tooLong(byteCount: Int)
  }

  /// How much of a line that is too long is kept, to be shown in a report.
  package static let keptPrefix = 256
  /// Assembled lines above this give their storage back when the next line begins.
  private static let retainedCapacity = 65_536

  /// The longest line accepted, without its terminator.
  package let maximumLength: Int
  /// The begun line, or the last one returned.
  package private(set) var assembled: [UInt8] = []
  /// Bytes of the begun line, counted also where they aren't kept.
  private var length = 0
  /// `assembled` has been handed out and belongs to no begun line.
  private var isStale = false
  /// The last byte taken of a line that is too long, for its CR.
  private var lastByte: UInt8 = 0

  package init(maximumLength: Int) {
    self.maximumLength = maximumLength
  }

  /// Returns the next line that ends in `chunk`, looking from `position` on, and moves `position`
  /// behind its terminator. nil: the chunk is used up, its rest is kept.
  package mutating func next(_ chunk: Span<UInt8>, at position: inout Int) -> Line? {
    next(chunk, at: &position, end: chunk.count)
  }

  /// The same for a chunk that ends at `end`, for buffers that are only partly filled.
  package mutating func next(
    _ chunk: Span<UInt8>, at position: inout Int, end: Int
  ) -> Line? {
    let start = position
    let newline = ByteSearch.firstIndex(of: 0x0A, in: chunk, start..<end)
    if newline == end {
      position = end
      take(chunk, start..<end)
      return nil
    }
    position = newline &+ 1
    if length > 0 {
      take(chunk, start..<newline)
      return finish()
    }
    var last = newline
    if last > start, chunk[last &- 1] == 0x0D { last &-= 1 }
    if last &- start > maximumLength {
      take(chunk, start..<newline)
      return finish()
    }
    return .inChunk(start..<last)
  }

  /// Returns the unterminated line at the end of the stream, if there is one.
  package mutating func end() -> Line? {
    length > 0 ? finish() : nil
  }

  /// Adds bytes to the begun line.
  private mutating func take(_ chunk: Span<UInt8>, _ range: Range<Int>) {
    if range.isEmpty { return }
    if isStale {
      assembled.removeAll(keepingCapacity: assembled.capacity <= Self.retainedCapacity)
      isStale = false
    }
    length &+= range.count
    lastByte = chunk[range.upperBound &- 1]
    // One byte more may be the CR of a CRLF that is still to come.
    let room = maximumLength &+ 1 &- assembled.count
    if length &- range.count == assembled.count && range.count <= room {
      assembled.append(chunk, range)
    } else if assembled.count < Self.keptPrefix {
      let kept = min(range.count, Self.keptPrefix &- assembled.count)
      assembled.append(chunk, range.lowerBound..<(range.lowerBound &+ kept))
    }
  }

  private mutating func finish() -> Line {
    let byteCount = lastByte == 0x0D ? length &- 1 : length
    length = 0
    isStale = true
    if assembled.count > byteCount { assembled.removeLast() }
    if byteCount <= maximumLength { return .assembled }
    if assembled.count > Self.keptPrefix {
      assembled.removeLast(assembled.count &- Self.keptPrefix)
    }
    return .tooLong(byteCount: byteCount)
  }
}
