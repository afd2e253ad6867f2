/// A link to the hub, for as long as it lasts; never used again for another one.
package struct ClientID: Hashable, Sendable {
  /// A small number that no other present client has, for tables indexed by it.
  package let slot: Int
  /// Counts the links of this hub from 1.
  package let number: UInt64
}
