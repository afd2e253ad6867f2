import Testing

@testable import Options

@Suite struct NamedValueTests {
  @Test(arguments: [
    ("X-A: b", "X-A", NamedValue.Value.literal("b")), ("X:b:c ", "X", .literal("b:c")),
    ("Host: h", "Host", .literal("h")),
    ("X:", "X", .literal("")), ("X: @/a b", "X", .file("/a b")), ("X: @@a", "X", .literal("@a")),
  ])
  func headerFieldsAreRead(text: String, name: String, value: NamedValue.Value) throws {
    #expect(try NamedValue.header(text) == NamedValue(name: name, value: value))
  }

  @Test(arguments: [
    "", "X", ": b", "X Y: b", "X : b", "X: a\nb", "X: a\0", "X: @", "Upgrade: x", "connection: x",
    "Sec-WebSocket-Key: x", "ORIGIN: x", "Content-Length: 1",
  ])
  func badOrOwnedFieldsAreRefused(text: String) {
    #expect(throws: ValueProblem.self) { try NamedValue.header(text) }
  }

  @Test func theReasonSaysWhatToUse() {
    #expect(throws: ValueProblem("can't set origin: use --origin")) {
      try NamedValue.header("Origin: http://a")
    }
  }

  @Test(arguments: [
    ("a=b", "a", NamedValue.Value.literal("b")), ("a==", "a", .literal("=")),
    ("a b=é&", "a b", .literal("é&")), ("a=@f", "a", .file("f")), ("a=", "a", .literal("")),
  ])
  func queryItemsAreRead(text: String, name: String, value: NamedValue.Value) throws {
    #expect(try NamedValue.queryItem(text) == NamedValue(name: name, value: value))
  }

  @Test(arguments: ["", "a", "=b", "a=\r", "a=@"])
  func badItemsAreRefused(text: String) {
    #expect(throws: ValueProblem.self) { try NamedValue.queryItem(text) }
  }

  @Test(arguments: [
    ("Authorization", true), ("access_token", true), ("X-API-Key", true), ("room", false),
  ])
  func namesOfSecretsAreKnown(name: String, isSecret: Bool) {
    #expect(NamedValue(name: name, value: .literal("x")).isSecretLike == isSecret)
  }
}
