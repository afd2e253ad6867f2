import CurlShim

/// One libcurl transfer: its options, its result, and after CONNECT_ONLY its connection.
final class CurlEasy {
  let pointer: UnsafeMutableRawPointer
  private let errorText: UnsafeMutablePointer<CChar>
  /// Text that some option was not taken; the options are ours, so this concerns their values.
  private(set) var firstRefusedOption: CURLcode?

  /// Nil when there is no memory.
  init?() {
    guard let pointer = curlshim_easy_init() else { return nil }
    self.pointer = pointer
    let size = Int(CURL_ERROR_SIZE)
    errorText = .allocate(capacity: size)
    errorText.initialize(repeating: 0, count: size)
    _ = curlshim_easy_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText)
    _ = curlshim_easy_discard_output(pointer)
  }

  deinit {
    curlshim_easy_cleanup(pointer)
    errorText.deallocate()
  }

  func set(_ option: CURLoption, _ value: Int) {
    note(curlshim_easy_set_long(pointer, option, value))
  }

  func set(_ option: CURLoption, _ value: String?) {
    guard let value else {
      note(curlshim_easy_set_string(pointer, option, nil))
      return
    }
    // libcurl keeps a copy of its own.
    note(curlshim_easy_set_string(pointer, option, value))
  }

  /// Sets an option that older libraries don't know, and that can be missed.
  func setIfKnown(_ option: CURLoption, _ value: Int) {
    _ = curlshim_easy_set_long(pointer, option, value)
  }

  func get(_ info: CURLINFO) -> Int {
    var value = 0
    guard curlshim_easy_get_long(pointer, info, &value) == CURLE_OK else { return 0 }
    return value
  }

  /// The connection's descriptor, which libcurl owns; nil when there is no connection.
  var socket: CInt? {
    var value: curl_socket_t = -1
    guard curlshim_easy_get_socket(pointer, &value) == CURLE_OK, value >= 0 else { return nil }
    return value
  }

  /// Takes what libcurl says from now on, errors or not, as the text for a failure.
  func keepLatestLine() {
    curlshim_easy_keep_latest_line(pointer, errorText)
  }

  /// What libcurl says about the last failure; falls back on the code's general words.
  func text(for code: CURLcode) -> String {
    let text = String(cString: errorText)
    if !text.isEmpty { return text }
    return curlshim_easy_strerror(code).map { String(cString: $0) } ?? "error \(code.rawValue)"
  }

  /// Empties the text, so that a later failure without words doesn't show older ones.
  func clearText() {
    errorText.pointee = 0
  }

  private func note(_ code: CURLcode) {
    if code != CURLE_OK && firstRefusedOption == nil { firstRefusedOption = code }
  }
}
