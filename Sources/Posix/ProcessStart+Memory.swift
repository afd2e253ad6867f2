// A file of its own: where CLinux is imported beside Glibc, the compiler takes sigset_t for CLinux's,
// and then refuses it in files that import Glibc alone.
import CLinux

extension ProcessStart {
  /// Keeps the memory of a large message from staying with the process after it was freed.
  ///
  /// glibc raises its threshold for blocks of their own up to 32 MiB each time such a block is freed
  /// (mallopt(3)); the next ones then come from the heap, which can't shrink below what lies above
  /// them. Setting the threshold, to its own default, switches that off.
  package static func returnLargeBlocks() {
    clinux_set_mmap_threshold(128 * 1024)
  }
}
