internal import Bytes
package import Timeline

extension ConnectionMachine {
  /// Takes bytes from the peer up to the next event.
  ///
  /// Call it with the same input until it returns nil; then all of the input is taken, and what
  /// was the beginning of a frame is kept here.
  ///
  /// - Parameters:
  ///   - input: what the transport gave; ranges in events refer to it.
  ///   - position: where to go on; moved past what was taken.
  ///   - now: the present instant, for the keepalive and the deadlines.
  package mutating func receive(
    _ input: Span<UInt8>, at position: inout Int, now: Instant
  ) -> Event? {
    switch state {
    case .open, .closing: break
    case .ending, .closed: return receiveAfterwards(input, at: &position)
    }
    if assembler.isFinished { assembler.reset() }
    guard position < input.count else { return nil }
    keepalive?.noteLife(now)
    repeat {
      if frame == nil {
        let header: FrameHeader
        switch readHeader(input, at: &position) {
        case .header(let read, _): header = read
        case .incomplete: return nil
        case .invalid(let error): return fail(error, now: now)
        }
        if !header.opcode.isControl {
          if let error = assembler.violation(of: header, limits: limits) {
            return fail(error, now: now)
          }
          if header.isFinal, header.maskingKey == nil, header.opcode != .continuation,
            header.payloadLength <= input.count &- position
          {
            return receiveWhole(header, input, at: &position, now: now)
          }
          assembler.begin(header)
        }
        frame = header
        frameReceived = 0
      }
      if let event = receivePayload(input, at: &position, now: now) { return event }
    } while position < input.count
    return nil
  }

  /// The common case: a message in one frame that lies whole in the input. Nothing is copied.
  @inline(__always)
  private mutating func receiveWhole(
    _ header: FrameHeader, _ input: Span<UInt8>, at position: inout Int, now: Instant
  ) -> Event {
    let range = position..<(position &+ header.payloadLength)
    position = range.upperBound
    if isTracing { trace(header, input, range) }
    if header.opcode == .text {
      if validatesWholeMessages, !UTF8Validator.isValid(input, range) {
        return fail(.invalidText, now: now)
      }
      return .message(.text, .input(range))
    }
    return .message(.binary, .input(range))
  }

  /// Reads a header, also one whose beginning came with an earlier input.
  @inline(__always)
  private mutating func readHeader(
    _ input: Span<UInt8>, at position: inout Int
  ) -> FrameHeader.Reading {
    guard partialHeaderCount == 0 else { return readPartialHeader(input, at: &position) }
    let reading = FrameHeader.read(input, at: position, from: role.peer)
    switch reading {
    case .header(_, let length): position &+= length
    case .incomplete: return readPartialHeader(input, at: &position)
    case .invalid: break
    }
    return reading
  }

  /// Collects a header byte by byte: only at the end of an input, and at most 14 times.
  private mutating func readPartialHeader(
    _ input: Span<UInt8>, at position: inout Int
  ) -> FrameHeader.Reading {
    while position < input.count {
      partialHeader[partialHeaderCount] = input[position]
      partialHeaderCount &+= 1
      position &+= 1
      let collected = partialHeader.span.extracting(first: partialHeaderCount)
      let reading = FrameHeader.read(collected, at: 0, from: role.peer)
      if reading != .incomplete {
        partialHeaderCount = 0
        return reading
      }
    }
    return .incomplete
  }

  /// Takes what is there of the current frame's payload.
  private mutating func receivePayload(
    _ input: Span<UInt8>, at position: inout Int, now: Instant
  ) -> Event? {
    guard let header = frame else { return nil }
    let count = min(header.payloadLength &- frameReceived, input.count &- position)
    let range = position..<(position &+ count)
    position = range.upperBound
    if header.opcode.isControl {
      Masking.append(
        input, range, key: header.maskingKey ?? 0, offset: frameReceived, to: &control)
    } else {
      let isValid = assembler.append(
        input, range, maskingKey: header.maskingKey, offset: frameReceived)
      guard isValid else { return fail(.invalidText, now: now) }
    }
    frameReceived &+= count
    guard frameReceived == header.payloadLength else { return nil }
    frame = nil
    return header.opcode.isControl
      ? finishControl(header, now: now) : finishData(header, now: now)
  }

  private mutating func finishData(_ header: FrameHeader, now: Instant) -> Event? {
    if isTracing {
      let message = assembler.bytes
      let start = message.count - header.payloadLength
      trace(header, message.span, start..<message.count)
    }
    guard header.isFinal else { return nil }
    guard let kind = assembler.finish() else { return fail(.invalidText, now: now) }
    return .message(kind, .assembled)
  }

  private mutating func finishControl(_ header: FrameHeader, now: Instant) -> Event? {
    let payload = control
    control = []
    if isTracing { trace(header, payload.span, 0..<payload.count) }
    switch header.opcode {
    case .ping:
      answerPing(payload)
      return nil
    case .pong: return .pong(payload)
    default:
      guard let close = CloseFrame(payload: payload.span, 0..<payload.count) else {
        return fail(.closeBodyOfOneByte, now: now)
      }
      return receiveClose(close, now: now)
    }
  }

  /// Section 5.5.2: "MUST send a Pong frame in response, unless it already received a Close frame";
  /// and nothing follows a Close of our own.
  private mutating func answerPing(_ payload: [UInt8]) {
    guard case .open = state else { return }
    guard output.count <= limits.maximumOutputForPongs else {
      pendingPong = payload
      return
    }
    write(.pong, payload)
  }

  /// After the end is settled a client only waits for the server to end the stream.
  private mutating func receiveAfterwards(
    _ input: Span<UInt8>, at position: inout Int
  ) -> Event? {
    position = input.count
    guard role == .server, state != .closed else { return nil }
    return end(.closed)
  }

  private mutating func trace(_ header: FrameHeader, _ payload: Span<UInt8>, _ range: Range<Int>) {
    traces.append(
      FrameTrace(
        isReceived: true, opcode: header.opcode, isFinal: header.isFinal,
        payloadLength: header.payloadLength, payload, range))
  }
}
