"""The client's side of RFC 6455, byte by byte."""

import collections
import time

from harness import wire
from harness.clock import elapse, until
from harness.registry import scenario
from harness.world import expect, expect_equal


def closes_with(t, name, data, code, also=None):
    """Sends raw bytes on a new link and expects the client's Close with this code, then the next link."""
    seen = []

    def script(link):
        link.accept()
        if link.number == 1:
            link.send(data)
            seen.append(link.wait_for(wire.CLOSE, 5))
            link.finish()
        else:
            link.serve()

    server = t.serve(script)
    bridge = t.run("--backoff", "50ms..100ms", server.url)
    bridge.state("offline", seconds=8)
    bridge.state("online", count=2)
    expect_equal([f.close_code for f in seen], [code], f"{name}: close code")
    expect(seen[0].mask, f"{name}: unmasked Close")
    if also:
        also(bridge, seen[0])
    bridge.kill()


@scenario(seconds=60)
def illegal_frames(t):
    """Each illegal frame fails the connection with 1002, and the next link comes."""
    f, T, P = wire.frame, wire.TEXT, wire.PING
    cases = {
        "RSV1": f(T, "x", reserved=4),
        "RSV2": f(T, "x", reserved=2),
        "RSV3": f(T, "x", reserved=1),
        "opcode 3": f(3, "x"),
        "opcode 11": f(11, "x"),
        "masked": f(T, "x", mask=b"abcd"),
        "5 bytes with 16-bit length": f(T, "hello", width=16),
        "5 bytes with 64-bit length": f(T, "hello", width=64),
        "length with top bit": bytes([0x81, 127]) + b"\x80" + b"\0" * 7,
        "fragmented ping": f(P, "x", final=False),
        "126-byte ping": f(P, "x" * 126),
        "stray continuation": f(wire.CONTINUATION, "x"),
        "text inside fragments": f(T, "a", final=False) + f(T, "b"),
        "close of one byte": f(wire.CLOSE, b"\x03"),
        "RSV on a continuation": f(T, "a", final=False) + f(wire.CONTINUATION, "b", reserved=4),
    }
    for name, data in cases.items():
        closes_with(t, name, data, 1002)


@scenario()
def bad_text_is_1007(t):
    """Invalid UTF-8 fails with 1007 as soon as it can be seen, also across fragments."""
    bad = bytes.fromhex("cebae1bdb9cf83cebcceb5eda080")
    closes_with(t, "surrogate", wire.frame(wire.TEXT, bad + b"edited"), 1007)
    closes_with(t, "surrogate, message unfinished", wire.frame(wire.TEXT, bad, final=False), 1007)
    closes_with(t, "frame unfinished", wire.frame(wire.TEXT, bad, declared=1000, width=16), 1007)
    closes_with(t, "cut code point", wire.frame(wire.TEXT, "\u20ac".encode()[:2]), 1007)
    closes_with(t, "overlong", wire.frame(wire.TEXT, b"\xc0\xaf"), 1007)
    closes_with(t, "close reason", wire.close(1000, b"\xff\xfe"), 1007)


@scenario()
def too_big_is_1009(t):
    """A declared length over the limit is refused before memory is taken; fragments count together."""

    def small(bridge, _):
        expect(bridge.peak_mib() < 40, f"peak {bridge.peak_mib():.0f} MiB")

    closes_with(t, "2^40 bytes", wire.frame(wire.BINARY, b"", declared=1 << 40, width=64), 1009, small)
    piece = b"x" * 600_000
    both = wire.frame(wire.TEXT, piece, final=False) + wire.frame(wire.CONTINUATION, piece)
    closes_with(t, "fragments", both, 1009, small)
    empty = wire.frame(wire.TEXT, "", final=False) + wire.frame(wire.CONTINUATION, "", final=False) * 300_000
    closes_with(t, "empty fragments", empty, 1009, small)


