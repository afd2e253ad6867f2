"""A flooding server into `wc -l` and into a reader that stops (DESIGN, P8)."""

import os
import threading
import time

from harness import procfs, wire
from harness.clock import elapse
from harness.registry import scenario
from harness.server import Ended
from harness.world import expect, expect_equal

WORDS = "gr\u00fc\u00df dich \u2014 the build is green again, deploy at five; who wants coffee? \u2615 ".encode()


def line(n):
    """A chat line of about 180 bytes."""
    return b'{"id":"m%012d","type":"text","senderId":"u%d","timestamp":"2026-11-30T20:15:00.%03dZ","text":"%s"}' % (
        n, n % 97, n % 1000, WORDS)


def blocks(messages, size=2000):
    for begin in range(0, messages, size):
        yield b"".join(wire.frame(wire.TEXT, line(n)) for n in range(begin, min(begin + size, messages)))


class Watch:
    """The peak of a process's memory; read while it runs, since nothing is left to read afterwards."""

    def __init__(self, pid):
        self.peak = self.private = 0
        self.done = threading.Event()
        self.thread = threading.Thread(target=self._look, args=(pid,), daemon=True)
        self.thread.start()

    def _look(self, pid):
        while not self.done.wait(0.05):
            try:
                self.peak = max(self.peak, procfs.peak_kib(pid) / 1024)  # a zombie has none
                self.private = max(self.private, procfs.private_kib(pid) / 1024)
            except OSError:
                return


@scenario(seconds=120, alone=True)
def complete_and_ordered(t, messages=100_000, peak=24):
    """Messages of about 180 bytes into `tee | wc -l`: complete, in order, memory flat."""
    server = t.serve(lambda link: link.accept() and [link.send(b) for b in blocks(messages)] and link.close())
    path = t.path("all")
    with open(t.path("err"), "wb") as errors:
        reader, writer = os.pipe()
        counted = t.start(["sh", "-c", f"tee {path} | wc -l"], input=reader)
        bridge = t.run("--retries", "0", server.url, output=writer, errors=errors)
        watch = Watch(bridge.pid)
        os.close(reader)
        os.close(writer)
        status = bridge.process.wait(110)
        counted.exit(20)
    watch.done.set()
    expect_equal(status, 0, "exit status")
    expect_equal(counted.out.lines[0].strip(), b"%d" % messages, "wc -l")
    with open(path, "rb") as file:
        for n, found in enumerate(file):
            if found[:-1] != line(n):
                raise AssertionError(f"line {n} is {found[:100]!r}")
    expect(watch.peak < peak, f"peak {watch.peak:.1f} MiB")
    t.note(f"{messages} messages of {len(line(0))} bytes, peak resident {watch.peak:.1f} MiB, private {watch.private:.1f} MiB")


