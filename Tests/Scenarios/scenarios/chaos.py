"""`wsii hub --chaos`: each switch as it shows on the wire."""

import select
import time

from harness import wire
from harness.raw import Client, Member
from harness.registry import scenario
from harness.world import expect, expect_equal


def chaotic(t, spec):
    hub = t.rooms("--chaos", spec)
    hub.wait_err("CHAOS")
    return hub


def post(member, number):
    member.say("text", id=f"m{number}", room="ops", text="x")


@scenario()
def delay(t, milliseconds=200):
    """delay: each of the hub's frames comes late, in order; a control frame doesn't."""
    hub = chaotic(t, f"delay={milliseconds}")
    begin = time.monotonic()
    ada = Member(hub, "ada")
    greeted = time.monotonic() - begin
    begin = time.monotonic()
    ada.join("ops")
    post(ada, 1)
    post(ada, 2)
    for seq in (1, 2):
        ada.hear("ack", seq=seq)
        ada.hear("text", seq=seq)
    took = time.monotonic() - begin
    least = milliseconds / 1000
    expect(least <= greeted < least + 1 and 2 * least <= took < 2 * least + 1, f"{greeted:.3f} s, {took:.3f} s")
    ada.say("ping")
    begin = time.monotonic()
    ada.send(wire.PING, b"now")
    expect_equal(ada.frame().payload, b"now", "the control frame")
    expect(time.monotonic() - begin < least, "a pong waited")
    ada.hear("pong")


@scenario()
def drop_after(t):
    """drop-after: the link ends without a Close after that many frames of both sides; the next one too, at a drawn number."""
    hub = chaotic(t, "drop-after=5")
    ada = Member(hub, "ada", ["ops"])  # welcome, join, joined
    post(ada, 1)
    ada.hear("ack", seq=1)
    expect(ada.ended(), "the link goes on")
    expect(ada.reader.next() is None, "a sixth frame, or a Close")
    again = Member(hub, "ada", ["ops"])
    again.say("history", room="ops", after=0)
    expect_equal(len(again.hear("history")["messages"]), 1, "what the frame was worth")
    expect(again.ended(), "the second link goes on")
    counts = set()
    hub = chaotic(t, "drop-after=3-40,seed=7")
    for _ in range(8):
        member, count = Member(hub, "ada"), 1
        try:
            while True:
                member.say("ping")
                count += 1
                member.hear("pong")
                count += 1
        except (EOFError, ConnectionError):
            counts.add(count)
    expect(len(counts) > 1 and all(3 <= c <= 40 for c in counts), f"drawn: {counts}")
    t.note(f"drawn: {sorted(counts)}")


@scenario()
def lose_acks(t):
    """lose-acks: every third ack is missing, its message isn't, and sent again it is acked with the same seq."""
    hub = chaotic(t, "lose-acks=3")
    ada = Member(hub, "ada", ["ops"])
    acked = []
    for number in range(9):
        post(ada, number)
        while (value := ada.next())["type"] == "ack":
            acked.append(value["seq"])
        expect_equal((value["type"], value["seq"]), ("text", number + 1), "the message")
    expect_equal(acked, [1, 2, 4, 5, 7, 8], "acks")
    post(ada, 2)
    ada.hear("ack", messageId="m2", seq=3)
    ada.quiet()


@scenario()
def refuse(t):
    """refuse: the first two requests get the status, then all is well; without a number all are refused."""
    hub = chaotic(t, "refuse=503x2")
    expect_equal([Client(hub).status for _ in range(4)], [503, 503, 101, 101], "statuses")
    hub = chaotic(t, "refuse=401")
    expect_equal([Client(hub).status for _ in range(3)], [401, 401, 401], "statuses")


@scenario()
def stop_reading(t):
    """stop-reading: what comes after so many frames has no effect, not even a ping's; what others say still comes."""
    hub = chaotic(t, "stop-reading=2")
    ada, bob = Member(hub, "ada", ["ops"]), Member(hub, "bob", ["ops"])
    ada.hear("join", userId="bob")
    post(ada, 1)
    ada.hear("ack", seq=1)
    ada.hear("text", seq=1)
    bob.hear("text", seq=1)
    post(ada, 2)
    ada.send(wire.PING, b"anybody?")
    post(bob, 3)
    bob.hear("ack", seq=2)
    ada.hear("text", id="m3", seq=2)
    expect(not select.select([ada.socket], [], [], 0.3)[0], "an answer")
    # Nobody reads that it has gone, but what is written to it next finds out.
    ada.socket.close()
    Member(hub, "cy", ["ops"])
    bob.hear("text", id="m3")
    bob.hear("join", userId="cy")
    bob.hear("leave", userId="ada")


@scenario()
def bad_specs(t):
    """A specification that makes no sense is 64, with what would."""
    for spec in ("", "delay", "delay=x", "refuse=200", "drop-after=9-3", "delay=1,delay=2", "panic=1"):
        hub = t.start([t.binary, "hub", "--chaos", spec])
        hub.expect_exit(64)
        expect("--chaos" in hub.errors and "allowed is" in hub.errors, f"{spec!r}: {hub.errors!r}")
