import Glibc

/// A call to the system that failed: which call, on what, and why.
///
/// Its description is a line for people: `open /run/x/in: Permission denied`.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
  /// The C function's name.
  package let call: String
  /// The path, address or stream that the call was about; may be empty.
  package let object: String
  /// The value of errno.
  package let number: CInt

  package init(call: String, object: String, number: CInt) {
    self.call = call
    self.object = object
    self.number = number
  }

  /// Takes errno as the last failed call left it; to be made before any other call.
  package static func current(_ call: String, _ object: String) -> SystemError {
    let number = errno
    return SystemError(call: call, object: object, number: number)
  }

  /// The C library's words for the number, such as `Permission denied`.
  package var reason: String {
    guard let text = strerror(number) else { return "error \(number)" }
    return String(cString: text)
  }

  package var description: String {
    object.isEmpty ? "\(call): \(reason)" : "\(call) \(object): \(reason)"
  }
}
