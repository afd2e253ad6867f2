"""Acknowledgement by pong: at least once, in order, across links."""

import collections
import threading

from harness import wire
from harness.clock import elapse
from harness.registry import scenario
from harness.world import expect, expect_equal


@scenario()
def pong_is_the_proof(t):
    """wsii.delivered comes only after the pong that follows the messages."""
    probed, released = threading.Event(), threading.Event()

    def script(link):
        link.accept()
        link.wait_for(wire.TEXT)
        probe = link.wait_for(wire.PING)
        probed.set()
        if not released.wait(20):
            raise AssertionError("the pong was never asked for")
        link.send(wire.frame(wire.PONG, probe.payload))
        link.serve()

    bridge = t.run("--ping-interval", "off", "--ack-timeout", "20s", t.serve(script).url)
    bridge.send_json({"n": 1}, {"n": 2})
    bridge.record("wsii.accepted", count=2)
    expect(probed.wait(10), "no ping follows the messages")
    # What a write alone would have proved has long been written; a record takes a few milliseconds.
    elapse(0.2)
    expect_equal(bridge.matching("wsii.delivered"), [], "delivered before the pong")
    released.set()
    bridge.record("wsii.delivered", count=2)


@scenario()
def unproved_messages_come_again(t):
    """What had no pong is sent again on the next link, in order; nothing twice on a live link."""
    links = collections.defaultdict(list)

    def script(link):
        link.accept()
        while True:
            f = link.frame()
            if f.opcode == wire.TEXT:
                links[link.number].append(f.text)
                if link.number == 1 and len(links[1]) == 3:
                    link.reset()
                    return
                if link.number == 2 and len(links[2]) == 2:
                    link.reset()
                    return
            elif f.opcode == wire.PING and link.number == 3:
                link.send(wire.frame(wire.PONG, f.payload))
            elif f.opcode == wire.CLOSE:
                link.answer_close(f)
                return

    bridge = t.run("--backoff", "50ms..100ms", t.serve(script).url)
    wanted = [f'{{"n":{i}}}' for i in range(6)]
    bridge.send(*wanted)
    bridge.end_input()
    bridge.expect_exit(0)
    expect_equal(links[1][:3], wanted[:3], "link 1")
    expect_equal(links[2][:2], wanted[:2], "link 2 begins anew")
    expect_equal(links[3], wanted, "link 3: each once")
    ids = collections.Counter(r["messageId"] for r in bridge.matching("wsii.delivered"))
    expect(len(ids) == 6 and set(ids.values()) == {1}, f"delivered records: {ids}")


@scenario()
def proved_messages_stay_proved(t):
    """What had its pong before the link broke isn't sent again."""
    seen = []

    def script(link):
        link.accept()
        while True:
            f = link.frame()
            if f.opcode == wire.TEXT:
                seen.append((link.number, f.text))
            elif f.opcode == wire.PING:
                link.send(wire.frame(wire.PONG, f.payload))
                if link.number == 1 and seen:
                    elapse(0.2)
                    link.reset()
                    return
            elif f.opcode == wire.CLOSE:
                link.answer_close(f)
                return

    bridge = t.run("--backoff", "50ms..100ms", t.serve(script).url)
    bridge.send('{"n":1}')
    bridge.record("wsii.delivered")
    bridge.state("online", count=2)
    bridge.send('{"n":2}')
    bridge.end_input()
    bridge.expect_exit(0)
    expect_equal(seen, [(1, '{"n":1}'), (2, '{"n":2}')], "messages")


@scenario()
def dead_without_proof(t):
    """A server that reads and answers no ping at all: --ack-timeout ends the link, the message comes again."""
    seen = []

    def script(link):
        link.accept()
        while True:
            f = link.frame()
            if f.opcode == wire.TEXT:
                seen.append(link.number)
            elif f.opcode == wire.PING and link.number > 1:
                link.send(wire.frame(wire.PONG, f.payload))
            elif f.opcode == wire.CLOSE:
                link.answer_close(f)
                return

    bridge = t.run("--ack-timeout", "500ms", "--ping-interval", "off", "--backoff", "50ms..100ms", t.serve(script).url)
    bridge.send('{"n":1}')
    bridge.end_input()
    bridge.expect_exit(0)
    expect_equal(seen, [1, 2], "links that saw the message")


@scenario()
def ack_by_write(t):
    """--ack-by write counts the write: delivered though no pong ever comes."""

    def script(link):
        link.accept()
        link.wait_for(wire.TEXT)
        link.wait_for(wire.CLOSE)
        link.answer_close(link.log[-1])

    bridge = t.run("--ack-by", "write", "--ping-interval", "off", t.serve(script).url)
    bridge.send('{"n":1}')
    bridge.record("wsii.delivered")
    bridge.end_input()
    bridge.expect_exit(0)


@scenario()
def lines_before_the_first_link(t):
    """Lines that come before there is a server wait and arrive in order."""
    from harness.server import free_port

    port = free_port()
    bridge = t.run("--backoff", "50ms..200ms", f"ws://127.0.0.1:{port}/")
    wanted = [f'{{"n":{i}}}' for i in range(500)]
    bridge.send(*wanted)
    bridge.state("offline")
    got = []
    t.serve(lambda link: link.accept() and got.extend(f.text for f in link.messages(500)) or link.serve(), port=port)
    bridge.end_input()
    bridge.expect_exit(0)
    expect_equal(got, wanted, "messages")


@scenario()
def drain_has_a_limit(t):
    """stdin ends and no server takes the messages: --drain-timeout, then 69 (75 once there is an outbox)."""
    from harness.server import free_port

    bridge = t.run("--drain-timeout", "500ms", f"ws://127.0.0.1:{free_port()}/")
    bridge.send('{"n":1}')
    bridge.end_input()
    status = bridge.exit(5)
    expect_equal(status, 69, "exit status")


@scenario(seconds=60)
def stalled_server(t, megabytes=100):
    """A server that stops reading: stdin isn't read without end, memory stays flat, nothing is lost."""
    got, go = [0], []

    def script(link):
        link.accept()
        while not go:
            elapse(0.05)
        while True:
            f = link.message(30)
            if b'"n":%d,' % got[0] not in f.payload[:20]:
                raise AssertionError(f"message {got[0]} is {f.payload[:40]!r}")
            got[0] += 1

    bridge = t.run("--quiet", "--ping-timeout", "1m", "--ack-timeout", "1m", t.serve(script).url)
    count = megabytes * 1000

    def feed():
        for i in range(count):
            bridge.write(b'{"n":%d,"fill":"%s"}\n' % (i, b"x" * 980))
        bridge.end_input()

    feeder = threading.Thread(target=feed, daemon=True)
    feeder.start()
    elapse(3)
    stalled = bridge.peak_mib()
    expect(feeder.is_alive(), "all of stdin was taken while the server read nothing")
    go.append(True)
    bridge.expect_exit(0, 45)
    expect_equal(got[0], count, "messages")
    expect(stalled < 160, f"memory grew to {stalled:.0f} MiB")
    t.note(f"peak {stalled:.0f} MiB during the stall")
