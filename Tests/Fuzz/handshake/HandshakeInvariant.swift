import Bytes
import WebSocket

/// What must hold for handshakes and URLs whatever comes.
package enum HandshakeInvariant {
  /// Checks an input: a byte for what it is, a byte for the cuts, then the bytes.
  ///
  /// - Returns: what didn't hold, nil if all did.
  package static func violation(of input: [UInt8]) -> String? {
    guard input.count >= 2 else { return nil }
    let bytes = Array(input[2...])
    switch input[0] % 3 {
    case 0: return violation(ofAnswer: bytes, seed: input[1])
    case 1: return violation(ofRequest: bytes, seed: input[1])
    default: return violation(ofURL: bytes)
    }
  }

  private struct Reading<Outcome: Equatable>: Equatable {
    var outcome: Outcome?
    var taken = 0
  }

  /// Section 1.3's nonce and key.
  private static let nonce = Array("the sample nonce".utf8)

  private static func violation(ofAnswer bytes: [UInt8], seed: UInt8) -> String? {
    guard let url = try? WebSocketURL("ws://server.example.com/chat"),
      let fresh = try? ClientHandshake(url: url, subprotocols: ["a", "b"], nonce: nonce)
    else { return "the fixed URL is refused" }
    func read(_ chunks: [[UInt8]]) -> Reading<ClientHandshake.Outcome> {
      var handshake = fresh
      var reading = Reading<ClientHandshake.Outcome>()
      for chunk in chunks where reading.outcome == nil {
        var position = 0
        reading.outcome = handshake.receive(chunk.span, at: &position)
        reading.taken += position
      }
      if reading.outcome == nil { reading.outcome = handshake.receiveEnd() }
      _ = handshake.response?.traceLines(isReceived: true)
      return reading
    }
    let whole = read([bytes])
    guard read(bytes.map { [$0] }) == whole, read(chunks(bytes, seed: seed)) == whole else {
      return "the outcome depends on the cuts: \(whole)"
    }
    switch whole.outcome {
    case .accepted:
      guard contains(bytes, "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=") else { return "accepted without proof" }
    case .refused(let refusal):
      guard refusal.body.count <= 1_024 else { return "body of \(refusal.body.count) bytes" }
    case .invalid(let error):
      guard isPrintable(error.description) else { return "unprintable: \(error)" }
    case nil: return "no outcome"
    }
    return nil
  }

  private static func violation(ofRequest bytes: [UInt8], seed: UInt8) -> String? {
    func read(_ chunks: [[UInt8]]) -> Reading<ServerHandshake.Outcome> {
      var handshake = ServerHandshake()
      var reading = Reading<ServerHandshake.Outcome>()
      for chunk in chunks where reading.outcome == nil {
        var position = 0
        reading.outcome = handshake.receive(chunk.span, at: &position)
        reading.taken += position
      }
      return reading
    }
    let whole = read([bytes])
    guard read(bytes.map { [$0] }) == whole, read(chunks(bytes, seed: seed)) == whole else {
      return "the outcome depends on the cuts: \(whole)"
    }
    switch whole.outcome {
    case .upgrade(let upgrade): return violation(of: upgrade)
    case .plain(let request):
      for line in request.head.traceLines(isReceived: true) where !isPrintable(line) {
        return "unprintable: \(line)"
      }
      _ = request.queryValue("a")
    case .invalid(let error):
      guard isPrintable(error.description) else { return "unprintable: \(error)" }
      guard answers(error.response.bytes, error.response.status) else {
        return "unreadable response to \(error)"
      }
    case nil: break
    }
    return nil
  }

  /// A client that had sent this key takes the acceptance.
  private static func violation(of upgrade: UpgradeRequest) -> String? {
    let key = upgrade.request.head.value(of: "Sec-WebSocket-Key") ?? []
    let offered = upgrade.subprotocols.first
    guard let nonce = Base64.decode(key.span, 0..<key.count), nonce.count == 16,
      let url = try? WebSocketURL("ws://a"),
      var client = try? ClientHandshake(
        url: url, subprotocols: offered.map { [$0] } ?? [], nonce: nonce)
    else { return nil }
    let bytes = upgrade.acceptance(subprotocol: offered).bytes
    var position = 0
    let outcome = client.receive(bytes.span, at: &position)
    guard outcome == .accepted(subprotocol: offered), position == bytes.count else {
      return "own acceptance: \(outcome as Any)"
    }
    return nil
  }

  private static func violation(ofURL bytes: [UInt8]) -> String? {
    let text = String(decoding: bytes, as: UTF8.self)
    let url: WebSocketURL
    do throws(WebSocketURLError) {
      url = try WebSocketURL(text)
    } catch {
      return isPrintable(error.description) ? nil : "unprintable: \(error)"
    }
    guard let again = try? WebSocketURL(url.text), again == url else {
      return "\(url.text) isn't read back"
    }
    guard isPrintable(url.masked) else { return "unprintable URL" }
    var longer = url
    longer.addQueryItem("a b", bytes)
    guard let client = try? ClientHandshake(url: longer, nonce: nonce) else {
      return "the handshake refuses \(longer)"
    }
    // Heads have limits that a URL may exceed.
    guard longer.resource.utf8.count < 4_000 else { return nil }
    var server = ServerHandshake()
    let request = client.request.bytes
    var position = 0
    guard case .upgrade(let upgrade) = server.receive(request.span, at: &position),
      position == request.count, upgrade.request.target == Array(longer.resource.utf8),
      upgrade.request.host == url.hostHeader
    else { return "own request isn't understood: \(longer.text)" }
    return nil
  }

  private static func answers(_ bytes: [UInt8], _ status: Int) -> Bool {
    guard let url = try? WebSocketURL("ws://a"),
      var client = try? ClientHandshake(url: url, nonce: nonce)
    else { return false }
    var position = 0
    guard case .refused(let refusal) = client.receive(bytes.span, at: &position) else {
      return false
    }
    return refusal.status == status && position == bytes.count
  }

  private static func isPrintable(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) }
  }

  private static func contains(_ bytes: [UInt8], _ text: String) -> Bool {
    bytes.indices.contains { bytes[$0...].starts(with: text.utf8) }
  }

  private static func chunks(_ bytes: [UInt8], seed: UInt8) -> [[UInt8]] {
    var chunks: [[UInt8]] = []
    var rest = bytes[...]
    var size = Int(seed)
    while !rest.isEmpty {
      size = (size * 5 + 3) % 61
      chunks.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    return chunks
  }
}
