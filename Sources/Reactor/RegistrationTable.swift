import CLinux

/// A descriptor in the loop.
struct Registration {
  let descriptor: CInt
  var interest: Readiness
  let trigger: Trigger
  let handler: any ReadinessHandler
  var isAlwaysReady = false
}

/// The registrations by slot; a slot's generation goes up when it is emptied, so that an event for
/// what stood there before finds nothing.
struct RegistrationTable {
  private var slots: [Slot] = []
  private var freeSlots: [UInt32] = []

  private struct Slot {
    var generation: UInt32 = 0
    var registration: Registration?
  }

  var count: Int {
    slots.count - freeSlots.count
  }

  var identifiers: [RegistrationID] {
    slots.indices.compactMap { index in
      slots[index].registration == nil
        ? nil
        : RegistrationID(
          slot: UInt32(truncatingIfNeeded: index), generation: slots[index].generation)
    }
  }

  mutating func insert(_ registration: Registration) -> RegistrationID {
    let slot: UInt32
    if let free = freeSlots.popLast() {
      slot = free
    } else {
      slot = UInt32(truncatingIfNeeded: slots.count)
      slots.append(Slot())
    }
    slots[Int(slot)].registration = registration
    return RegistrationID(slot: slot, generation: slots[Int(slot)].generation)
  }

  subscript(id: RegistrationID) -> Registration? {
    let index = Int(id.slot)
    guard index < slots.count, slots[index].generation == id.generation else { return nil }
    return slots[index].registration
  }

  mutating func update(_ id: RegistrationID, _ change: (inout Registration) -> Void) {
    guard var registration = self[id] else { return }
    change(&registration)
    slots[Int(id.slot)].registration = registration
  }

  @discardableResult
  mutating func remove(_ id: RegistrationID) -> Registration? {
    guard let registration = self[id] else { return nil }
    slots[Int(id.slot)].registration = nil
    slots[Int(id.slot)].generation &+= 1
    freeSlots.append(id.slot)
    return registration
  }
}

extension RegistrationID {
  /// The loop's own timer; no slot is ever numbered so high.
  static let timer = RegistrationID(slot: .max, generation: .max)
}
