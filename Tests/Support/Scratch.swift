package import Glibc
import Posix

/// A directory of its own for one test, removed with the files in it.
package final class Scratch: Sendable {
  package let path: String

  package init() {
    var template = Array("/tmp/wsii-test.XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else { fatalError("no scratch directory") }
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    remove()
  }

  /// Removes the directory early, for a test whose process ends without letting go of this.
  package func remove() {
    if let directory = opendir(path) {
      while let entry = readdir(directory) {
        let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
          pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
        }
        _ = unlink("\(path)/\(name)")
      }
      closedir(directory)
    }
    rmdir(path)
  }

  /// Writes a file with exactly this mode; returns its path.
  package func file(_ name: String, _ content: String = "", mode: mode_t = 0o600) -> String {
    let result = "\(path)/\(name)"
    do {
      let file = try FileDescriptor.open(result, O_WRONLY | O_CREAT | O_TRUNC, mode: mode)
      _ = fchmod(file.number, mode)
      _ = Array(content.utf8).withUnsafeBytes { IO.write(file.number, $0) }
    } catch { fatalError("\(error)") }
    return result
  }
}