@scenario()
def fragments_and_pings(t):
    """A euro sign over three fragments with pings between: one line, each ping answered at once."""
    euro = "\u20ac".encode()
    order = []

    def script(link):
        link.accept()
        link.send(wire.frame(wire.TEXT, b'["' + euro[:1], final=False))
        link.send(wire.frame(wire.PING, "one"))
        order.append(link.frame().payload)
        link.send(wire.frame(wire.CONTINUATION, euro[1:2], final=False))
        link.send(wire.frame(wire.PING))
        order.append(link.frame().payload)
        link.send(wire.frame(wire.CONTINUATION, euro[2:] + b'"]'))
        link.send(wire.frame(wire.PING, "x" * 125))
        order.append(link.frame().payload)
        link.serve()

    bridge = t.run(t.serve(script).url)
    expect_equal(bridge.line(), '["\u20ac"]', "line")
    until(lambda: len(order) == 3, 5)
    expect_equal(order, [b"one", b"", b"x" * 125], "pongs")


@scenario()
def any_segmentation(t):
    """Head and frames in one segment, or one byte a segment: the same lines."""
    frames = wire.frame(wire.TEXT, '{"n":1}') + wire.frame(wire.TEXT, "x" * 300) + wire.frame(wire.BINARY, b"\0")
    results = []
    for slow in (False, True):

        def script(link, slow=slow):
            data = link.read_head().response() + frames
            link.send_slowly(data) if slow else link.send(data)
            link.serve()

        bridge = t.run(t.serve(script).url)
        bridge.out.wait_count(3)
        results.append(bridge.out.lines[:3])
    expect_equal(results[0], results[1], "lines")


@scenario(seconds=60)
def masks(t, frames=20_000):
    """Every frame has its own unpredictable mask: all distinct but for chance, bits balanced, no arithmetic."""
    got = []

    def script(link):
        link.accept()
        while True:
            got.append(int.from_bytes(link.message().mask, "big"))

    bridge = t.run("--quiet", t.serve(script).url)
    bridge.write('{"n":1}\n' * frames)
    bridge.end_input()
    bridge.expect_exit(0, 40)
    expect_equal(len(got), frames, "frames")
    repeats = frames - len(set(got))
    expect(repeats <= 3, f"{repeats} masks repeat")
    for bit in range(32):
        ones = sum(m >> bit & 1 for m in got) / frames
        expect(0.47 < ones < 0.53, f"bit {bit} is set in {ones:.1%}")
    steps = collections.Counter((b - a) % 2**32 for a, b in zip(got, got[1:]))
    xors = collections.Counter(a ^ b for a, b in zip(got, got[1:]))
    expect(max(steps.values()) <= 3 and max(xors.values()) <= 3, "consecutive masks follow a pattern")
    t.note(f"{frames} masks, {repeats} repeats")


