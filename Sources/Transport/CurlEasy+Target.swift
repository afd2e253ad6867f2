import CurlShim
import Glibc
import Posix
import Timeline

extension CurlEasy {
  /// Sets every option for a connection to the target.
  func apply(_ target: TransportTarget) throws(TransportError) {
    for text in [target.host, target.unixSocketPath ?? ""] where text.utf8.contains(0) {
      throw .configuration(target, "the address contains a NUL byte")
    }
    set(CURLOPT_URL, "\(target.isSecure ? "https" : "http")://\(target.authority)/")
    // 1: connect, with TLS and the proxy's tunnel, and leave the rest to us.
    set(CURLOPT_CONNECT_ONLY, 1)
    set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    set(CURLOPT_FRESH_CONNECT, 1)
    // A name may move while we wait to reconnect; libcurl would keep it for a minute.
    set(CURLOPT_DNS_CACHE_TIMEOUT, 0)
    set(CURLOPT_NOSIGNAL, 1)
    // Without it, ending an attempt whose name hangs waits for the resolver (8.9 s were seen).
    setIfKnown(curlshim_opt_quick_exit, 1)
    set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(target.connectTimeout))
    set(CURLOPT_TCP_NODELAY, 1)
    applySocketOptions(milliseconds(target.userTimeout))
    try applyRoute(target)
    try applyTLS(target)
    if let code = firstRefusedOption {
      throw .configuration(target, String(cString: curlshim_easy_strerror(code)))
    }
  }

  private func applyRoute(_ target: TransportTarget) throws(TransportError) {
    // A plain connection goes through a tunnel as well: the proxy must not read our HTTP.
    set(CURLOPT_HTTPPROXYTUNNEL, 1)
    if let path = target.unixSocketPath {
      guard path.utf8.count < UnixAddress.maximumPath else {
        throw .configuration(target, "the path is longer than \(UnixAddress.maximumPath - 1) bytes")
      }
      set(CURLOPT_UNIX_SOCKET_PATH, path)
      set(CURLOPT_PROXY, "")
      return
    }
    switch target.proxy {
    case .environment: break
    case .direct: set(CURLOPT_PROXY, "")
    case .url(let url):
      set(CURLOPT_PROXY, url)
      // Asked for by name it is meant, whatever no_proxy says.
      set(CURLOPT_NOPROXY, "")
    }
  }

  private func applyTLS(_ target: TransportTarget) throws(TransportError) {
    set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    // Debian's libcurl sets a directory of certificates, and with one it parses the whole store
    // again at every attempt: 43 ms of a blocked loop instead of 3.
    set(CURLOPT_CAPATH, nil)
    set(CURLOPT_PROXY_CAPATH, nil)
    let tls = target.tls
    // libcurl's own words for these ("error setting certificate file") hide the reason.
    for path in [tls.authorityFile, tls.certificateFile, tls.keyFile] {
      if let path { try checkReadable(path, target) }
    }
    if let file = tls.authorityFile {
      set(CURLOPT_CAINFO, file)
      set(CURLOPT_PROXY_CAINFO, file)
      // Small and quickly read; kept, a renewed file would not be seen for a day.
      setIfKnown(curlshim_opt_ca_cache_timeout, 0)
    }
    if let file = tls.certificateFile {
      set(CURLOPT_SSLCERT, file)
      set(CURLOPT_SSLKEY, tls.keyFile ?? file)
    }
    if !tls.verifiesPeer {
      set(CURLOPT_SSL_VERIFYPEER, 0)
      set(CURLOPT_SSL_VERIFYHOST, 0)
    }
  }

  private func checkReadable(
    _ path: String, _ target: TransportTarget
  ) throws(TransportError) {
    do {
      _ = try FileDescriptor.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
    } catch {
      throw .configuration(target, error.description)
    }
  }

  private func applySocketOptions(_ userTimeout: Int) {
    let context = UnsafeMutableRawPointer(bitPattern: userTimeout)
    _ = curlshim_easy_set_socket_options(
      pointer,
      { context, socket, _ in
        // Older libraries leave it open on exec.
        _ = fcntl(socket, F_SETFD, FD_CLOEXEC)
        // The others are refused for a Unix socket, which needs neither.
        var milliseconds = CInt(clamping: Int(bitPattern: context))
        let size = socklen_t(MemoryLayout<CInt>.size)
        _ = setsockopt(socket, CInt(IPPROTO_TCP), TCP_USER_TIMEOUT, &milliseconds, size)
        var on: CInt = 1
        _ = setsockopt(socket, SOL_SOCKET, SO_KEEPALIVE, &on, size)
        return CInt(CURL_SOCKOPT_OK)
      }, context)
  }

  private func milliseconds(_ duration: Duration) -> Int {
    // Zero would mean libcurl's default.
    max(1, Int(clamping: duration.wholeMilliseconds))
  }
}
