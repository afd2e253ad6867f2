/// The `code` of a `nack` or an `error`.
enum RefusalCode: String, Sendable {
  // For good.
  case tooLarge = "too_large"
  case badRequest = "bad_request"
  case forbidden = "forbidden"
  case conflict = "conflict"
  // For now.
  case rateLimited = "rate_limited"
  case notJoined = "not_joined"
  case full = "full"
}
