import CurlShim
import Glibc
package import Posix

/// A connection that libcurl has opened.
///
/// Where nothing lies between us and the socket, bytes go through it directly, which saves libcurl's
/// copying and its limit of 16 KiB a call; otherwise (TLS, or TLS to a proxy) through libcurl.
package final class CurlStream: ByteStream {
  package let descriptor: CInt
  private let easy: CurlEasy
  private let multi: CurlMulti
  private let place: String
  private let isDirect: Bool
  private var isOpen = true
  /// Bytes that TLS has refused for now. It wants the very same again, at the same address and no
  /// fewer, so they stand here and not in the caller's memory, which may move.
  private var stable: UnsafeMutableRawBufferPointer?
  private var stableCount = 0

  /// TLS makes at most this into one record.
  private static let recordSize = 16_384

  init(easy: CurlEasy, multi: CurlMulti, socket: CInt, place: String, isDirect: Bool) {
    self.easy = easy
    self.multi = multi
    descriptor = socket
    self.place = place
    self.isDirect = isDirect
    if !isDirect { easy.keepLatestLine() }
  }

  deinit {
    close()
  }

  package var mayHoldInput: Bool {
    !isDirect
  }

  package func receive(into buffer: UnsafeMutableRawBufferPointer) -> IOResult {
    guard isOpen else { return .end }
    if isDirect { return IO.receive(descriptor, into: buffer, object: place) }
    guard buffer.count > 0 else { return .bytes(0) }
    var count = 0
    easy.clearText()
    let code = curlshim_easy_recv(easy.pointer, buffer.baseAddress, buffer.count, &count)
    switch code {
    case CURLE_OK: return count == 0 ? .end : .bytes(count)
    case CURLE_AGAIN: return .wouldBlock
    default: return failure("receive", code)
    }
  }

  package func send(_ bytes: UnsafeRawBufferPointer) -> IOResult {
    guard isOpen else { return failure("send", EPIPE) }
    if isDirect { return IO.send(descriptor, bytes, object: place) }
    guard bytes.count > 0 else { return .bytes(0) }
    let stable = stableBuffer()
    if stableCount == 0 {
      stableCount = min(bytes.count, Self.recordSize)
      stable.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<stableCount]))
    }
    precondition(bytes.count >= stableCount, "a send was repeated with fewer bytes")
    var count = 0
    easy.clearText()
    let code = curlshim_easy_send(easy.pointer, stable.baseAddress, stableCount, &count)
    switch code {
    case CURLE_OK:
      // TLS takes a record whole; should libcurl take a part, the caller brings the rest again.
      stableCount = 0
      return .bytes(count)
    case CURLE_AGAIN: return .wouldBlock
    default: return failure("send", code)
    }
  }

  package func shutdownWrite() {
    if isOpen && isDirect { IO.shutdownWrite(descriptor) }
  }

  package func close() {
    guard isOpen else { return }
    isOpen = false
    multi.remove(easy)
    stable?.deallocate()
    stable = nil
  }

  private func stableBuffer() -> UnsafeMutableRawBufferPointer {
    if let stable { return stable }
    let new = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.recordSize, alignment: 16)
    stable = new
    return new
  }

  private func failure(_ call: String, _ code: CURLcode) -> IOResult {
    let number = CInt(truncatingIfNeeded: easy.get(CURLINFO_OS_ERRNO))
    if number == ECONNRESET || number == EPIPE || number == ETIMEDOUT {
      return failure(call, number)
    }
    let text = TransportError.withoutCredentials(easy.text(for: code))
    return .failed(
      SystemError(call: call, object: "\(place) (\(text))", number: EPROTO))
  }

  private func failure(_ call: String, _ number: CInt) -> IOResult {
    .failed(SystemError(call: call, object: place, number: number))
  }
}
