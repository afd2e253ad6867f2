"""Bad lines on standard input: one wsii.error each, the next line works, 65 at the end."""

import json

from harness.registry import scenario
from harness.world import expect, expect_equal

BAD = {
    "broken UTF-8": b'{"a":"\xff"}',
    "cut UTF-8": b'{"a":"\xe2\x82"}',
    "overlong UTF-8": b'{"a":"\xc0\xaf"}',
    "surrogate in UTF-8": b'{"a":"\xed\xa0\x80"}',
    "NUL": b'{"a":"\0"}',
    "NUL outside": b'{"a":1}\0',
    "control byte": b'{"a":"\x01"}',
    "BOM": b'\xef\xbb\xbf{"a":1}',
    "NaN": b'{"a":NaN}',
    "Infinity": b'{"a":-Infinity}',
    "1e999": b'{"a":1e999}',
    "leading zero": b'{"a":01}',
    "duplicate keys": b'{"a":1,"a":2}',
    "duplicate escaped keys": b'{"room":1,"r\\u006fom":2}',
    "duplicate keys inside": b'{"x":[{"a":1,"a":1}]}',
    "depth 10,000": b"[" * 10_000 + b"]" * 10_000,
    "depth 129": b"[" * 129 + b"]" * 129,
    "lone high surrogate": b'{"a":"\\ud800"}',
    "lone low surrogate": b'{"a":"\\udc00"}',
    "reversed surrogates": b'{"a":"\\udc00\\ud800"}',
    "trailing comma": b'{"a":1,}',
    "two values": b'{"a":1} {"b":2}',
    "unterminated": b'{"a":',
    "single quotes": b"{'a':1}",
    "comment": b'{"a":1} // x',
    "plain words": b"hello",
    "bad base64": b'{"type":"wsii.binary","data":"%%%"}',
    "wsii.text without text": b'{"type":"wsii.text"}',
    "wsii.text with a number": b'{"type":"wsii.text","text":1}',
}


@scenario()
def bad_lines(t):
    """Each bad line is one wsii.error with its line number; the good line after it arrives; 65."""
    got = []

    def script(link):
        link.accept()
        while True:
            got.append(link.message().text)

    bridge = t.run(t.serve(script).url)
    number = 0
    for bad in BAD.values():
        bridge.write(bad + b"\n" + b'{"n":%d}\n' % number)
        number += 1
    bridge.end_input()
    bridge.expect_exit(65)
    expect_equal(got, [f'{{"n":{i}}}' for i in range(number)], "good lines")
    errors = bridge.matching("wsii.error")
    expect_equal([e["line"] for e in errors], [2 * i + 1 for i in range(number)], "line numbers")
    for (name, bad), error in zip(BAD.items(), errors):
        expect_equal(error["source"], "stdin", f"{name}: source")
        expect(error.get("reason"), f"{name}: no reason")
        expect(len(error["input"].encode()) <= 400, f"{name}: the bad line isn't cut")
        expect(error["input"][:8].encode(errors="replace")[:1] == bad[:1] or bad[0] > 127, f"{name}: input {error['input']!r}")
    t.note(f"{number} kinds")


@scenario(seconds=120, alone=True)
def endless_line(t, mebibytes=20):
    """A line without end: flat memory, one wsii.error once it ends, the next line works, 65."""
    got = []

    def script(link):
        link.accept()
        while True:
            got.append(link.message(60).text)

    bridge = t.run(t.serve(script).url)
    bridge.state("online")
    bridge.send('{"n":0}')
    bridge.record("wsii.delivered")
    before = bridge.peak_mib()
    piece = b"x" * (1 << 20)
    for _ in range(mebibytes):
        bridge.write(piece)
    bridge.write("\n")
    bridge.send('{"n":1}')
    bridge.record("wsii.delivered", count=2, seconds=30)
    grown = bridge.peak_mib() - before
    bridge.write(b'["' + piece)  # and one that stdin's end cuts
    bridge.end_input()
    bridge.expect_exit(65)
    expect_equal(got, ['{"n":0}', '{"n":1}'], "good lines")
    expect_equal([e["line"] for e in bridge.matching("wsii.error")], [2, 4], "errors")
    expect(grown < 4, f"memory grew by {grown:.1f} MiB")
    t.note(f"{mebibytes} MiB without a newline: memory grew by {grown:.2f} MiB to {before + grown:.1f} MiB")


@scenario()
def bad_texts(t):
    """--text checks too: broken UTF-8 is an error; NUL and any other text pass."""
    got = []

    def script(link):
        link.accept()
        while True:
            got.append(link.message().payload)

    bridge = t.run("--text", t.serve(script).url)
    bridge.write(b"one\n\xff\xfe\ntwo\n")
    bridge.end_input()
    bridge.expect_exit(65)
    expect_equal(got, [b"one", b"two"], "frames")
    expect_equal([e["line"] for e in bridge.matching("wsii.error")], [2], "errors")


@scenario()
def hostile_objects(t):
    """Lines made to be slow (100,000 keys, long numbers, many escapes) cost no more than their bytes."""
    import time

    got = []

    def script(link):
        link.accept()
        while True:
            got.append(len(link.message().payload))

    lines = [
        json.dumps({f"k{i}": i for i in range(60_000)}),
        json.dumps({f"{'k' * 100}{i:05}": i for i in range(8_000)}),
        "[" + "0.1," * 200_000 + "1]",
        '"' + "\\u0061" * 150_000 + '"',
    ]
    bridge = t.run(t.serve(script).url)
    bridge.state("online")
    begin = time.monotonic()
    bridge.send(*lines)
    bridge.end_input()
    bridge.expect_exit(0)
    took = time.monotonic() - begin
    expect_equal(got, [len(l) for l in lines], "frames")
    expect(took < 5, f"{took:.1f} s")
    t.note(f"{sum(map(len, lines)) / 1e6:.1f} MB in {took * 1000:.0f} ms")
