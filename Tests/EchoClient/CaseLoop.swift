import Reactor
import Transport
import WebSocket

/// Asks how many cases there are, runs each over a connection of its own, and asks for the reports.
final class CaseLoop {
  private enum Step {
    case count
    case run(Int)
    case reports
  }

  private let loop: EventLoop
  private let connector: Connector
  private let host: String
  private let port: UInt16
  private let agent: String
  private var range: (first: Int, last: Int)?
  private var step = Step.count
  private var link: CaseLink?
  /// Why the loop ended early.
  private(set) var failure: String?

  init(
    loop: EventLoop, host: String, port: UInt16, agent: String, range: (first: Int, last: Int)?
  ) {
    self.loop = loop
    connector = Connector(loop: loop)
    self.host = host
    self.port = port
    self.agent = agent
    self.range = range
  }

  func start() {
    run(.count)
  }

  func close() {
    link?.drop()
    connector.close()
    loop.close()
  }

  /// A link has come to its end.
  func ended(_ link: CaseLink) {
    guard link === self.link else { return }
    switch step {
    case .count:
      guard let text = link.firstText, let count = Int(text) else {
        return fail(link.failure ?? "no number of cases")
      }
      let first = max(range?.first ?? 1, 1)
      let last = min(range?.last ?? count, count)
      range = (first, last)
      run(first <= last ? .run(first) : .reports)
    case .run(let number):
      // A case that ends in a refusal or a reset is the server's to judge; a dead server is not.
      if let failure = link.failure, !link.wasOpen { return fail("case \(number): \(failure)") }
      run(number < (range?.last ?? number) ? .run(number + 1) : .reports)
    case .reports:
      // kosoku ends without a Close once it has written them.
      loop.stop()
    }
  }

  private func fail(_ text: String) {
    failure = text
    loop.stop()
  }

  private func run(_ next: Step) {
    step = next
    let resource =
      switch next {
      case .count: "/getCaseCount"
      case .run(let number): "/runCase?case=\(number)&agent=\(agent)"
      case .reports: "/updateReports?agent=\(agent)"
      }
    do throws(WebSocketURLError) {
      let authority = host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
      let url = try WebSocketURL("ws://\(authority)\(resource)")
      let link = CaseLink(url, loop: loop, owner: self)
      self.link = link
      link.start(connector)
    } catch {
      fail(error.description)
    }
  }
}
