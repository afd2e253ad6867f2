"""Plain records: a line is a frame, a frame is a line (DESIGN, sections 3 and 6)."""

import base64
import json

from harness import wire
from harness.registry import scenario
from harness.world import expect, expect_equal


def speak(*frames):
    """A server that says these frames to each link and then serves it."""

    def script(link):
        link.accept()
        for f in frames:
            link.send(f if isinstance(f, bytes) else wire.frame(wire.TEXT, f))
        link.serve()

    return script


@scenario()
def frame_is_line(t):
    """A JSON frame is a line, byte for byte; line breaks between tokens become spaces."""
    exact = [
        '{"a":1}',
        '{ "b" : [1.50, 1e3, -0, "\\u00e9\\ud83d\\ude00 \u00e9\U0001f600\\/"], "zzz":{"type":"wsii.x"} }',
        "[]",
        '{"big":123456789012345678901234567890,"e":"\x7f\u0085\u202e"}',
    ]
    server = t.serve(speak(*exact, '{\n"c":\r\n[1,\n2]}\n'))
    bridge = t.run(server.url)
    bridge.out.wait_count(len(exact) + 1)
    for i, text in enumerate(exact):
        expect_equal(bridge.out.lines[i].decode(), text, f"line {i + 1}")
    last = bridge.out.lines[len(exact)].decode()
    expect_equal(json.loads(last), {"c": [1, 2]}, "frame with line breaks")
    expect(last.startswith('{ "c":  [1, 2]}'), f"line breaks became something else than spaces: {last!r}")


@scenario()
def line_is_frame(t):
    """Each line is one text frame with the same bytes, any JSON value; blank lines are skipped."""
    server = t.serve(lambda link: setattr(link, "got", link.accept().messages(6)) or link.serve())
    bridge = t.run(server.url)
    lines = ['{"a" : 1}', "42", '"x\\u0041é"', "null", "[1,[2,[3]]]"]
    bridge.send(lines[0], "", "   ", *lines[1:])
    bridge.write("{}\r\n")
    bridge.state("online")
    server.wait_links(1)
    bridge.record("wsii.delivered", count=6)
    got = server.links[0].got
    expect(all(f.opcode == wire.TEXT and f.final and not f.reserved for f in got), "frames aren't whole text frames")
    expect_equal([f.text for f in got[:5]], lines, "frames")
    expect_equal(got[5].text.strip(), "{}", "CRLF line")


@scenario()
def strange_frames_are_quoted(t):
    """What is no strict JSON object or array, or claims wsii.*, arrives as wsii.text or wsii.binary."""
    deep = "[" * 129 + "]" * 129
    texts = ["hello", "42", '"s"', '{"a":1,"a":2}', '{"type":"wsii.state","state":"online"}', deep, "", "a\nb\u2028c"]
    texts += ['{"a":1e999}', '{"a":NaN}', '{"a":"\\ud800"}', "\ufeff{}", "{} {}", '{"a":1,}']
    server = t.serve(speak(*texts, wire.frame(wire.BINARY, b"\x00\xff\n"), '{"end":1}'))
    bridge = t.run(server.url)
    bridge.out.wait_count(len(texts) + 2)
    records = [json.loads(l) for l in bridge.out.lines]
    for text, record in zip(texts, records):
        expect_equal(record, {"type": "wsii.text", "text": text}, f"record of {text[:40]!r}")
    expect_equal(records[-2], {"type": "wsii.binary", "data": "AP8K"}, "binary record")
    expect_equal(records[-1], {"end": 1}, "the frame after them")
    expect_equal(bridge.out.lines[5].count(b"\n"), 0, "line breaks")


@scenario()
def quoted_lines_are_frames(t):
    """wsii.text and wsii.binary lines send those frames; other wsii.* lines are skipped."""
    server = t.serve(lambda link: setattr(link, "got", link.accept().messages(4)) or link.serve())
    bridge = t.run(server.url)
    data = bytes(range(256))
    bridge.send_json(
        {"type": "wsii.text", "text": "hello\nthere \U0001f600"},
        {"type": "wsii.state", "state": "online"},
        {"type": "wsii.binary", "data": base64.b64encode(data).decode()},
        {"type": "wsii.gap", "conversationId": "x"},
        {"type": "wsii.text", "text": ""},
        {"end": 1},
    )
    bridge.record("wsii.delivered", count=4)
    got = [(f.opcode, f.payload) for f in server.links[0].got]
    expect_equal(got[0], (wire.TEXT, "hello\nthere \U0001f600".encode()), "wsii.text")
    expect_equal(got[1], (wire.BINARY, data), "wsii.binary")
    expect_equal(got[2], (wire.TEXT, b""), "empty wsii.text")
    expect_equal(json.loads(got[3][1]), {"end": 1}, "last")


@scenario()
def a_bridge_into_a_bridge(t):
    """`wsii run A | wsii run B`: what A says reaches B, strange frames included, and nothing else."""
    said = ['{"n":1}', "hello", '{"type":"wsii.error"}']
    a = t.serve(speak(*said, wire.frame(wire.BINARY, b"\x01\x02")))
    got = []
    b = t.serve(lambda link: got.extend(link.accept().messages(4)) or link.serve())
    done = t.shell(f'"$WSII" run --count 4 {a.url} </dev/null 2>a | "$WSII" run --retries 0 {b.url} 2>b; echo ${{PIPESTATUS[*]}}')
    expect_equal([f.payload for f in got], [*(s.encode() for s in said), b"\x01\x02"], "frames at B")
    expect_equal(done.stdout.split()[-2:], ["0", "0"], "exit statuses")


