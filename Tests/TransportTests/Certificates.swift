import Glibc
import TestSupport
import Testing

/// Certificates of an authority of our own, made by the openssl command once per run.
final class Certificates: Sendable {
  static let shared = Certificates()

  private let scratch = Scratch()

  /// The files' paths end in `.pem` (certificate) and `.key`.
  enum Name: String, CaseIterable, Sendable {
    case authority
    case good
    case expired
    case future
    case wrongName
    case selfSigned
    case client
    /// The good one, followed by the authority's.
    case chain
  }

  /// The server below.
  let script: String

  private init() {
    // A constant of the process is never deinitialised.
    atexit { Certificates.shared.scratch.remove() }
    script = scratch.file("server.py", TLSServer.script)
    let settings = scratch.file(
      "ca.conf",
      """
      [ca]
      default_ca = own
      [own]
      database = \(scratch.path)/index
      rand_serial = yes
      new_certs_dir = \(scratch.path)
      default_md = sha256
      policy = any
      email_in_dn = no
      unique_subject = no
      certificate = \(scratch.path)/authority.pem
      private_key = \(scratch.path)/authority.key
      [any]
      commonName = supplied
      [local]
      subjectAltName = DNS:localhost, IP:127.0.0.1, IP:::1
      [other]
      subjectAltName = DNS:other.example
      """)
    _ = scratch.file("index", "")
    selfSign(.authority, "/CN=Test Authority", ["-addext", "basicConstraints=critical,CA:TRUE"])
    selfSign(.selfSigned, "/CN=localhost", ["-addext", "subjectAltName=DNS:localhost"])
    issue(.good, settings, "local", "20200101000000Z", "20991231000000Z")
    join(.good, .authority, into: .chain)
    issue(.client, settings, "local", "20200101000000Z", "20991231000000Z")
    issue(.expired, settings, "local", "20200101000000Z", "20200102000000Z")
    issue(.future, settings, "local", "20980101000000Z", "20991231000000Z")
    issue(.wrongName, settings, "other", "20200101000000Z", "20991231000000Z")
  }

  func certificate(_ name: Name) -> String {
    "\(scratch.path)/\(name.rawValue).pem"
  }

  func key(_ name: Name) -> String {
    "\(scratch.path)/\(name.rawValue).key"
  }

  func file(_ name: String, _ content: String) -> String {
    scratch.file(name, content)
  }

  private func join(_ first: Name, _ second: Name, into name: Name) {
    let command = "cat '\(certificate(first))' '\(certificate(second))' > '\(certificate(name))'"
    let isMade = Child.run(["sh", "-c", "\(command) && cp '\(key(first))' '\(key(name))'"])
    if !isMade { Issue.record("no \(name.rawValue) certificate") }
  }

  private func selfSign(_ name: Name, _ subject: String, _ more: [String]) {
    let isMade = Child.run(
      [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
        "-nodes", "-days", "30", "-subj", subject, "-keyout", key(name), "-out", certificate(name),
      ] + more)
    if !isMade { Issue.record("openssl made no \(name.rawValue) certificate") }
  }

  private func issue(
    _ name: Name, _ settings: String, _ section: String, _ start: String, _ end: String
  ) {
    let request = "\(scratch.path)/request"
    let isMade =
      Child.run([
        "openssl", "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
        "-subj", "/CN=\(name.rawValue)", "-keyout", key(name), "-out", request,
      ])
      && Child.run([
        "openssl", "ca", "-batch", "-notext", "-config", settings, "-extensions", section,
        "-startdate", start, "-enddate", end, "-in", request, "-out", certificate(name),
      ])
    if !isMade { Issue.record("openssl made no \(name.rawValue) certificate") }
  }
}

/// A TLS server: Python's, so that it is not the library under test that checks itself.
final class TLSServer {
  let port: UInt16
  private let child: Child

  enum Behaviour: String {
    /// Sends everything back at once.
    case echo
    /// Reads nothing before it is told to, then so many bytes, and then sends them back.
    case stall
    /// Sends one message and ends without a closing alert.
    case abrupt
  }

  init(
    _ name: Certificates.Name = .good, _ behaviour: Behaviour = .echo, count: Int = 0,
    wantsClient: Bool = false, version: String = "any"
  ) throws {
    let certificates = Certificates.shared
    child = try Child([
      "python3", certificates.script, certificates.certificate(name), certificates.key(name),
      behaviour.rawValue, "\(count)", wantsClient ? certificates.certificate(.authority) : "",
      version,
    ])
    port = try #require(UInt16(try child.line()))
  }

  func proceed() {
    child.write("go")
  }

  fileprivate static let script = """
    import socket, ssl, sys, threading
    certificate, key, behaviour, count, authority, version = sys.argv[1:]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    if version == "1.1":
        context.minimum_version = ssl.TLSVersion.TLSv1
        context.maximum_version = ssl.TLSVersion.TLSv1_1
        context.set_ciphers("DEFAULT@SECLEVEL=0")
    if version == "1.2":
        context.maximum_version = ssl.TLSVersion.TLSv1_2
    if authority:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(authority)
    listener = socket.create_server(("127.0.0.1", 0))
    if behaviour == "stall":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    print(listener.getsockname()[1], flush=True)
    def serve(plain):
        try:
            with context.wrap_socket(plain, server_side=True) as connection:
                if behaviour == "abrupt":
                    connection.sendall(b"last words")
                    plain = socket.socket(fileno=connection.detach())
                    plain.shutdown(socket.SHUT_WR)
                    plain.recv(1)
                    return
                if behaviour == "stall":
                    sys.stdin.readline()
                    taken = bytearray()
                    while len(taken) < int(count):
                        taken += connection.recv(65536)
                    connection.sendall(taken)
                while True:
                    data = connection.recv(65536)
                    if not data:
                        break
                    connection.sendall(data)
        except OSError:
            pass
    while True:
        threading.Thread(target=serve, args=(listener.accept()[0],), daemon=True).start()
    """
}
