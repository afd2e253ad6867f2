import Bytes
import Timeline

extension Report {
  /// How much a person wants to know it.
  var level: LogLevel {
    switch self {
    case .state(let link): link.state == .connecting ? .info : .notice
    case .accepted, .delivered: .debug
    case .failed, .error: .error
    case .gap, .missing, .serverError: .warning
    }
  }

  /// The report as a sentence, still with whatever strangers wrote into it.
  var sentence: String {
    switch self {
    case .state(let link): link.sentence
    case .accepted(_, let line): "line \(line) accepted"
    case .delivered(let id, _, _): "delivered \(id.text)"
    case .failed(let id, let reason): "message \(id.text) failed: \(reason)"
    case .gap(let reason): "messages are missing here: \(reason)"
    case .missing(let room, let after, let before, nil):
      "\(room.sentence): the messages after \(after) and before \(before) are missing here"
    case .missing(let room, let after, let before, _?):
      "\(room.sentence): its history began anew; what came after \(after), and what now stands"
        + " before \(before), is missing here"
    case .serverError(let room?, let reason): "\(room.sentence): the server says \(reason)"
    case .serverError(nil, let reason): "the server says \(reason)"
    case .error(let source, let line, let reason, let input):
      "\(source) line \(line): \(reason): \(Self.shown(input))"
    }
  }

  /// A bad line is shown so far.
  static let maximumInput = 120

  private static func shown(_ input: [UInt8]) -> String {
    let length = UTF8Validator.prefixLength(
      input.span, 0..<input.count, maximum: maximumInput)
    return String(decoding: input[..<length], as: UTF8.self) + (length < input.count ? "…" : "")
  }
}

extension MessageName {
  fileprivate var text: String {
    switch self {
    case .local(let id): id.text
    case .shared(let id, _): String(decoding: id, as: UTF8.self)
    }
  }
}

extension [UInt8] {
  /// A room's name.
  fileprivate var sentence: String { "room \(String(decoding: self, as: UTF8.self))" }
}

extension LinkReport {
  var sentence: String {
    var sentence = state.rawValue
    if let reason { sentence += ": \(reason)" }
    if let retryIn {
      sentence += "; next try in \(retryIn.shortText)"
      if let attempt, attempt > 1 { sentence += " (after \(attempt) attempts)" }
    }
    return sentence
  }
}
