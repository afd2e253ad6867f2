"""What an idle bridge costs, and what it shows of itself."""

import os
import re

from harness import procfs, wire
from harness.clock import elapse
from harness.registry import scenario
from harness.world import expect, expect_equal


@scenario(alone=True)
def nothing_but_pings(t, seconds=5):
    """Online and idle: no wakeup and no CPU but for pings; offline in a long wait: none at all."""
    server = t.serve()
    quiet = t.online("--ping-interval", "off", server.url)
    pinging = t.online("--ping-interval", "1s", server.url)
    waiting = t.run("--backoff", "60s..60s", "ws://127.0.0.1:1/")
    waiting.state("offline")
    elapse(1)
    programs = {"quiet": quiet, "pinging": pinging, "waiting": waiting}
    begin = {n: (p.cpu(), procfs.switches(p.pid)) for n, p in programs.items()}
    elapse(seconds)
    used = {n: (p.cpu() - begin[n][0], procfs.switches(p.pid) - begin[n][1]) for n, p in programs.items()}
    expect(used["quiet"][1] <= 1, f"idle: {used['quiet'][1]} wakeups in {seconds} s")
    expect(used["waiting"][1] <= 2, f"waiting: {used['waiting'][1]} wakeups in {seconds} s")
    expect(used["pinging"][1] <= 3 * (seconds + 1), f"pinging: {used['pinging'][1]} wakeups in {seconds} s")
    expect(all(c < 0.005 * seconds for c, _ in used.values()), f"CPU: {used}")
    memory = f"{procfs.private_kib(quiet.pid) / 1024:.1f} MiB private, {quiet.resident_mib():.1f} MiB resident"
    t.note(", ".join(f"{n}: {w} wakeups {c * 1e6:.0f} us" for n, (c, w) in used.items()) + f" in {seconds} s; {memory}")


@scenario()
def trace(t):
    """--trace shows handshake lines and each frame with direction and time, on stderr only."""

    def script(link):
        link.accept()
        link.send_text('{"hello":"there"}')
        link.send(wire.frame(wire.PING, "p\x1b[1m"))
        link.messages(1)
        link.send(wire.frame(wire.PONG, link.wait_for(wire.PING).payload))
        link.close(1000, "bye")

    bridge = t.run("--trace", "--retries", "0", t.serve(script).url)
    bridge.send_json({"n": 1})
    bridge.expect_exit(0)
    expect_equal(bridge.out.lines, [b'{"hello":"there"}'], "stdout")
    text = bridge.errors
    for wanted in ("GET / HTTP/1.1", "101", "hello", "ping", "pong", "close", "1000", "bye"):
        expect(wanted.lower() in text.lower(), f"no {wanted!r} in the trace: {text!r}")
    expect("\x1b" not in text, "an escape in the trace")
    frames = [l for l in text.splitlines() if " TEXT " in l]
    expect(any(" < " in l for l in frames) and any(" > " in l for l in frames), f"directions: {frames}")
    expect(all(re.search(r"\d\d:\d\d:\d\d\.\d{3}|\d+\.\d{3}", l) for l in frames), f"times: {frames}")


@scenario()
def terminal(t):
    """On a terminal what it may obey is escaped, on stdout and stderr; a pipe gets the bytes."""
    import pty

    nasty = '{"t":"\x7f\u0085\u202e\u2028"}'
    server = t.serve(lambda link: link.accept().send_text(nasty) or link.close(1000, "\u202e\u009b31m"))
    ours, theirs = pty.openpty()
    bridge = t.run("--retries", "0", server.url, output=theirs, errors=theirs)
    os.close(theirs)
    shown = b""
    while True:
        try:
            data = os.read(ours, 65536)
        except OSError:
            break
        if not data:
            break
        shown += data
    bridge.expect_exit(0)
    text = shown.decode()
    for bad in "\x7f\u0085\u202e\u2028\u009b\x1b":
        expect(bad not in text, f"{bad!r} reaches the terminal: {text!r}")
    expect("\\u202e" in text and "\\u0085" in text, f"escapes: {text!r}")
    expect('{"type":"wsii.accepted"' not in text, "records flood the terminal")


@scenario()
def files_are_private(t):
    """umask 0: whatever a run leaves or makes is 0600 or 0700."""
    server = t.echo()
    bridge = t.run(server.url, wrapper=["sh", "-c", 'umask 0; exec "$@"', "sh"])
    bridge.state("online")
    bridge.send_json({"n": 1})
    bridge.line()
    bridge.stop()
    for folder, _, names in os.walk(t.directory):
        for path in [folder, *(os.path.join(folder, n) for n in names)]:
            if path != t.directory:
                expect(os.stat(path).st_mode & 0o077 == 0, f"{path} is open to others")


@scenario()
def start_is_quick(t, runs=20):
    """`wsii --version` and the first byte of a handshake, median."""
    import statistics
    import subprocess
    import time

    def once(*arguments):
        begin = time.monotonic()
        subprocess.run([t.binary, *arguments], stdout=subprocess.DEVNULL, check=True)
        return (time.monotonic() - begin) * 1000

    version = statistics.median(once("--version") for _ in range(runs))
    server = t.serve()
    connects = []
    for i in range(runs):
        bridge = t.run("--quiet", server.url)
        server.wait_links(i + 1)
        connects.append((server.times[-1] - bridge.started) * 1000)
        bridge.kill()
    t.note(f"--version {version:.1f} ms, connected {statistics.median(connects):.1f} ms")
