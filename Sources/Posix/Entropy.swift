import Glibc

/// Randomness from the kernel, fit for keys.
package enum Entropy {
  /// Fills memory; the corresponding C function is `getentropy`.
  ///
  /// It can only fail where the kernel has no such call or a filter forbids it. A predictable key
  /// would break what depends on it in silence, so that ends the process.
  package static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    // getentropy gives at most 256 bytes a call.
    var start = 0
    while start < buffer.count {
      let count = min(buffer.count - start, 256)
      guard getentropy(buffer.baseAddress?.advanced(by: start), count) == 0 else {
        let line = "wsii: \(SystemError.current("getentropy", ""))\n"
        _ = Array(line.utf8).withUnsafeBytes { IO.write(STDERR_FILENO, $0) }
        abort()
      }
      start += count
    }
  }

  /// Replaces every element.
  package static func refill(_ pool: inout [UInt32]) {
    pool.withUnsafeMutableBytes { fill($0) }
  }

  /// So many random bytes.
  package static func bytes(_ count: Int) -> [UInt8] {
    var result = [UInt8](repeating: 0, count: count)
    result.withUnsafeMutableBytes { fill($0) }
    return result
  }
}
