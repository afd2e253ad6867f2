import Testing
import WebSocket

@Suite struct CloseCodeTests {
  @Test("exactly the RFC's ranges may be on the wire")
  func ranges() {
    let allowed = (UInt16.min...UInt16.max).filter { CloseCode(rawValue: $0).isAllowedOnWire }
    #expect(allowed == Array(1000...1003) + Array(1007...1014) + Array(3000...4999))
  }

  @Test("a code with a name shows it")
  func names() {
    let named: [(CloseCode, String)] = [
      (.normal, "1000 (normal closure)"), (.goingAway, "1001 (going away)"),
      (.protocolError, "1002 (protocol error)"), (.unsupportedData, "1003 (unsupported data)"),
      (.noStatus, "1005 (no status)"), (.abnormal, "1006 (abnormal closure)"),
      (.invalidData, "1007 (invalid data)"), (.policyViolation, "1008 (policy violation)"),
      (.messageTooBig, "1009 (message too big)"),
      (.mandatoryExtension, "1010 (mandatory extension)"),
      (.internalError, "1011 (internal error)"), (.serviceRestart, "1012 (service restart)"),
      (.tryAgainLater, "1013 (try again later)"), (.badGateway, "1014 (bad gateway)"),
      (.tlsHandshake, "1015 (TLS handshake)"), (CloseCode(rawValue: 4001), "4001"),
      (CloseCode(rawValue: 1004), "1004"),
    ]
    for (code, text) in named { #expect(code.description == text) }
  }
}
