import Glibc
import Posix
import TestSupport
import Testing

@Suite("Small files are read whole")
struct FileReaderTests {
  @Test(
    "the bytes, and who else may read them",
    arguments: [
      (0o600, false), (0o640, true), (0o604, true), (0o444, true), (0o400, false),
    ])
  func reads(_ mode: mode_t, _ isReadable: Bool) throws {
    let scratch = Scratch()
    let path = scratch.file("token", "secret\n", mode: mode)
    let contents = try FileReader.read(path)
    #expect(contents.bytes == Array("secret\n".utf8))
    #expect(contents.mode == UInt32(mode))
    #expect(contents.isReadableByOthers == isReadable)
  }

  @Test("a limit is kept")
  func keepsLimit() throws {
    let scratch = Scratch()
    let path = scratch.file("large", String(repeating: "x", count: 100))
    #expect(try FileReader.read(path, limit: 100).bytes.count == 100)
    let error = FileError.tooLarge(path: path, limit: 99)
    #expect(throws: error) { _ = try FileReader.read(path, limit: 99) }
    #expect(error.description == "\(path): larger than 99 bytes")
  }

  @Test("errors name the path")
  func fails() throws {
    let scratch = Scratch()
    let missing = "\(scratch.path)/missing"
    do {
      _ = try FileReader.read(missing)
      Issue.record("read a file that isn't there")
    } catch {
      #expect(error.description == "open \(missing): No such file or directory")
    }
    do {
      _ = try FileReader.read(scratch.path)
      Issue.record("read a directory")
    } catch {
      #expect(error.description == "read \(scratch.path): Is a directory")
    }
  }

  @Test("links are followed unless forbidden")
  func links() throws {
    let scratch = Scratch()
    let target = scratch.file("target", "x")
    let link = "\(scratch.path)/link"
    #expect(symlink(target, link) == 0)
    #expect(try FileReader.read(link).bytes == [UInt8(ascii: "x")])
    #expect(throws: FileError.system(SystemError(call: "open", object: link, number: ELOOP))) {
      _ = try FileReader.read(link, followsLinks: false)
    }
  }

  @Test("a pipe is read to its end, and waited for")
  func readsPipe() throws {
    let pipe = try PipeBox(isBlocking: true)
    _ = IO.write(pipe.writeEnd, Array("from a command".utf8))
    let path = "/proc/self/fd/\(pipe.readEnd)"
    #expect(throws: FileError.noEnd(path: path)) {
      _ = try FileReader.read(path, patience: .milliseconds(20))
    }
    _ = IO.write(pipe.writeEnd, Array("again".utf8))
    pipe.closeWriteEnd()
    let contents = try FileReader.read(path)
    #expect(contents.bytes == Array("again".utf8))
    #expect(!contents.isRegularFile && !contents.isReadableByOthers)
    #expect(FileError.noEnd(path: "p").description == "p: no end in time")
  }
}
