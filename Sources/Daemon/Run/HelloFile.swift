import JSONText
import Posix
import Session
import WebSocket

/// The file of `--hello`: a line a frame, sent first on every link.
enum HelloFile {
  /// Why the file can't be used, in one line.
  struct Failure: Error, CustomStringConvertible {
    var description: String
  }

  /// Reads the frames as standard input's lines are read, in the same format.
  static func read(
    _ path: String, format: PlainDialect.Format, maximumMessage: Int
  ) throws(Failure) -> [BridgeSettings.HelloFrame] {
    let contents: [UInt8]
    do throws(FileError) {
      contents = try FileReader.read(path, limit: 1 << 20).bytes
    } catch {
      throw Failure(description: "--hello: \(error)")
    }
    var dialect = PlainDialect(format: format, isForTerminal: false)
    var frames: [BridgeSettings.HelloFrame] = []
    var lineNumber = 0
    for line in contents.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      lineNumber += 1
      var bytes = Array(line)
      if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
      // An empty line separates frames for the eye; an empty greeting makes no sense.
      if bytes.isEmpty { continue }
      guard bytes.count <= maximumMessage else {
        throw Failure(description: "--hello: \(path):\(lineNumber): longer than --max-message")
      }
      switch dialect.compose(bytes.span) {
      case .line(let kind):
        frames.append(.init(kind: kind, payload: bytes))
      case .built(let kind):
        frames.append(.init(kind: kind, payload: dialect.built))
      case .skipped:
        continue
      case .refused(let reason):
        throw Failure(description: "--hello: \(path):\(lineNumber): \(reason)")
      }
    }
    return frames
  }
}
