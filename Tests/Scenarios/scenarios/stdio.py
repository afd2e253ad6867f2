"""Standard input and output as other programs make them: ended, missing, slow, full, closed (DESIGN, section 2)."""

import fcntl
import json
import os
import signal
import subprocess

from harness import wire
from harness.clock import elapse, until
from harness.registry import scenario
from harness.world import expect, expect_equal


@scenario()
def end_of_input_drains(t, messages=5000):
    """The end of stdin: everything reaches the server, then Close 1000 and exit 0."""
    got, closes = [], []

    def script(link):
        link.accept()
        try:
            while True:
                got.append(link.message().payload)
        finally:
            closes.append(link.log_close.close_code)

    server = t.serve(script)
    lines = "".join(f'{{"n":{i}}}\n' for i in range(messages))
    bridge = t.run(server.url)
    bridge.write(lines + '{"last":"without a newline"}')
    bridge.end_input()
    bridge.expect_exit(0)
    expect_equal(got[:messages], [b'{"n":%d}' % i for i in range(messages)], "messages")
    expect_equal(got[messages:], [b'{"last":"without a newline"}'], "unterminated line")
    expect_equal(closes, [1000], "close code")


@scenario()
def input_from_a_file(t):
    """stdin from a regular file (which epoll refuses), stdout into a file."""
    server = t.echo()
    lines = "".join(f'{{"n":{i}}}\n' for i in range(2000))
    source, target = t.file("lines", lines), t.path("out")
    with open(source) as input, open(target, "wb") as output:
        t.run(server.url, input=input, output=output).expect_exit(0)
    with open(target) as f:
        expect_equal(f.read(), lines, "file")


@scenario()
def no_input_is_no_end(t):
    """/dev/null, a closed stdin and --stay: no end; TERM then ends with 0."""
    server = t.echo()
    null = t.run(server.url, input=subprocess.DEVNULL)
    closed = t.run(server.url, wrapper=["sh", "-c", 'exec "$@" <&-', "sh"], input=None)
    stay = t.run("--stay", server.url)
    stay.send_json({"n": 1})
    stay.end_input()
    stay.line()
    for bridge in (null, closed, stay):
        bridge.state("online")
    held = os.readlink(f"/proc/{closed.pid}/fd/0") if os.path.exists(f"/proc/{closed.pid}/fd/0") else "nothing"
    expect("socket" not in held and "anon_inode" not in held, f"the closed descriptor 0 was used for {held}")
    elapse(1)
    for bridge, name in ((null, "/dev/null"), (closed, "closed stdin"), (stay, "--stay")):
        expect(bridge.is_running, f"{name} ended the run")
        took = bridge.stop()
        expect_equal(bridge.exit(), 0, f"{name}: exit status after TERM")
        expect(took < 1, f"{name}: TERM took {took:.2f} s")


@scenario()
def head_closes_stdout(t):
    """`wsii run … | head -1` ends by SIGPIPE, 141 in a shell, without a word."""

    def script(link):
        link.accept()
        n = 0
        while True:
            link.send_text(f'{{"n":{n}}}')
            n += 1
            elapse(0.005)

    server = t.serve(script)
    done = t.shell(f'"$WSII" run --quiet {server.url} </dev/null 2>err | head -1; echo ${{PIPESTATUS[0]}}')
    expect_equal(done.stdout.split("\n")[:2], ['{"n":0}', "141"], "output and status")
    with open(t.path("err")) as f:
        words = [l for l in f.read().splitlines() if "ephemeral" not in l]
    expect_equal(words, [], "words on stderr")


@scenario()
def full_output(t):
    """stdout on a full device: an error that names it, exit 74."""
    server = t.serve(lambda link: link.accept().send_text('{"n":1}') or link.serve())
    with open("/dev/full", "wb") as full:
        bridge = t.run(server.url, output=full)
        bridge.expect_exit(74)
    expect("No space left on device" in bridge.errors, f"stderr: {bridge.errors[-300:]!r}")


