import Timeline

/// The connections that have something to send, or to tell the loop, before it waits.
///
/// An object of its own, because it is told about every frame: the runtime counts references to the
/// server, which others hold weakly, several times more slowly.
final class PendingConnections {
  /// How long a message to a crowd waits for the next one, unless the last one was longer ago.
  /// Otherwise each message to a thousand clients costs a thousand calls, and each client a wake-up.
  static let gatheringTime = Duration.milliseconds(50)

  private var urgent: [HubConnection] = []
  private var postponed: [HubConnection] = []
  private var postponedUntil = Instant(nanoseconds: 0)

  /// Has the connection settled in this turn.
  func add(_ connection: HubConnection) {
    guard connection.pendence != .urgent else { return }
    // In the other list too it may stand, where there will be nothing left to do.
    connection.pendence = .urgent
    urgent.append(connection)
  }

  /// Has the connection settled with the next others that are in no hurry.
  func postpone(_ connection: HubConnection) {
    guard connection.pendence == .none else { return }
    connection.pendence = .postponed
    postponed.append(connection)
  }

  /// Settles those whose time has come, and whoever gets something thereby.
  func settle(_ now: Instant) {
    if !postponed.isEmpty, postponedUntil <= now {
      postponedUntil = now + Self.gatheringTime
      for connection in postponed where connection.pendence == .postponed { add(connection) }
      postponed.removeAll(keepingCapacity: true)
    }
    while !urgent.isEmpty {
      let all = urgent
      urgent = []
      urgent.reserveCapacity(all.count)
      for connection in all {
        connection.pendence = .none
        connection.settle()
      }
    }
  }

  /// When `settle` is wanted again.
  var nextDeadline: Instant? { postponed.isEmpty ? nil : postponedUntil }
}
