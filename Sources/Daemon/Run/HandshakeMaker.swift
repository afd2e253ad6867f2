import Glibc
import Options
import Posix
import Reactor
import Transport
import WebSocket

/// Puts together what a handshake needs, anew for each attempt: a token may have been renewed since.
final class HandshakeMaker {
  /// Where to connect, what to say, and what must never be shown.
  struct Prepared {
    var target: TransportTarget
    var handshake: ClientHandshake
    var secrets: [String]
  }

  /// Why nothing could be prepared, in one line.
  struct Failure: Error, Equatable, CustomStringConvertible {
    var description: String
  }

  private let settings: RunSettings
  private let url: WebSocketURL
  private let environment: [(name: String, value: String)]
  private let loop: EventLoop
  private var command: TokenCommand?
  /// What came from pipes, which give their bytes once: `--token-file <(pass show chat)`.
  private var piped: [String: FileContents] = [:]
  /// What the user should know about the token's file, as it was when it was last read.
  private(set) var warning: String?

  init(
    settings: RunSettings, url: WebSocketURL, environment: [(name: String, value: String)],
    loop: EventLoop
  ) {
    self.settings = settings
    self.url = url
    self.environment = environment
    self.loop = loop
  }

  /// Reads the credentials and calls back, at once or, with a token command, in a later turn.
  ///
  /// `lastUserID` is who the server took us for when it made somebody up: without a token that is who
  /// we want to be again.
  func prepare(
    lastUserID: [UInt8]? = nil, _ done: @escaping (Result<Prepared, Failure>) -> Void
  ) {
    guard case .command(let line)? = settings.token else {
      return done(
        Result { () throws(Failure) in
          let token = try readToken()
          return try make(token: token, lastUserID: lastUserID)
        })
    }
    command = TokenCommand(line, loop: loop) { [weak self] result in
      guard let self else { return }
      command = nil
      done(
        Result { () throws(Failure) in
          try make(token: try checked(try result.get(), source: "--token-command"))
        })
    }
  }

  /// Reads all credentials once, apart from a command's, to see that they can be read.
  func check() throws(Failure) {
    _ = try make(token: try readToken())
  }

  /// Gives up waiting for a token command.
  func cancel() {
    command?.cancel()
    command = nil
  }

  // MARK: Parts

  private func readToken() throws(Failure) -> String? {
    switch settings.token {
    case .file(let path):
      let contents = try read(path, option: "--token-file")
      warning = contents.isReadableByOthers ? Self.warning(of: path, contents.mode) : nil
      return try checked(try text(of: contents, path, option: "--token-file"), source: path)
    case .environment(let name):
      guard let value = environment.first(where: { $0.name == name })?.value else {
        throw Failure(description: "--token-env: the variable \(name) isn't set")
      }
      return try checked(value, source: "$\(name)")
    case .command, nil:
      return nil
    }
  }

  private func checked(_ text: String, source: String) throws(Failure) -> String {
    let token = text.trimmingLineBreaks
    guard !token.isEmpty else { throw Failure(description: "the token from \(source) is empty") }
    return token
  }

  private static func warning(of path: String, _ mode: UInt32) -> String {
    let octal = String(mode, radix: 8)
    let digits = String(repeating: "0", count: max(4 - octal.count, 0)) + octal
    return "token file \(path) can be read by others (mode \(digits)): chmod 600 \(path)"
  }

  private func read(_ path: String, option: String) throws(Failure) -> FileContents {
    if let contents = piped[path] { return contents }
    do throws(FileError) {
      let contents = try FileReader.read(path, limit: 65_536)
      if !contents.isRegularFile { piped[path] = contents }
      return contents
    } catch {
      throw Failure(description: "\(option): \(error)")
    }
  }

  private func text(
    of contents: FileContents, _ path: String, option: String
  ) throws(Failure) -> String {
    guard let text = String(validating: contents.bytes, as: UTF8.self) else {
      let error = SystemError(call: "read", object: path, number: EILSEQ)
      throw Failure(description: "\(option): \(error)")
    }
    return text
  }

  private func make(token: String?, lastUserID: [UInt8]? = nil) throws(Failure) -> Prepared {
    var secrets = token.map { [$0] } ?? []
    var url = url
    if token == nil {
      if let id = settings.userID.map({ Array($0.utf8) }) ?? lastUserID {
        url.addQueryItem("userId", id)
      }
      if let name = settings.userName { url.addQueryItem("userName", Array(name.utf8)) }
    }
    secrets += url.secretValues
    // A token travels as a subprotocol where a browser could send it no other way.
    secrets += settings.subprotocols.filter { $0.utf8.count > 24 }
    for item in settings.query {
      let value = try value(of: item, option: "--query", secrets: &secrets)
      url.addQueryItem(item.name, Array(value.utf8))
    }
    do {
      var fields: [HTTPField] = []
      if let token { fields.append(try HTTPField(name: "Authorization", value: "Bearer \(token)")) }
      for header in settings.headers {
        let value = try value(of: header, option: "--header", secrets: &secrets)
        fields.append(try HTTPField(name: header.name, value: value))
      }
      let handshake = try ClientHandshake(
        url: url, fields: fields, subprotocols: settings.subprotocols, origin: settings.origin,
        nonce: Entropy.bytes(16))
      return Prepared(
        target: TransportTarget(url, settings), handshake: handshake, secrets: secrets)
    } catch {
      throw Failure(description: "\(error)")
    }
  }

  private func value(
    of item: NamedValue, option: String, secrets: inout [String]
  ) throws(Failure) -> String {
    switch item.value {
    case .literal(let text):
      if item.isSecretLike { secrets += Self.parts(of: text) }
      return text
    case .file(let path):
      let contents = try read(path, option: option)
      let text = try text(of: contents, path, option: option).trimmingLineBreaks
      secrets += Self.parts(of: text)
      return text
    }
  }

  /// The value and its longer words: a server that quotes `Bearer SECRET` or `session=SECRET` quotes
  /// the secret alone.
  private static func parts(of value: String) -> [String] {
    let words = value.utf8.split { " ;=,".utf8.contains($0) }.filter { $0.count >= 8 }
    return [value] + words.map { String(decoding: $0, as: UTF8.self) }
  }
}

extension TransportTarget {
  init(_ url: WebSocketURL, _ settings: RunSettings) {
    self.init(
      host: url.host, port: UInt16(clamping: url.port), isSecure: url.isSecure)
    unixSocketPath = settings.unixSocketPath
    if let proxy = settings.proxy {
      self.proxy = .url(proxy)
    } else if url.isLoopback || settings.unixSocketPath != nil {
      // What is on this machine needs no proxy, and its token none to see it. (Nobody lists
      // localhost in no_proxy.)
      self.proxy = .direct
    }
    tls.authorityFile = settings.authoritiesPath
    tls.certificateFile = settings.certificatePath
    tls.keyFile = settings.keyPath
    tls.verifiesPeer = !settings.isInsecure
    connectTimeout = settings.connectTimeout
  }
}

extension String {
  /// Without the line breaks at its end, which editors and `echo` put there.
  fileprivate var trimmingLineBreaks: String {
    var bytes = Array(utf8)
    while let last = bytes.last, last == UInt8(ascii: "\n") || last == UInt8(ascii: "\r") {
      bytes.removeLast()
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
