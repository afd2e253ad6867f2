import CLinux
import Glibc
import Posix
import TestSupport
import Testing

@Suite("Standard streams are used without blocking and left as they were")
struct StandardStreamTests {
  @Test("a pipe for reading: bytes, would block, end; its description stays blocking")
  func readsPipe() throws {
    let pipe = try PipeBox(isBlocking: true)
    let stream = try StandardStream(pipe.readEnd, .input)
    #expect(stream.kind == .pipe)
    #expect(stream.isIndependent)
    #expect(stream.descriptor != pipe.readEnd)
    #expect(isClosedOnExec(stream.descriptor))
    #expect(stream.read() == (.wouldBlock, ""))
    _ = IO.write(pipe.writeEnd, Array("abc".utf8))
    #expect(stream.read() == (.bytes(3), "abc"))
    pipe.closeWriteEnd()
    #expect(stream.read() == (.end, ""))
    #expect(statusFlags(pipe.readEnd) & O_NONBLOCK == 0)
  }

  @Test("a pipe whose writer had gone before is read to its end, and its end is reported")
  func readsAbandonedPipe() throws {
    let pipe = try PipeBox(isBlocking: true)
    _ = IO.write(pipe.writeEnd, Array("abc".utf8))
    pipe.closeWriteEnd()
    let stream = try StandardStream(pipe.readEnd, .input)
    // Opened anew it would give no event ever again; see openAnew.
    #expect(IO.poll(stream.descriptor, for: 0, milliseconds: 0) == CInt(POLLHUP))
    #expect(stream.read(2) == (.bytes(2), "ab"))
    #expect(IO.poll(stream.descriptor, for: 0, milliseconds: 0) == CInt(POLLHUP))
    #expect(stream.read(2) == (.bytes(1), "c"))
    #expect(stream.read(2) == (.end, ""))
  }

  @Test("a full pipe would block, and a reader that has gone is EPIPE")
  func writesPipe() throws {
    ProcessStart.ignoreSignalsOfWrites()
    let pipe = try PipeBox(isBlocking: true)
    let stream = try StandardStream(pipe.writeEnd, .output)
    let large = [UInt8](repeating: 7, count: 100_000)
    #expect(stream.write(large) == .bytes(65_536))
    #expect(stream.write(large) == .wouldBlock)
    pipe.closeReadEnd()
    guard case .failed(let error) = stream.write(large) else {
      Issue.record("written to nobody")
      return
    }
    #expect(error.number == EPIPE)
    #expect(statusFlags(pipe.writeEnd) & O_NONBLOCK == 0)
  }

  @Test(
    "without a reader a pipe is EPIPE; a FIFO can't even be opened anew", arguments: [false, true])
  func writesToNobody(_ isFIFO: Bool) throws {
    ProcessStart.ignoreSignalsOfWrites()
    let scratch = Scratch()
    let pipe = try PipeBox(isBlocking: true)
    pipe.closeReadEnd()
    var writer: FileDescriptor?
    if isFIFO {
      let path = "\(scratch.path)/out"
      #expect(mkfifo(path, 0o600) == 0)
      let reader = try FileDescriptor.open(path, O_RDONLY | O_NONBLOCK)
      writer = try FileDescriptor.open(path, O_WRONLY)
      _ = reader.number
    }
    let stream = try StandardStream(writer?.number ?? pipe.writeEnd, .output)
    #expect(stream.isIndependent != isFIFO)
    guard case .failed(let error) = stream.write([1]) else {
      Issue.record("written to nobody")
      return
    }
    #expect(error.number == EPIPE)
  }

  @Test("a FIFO whose writer had gone before is read to its end, and its end is reported")
  func readsAbandonedFIFO() throws {
    let scratch = Scratch()
    let path = "\(scratch.path)/in"
    #expect(mkfifo(path, 0o600) == 0)
    // Opened while a writer is there, as the shell does it.
    var both: FileDescriptor? = try FileDescriptor.open(path, O_RDWR)
    let reader = try FileDescriptor.open(path, O_RDONLY)
    _ = IO.write(both?.number ?? -1, Array("abc".utf8))
    both = nil
    let stream = try StandardStream(reader.number, .input)
    #expect(!stream.isIndependent)
    // Opened anew it would give no event ever again, with bytes left or without.
    for (result, text) in [(IOResult.bytes(2), "ab"), (.bytes(1), "c"), (.end, "")] {
      #expect(IO.poll(stream.descriptor, for: 0, milliseconds: 0) == CInt(POLLHUP))
      #expect(stream.read(2) == (result, text))
    }
  }

  @Test("where opening anew is refused, asking first keeps reads and writes from blocking")
  func asksFirst() throws {
    ProcessStart.ignoreSignalsOfWrites()
    let pipe = try PipeBox(isBlocking: true)
    let input = try StandardStream(pipe.readEnd, .input, mayOpenAnew: false)
    let output = try StandardStream(pipe.writeEnd, .output, mayOpenAnew: false)
    #expect(!input.isIndependent && !output.isIndependent)
    #expect(input.descriptor == pipe.readEnd)
    #expect(input.read() == (.wouldBlock, ""))
    let large = [UInt8](repeating: 7, count: 100_000)
    var written = 0
    while case .bytes(let count) = output.write(large) {
      #expect(count <= Int(PIPE_BUF))
      written += count
    }
    #expect(written == 65_536)
    #expect(output.write(large) == .wouldBlock)
    #expect(input.read(10).0 == .bytes(10))
  }