@scenario(alone=True)
def ping_flood(t, pings=200_000):
    """A flood of pings: pongs coalesced, memory bounded, messages still come through."""
    seen = []

    def script(link):
        link.accept()
        block = b"".join(wire.frame(wire.PING, b"%06d" % i) for i in range(1000))
        for _ in range(pings // 1000):
            link.send(block)
        link.send(wire.frame(wire.PING, "last"))
        link.send_text('{"after":"the flood"}')
        while True:
            f = link.wait_for(wire.PONG)
            seen.append(f.payload)
            link.log.clear()
            if f.payload == b"last":
                break
        link.serve()

    bridge = t.run(t.serve(script).url)
    expect_equal(bridge.line(seconds=20), '{"after":"the flood"}', "line")
    bridge.state("online")
    bridge.end_input()
    bridge.expect_exit(0)
    expect_equal(seen[-1], b"last", "last pong")
    t.note(f"{pings} pings, {len(seen)} pongs")


@scenario()
def close_handshake(t):
    """The server's Close is answered with its code and nothing follows; TCP is the server's to end, for 5 s."""
    times = {}

    def script(link):
        link.accept()
        if link.number == 1:
            link.send(wire.close(1001, "going"))
            f = link.wait_for(wire.CLOSE)
            times["answer"] = f.close_code
            begin = time.monotonic()
            times["ended"] = link.wait_end(8)
            times["after"] = time.monotonic() - begin
            times["extra"] = [x.opcode for x in link.log if x is not f]
        else:
            link.serve()

    bridge = t.run("--backoff", "50ms..100ms", t.serve(script).url)
    bridge.state("online", count=2, seconds=15)
    expect_equal(times["answer"], 1001, "code of the answer")
    expect(times["ended"], "TCP wasn't ended")
    expect(times["after"] < 6, f"TCP ended after {times['after']:.1f} s")
    t.note(f"TCP ended {times['after']:.1f} s after the answer")


@scenario()
def close_without_answer(t):
    """A server that doesn't answer our Close: the run ends within 5 s all the same."""

    def script(link):
        link.accept()
        while True:
            f = link.frame(20)
            if f.opcode == wire.PING:
                link.send(wire.frame(wire.PONG, f.payload))
            elif f.opcode == wire.CLOSE:
                elapse(10)

    bridge = t.online(t.serve(script).url)
    begin = time.monotonic()
    bridge.end_input()
    bridge.expect_exit(0, 8)
    took = time.monotonic() - begin
    expect(took < 6, f"{took:.1f} s")
    t.note(f"ended after {took:.1f} s")


@scenario()
def request_is_right(t):
    """The request: path and query kept, Host, a fresh key each time, version 13, no extension offered."""
    server = t.serve(lambda link: link.accept().close(1001) if link.number < 3 else link.accept().serve())
    url = server.url + "a/b%20c?x=1&y=%C3%A9"
    bridge = t.run("--header", "X-Test: a b", "--subprotocol", "one", "--origin", "http://here", "--backoff", "10ms..20ms", url)
    server.wait_links(3)
    bridge.state("online", count=3)
    keys = set()
    for link in server.links:
        expect_equal(link.request_line, "GET /a/b%20c?x=1&y=%C3%A9 HTTP/1.1", "request line")
        fields = link.fields
        expect_equal(fields["host"], f"127.0.0.1:{server.port}", "Host")
        expect_equal(fields["sec-websocket-version"], "13", "version")
        expect_equal(fields["upgrade"].lower(), "websocket", "Upgrade")
        expect("upgrade" in fields["connection"].lower(), "Connection")
        expect_equal((fields["x-test"], fields["sec-websocket-protocol"], fields["origin"]), ("a b", "one", "http://here"), "fields")
        expect("sec-websocket-extensions" not in fields, "an extension is offered")
        keys.add(fields["sec-websocket-key"])
    expect_equal(len(keys), 3, "different keys")


@scenario()
def nothing_before_the_answer(t):
    """Nothing is sent before the 101; injected line ends in options are refused before any byte."""
    early = []

    def script(link):
        link.read_head()
        elapse(0.3)
        early.append(bytes(link.reader.buffer))
        link.send(link.response())
        link.serve()

    server = t.serve(script)
    bridge = t.run(server.url)
    bridge.send_json({"n": 1})
    bridge.record("wsii.delivered")
    expect_equal(early, [b""], "bytes before the 101")
    silent = t.serve()
    for arguments in (
        ["--header", "X: a\r\nY: b"],
        ["--header", "X\n: a"],
        ["--origin", "http://a\r\nX: y"],
        ["--subprotocol", "a\r\nX: y"],
    ):
        status = t.run(*arguments, silent.url).exit(5)
        expect(status in (64, 78), f"{arguments}: exit status {status}")
    for url in (silent.url + "\r\nX: y", silent.url + "a b", silent.url.replace("ws://", "ws://user:pass@"), silent.url + "#f"):
        status = t.run(url).exit(5)
        expect(status in (64, 78), f"{url!r}: exit status {status}")
    expect_equal(len(silent.times), 0, "connections")


@scenario()
def reasons_are_cut(t):
    """Our own Close never carries more than 125 bytes or half a code point."""
    seen = []

    def script(link):
        link.accept()
        link.send(wire.close(4000, "\u00e9" * 61))
        seen.append(link.wait_for(wire.CLOSE))
        link.finish()

    t.run("--retries", "0", t.serve(script).url).exit(5)
    expect(len(seen[0].payload) <= 125, "too long")
    seen[0].payload[2:].decode()
