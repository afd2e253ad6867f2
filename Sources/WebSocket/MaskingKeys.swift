/// The masking keys of a client's frames (RFC 6455, section 5.3): "derived from a strong source of
/// entropy", fresh for each frame.
///
/// The source is outside (getentropy, or a seed in a simulation); keys are taken from it in pools,
/// because a system call for each frame would cost more than the frame.
package struct MaskingKeys {
  /// 64 keys are 256 bytes, the most that one getentropy call gives.
  package static let poolSize = 64

  private let refill: (inout [UInt32]) -> Void
  private var pool: [UInt32] = []
  private var position = 0

  /// - Parameter refill: overwrites every element of the array with random bits.
  package init(refill: @escaping (inout [UInt32]) -> Void) {
    self.refill = refill
  }

  /// A key that was never given out before.
  package mutating func next() -> UInt32 {
    if position == pool.count { fill() }
    let key = pool[position]
    position &+= 1
    return key
  }

  private mutating func fill() {
    if pool.isEmpty { pool = [UInt32](repeating: 0, count: Self.poolSize) }
    refill(&pool)
    precondition(!pool.isEmpty, "the source of masking keys emptied the pool")
    position = 0
  }
}
