"""Servers that refuse, vanish or talk nonsense: the right record, wait and exit code each."""

import os
import signal
import socket
import time

from harness import wire
from harness.clock import elapse
from harness.registry import scenario
from harness.server import free_port
from harness.world import expect, expect_equal


@scenario()
def unauthorised(t):
    """401 and 403: a refused record and 77, at once, with one attempt."""
    for status, code in (("401 Unauthorized", 401), ("403 Forbidden", 403)):
        server = t.serve(lambda link, s=status: link.refuse(s))
        bridge = t.run(server.url)
        bridge.expect_exit(77, seconds=5)
        bridge.state("refused", httpStatus=code)
        expect_equal(len(server.times), 1, "attempts")


@scenario()
def refusal_without_its_body(t):
    """A 401 whose announced body never comes, or drips: the status decides a second later."""

    def drip(link):
        link.read_head().send(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 100\r\n\r\n")
        for _ in range(50):
            link.send(b"x")
            elapse(0.1)

    def nothing(link):
        link.read_head().send(b"HTTP/1.1 401 Unauthorized\r\nContent-Length: 100\r\n\r\n")
        link.wait_end(20)

    for name, script in (("nothing", nothing), ("drip", drip)):
        bridge = t.run(t.serve(script).url)
        begin = time.monotonic()
        bridge.expect_exit(77, seconds=5)
        took = time.monotonic() - begin
        expect(took < 3, f"{name}: {took:.1f} s")
        bridge.state("refused", httpStatus=401)


@scenario(seconds=40)
def retry_after(t, seconds=2):
    """503 and 429 with Retry-After: the record says the wait and the next attempt keeps it."""
    for status in ("503 Service Unavailable", "429 Too Many Requests"):

        def script(link, status=status):
            if link.number == 1:
                link.refuse(status, [f"Retry-After: {seconds}"])
            else:
                link.accept().serve()

        server = t.serve(script)
        bridge = t.run(server.url)
        record = bridge.record("wsii.state", state="offline", httpStatus=int(status[:3]))
        expect(record["retryInMs"] >= seconds * 1000, f"retryInMs {record['retryInMs']}")
        server.wait_links(2, seconds * 2 + 5)
        waited = server.times[1] - server.times[0]
        expect(seconds <= waited < seconds * 2 + 2, f"waited {waited:.2f} s")
        bridge.state("online")
        t.note(f"{status[:3]}: waited {waited:.2f} s of {seconds}")


@scenario()
def fatal_close_codes(t):
    """1008, 4001 and 4003 end the run with 77; code and reason reach the user."""
    for code in (1008, 4001, 4003):
        server = t.serve(lambda link, c=code: link.accept().close(c, "no \x1b[31mway"))
        bridge = t.run(server.url)
        bridge.expect_exit(77, seconds=5)
        record = bridge.state("refused", closeCode=code)
        expect_equal(record["closeReason"], "no \x1b[31mway", "reason")
        expect("\x1b" not in bridge.errors, "an escape reaches the terminal raw")
        expect_equal(len(server.times), 1, "attempts")


@scenario()
def other_close_codes(t):
    """1000, 1001, 1011, 1013, 4000: an offline record with the code, a wait, the next link."""
    for code in (1000, 1001, 1011, 1013, 4000):

        def script(link, code=code):
            link.accept()
            if link.number == 1:
                link.close(code, "bye")
            else:
                link.serve()

        server = t.serve(script)
        bridge = t.run("--backoff", "50ms..100ms", server.url)
        record = bridge.state("offline", closeCode=code)
        expect_equal(record["closeReason"], "bye", "reason")
        expect(record["retryInMs"] >= 0, "no retryInMs")
        bridge.state("online", count=2)
        bridge.kill()


@scenario()
def illegal_close_codes(t):
    """1006 and its like put on the wire: answered 1002, the raw code in the record, then a retry."""
    for code in (1006, 1005, 1015, 0, 999, 1004, 2999, 5000, 65535):
        answers = []

        def script(link, code=code, answers=answers):
            link.accept()
            if link.number == 1:
                link.send(wire.close(code, "odd"))
                answers.append(link.wait_for(wire.CLOSE).close_code)
                link.finish()
            else:
                link.serve()

        server = t.serve(script)
        bridge = t.run("--backoff", "50ms..100ms", server.url)
        record = bridge.state("offline", closeCode=code)
        expect_equal(record.get("closeReason"), "odd", "reason")
        bridge.state("online", count=2)
        expect_equal(answers, [1002], f"answer to {code}")
        bridge.kill()


@scenario()
def no_retries(t):
    """--retries 0 ends at the first close: 0 after 1000, else 69; --retries N counts."""
    for code, status in ((1000, 0), (1001, 69), (1011, 69)):
        server = t.serve(lambda link, c=code: link.accept().close(c))
        t.run("--retries", "0", server.url).expect_exit(status, seconds=5)
        expect_equal(len(server.times), 1, "links")
    server = t.serve(lambda link: link.accept().reset())
    t.run("--retries", "0", server.url).expect_exit(69, seconds=5)
    t.run("--retries", "0", f"ws://127.0.0.1:{free_port()}/").expect_exit(69, seconds=5)
    server = t.serve(lambda link: link.accept().close(1001))
    t.run("--retries", "2", "--backoff", "20ms..40ms", server.url).expect_exit(69, seconds=5)
    expect_equal(len(server.times), 3, "links")


@scenario()
def wrong_handshakes(t):
    """Each wrong answer fails the handshake with its reason: 76 for what breaks the protocol, 69 for another answer."""

    def answer(**changes):
        return lambda link: link.accept(**changes)

    def raw(data):
        return lambda link: link.read_head().send(data)

    # HTTP's way of saying "not here" and a vanished server are no connection; what is no HTTP, or a 101 that
    # RFC 6455, section 4.1 wants failed, is a server that breaks the protocol.
    no_link = {
        "status 200": answer(status="200 OK"),
        "redirect": lambda link: link.refuse("302 Found", ["Location: ws://127.0.0.1:1/"]),
        "end": lambda link: link.read_head().finish(),
        "end inside the head": lambda link: link.read_head().send(b"HTTP/1.1 101 Swi"),
    }
    violations = {
        "wrong Accept": answer(accept="s3pPLMBiTxaQ9kYGzzhZRbK+xOo="),
        "no Upgrade": answer(upgrade=None),
        "other Upgrade": answer(upgrade="h2c"),
        "unoffered extension": answer(extra=["Sec-WebSocket-Extensions: permessage-deflate"]),
        "unoffered subprotocol": answer(extra=["Sec-WebSocket-Protocol: chat"]),
        "folded field": answer(extra=["X-A: b", " folded"]),
        "long line": answer(extra=["X-A: " + "b" * 10_000]),
        "many fields": answer(extra=[f"X-{i}: b" for i in range(120)]),
        "a megabyte of fields": answer(extra=[f"X-{i}: {'b' * 1000}" for i in range(1000)]),
        "no HTTP": raw(b"SSH-2.0-OpenSSH_9.2\r\n\r\n"),
        "garbage": raw(bytes(range(256)) * 100),
    }
    cases = [(name, script, 69) for name, script in no_link.items()]
    cases += [(name, script, 76) for name, script in violations.items()]
    for name, script, wanted in cases:
        server = t.serve(script)
        bridge = t.run("--retries", "0", "--connect-timeout", "5s", server.url)
        expect_equal(bridge.exit(10), wanted, f"{name}: exit status")
        expect(not bridge.matching("wsii.state", state="online"), f"{name}: it went online")
        reasons = [r.get("reason") for r in bridge.records if r["type"] == "wsii.state" and r.get("reason")]
        expect(reasons, f"{name}: no reason in any record")
        expect_equal(len(server.times), 1, f"{name}: attempts")


@scenario()
def slow_handshakes(t):
    """A server that accepts and says nothing, and one that drips its head, end at --connect-timeout."""

    def drip(link):
        link.read_head()
        for byte in link.response():
            link.send(bytes([byte]))
            elapse(0.1)

    for name, script in (("silent", lambda link: link.wait_end(20)), ("drip", drip)):
        server = t.serve(script)
        begin = time.monotonic()
        bridge = t.run("--retries", "0", "--connect-timeout", "1s", server.url)
        bridge.expect_exit(69, seconds=5)
        took = time.monotonic() - begin
        expect(0.9 <= took < 2.5, f"{name}: {took:.2f} s")
        t.note(f"{name}: gave up after {took:.2f} s")


@scenario()
def default_connect_timeout(t):
    """A silent server is given up after the 10 s of the default."""
    server = t.serve(lambda link: link.wait_end(30))
    bridge = t.run(server.url)
    bridge.state("offline", seconds=12)
    waited = time.monotonic() - server.times[0]
    expect(9.5 < waited < 11, f"{waited:.1f} s")
    t.note(f"gave up after {waited:.1f} s")


@scenario()
def server_killed(t):
    """kill -9 of the server: an offline record at once, and the next server at that address is found."""
    hub = t.hub()
    bridge = t.run("--backoff", "100ms..400ms", hub.url)
    bridge.state("online")
    bridge.send_json({"n": 1})
    bridge.line()
    os.kill(hub.pid, signal.SIGKILL)
    begin = time.monotonic()
    bridge.state("offline", seconds=2)
    t.note(f"noticed after {(time.monotonic() - begin) * 1000:.0f} ms")
    bridge.send_json({"n": 2})
    bridge.state("connecting", count=3)
    t.hub(port=hub.port)
    bridge.state("online", count=2)
    expect_equal(bridge.line(1), '{"n": 2}', "the message sent while the server was away")
    bridge.end_input()
    bridge.expect_exit(0)


@scenario(seconds=150, alone=True)
def closed_port(t, seconds=15, cpu=0.05):
    """Against a closed port: few attempts, growing and jittered gaps, hardly any CPU."""
    bridge = t.run(f"ws://127.0.0.1:{free_port()}/")
    bridge.state("offline")
    begin = bridge.cpu()
    elapse(seconds - (time.monotonic() - bridge.started))
    used = bridge.cpu() - begin
    records = list(bridge.matching("wsii.state", state="offline"))
    gaps = [r["retryInMs"] / 1000 for r in records]
    most = 15 if seconds >= 120 else seconds
    expect(len(records) <= most, f"{len(records)} attempts in {seconds} s")
    expect(len(records) >= 3, f"only {len(records)} attempts in {seconds} s")
    for n, gap in enumerate(gaps):
        middle = min(2**n, 30)
        expect(middle * 0.49 <= gap <= middle * 1.51, f"wait {n + 1} is {gap} s, not {middle} s ± 50 %")
    exact = sum(1 for n, gap in enumerate(gaps) if abs(gap - min(2**n, 30)) < 0.002)
    expect(exact <= 1, "gaps without jitter")
    expect(used < cpu, f"{used:.3f} s of CPU")
    t.note(f"{len(records)} attempts in {seconds} s, waits {', '.join(f'{g:.1f}' for g in gaps)} s, CPU {used * 1000:.0f} ms")


@scenario()
def stable_links_reset_the_backoff(t):
    """A link that proved stable resets the backoff; a mere handshake doesn't."""

    def script(link):
        link.accept()
        if link.number == 4:
            elapse(0.7)
        if link.number < 6:
            link.close(1001)
        else:
            link.serve()

    server = t.serve(script)
    bridge = t.run("--backoff", "100ms..10s", "--stable-after", "500ms", server.url)
    server.wait_links(6, 20)
    waits = [r["retryInMs"] for r in bridge.matching("wsii.state", state="offline")]
    # the first try after a link is at once or after the least wait, then it doubles
    expect(waits[2] > waits[0], f"waits {waits}: they don't grow over links that end at once")
    expect(waits[3] <= 150, f"waits {waits}: the stable link didn't reset them")


@scenario(seconds=400, alone=True)
def reconnects(t, links=300):
    """Thousands of reconnects: resident memory and descriptors flat."""
    marks = {}

    def script(link):
        link.accept()
        # A few bytes each way, so that all of a link's parts are used.
        link.send_text('{"n":1}')
        link.close(1001, "again")

    server = t.serve(script)
    bridge = t.run("--quiet", "--backoff", "1ms..1ms", "--stable-after", "0", "--stay", server.url, keep=False)
    for share in (0.1, 0.5, 1):
        server.wait_links(int(links * share), 380)
        marks[share] = (bridge.resident_mib(), len(os.listdir(f"/proc/{bridge.pid}/fd")))
    expect(bridge.is_running, "it ended")
    growth = marks[1][0] - marks[0.1][0]
    t.note(
        f"{links} links in {server.times[-1] - server.times[0]:.0f} s, resident {marks[0.1][0]:.1f}, {marks[0.5][0]:.1f}, "
        f"{marks[1][0]:.1f} MiB, descriptors {marks[0.1][1]}, {marks[0.5][1]}, {marks[1][1]}"
    )
    expect(growth < 1, f"resident memory grew by {growth:.2f} MiB ({marks})")
    expect(abs(marks[1][1] - marks[0.1][1]) <= 1, f"descriptors: {marks}")


@scenario()
def half_open(t):
    """A server whose machine is gone (no pong, no FIN): dead after ping interval and timeout."""
    server = t.serve(lambda link: link.accept() and elapse(20))
    bridge = t.run("--ping-interval", "500ms", "--ping-timeout", "500ms", server.url)
    bridge.state("online")
    begin = time.monotonic()
    bridge.state("offline", seconds=5)
    took = time.monotonic() - begin
    expect(0.8 < took < 2, f"{took:.2f} s")
    t.note(f"noticed after {took:.2f} s")


@scenario()
def end_without_close(t):
    """FIN and RST without a Close frame are 1006-like ends: offline, retried, messages kept."""

    def script(link):
        link.accept()
        if link.number == 1:
            link.finish()
        elif link.number == 2:
            link.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            link.reset()
        else:
            link.serve(echo=True)

    server = t.serve(script)
    bridge = t.run("--backoff", "50ms..100ms", server.url)
    bridge.send_json({"n": 1})
    expect_equal(bridge.line(), '{"n": 1}', "echo on the third link")
    bridge.end_input()
    bridge.expect_exit(0)


@scenario()
def refused_but_waiting(t):
    """--on-refused wait stays; USR1 tries again at once."""

    def script(link):
        if link.number == 1:
            link.refuse("401 Unauthorized")
        else:
            link.accept().serve()

    server = t.serve(script)
    bridge = t.run("--on-refused", "wait", server.url)
    record = bridge.state("refused", httpStatus=401)
    expect(record.get("retryInMs", 60_000) >= 60_000, f"next try in {record.get('retryInMs')} ms")
    expect(bridge.is_running, "it ended")
    bridge.signal(signal.SIGUSR1)
    bridge.state("online", seconds=3)