@scenario()
def hello_frames_first(t):
    """--hello sends its frames first on every link, before what waits."""
    heads = []

    def script(link):
        link.accept()
        heads.append([f.text for f in link.messages(3)])
        if link.number == 1:
            link.close(1001)
        else:
            link.serve()

    server = t.serve(script)
    hello = t.file("hello", '{"login":"me"}\n{"join":"ops"}\n')
    bridge = t.run("--hello", hello, "--backoff", "100ms..200ms", server.url)
    bridge.send_json({"n": 1})
    server.wait_links(2)
    bridge.send_json({"n": 2})
    bridge.state("online", count=2)
    server.wait_links(2)
    bridge.record("wsii.delivered", count=1)
    bridge.record("wsii.accepted", count=2)
    bridge.end_input()
    bridge.expect_exit(0)
    for head in heads:
        expect_equal(head[:2], ['{"login":"me"}', '{"join":"ops"}'], "first frames")
    expect_equal(len(heads), 2, "links")


@scenario()
def text_mode(t):
    """--text: a line is a frame's text, a frame's text is a line, `wsii.*` only on stderr."""
    got = []

    def script(link):
        link.accept()
        for text in ["plain words", "two\nlines\r\n", '{"json":1}', "tab\there \u202e"]:
            link.send_text(text)
        got.extend(link.messages(4))
        link.serve()

    server = t.serve(script)
    bridge = t.run("--text", server.url)
    bridge.write('hello there\n\n{"not":"checked"\n  spaces  \n')
    bridge.out.wait_count(4)
    lines = [l.decode() for l in bridge.out.lines]
    expect_equal(lines[0], "plain words", "line 1")
    expect(lines[1].startswith("two\\nlines"), f"line break inside: {lines[1]!r}")
    expect_equal(lines[2], '{"json":1}', "line 3")
    expect_equal(lines[3], "tab\there \u202e", "line 4: a pipe gets the bytes")
    bridge.record("wsii.delivered", count=4)
    expect_equal([f.text for f in got], ["hello there", "", '{"not":"checked"', "  spaces  "], "frames")


@scenario()
def states_and_receipts(t):
    """connecting, online, accepted (with the line), delivered in order; all with timestamps."""
    server = t.serve()
    bridge = t.run(server.url)
    bridge.state("connecting")
    bridge.state("online")
    bridge.send("", '{"n":1}', '{"n":2}', '{"n":3}')
    bridge.record("wsii.delivered", count=3)
    accepted, delivered = bridge.matching("wsii.accepted"), bridge.matching("wsii.delivered")
    expect_equal([a["line"] for a in accepted], [2, 3, 4], "lines")
    expect(all(a["durable"] is False for a in accepted), "a promise of durability without a disk")
    expect_equal([d["messageId"] for d in delivered], [a["messageId"] for a in accepted], "ids")
    expect_equal(len({a["messageId"] for a in accepted}), 3, "different ids")
    expect(all(r["timestamp"].endswith("Z") and len(r["timestamp"]) == 24 for r in bridge.records), "timestamps")
    expect("ephemeral" in bridge.errors, "stderr doesn't say that messages are kept in memory only")
    bridge.end_input()
    bridge.expect_exit(0)
    bridge.state("stopping")


@scenario()
def quiet(t):
    """--quiet leaves all `wsii.*` records out."""
    server = t.echo()
    bridge = t.run("--quiet", server.url)
    bridge.send_json({"n": 1})
    expect_equal(json.loads(bridge.line()), {"n": 1}, "echo")
    bridge.end_input()
    bridge.expect_exit(0)
    expect_equal(bridge.records, [], "records")


@scenario()
def count_and_time(t):
    """--count N ends after N records, --for after a time; both with 0."""
    server = t.serve(speak(*[f'{{"n":{i}}}' for i in range(10)]))
    bridge = t.run("--count", "3", server.url)
    bridge.expect_exit(0)
    expect_equal([json.loads(l)["n"] for l in bridge.out.lines], [0, 1, 2], "records")
    bridge = t.run("--for", "1", server.url)
    bridge.expect_exit(0, seconds=3)
    expect_equal(len(bridge.out.lines), 10, "records in 1 s")


@scenario()
def largest_message(t, mebibytes=1):
    """A message of exactly --max-message passes both ways, one byte more closes with 1009."""
    limit = mebibytes << 20
    fill = '"' + "x" * (limit - 2) + '"'
    log = {}

    def script(link):
        link.accept()
        if link.number == 1:
            link.send_text('["' + "1" * (limit - 4) + '"]')
            log["line"] = link.message()
            link.send_text('["' + "1" * (limit - 3) + '"]')
            log["close"] = link.wait_for(wire.CLOSE)
            return
        link.serve()

    server = t.serve(script)
    bridge = t.run("--max-message", str(limit), server.url)
    bridge.out.wait_count(1)
    expect_equal(len(bridge.out.lines[0]), limit, "bytes of the line")
    bridge.write(fill + "\n")
    bridge.state("offline")
    expect_equal(log["line"].text, fill, "frame")
    expect_equal(log["close"].close_code, 1009, "close code")
    bridge.write(fill[:-1] + 'x"\n{"next":1}\n')
    bridge.record("wsii.error", line=2)