@scenario(seconds=60)
def slow_output(t, messages=200_000, stall=3):
    """A reader that stops: pings answered in time meanwhile, then every message, in order."""
    pongs, worst = [], [0.0]

    def script(link):
        link.accept()
        batch, n = [], 0
        for n in range(messages):
            batch.append(wire.frame(wire.TEXT, b'{"n":%d,"fill":"%s"}' % (n, b"x" * 160)))
            if len(batch) == 1000:
                link.send(b"".join(batch))
                batch.clear()
        link.send(b"".join(batch))
        import time

        for i in range(stall * 2):
            begin = time.monotonic()
            link.send(wire.frame(wire.PING, b"p%d" % i))
            pongs.append(link.wait_for(wire.PONG).payload)
            worst[0] = max(worst[0], time.monotonic() - begin)
            elapse(0.5)
        link.close()

    server = t.serve(script)
    bridge = t.run("--retries", "0", server.url, keep=False)
    order = Ordered()
    bridge.out.check = order
    bridge.out.wait_count(100)
    bridge.out.stop_reading()
    until(lambda: len(pongs) >= stall * 2, stall + 20, 0.05)
    peak = bridge.peak_mib()
    bridge.out.go_on_reading()
    bridge.out.wait_count(messages, 40)
    bridge.expect_exit(0)
    order.check(messages)
    expect_equal(pongs, [b"p%d" % i for i in range(stall * 2)], "pongs during the stall")
    expect(peak < 64, f"memory grew to {peak:.0f} MiB")
    t.note(f"{messages} messages, slowest pong {worst[0] * 1000:.0f} ms, peak {peak:.1f} MiB")


class Ordered:
    """Checks {"n":0}, {"n":1}, … as they come."""

    def __init__(self):
        self.next = 0
        self.fault = None

    def __call__(self, line):
        if not line.startswith(b'{"n":%d,' % self.next) or not line.endswith(b"}"):
            self.fault = self.fault or f"line {self.next} is {line[:80]!r}"
        self.next += 1

    def check(self, count):
        expect(self.fault is None, self.fault)
        expect_equal(self.next, count, "lines")


@scenario()
def shared_descriptions_stay_blocking(t):
    """O_NONBLOCK is never set on a description that other programs share."""
    server = t.echo()
    mine, theirs = os.pipe()
    back, out = os.pipe()
    bridge = t.run(server.url, input=mine, output=out)
    os.write(theirs, b'{"n":1}\n')
    expect_equal(os.read(back, 100), b'{"n":1}\n', "echo")
    for fd, name in ((mine, "stdin"), (out, "stdout")):
        expect(not fcntl.fcntl(fd, fcntl.F_GETFL) & os.O_NONBLOCK, f"{name} was made non-blocking for everyone")
    bridge.signal(signal.SIGTERM)
    bridge.expect_exit(0)


@scenario()
def input_from_a_socket(t):
    """stdin and stdout on one socket, as inetd and socat give them."""
    import socket

    server = t.echo()
    ours, theirs = socket.socketpair()
    bridge = t.run(server.url, input=theirs.fileno(), output=theirs.fileno())
    theirs.close()
    ours.sendall(b'{"n":1}\n')
    ours.settimeout(10)
    expect_equal(ours.recv(100), b'{"n":1}\n', "echo")
    ours.shutdown(socket.SHUT_WR)
    bridge.expect_exit(0)


@scenario()
def output_appends_whole_lines(t):
    """Two runs that append to one file never tear each other's lines."""

    def script(link):
        link.accept()
        for n in range(3000):
            link.send_text(json.dumps({"n": n, "fill": "x" * (n % 300)}))
        link.close()

    server = t.serve(script)
    path = t.path("both")
    with open(path, "ab") as both:
        runs = [t.run("--retries", "0", server.url, output=both) for _ in range(2)]
        for bridge in runs:
            bridge.expect_exit(0, seconds=20)
    with open(path) as f:
        values = [json.loads(line)["n"] for line in f]
    expect_equal(sorted(values), sorted(list(range(3000)) * 2), "lines")
