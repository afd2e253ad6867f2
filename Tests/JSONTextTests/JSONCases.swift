/// Texts and whether they are what RFC 8259 and this project call JSON.
enum JSONCases {
  static let good: [String] = [
    // Each kind, and whitespace around it.
    "{}", "[]", "\"\"", "0", "true", "false", "null", " null ", "\t[]\r\n", "\n{ }\n", "[ ]",
    "{ \t}", "[1 , 2\n,\r3]", "{ \"a\" : 1 , \"b\" : 2 }", "[[]   ]", "[null, 1, \"1\", {}]",
    // Numbers.
    "-0", "1", "-1", "12", "120", "1.0", "-0.1", "0.5", "1e5", "1E5", "1e+5", "1e-5", "1E+02",
    "0e0", "0e1", "0e+1", "0E+9999999999999999999999", "0.0e999", "-0e400", "1e308", "-1e308",
    "1.7976931348623157e308", "-1.7976931348623157e+308", "1.797693134862315807e308",
    "0.00001e313", "17976931348623157e292", "1e-400", "4.9e-324", "1e-99999999999999999999999",
    "123456789012345678901234567890", "0.1234567890123456789012345678901234567890", "20.1e1",
    "1000000000000000000000000000000000e-1000",
    // Strings and escapes.
    "\"a\"", "\" \"", "\"\u{7F}\"", "\"\u{80}\"", "\"\u{2028}\"", "\"\u{FEFF}\"", "\"\u{FFFF}\"",
    "\"\u{10FFFF}\"", "\"Grüße 你好 👋🏽\"", #""\"\\\/\b\f\n\r\t""#, #""\u0000""#, #""\u00e4""#,
    #""\u00E4\uABCD\uabcd""#, #""\uD83D\uDE00""#, #""\ud83d\ude00""#, #""\uDBFF\uDFFF""#,
    #""\uD800\uDC00""#, #""\uFFFE\uFFFF""#, #""a\\""#, #""\\\"""#, #""\\u0041""#, #""\u005C""#,
    #""//""#, #""{[]},:""#, "\"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\"",
    // Objects.
    #"{"a":1}"#, #"{"":0}"#, #"{"a":1,"b":1}"#, #"{"a":{"a":{"a":1}}}"#, #"[{"a":1},{"a":1}]"#,
    #"{"a":1,"A":1}"#, #"{"a":1,"a ":1}"#, #"{"a":1,"\u0000a":1}"#, #"{"ä":1,"a\u0308":1}"#,
    #"{"a":[{"b":1},{"b":2}],"b":{"a":0}}"#, #"{"\u0061":1,"b":2}"#, #"{"a\u0000":1,"a":2}"#,
    #"{"12345678":1,"1234567":2,"123456789":3}"#, #"{"\"":1,"\\":2}"#,
    #"{"\uD83D\uDE00":1,"😁":2}"#, #"{"x":{"a":1},"a":1}"#, longKeys,
    #"{"type":"text","id":"1","text":"hi","metadata":{}}"#,
    // The spaces of Python's json.dumps and of people, behind members of each kind.
    #"{"a": 1, "b": "c", "d": {"e": 2, "f": 3}, "g": [1, 2], "h": null, "i": true}"#,
    "{\"a\":1, \"b\":\"c\", \"d\":12,  \"e\":\"f\" ,\"g\":\"h\",\t\"i\":7}",
    "{\"a\":\"b\",\n\"c\":5,\r\n  \"d\":\"e\"}",
  ]

  /// Keys of several words, also where the short way through members is left behind them.
  private static let longKeys = {
    let key = String(repeating: "k", count: 90)
    return "{\"\(key)\" :\"v\",\"\(key)a\":\"\(key)\",\"\(key)\\n\": [],\"\(key)b\"\n:0}"
  }()

