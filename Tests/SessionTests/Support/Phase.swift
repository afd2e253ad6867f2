import WebSocket

@testable import Session

/// Where in its life a run is when something happens to it.
enum Phase: CaseIterable {
  case connecting
  case upgrading
  case online
  /// A message is on the way and the network gives no pong back.
  case unanswered
  case waiting
  case parked
  /// The server's Close has come, the end of the transport hasn't.
  case ending
  /// Our own Close is out.
  case closing

  func rehearse(_ change: @escaping (inout BridgeSettings) -> Void = { _ in }) -> Rehearsal {
    let run = Rehearsal(waitsWhenRefused: true, change)
    switch self {
    case .connecting: run.connecting = .hangs
    case .upgrading: run.answers = [.nothing]
    case .waiting: run.connecting = .fails(.unreachable(reason: "no route"))
    case .parked: run.answers = [.respond(HTTPResponse(status: 401, text: "no"))]
    case .online, .unanswered, .ending, .closing: break
    }
    run.start()
    run.connecting = .works
    switch self {
    case .unanswered:
      run.isDownstreamStuck = true
      run.type("1\n")
    case .ending:
      run.server.isSilent = true
      run.server.sayClose(1001)
      run.turn()
    case .closing:
      run.server.isSilent = true
      run.endInput()
    default: break
    }
    return run
  }
}
