import Glibc
import Posix
import Reactor
import TestSupport
import Testing
import Transport

@Suite("Listening")
struct ListenerTests {
  private let loop: EventLoop

  init() throws {
    loop = try EventLoop()
  }

  @Test(
    "port 0 becomes the port that was found",
    arguments: [
      SocketAddress.tcp(host: "127.0.0.1", port: 0), .tcp(host: "::1", port: 0),
      .tcp(host: "localhost", port: 0),
    ])
  func findsPort(_ address: SocketAddress) throws {
    let server = try Server(loop, address)
    #expect(server.port > 0)
    #expect(server.listener?.address == address.withPort(server.port))
    // The same port again is in use.
    #expect(
      throws: SystemError(
        call: "bind", object: "\(address.withPort(server.port))", number: EADDRINUSE)
    ) {
      _ = try Server(loop, address.withPort(server.port))
    }
    server.close()
    loop.close()
  }

  @Test("addresses are written as they are read")
  func describes() {
    #expect(SocketAddress.tcp(host: "::1", port: 7717).description == "[::1]:7717")
    #expect(SocketAddress.tcp(host: "127.0.0.1", port: 80).description == "127.0.0.1:80")
    #expect(SocketAddress.unix(path: "/x").description == "unix:/x")
  }

  @Test(
    "what is no address of this machine can't be listened on",
    arguments: [
      SocketAddress.tcp(host: "chat.example", port: 0), .tcp(host: "203.0.113.1", port: 0),
      .tcp(host: "", port: 0),
    ])
  func refusesAddress(_ address: SocketAddress) {
    #expect(throws: SystemError(call: "bind", object: "\(address)", number: EADDRNOTAVAIL)) {
      _ = try Server(loop, address)
    }
  }

  @Test("a Unix socket is private, and removed when the listener closes")
  func listensOnPath() throws {
    let scratch = Scratch()
    let path = "\(scratch.path)/s"
    let server = try Server(loop, .unix(path: path))
    var status = stat()
    #expect(lstat(path, &status) == 0)
    #expect(status.st_mode & 0o7777 == 0o600)
    let client = try connectUnix(path)
    _ = Array("hi".utf8).withUnsafeBytes { IO.send(client.number, $0) }
    try loop.turn { server.talks.first?.text == "hi" }
    server.close()
    #expect(lstat(path, &status) == -1)
    loop.close()
  }

  @Test("a live Unix socket isn't stolen; a dead one is replaced; another file is left alone")
  func respectsPath() throws {
    let scratch = Scratch()
    let path = "\(scratch.path)/s"
    let inUse = SystemError(call: "bind", object: "unix:\(path)", number: EADDRINUSE)
    do {
      let dead = try FileDescriptor.socket(family: AF_UNIX)
      #expect(UnixAddress.with(path) { bind(dead.number, $0, $1) } == 0)
    }
    let first = try Server(loop, .unix(path: path))
    #expect(throws: inUse) { _ = try Server(loop, .unix(path: path)) }
    _ = try connectUnix(path)
    // Replaced behind our back, the path isn't ours to remove.
    #expect(unlink(path) == 0)
    let second = try Server(loop, .unix(path: path))
    first.close()
    _ = try connectUnix(path)
    second.close()
    _ = scratch.file("s", "keep")
    #expect(throws: inUse) { _ = try Server(loop, .unix(path: path)) }
    #expect(try FileReader.read(path).bytes == Array("keep".utf8))
    for bad in ["", String(repeating: "x", count: 108)] {
      #expect(throws: SystemError(call: "bind", object: "unix:\(bad)", number: ENAMETOOLONG)) {
        _ = try Server(loop, .unix(path: bad))
      }
    }
    #expect(throws: SystemError(call: "bind", object: "unix:/nowhere/s", number: ENOENT)) {
      _ = try Server(loop, .unix(path: "/nowhere/s"))
    }
    loop.close()
  }

  @Test("many waiting connections are taken in one turn, and one may close the listener")
  func acceptsMany() throws {
    let scratch = Scratch()
    let path = "\(scratch.path)/s"
    let server = try Server(loop, .unix(path: path))
    let clients = try (0..<50).map { _ in FileDescriptorBox(try connectUnix(path)) }
    try loop.turn()
    #expect(server.talks.count == 50)
    server.onAccept = { _ in server.listener?.close() }
    _ = try (0..<3).map { _ in FileDescriptorBox(try connectUnix(path)) }
    try loop.turn { server.talks.count > 50 }
    #expect(server.talks.count == 51)
    withExtendedLifetime(clients) {}
    server.close()
    loop.close()
  }

  @Test("without descriptors connections are turned away, without spinning, and later taken again")
  func runsOutOfDescriptors() async {
    await #expect(processExitsWith: .exitCode(7)) {
      // In a function, so that all is let go before the search for leaks at the exit.
      func run() throws -> CInt {
        let loop = try EventLoop()
        let server = try Server(loop)
        var client: [FileDescriptorBox] = []
        for _ in 0..<3 { client.append(FileDescriptorBox(try connectTCP(server.port))) }
        let last = FileDescriptorBox(try FileDescriptor.open("/dev/null", O_RDONLY))
        var limit = rlimit(rlim_cur: rlim_t(last.number) + 1, rlim_max: rlim_t(last.number) + 1)
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        try loop.turn { server.refusals.count >= 3 }
        guard server.talks.isEmpty, server.refusals.allSatisfy({ $0.number == EMFILE }) else {
          return 1
        }
        for socket in client
        where IO.poll(socket.number, for: CInt(POLLIN), milliseconds: 5000) == 0 {
          return 2
        }
        client = []
        client.append(FileDescriptorBox(try connectTCP(server.port)))
        last.close()
        try loop.turn { !server.talks.isEmpty }
        let count = server.refusals.count
        server.close()
        loop.close()
        return count == 3 ? 7 : 3
      }
      exit(try run())
    }
  }
}

final class FileDescriptorBox {
  private var descriptor: FileDescriptor?
  let number: CInt

  init(_ descriptor: consuming FileDescriptor) {
    number = descriptor.number
    self.descriptor = consume descriptor
  }

  func close() { descriptor = nil }
}

func connectUnix(_ path: String) throws -> FileDescriptor {
  let socket = try FileDescriptor.socket(family: AF_UNIX)
  let result = UnixAddress.with(path) { connect(socket.number, $0, $1) }
  guard result == 0 else { throw SystemError.current("connect", path) }
  return socket
}

func connectTCP(_ port: UInt16) throws -> FileDescriptor {
  let number = socket(AF_INET, CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
  guard number >= 0 else { throw SystemError.current("socket", "") }
  let socket = FileDescriptor(adopting: number)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_port = port.bigEndian
  address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
  let result = withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
      connect(number, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }
  guard result == 0 else { throw SystemError.current("connect", "port \(port)") }
  return socket
}
