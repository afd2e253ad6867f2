import CLinux
import Glibc

extension ByteStream {
  /// Bytes that the kernel still holds because the peer hasn't confirmed them (SIOCOUTQ, tcp(7)), or
  /// nil where it can't tell. While the number falls, a slow link is alive.
  package var unsentByteCount: Int? {
    var count: CInt = 0
    // TIOCOUTQ has SIOCOUTQ's number and, unlike it, is in the headers Swift sees.
    guard ioctl(descriptor, UInt(TIOCOUTQ), &count) == 0 else { return nil }
    return Int(count)
  }
}
