import Glibc
import Posix
import Reactor
import Testing
import Transport

@Suite("A socket of our own is a byte stream")
struct SocketStreamTests {
  private func pair() throws -> (SocketStream, SocketStream) {
    var ends: [CInt] = [-1, -1]
    try #require(socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0)
    return (
      SocketStream(adopting: FileDescriptor(adopting: ends[0]), peer: "one"),
      SocketStream(adopting: FileDescriptor(adopting: ends[1]), peer: "other")
    )
  }

  @Test("it sends, receives, half-closes and closes")
  func lives() throws {
    let (one, other) = try pair()
    #expect(!one.mayHoldInput)
    #expect(one.receive() == .wouldBlock)
    #expect(other.send([1, 2, 3]) == .bytes(3))
    #expect(one.receive() == .bytes(3))
    other.shutdownWrite()
    #expect(one.receive() == .end)
    #expect(one.send([4]) == .bytes(1))
    #expect(other.receive() == .bytes(1))
    other.close()
    other.close()
    other.shutdownWrite()
    #expect(one.send([5]) == .failed(SystemError(call: "send", object: "one", number: EPIPE)))
    #expect(other.send([6]) == .failed(SystemError(call: "send", object: "other", number: EPIPE)))
    #expect(other.receive() == .end)
  }

  @Test("what the peer has not taken is counted, and nothing where there is no count")
  func countsUnsent() throws {
    let (one, other) = try pair()
    #expect(one.unsentByteCount == 0)
    #expect(one.send([UInt8](repeating: 1, count: 1000)) == .bytes(1000))
    #expect(one.unsentByteCount ?? 0 >= 1000)
    withExtendedLifetime(other) {}
    let file = try FileDescriptor.open("/dev/null", O_RDWR)
    #expect(SocketStream(adopting: file, peer: "null").unsentByteCount == nil)
  }

  private final class Door: ListenerDelegate {
    func accepted(_ stream: SocketStream, by listener: Listener) {}
    func refused(_ error: SystemError, by listener: Listener) {}
  }

  @Test("it connects where somebody listens, and says why where nobody does")
  func connects() throws {
    let loop = try EventLoop()
    let door = Door()
    let listener = try Listener(.tcp(host: "127.0.0.1", port: 0), loop: loop, delegate: door)
    let stream = try SocketStream.connect(to: listener.address, milliseconds: 5_000)
    #expect(stream.send([1]) == .bytes(1))
    listener.close()
    let refused = #expect(throws: SystemError.self) {
      try SocketStream.connect(to: listener.address, milliseconds: 5_000)
    }
    #expect(refused?.number == ECONNREFUSED)
    let unknown = #expect(throws: SystemError.self) {
      try SocketStream.connect(to: .unix(path: "/x"), milliseconds: 0)
    }
    #expect(unknown?.number == EAFNOSUPPORT)
    loop.close()
  }
}
