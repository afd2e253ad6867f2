import CLinux
import Glibc
import Posix
import TestSupport
import Testing

@Suite("A descriptor has one owner", .serialized)
struct FileDescriptorTests {
  @Test("it is closed with its owner")
  func closes() throws {
    // Other tests open descriptors meanwhile, so the number alone proves nothing: the pipe's end does.
    let pipe = try PipeBox()
    do {
      let copy = FileDescriptor(adopting: dup(pipe.writeEnd))
      pipe.closeWriteEnd()
      #expect(IO.read(pipe.readEnd) == (.wouldBlock, ""))
      _ = copy.number
    }
    #expect(IO.read(pipe.readEnd) == (.end, ""))
  }

  @Test("what is opened is closed on exec")
  func closedOnExec() throws {
    let file = try FileDescriptor.open("/dev/null", O_RDONLY)
    #expect(isClosedOnExec(file.number))
    let socket = try FileDescriptor.socket(family: AF_INET)
    #expect(isClosedOnExec(socket.number) && statusFlags(socket.number) & O_NONBLOCK != 0)
    let pipe = try Pipe()
    #expect(isClosedOnExec(pipe.readEnd.number) && isClosedOnExec(pipe.writeEnd.number))
    #expect(statusFlags(pipe.readEnd.number) & O_NONBLOCK != 0)
    let blocking = try Pipe(isBlocking: true)
    #expect(statusFlags(blocking.readEnd.number) & O_NONBLOCK == 0)
    #expect(try pipe.readEnd.status().st_mode & S_IFMT == S_IFIFO)
  }

  @Test("a pipe's writing end can be given up for the reading one")
  func keepsReadEnd() throws {
    let pipe = try Pipe()
    _ = IO.write(pipe.writeEnd.number, Array("x".utf8))
    let readEnd = pipe.keepingReadEnd()
    #expect(IO.read(readEnd.number) == (.bytes(1), "x"))
    #expect(IO.read(readEnd.number) == (.end, ""))
  }

  @Test("errors name the call and the object")
  func fails() {
    #expect(throws: SystemError(call: "open", object: "/nowhere/x", number: ENOENT)) {
      _ = try FileDescriptor.open("/nowhere/x", O_RDONLY)
    }
    #expect(throws: SystemError(call: "socket", object: "", number: EAFNOSUPPORT)) {
      _ = try FileDescriptor.socket(family: 255)
    }
    #expect(throws: SystemError(call: "fstat", object: "", number: EBADF)) {
      _ = try FileDescriptor(adopting: 987_654).status()
    }
  }
}
