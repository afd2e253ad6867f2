/// The connections that have something to send, or to tell the loop, before it waits.
///
/// An object of its own, because it is told about every frame: the runtime counts references to the
/// server, which others hold weakly, several times more slowly.
final class PendingConnections {
  private var connections: [HubConnection] = []

  /// Has the connection settled in this turn.
  func add(_ connection: HubConnection) {
    guard !connection.isPending else { return }
    connection.isPending = true
    connections.append(connection)
  }

  /// Lets all go that nobody will settle any more: each holds the server, which holds this.
  func removeAll() {
    connections = []
  }

  /// Settles them, and whoever gets something thereby.
  func settle() {
    while !connections.isEmpty {
      let all = connections
      connections = []
      connections.reserveCapacity(all.count)
      for connection in all {
        connection.isPending = false
        connection.settle()
      }
    }
  }
}