  @Test("a FIFO is opened anew too")
  func readsFIFO() throws {
    let scratch = Scratch()
    let path = "\(scratch.path)/in"
    #expect(mkfifo(path, 0o600) == 0)
    let both = try FileDescriptor.open(path, O_RDWR)
    let stream = try StandardStream(both.number, .input)
    #expect(stream.kind == .pipe && stream.isIndependent)
    #expect(stream.read() == (.wouldBlock, ""))
    _ = IO.write(both.number, Array("x".utf8))
    #expect(stream.read() == (.bytes(1), "x"))
  }

  @Test("a socket is used with MSG_DONTWAIT")
  func usesSocket() throws {
    let pair = SocketPair()
    let input = try StandardStream(pair.one.number, .input)
    let output = try StandardStream(pair.other.number, .output)
    #expect(input.kind == .socket && input.descriptor == pair.one.number)
    #expect(input.read() == (.wouldBlock, ""))
    #expect(output.write(Array("hi".utf8)) == .bytes(2))
    #expect(input.read() == (.bytes(2), "hi"))
    #expect(statusFlags(pair.one.number) & O_NONBLOCK == 0)
  }

  @Test("a regular file is read and written where it stands")
  func usesFile() throws {
    let scratch = Scratch()
    let path = scratch.file("data", "one two")
    let file = try FileDescriptor.open(path, O_RDWR)
    _ = lseek(file.number, 4, SEEK_SET)
    let stream = try StandardStream(file.number, .input)
    #expect(stream.kind == .regularFile && stream.descriptor == file.number)
    #expect(stream.read() == (.bytes(3), "two"))
    #expect(stream.read() == (.end, ""))
    let output = try StandardStream(file.number, .output)
    #expect(output.write(Array("!".utf8)) == .bytes(1))
    #expect(try FileReader.read(path).bytes == Array("one two!".utf8))
  }

  @Test("devices: /dev/null ends, /dev/full is full")
  func usesDevices() throws {
    let null = try FileDescriptor.open("/dev/null", O_RDWR)
    let stream = try StandardStream(null.number, .input)
    #expect(stream.kind == .device)
    #expect(stream.read() == (.end, ""))
    let full = try FileDescriptor.open("/dev/full", O_WRONLY)
    let output = try StandardStream(full.number, .output)
    guard case .failed(let error) = output.write([1]) else {
      Issue.record("written to /dev/full")
      return
    }
    #expect(error.description.hasSuffix(": No space left on device"))
  }

  @Test("a terminal is opened anew, and no O_NONBLOCK reaches the shell")
  func usesTerminal() throws {
    let owner = try FileDescriptor.open("/dev/ptmx", O_RDWR | O_NOCTTY)
    var number: CInt = 0
    // TIOCSPTLCK and TIOCGPTN: unlockpt(3) and ptsname(3), which the Glibc module leaves out.
    try #require(ioctl(owner.number, 0x4004_5431, &number) == 0)
    try #require(ioctl(owner.number, 0x8004_5430, &number) == 0)
    let name = "/dev/pts/\(number)"
    let terminal = try FileDescriptor.open(name, O_RDWR | O_NOCTTY)
    let input = try StandardStream(terminal.number, .input)
    #expect(input.kind == .terminal && input.isIndependent)
    #expect(input.read() == (.wouldBlock, ""))
    _ = IO.write(owner.number, Array("line\n".utf8))
    #expect(IO.poll(input.descriptor, for: CInt(POLLIN), milliseconds: 5000) == CInt(POLLIN))
    #expect(input.read() == (.bytes(5), "line\n"))
    #expect(statusFlags(terminal.number) & O_NONBLOCK == 0)
  }

  @Test("closing shows the end to the other side and keeps the number taken")
  func closes() throws {
    let pipe = try PipeBox(isBlocking: true)
    let stream = try StandardStream(pipe.writeEnd, .output)
    stream.close()
    stream.close()
    #expect(IO.read(pipe.readEnd) == (.end, ""))
    #expect(isOpen(pipe.writeEnd))
    #expect(
      stream.write([1]) == .failed(SystemError(call: "write", object: stream.name, number: EBADF)))
    let other = try PipeBox()
    let input = try StandardStream(other.readEnd, .input)
    input.close()
    #expect(input.read() == (.end, ""))
  }

  @Test("a closed descriptor is an error that names the stream")
  func refusesClosed() {
    #expect(throws: SystemError(call: "fstat", object: "descriptor 987", number: EBADF)) {
      _ = try StandardStream(987, .input)
    }
  }

  @Test("the three have names", arguments: [(0, "stdin"), (1, "stdout"), (2, "stderr")])
  func names(_ number: CInt, _ name: String) throws {
    let stream = try StandardStream(number, number == 0 ? .input : .output)
    #expect(stream.name == name)
  }
}
