import Bytes
import Hub
import Timeline
import WebSocket

/// A connection between a client and the hub's socket: bytes on their way, and the server's side.
final class SimulatedLink {
  let client: Int
  /// On their way, not yet arrived.
  var toServer: [UInt8] = []
  var toClient: [UInt8] = []
  /// Arrived, and not read because the hub pauses.
  var unread: [UInt8] = []
  var isPaused = false
  var handshake = ServerHandshake()
  var connection: ConnectionMachine?
  var id: ClientID?
  /// The server has ended its side; what is on its way still arrives.
  var hasServerEnded = false
  /// Nothing moves any more.
  var isCut = false

  init(client: Int) {
    self.client = client
  }

  /// Whether an answer to a request for history is on its way to the client.
  var hasHistoryUnderWay: Bool {
    let mark = Array(#""type":"history""#.utf8)
    return toClient.indices.contains { toClient[$0...].starts(with: mark) }
  }

  /// What the server wants to send goes on its way.
  func flush(_ now: Instant) {
    guard let output = connection?.output, !output.isEmpty else { return }
    output.withUnsafeBytes { toClient.append(contentsOf: $0) }
    connection?.consumeOutput(output.count, now: now)
  }
}
