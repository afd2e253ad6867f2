import CLinux
import Glibc
import Posix
import Testing

@Suite("The address of a path")
struct UnixAddressTests {
  @Test("a path up to 107 bytes has one")
  func fits() {
    for path in ["/x", String(repeating: "p", count: 107)] {
      let found = UnixAddress.with(path) { address, size in
        #expect(size == socklen_t(MemoryLayout<sockaddr_un>.size))
        #expect(address.pointee.sa_family == sa_family_t(AF_UNIX))
        return address.withMemoryRebound(to: sockaddr_un.self, capacity: 1) { pointer in
          withUnsafeBytes(of: pointer.pointee.sun_path) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
          }
        }
      }
      #expect(found == path)
    }
  }

  @Test("others have none", arguments: ["", String(repeating: "p", count: 108)])
  func refuses(_ path: String) {
    #expect(UnixAddress.with(path) { _, _ in true } == nil)
  }
}
