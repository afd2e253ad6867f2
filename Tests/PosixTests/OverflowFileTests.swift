import Glibc
import TestSupport
import Testing

@testable import Posix

@Suite("An overflow file is a bounded queue of bytes")
struct OverflowFileTests {
  @Test("bytes come back in order, across the ring's seam", arguments: [1, 3, 64, 1000])
  func keepsOrder(_ limit: Int) throws {
    let scratch = Scratch()
    let file = try OverflowFile(limit: limit, directory: scratch.path)
    var expected: [UInt8] = []
    var produced: UInt8 = 0
    for step in 0..<2000 {
      let piece = (0..<step % 7).map { UInt8(truncatingIfNeeded: $0) &+ produced }
      let fits = piece.count <= limit - expected.count
      #expect(try file.append(piece) == fits)
      if fits {
        produced &+= UInt8(piece.count)
        expected += piece
      }
      let taken = try file.take(step % 5)
      #expect(taken == Array(expected.prefix(step % 5)))
      expected.removeFirst(taken.count)
      #expect(file.count == expected.count)
    }
    #expect(try file.take(limit) == expected)
    #expect(file.isEmpty)
  }

  @Test("beyond the limit nothing is added")
  func keepsLimit() throws {
    let file = try OverflowFile(limit: 10)
    #expect(try file.append([1, 2, 3, 4, 5, 6]))
    #expect(try !file.append([7, 8, 9, 10, 11]))
    #expect(try file.append([7, 8, 9, 10]))
    #expect(try !file.append([11]))
    #expect(try file.append([]))
    #expect(try file.take(20) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
  }

  @Test("it has no name, and gives its space back when it is empty")
  func givesSpaceBack() throws {
    let scratch = Scratch()
    let file = try OverflowFile(limit: 1 << 20, directory: scratch.path)
    #expect(try file.append([UInt8](repeating: 1, count: 1 << 19)))
    #expect(rmdir(scratch.path) == 0)
    #expect(file.size == 1 << 19)
    #expect(try file.take(1 << 19).count == 1 << 19)
    #expect(file.size == 0)
    #expect(try file.append([1]))
    #expect(try file.take(1) == [1])
    #expect(file.isEmpty && file.size == 0)
    #expect(try file.take(1).isEmpty)
  }

  @Test("where unnamed files can't be made, the name is removed at once")
  func fallsBack() throws {
    let scratch = Scratch()
    let descriptor = try OverflowFile.makeAndUnlink(in: scratch.path)
    #expect(isClosedOnExec(descriptor.number))
    #expect(rmdir(scratch.path) == 0)
    // No such directory: both ways fail, and the error names it.
    #expect(throws: SystemError.self) { _ = try OverflowFile(limit: 1, directory: scratch.path) }
  }

  @Test("a refused write adds nothing")
  func survivesFailure() throws {
    ProcessStart.ignoreSignalsOfWrites()
    let scratch = Scratch()
    let path = scratch.file("read-only")
    let file = OverflowFile(limit: 10, file: try FileDescriptor.open(path, O_RDONLY))
    #expect(throws: SystemError(call: "pwrite", object: "overflow file", number: EBADF)) {
      _ = try file.append([1])
    }
    #expect(file.isEmpty)
  }

  @Test("a file shortened from outside is an I/O error, not a loop")
  func noticesShortening() throws {
    let scratch = Scratch()
    let path = scratch.file("queue")
    let file = OverflowFile(limit: 10, file: try FileDescriptor.open(path, O_RDWR))
    #expect(try file.append([1, 2, 3]))
    #expect(truncate(path, 1) == 0)
    #expect(throws: SystemError(call: "pread", object: "overflow file", number: EIO)) {
      _ = try file.take(3)
    }
    #expect(file.count == 3)
    let writeOnly = OverflowFile(limit: 10, file: try FileDescriptor.open(path, O_WRONLY))
    #expect(try writeOnly.append([1]))
    #expect(throws: SystemError(call: "pread", object: "overflow file", number: EBADF)) {
      _ = try writeOnly.take(1)
    }
  }
}

extension OverflowFile {
  fileprivate func append(_ bytes: [UInt8]) throws -> Bool {
    try bytes.withUnsafeBytes { bytes throws(SystemError) in try append(bytes) }
  }

  fileprivate func take(_ size: Int) throws -> [UInt8] {
    var buffer = [UInt8](repeating: 0, count: size)
    let count = try buffer.withUnsafeMutableBytes { target throws(SystemError) in
      try read(into: target)
    }
    return Array(buffer[..<count])
  }
}