@scenario(seconds=300, alone=True)
def reader_that_stops(t, messages=100_000, stall=4, peak=32):
    """The reader of stdout stops in the middle: the server's pings are answered in time, nothing is missing."""
    half = threading.Event()
    waits, late = [], []

    def script(link):
        link.accept()
        stop = threading.Event()
        pongs = {}
        arrived = threading.Condition()

        def listen():
            while not stop.is_set():
                try:
                    f = link.frame(stall + 60)
                except Ended:
                    return
                with arrived:
                    pongs[f.payload] = time.monotonic()
                    arrived.notify_all()

        sender = threading.Lock()

        def ping():
            half.wait()
            for i in range(int(stall)):
                payload = b"ping %d" % i
                begin = time.monotonic()
                with sender:
                    link.send(wire.frame(wire.PING, payload))
                with arrived:
                    arrived.wait_for(lambda: payload in pongs, 20)
                    if payload not in pongs:
                        late.append(i)
                        return
                    waits.append(pongs[payload] - begin)
                elapse(max(1 - (time.monotonic() - begin), 0))

        pinger = threading.Thread(target=ping, daemon=True)
        listener = threading.Thread(target=listen, daemon=True)
        pinger.start()
        listener.start()
        for block in blocks(messages):
            with sender:
                link.send(block)
        pinger.join()
        with sender:
            link.send(wire.close(1000))
        elapse(0.2)
        stop.set()

    server = t.serve(script)
    fault = []
    with open(t.path("err"), "wb") as errors:
        bridge = t.run("--retries", "0", server.url, errors=errors, keep=False)
        seen = [0]

        def check(found):
            if found != line(seen[0]) and not fault:
                fault.append(f"line {seen[0]} is {found[:100]!r}")
            seen[0] += 1

        bridge.out.check = check
        watch = Watch(bridge.pid)
        bridge.out.wait_count(messages // 2, 60)
        bridge.out.stop_reading()
        half.set()
        elapse(stall)
        bridge.out.go_on_reading()
        bridge.out.wait_count(messages, 60)
        status = bridge.process.wait(30)
    watch.done.set()
    expect_equal(status, 0, "exit status")
    expect(not fault, lambda: fault[0])
    expect_equal(seen[0], messages, "messages")
    expect(not late, f"ping {late} had no pong within 20 s")
    expect(len(waits) == int(stall), f"{len(waits)} pongs")
    expect(watch.peak < peak, f"peak {watch.peak:.1f} MiB")
    t.note(
        f"{messages} messages, reader stopped {stall} s, {len(waits)} pings, slowest pong {max(waits) * 1000:.0f} ms, "
        f"peak resident {watch.peak:.1f} MiB"
    )


@scenario(seconds=75)
def overflow_has_a_limit(t, messages=100_000, later=5_000):
    """A reader that stays away past --overflow-max: the link closes, wsii.gap says so, and the rest goes on exactly."""

    def script(link):
        link.accept()
        begin, end = (0, messages) if link.number == 1 else (messages, messages + later)
        for n in range(begin, end, 1000):
            link.send(b"".join(wire.frame(wire.TEXT, line(n)) for n in range(n, n + 1000)))
        link.serve()

    server = t.serve(script)
    bridge = t.run("--overflow-max", "1MiB", "--backoff", "50ms..100ms", server.url)
    bridge.out.wait_count(1)
    bridge.out.stop_reading()
    gap = bridge.record("wsii.gap", seconds=45)
    expect_equal(bridge.record("wsii.state", state="offline")["reason"], gap["reason"], "the link's end")
    expect_equal(len(server.times), 1, "links while nobody reads")
    bridge.out.go_on_reading()
    bridge.out.wait(lambda s: s.lines[-1:] == [line(messages + later - 1)], 20, "the second link's last message")
    found = list(bridge.out.lines)
    kept = len(found) - later
    expect(sum(len(l) + 1 for l in found[:kept]) > 1 << 20, f"{kept} lines before the gap are less than --overflow-max")
    expect(kept < messages, "nothing was missing")
    for at, n in enumerate([*range(kept), *range(messages, messages + later)]):
        if found[at] != line(n):
            raise AssertionError(f"line {at} of {kept} + {later} is {found[at][:100]!r}, not message {n}")
    bridge.end_input()
    bridge.expect_exit(0)
    expect_equal(len(bridge.matching("wsii.gap")), 1, "gaps")
    t.note(f"{kept} messages before the gap, {later} after it")


@scenario()
def no_place_for_overflow(t, messages=30_000):
    """Where no overflow file can be made, the reason is said once, and a reader that comes back misses nothing."""
    server = t.serve(lambda link: link.accept() and [link.send(b) for b in blocks(messages)] and link.close())
    missing = t.path("missing")
    bridge = t.run("--retries", "0", server.url, environment={"TMPDIR": missing})
    bridge.out.wait_count(1)
    bridge.out.stop_reading()
    bridge.wait_err("reading from the server stops")
    bridge.out.go_on_reading()
    bridge.out.wait(lambda s: s.count > messages // 2, 10, "half of it")
    bridge.out.stop_reading()
    elapse(2.5)
    bridge.out.go_on_reading()
    bridge.expect_exit(0)
    expect_equal(bridge.out.lines, [line(n) for n in range(messages)], "messages")
    told = [l for l in bridge.err.lines if b"can't go to a file" in l]
    expect_equal(len(told), 1, "times that the reason was said")
    expect(f"mkostemp {missing}: No such file or directory".encode() in told[0], lambda: told)


@scenario()
def both_ways_at_once(t, messages=50_000):
    """Echo of a flood, stdin and stdout both busy: complete and in order, no deadlock."""
    server = t.echo()
    bridge = t.run("--quiet", server.url, keep=False)
    seen, fault = [0], []

    def check(found):
        if found != line(seen[0]) and not fault:
            fault.append(f"line {seen[0]} is {found[:100]!r}")
        seen[0] += 1

    bridge.out.check = check
    for begin in range(0, messages, 1000):
        bridge.write(b"".join(line(n) + b"\n" for n in range(begin, begin + 1000)))
    bridge.end_input()
    bridge.expect_exit(0, 25)
    expect(not fault, lambda: fault[0])
    expect_equal(seen[0], messages, "echoes")