  /// Each with a word of the reason, to see that it is refused for the right one.
  static let bad: [(String, String)] = [
    ("", "no JSON"), (" ", "no JSON"), ("\n\n", "no JSON"),
    // Structure.
    ("{", "early"), ("[", "early"), ("[1", "early"), ("[1,", "early"), ("{\"a\"", "early"),
    ("{\"a\":", "early"), ("{\"a\":1", "early"), ("{\"a\":1,", "early"), ("[[]", "early"),
    ("]", "should begin"), ("}", "should begin"), (",", "should begin"), (":", "should begin"),
    ("[1,]", "should begin"), ("[,1]", "should begin"), ("[1,,2]", "should begin"),
    ("{\"a\":1,}", "no quoted key"), ("{,}", "no quoted key"), ("{a:1}", "no quoted key"),
    ("{'a':1}", "no quoted key"), ("{1:1}", "no quoted key"), ("{\"a\":}", "should begin"),
    ("{\"a\":1,,\"b\":2}", "no quoted key"), ("{null:1}", "no quoted key"),
    ("{\"a\" 1}", "no colon"), ("{\"a\"}", "no colon"), ("{\"a\",\"b\"}", "no colon"),
    ("{\"a\"::1}", "should begin"), ("[1 2]", "neither a comma"), ("[1}", "neither a comma"),
    ("{\"a\":1]", "neither a comma"), ("{\"a\":1 \"b\":2}", "neither a comma"),
    ("[\"a\":1]", "neither a comma"), ("[1:2]", "neither a comma"), ("[\"\"\"\"]", "neither"),
    ("[]]", "more bytes"), ("{}}", "more bytes"), ("1 2", "more bytes"), ("{} {}", "more bytes"),
    ("\"\"\"\"", "more bytes"), ("null,", "more bytes"), ("[] //", "more bytes"),
    ("{}\u{FEFF}", "more bytes"), ("[1]\u{0}", "more bytes"), ("truefalse", "more bytes"),
    // Literals.
    ("tru", "early"), ("n", "early"), ("fals", "early"), ("nul1", "should begin"),
    ("True", "should begin"), ("NULL", "should begin"), ("nil", "should begin"),
    ("undefined", "should begin"), ("NaN", "should begin"), ("nan", "should begin"),
    ("Infinity", "should begin"), ("-Infinity", "malformed"), ("-NaN", "malformed"),
    ("truth", "should begin"), ("falsy", "should begin"), ("a", "should begin"),
    ("/* */ 1", "should begin"), ("'a'", "should begin"), ("ä", "should begin"),
    ("\u{0}", "0x00"), ("[\u{0}]", "0x00"), ("\u{0B}1", "0x0b"), ("\u{A0}1", "0xc2"),
    ("\u{FEFF}1", "byte order"), ("\u{FEFF}", "byte order"), (" \u{FEFF}{}", "byte order"),
    // Numbers.
    ("-", "early"), ("+1", "should begin"), (".5", "should begin"), ("01", "malformed"),
    ("00", "malformed"), ("-01", "malformed"), ("1.", "early"), ("[1.]", "malformed"),
    ("1.e5", "malformed"), ("1e", "early"), ("[1e]", "malformed"), ("1e+", "early"),
    ("[1e+]", "malformed"), ("1e5.5", "more bytes"), ("1.2.3", "more bytes"), ("--1", "malformed"),
    ("1-", "more bytes"), ("0x10", "more bytes"), ("1_000", "more bytes"), ("1f", "more bytes"),
    ("٣", "should begin"), ("[-]", "malformed"), ("[-a]", "malformed"), ("1ee5", "malformed"),
    ("1e999", "double"), ("-1e999", "double"), ("1e309", "double"), ("-1e309", "double"),
    ("1.8e308", "double"), ("1.7976931348623159e308", "double"), ("0.1e310", "double"),
    ("[1e99999999999999999999999]", "double"), ("{\"a\":1e400}", "double"),
    ("1.79769313486231581e308", "double"), ("17976931348623159e292", "double"),
    // Strings.
    ("\"", "early"), ("\"a", "early"), ("\"\\", "early"), ("\"\\\"", "early"), ("\"\\u", "early"),
    ("\"\\u00", "early"), ("\"\\uD83D", "early"), ("\"\\uD83D\\", "early"),
    ("\"\\uD83D\\u", "early"), ("\"a\nb\"", "0x0a"), ("\"a\tb\"", "0x09"), ("\"\u{0}\"", "0x00"),
    ("\"\u{1F}\"", "0x1f"), ("\"\r\"", "0x0d"), ("\"\\a\"", "invalid escape"),
    ("\"\\'\"", "invalid escape"), ("\"\\x41\"", "invalid escape"), ("\"\\0\"", "invalid escape"),
    ("\"\\\n\"", "invalid escape"), ("\"\\U0041\"", "invalid escape"),
    ("\"\\u00G0\"", "invalid escape"), ("\"\\u 041\"", "invalid escape"),
    ("\"\\u004\"x\"", "invalid escape"), ("\"\\u\u{FF11}111\"", "invalid escape"),
    ("\"\\uD800\"", "surrogate"), ("\"\\uDC00\"", "surrogate"), ("\"\\uDFFF\\uD800\"", "surrogate"),
    ("\"\\uD800\\uD800\"", "surrogate"), ("\"\\uD800\\n\"", "surrogate"),
    ("\"\\uD800x\"", "surrogate"), ("\"\\uD800\\u0041\"", "surrogate"),
    ("\"\\uD83D\\u00G0\"", "invalid escape"), ("\"\\uD83D 0\\uDE00\"", "surrogate"),
    // Duplicate keys.
    (#"{"a":1,"a":1}"#, "\"a\""), (#"{"a":1,"\u0061":1}"#, "\"a\""),
    (#"{"\u0061":1,"a":1}"#, "\"a\""), (#"{"\u0061":1,"\u0061":1}"#, "\"a\""),
    (#"{"":1,"":1}"#, "\"\""), (#"{"x":{"room":1,"room":2}}"#, "\"room\""),
    (#"[[{"a":1,"b":[{}],"a":2}]]"#, "\"a\""), (#"{"a":{"a":1},"a":2}"#, "\"a\""),
    (#"{"😀":1,"\uD83D\uDE00":1}"#, "\"😀\""), (#"{"ä":1,"\u00e4":1}"#, "\"ä\""),
    (#"{"a/b":1,"a\/b":1}"#, "a/b"), (#"{"conversationId":1,"conversationId":1}"#, "Id\""),
    (#"{"12345678":1,"12345678":1}"#, "12345678"), (#"{"\u0000":1,"\u0000":1}"#, "duplicate"),
    (#"{"a":1,"b":2,"c":3,"d":4,"e":5,"f":6,"g":7,"h":8,"b":9}"#, "\"b\""),
  ]

  /// Bytes that are no UTF-8, where they stand in a string.
  static let badUTF8: [[UInt8]] = [
    [0x80], [0xC0, 0x80], [0xC1, 0x81], [0xC3], [0xC3, 0x28], [0xE2, 0x82], [0xED, 0xA0, 0x80],
    [0xED, 0xBF, 0xBF], [0xE0, 0x80, 0x80], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80],
    [0xF5, 0x80, 0x80, 0x80], [0xFE], [0xFF], [0xC3, 0xA4, 0xA4], [0xF0, 0x9F, 0x98],
  ]
}
