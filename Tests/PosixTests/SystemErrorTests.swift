import Glibc
import Posix
import Testing

@Suite("A system error is a line for people")
struct SystemErrorTests {
  @Test(arguments: [
    (SystemError(call: "open", object: "/x/in", number: EACCES), "open /x/in: Permission denied"),
    (
      SystemError(call: "epoll_wait", object: "", number: EINTR),
      "epoll_wait: Interrupted system call"
    ),
    (SystemError(call: "f", object: "x", number: 9999), "f x: Unknown error 9999"),
  ])
  func describes(_ error: SystemError, _ line: String) {
    #expect(error.description == line)
  }

  @Test("it takes errno as the call has left it")
  func takesErrno() {
    _ = close(-1)
    #expect(
      SystemError.current("close", "-1") == SystemError(call: "close", object: "-1", number: EBADF))
  }
}
