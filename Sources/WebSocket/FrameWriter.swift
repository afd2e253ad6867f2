package import Bytes

/// Writes frames into the queue of bytes that wait for the transport.
///
/// The payload is masked in the queue, never in the caller's bytes: those may be sent again on the
/// next connection, under another key.
package enum FrameWriter {
  /// Appends one frame.
  ///
  /// - Parameters:
  ///   - range: the part of `payload` to send; for a control frame at most 125 bytes.
  ///   - maskingKey: fresh and unpredictable for each frame of a client, nil for a server.
  @inlinable
  package static func append(
    _ opcode: Opcode, isFinal: Bool = true, _ payload: Span<UInt8>, _ range: Range<Int>,
    maskingKey: UInt32?, to output: inout ByteQueue
  ) {
    let header = FrameHeader(
      isFinal: isFinal, opcode: opcode, payloadLength: range.count, maskingKey: maskingKey)
    output.appendInPlace { bytes in
      header.append(to: &bytes)
      if let maskingKey {
        Masking.append(payload, range, key: maskingKey, to: &bytes)
      } else {
        Masking.append(payload, range, to: &bytes)
      }
    }
  }
}
