"""`wsii hub` with its rooms, seen from clients that speak the native protocol by hand (DESIGN, section 6)."""

import os
import signal
import time

from harness import wire
from harness.clock import until
from harness.raw import Member
from harness.registry import scenario
from harness.world import expect, expect_equal


@scenario()
def talk(t):
    """Two clients in a room: members, seq, acks, history, receipts, typing, presence."""
    hub = t.rooms()
    ada = Member(hub, "ada")
    expect_equal((ada.welcome["userId"], ada.welcome["userName"], ada.welcome["durable"]), ("ada", "ada", False), "welcome")
    expect_equal(ada.welcome["limits"], {"maxMessage": 1 << 20, "window": 64}, "limits")
    joined = ada.join("ops")
    expect_equal((joined["seq"], joined["oldest"], joined["users"]), (0, 1, []), "the empty room")
    bob = Member(hub, "bob")
    again = bob.join("ops")
    expect_equal((again["epoch"], again["users"]), (joined["epoch"], [{"userId": "ada", "userName": "ada"}]), "bob's room")
    ada.hear("join", room="ops", userId="bob", userName="bob")

    ada.say("text", id="m1", room="ops", text="hi", extra={"kept": [1]})
    ack = ada.hear("ack", messageId="m1", room="ops", seq=1)
    shown = bob.hear("text", id="m1", room="ops", senderId="ada", senderName="ada", text="hi", extra={"kept": [1]}, seq=1,
                     timestamp=ack["timestamp"])
    expect_equal(ada.hear("text", id="m1"), shown, "ada's own copy")
    bob.say("image", id="m2", room="ops", url="x")
    bob.hear("ack", messageId="m2", seq=2)
    expect_equal(ada.hear("image", id="m2", seq=2), bob.hear("image", id="m2", seq=2), "the second message")

    ada.say("text", id="m1", room="ops", text="hi", extra={"kept": [1]})
    expect_equal(ada.hear("ack", messageId="m1", seq=1), ack, "the ack of a message that is known")
    ada.say("text", id="m1", room="ops", text="other")
    ada.hear("nack", messageId="m1", room="ops", code="conflict")
    bob.quiet()

    bob.say("history", room="ops", after=0, limit=1)
    expect_equal(bob.hear("history", room="ops", more=True)["messages"], [shown], "the first page")
    bob.say("history", room="ops", after=1)
    expect_equal([m["id"] for m in bob.hear("history", room="ops", more=False)["messages"]], ["m2"], "the second page")

    bob.say("ack", room="ops", seq=2, status="delivered")
    ada.hear("ack", room="ops", seq=2, messageId="m1", userId="bob", status="delivered")
    bob.say("ack", room="ops", seq=1, status="read")
    ada.hear("ack", room="ops", seq=1, messageId="m1", userId="bob", status="read")
    for word in ("typing", "stopTyping"):
        bob.say(word, room="ops")
        ada.hear(word, room="ops", userId="bob")
    bob.quiet()

    bob.send(wire.CLOSE, b"\x03\xe8")
    ada.hear("leave", room="ops", userId="bob", userName="bob")
    expect(ada.hear("presence", userId="bob", online=False)["lastOnline"].endswith("Z"), "lastOnline")
    bob = Member(hub, "bob")
    expect("lastOnline" not in ada.hear("presence", userId="bob", online=True), "lastOnline of who is there")
    bob.join("ops")
    ada.hear("join", room="ops", userId="bob")
    bob.say("leave", room="ops")
    ada.hear("leave", room="ops", userId="bob")
    bob.say("text", id="m3", room="ops", text="from outside")
    bob.hear("nack", messageId="m3", code="not_joined")
    ada.quiet()


@scenario()
def forgeries(t):
    """Who speaks as somebody else, as the server or as wsii is overruled or refused, and hurts nobody."""
    hub = t.rooms()
    ada, eve = Member(hub, "ada", ["ops"]), Member(hub, "eve", ["ops"])
    ada.hear("join", userId="eve")
    eve.say("text", id="1", room="ops", text="x", senderId="ada", senderName="Ada", seq=99, timestamp="1999-01-01T00:00:00.000Z")
    eve.hear("ack", messageId="1", seq=1)
    found = ada.hear("text", id="1", senderId="eve", senderName="eve", seq=1)
    expect(not found["timestamp"].startswith("1999"), "the sender's own time")
    eve.hear("text", id="1")
    for id, type in (("2", "wsii.state"), ("3", "wsii.text"), ("4", "welcome"), ("5", "joined"), ("6", "presence"), ("7", "nack")):
        eve.say(type, id=id, room="ops", state="online", userId="ada", online=False, messageId="1", code="forbidden")
        eve.hear("nack", messageId=id, code="forbidden")
        eve.say(type, room="ops", state="online", userId="ada", online=False, messageId="1", code="forbidden")
        eve.hear("error", re=type, code="forbidden")
    for request in ({"type": "ack", "seq": 1, "messageId": "1"}, {"type": "typing"}, {"type": "join"}, {"type": "leave"}):
        eve.say(**request, room="ops", userId="ada")
        eve.hear("error", re=request["type"], code="forbidden")
    eve.say("ack", room="ops", seq=99)
    eve.hear("error", re="ack", code="bad_request")
    eve.say("ack", room="private", seq=1)
    eve.hear("error", re="ack", code="not_joined")
    eve.say("history", room="private", after=0)
    eve.hear("error", re="history", code="not_joined")
    eve.say("pong")
    eve.say("error", code="x")
    eve.quiet()
    ada.quiet()


@scenario()
def frames(t):
    """Binary, what is no JSON, what is too large, bad UTF-8: an answer or a close code, for that client alone."""
    hub = t.rooms("--max-message", "1KiB")
    good, bad = Member(hub, "good", ["ops"]), Member(hub, "bad")
    for opcode, payload in ((wire.BINARY, b"\x00\x01"), (wire.TEXT, b"hello"), (wire.TEXT, b"[1]"), (wire.TEXT, b'{"a":1,"a":2}'),
                            (wire.TEXT, b'{"id":"x"} {}'), (wire.TEXT, b'{"no":"type"}'), (wire.TEXT, b"[" * 1000)):
        bad.send(opcode, payload)
        bad.hear("error", code="bad_request")
    bad.join("ops")
    good.hear("join", userId="bad")
    bad.say("text", id="big", room="ops", text="x" * 1024)
    bad.hear("nack", messageId="big", code="too_large")
    bad.say("text", id="fits", room="ops", text="x" * 900)
    bad.hear("ack", messageId="fits", seq=1)
    good.hear("text", id="fits", seq=1)
    for name, code, send in (
        ("bad UTF-8", 1007, lambda c: c.send(wire.TEXT, b'{"type":"\xff"}')),
        ("huge", 1009, lambda c: c.socket.sendall(wire.frame(wire.TEXT, b"", mask=b"abcd", declared=1 << 40, width=64)[:14])),
        ("more than --max-message and some", 1009, lambda c: c.send(wire.TEXT, b"x" * (1024 + 65_536 + 1))),
        ("unmasked", 1002, lambda c: c.send(wire.TEXT, "{}", mask=None)),
    ):
        client = Member(hub, "odd")
        send(client)
        client.closed(code)
        expect(client.ended(), f"{name}: the hub must end TCP itself")
    good.say("text", id="after", room="ops", text="still here")
    good.hear("ack", messageId="after", seq=2)


@scenario(seconds=60)
def slow_reader(t, messages=400, size=60_000):
    """Who doesn't read is closed with 1013 and catches up from the history; the others notice nothing."""
    hub = t.rooms()
    slow, ada, bob = (Member(hub, name) for name in ("slow", "ada", "bob"))
    slow.join("ops")
    ada.join("ops")
    bob.join("ops")
    for number in range(messages):
        ada.say("text", id=f"m{number}", room="ops", text="x" * size)
        for member in (ada, bob):
            while (value := member.next())["type"] != "text":
                pass
            expect_equal(value["seq"], number + 1, f"what {member.user} gets")
    peak = hub.peak_mib()
    texts = slow.closed(1013)
    seqs = [v["seq"] for v in texts if v["type"] == "text"]
    expect_equal(seqs, list(range(1, len(seqs) + 1)), "what the slow one got")
    expect(0 < len(seqs) < messages, f"the slow one got {len(seqs)}")
    expect(slow.ended(), "TCP goes on")
    again = Member(hub, "slow", ["ops"])
    missing = list(range(len(seqs) + 1, messages + 1))
    while missing:
        again.say("history", room="ops", after=missing[0] - 1)
        value = again.next(20)
        if value["type"] == "history":
            for message in value["messages"]:
                expect_equal(message["seq"], missing.pop(0), "the history")
    expect(peak < 64, f"{peak:.0f} MiB at most")
    t.note(f"closed after {len(seqs)} of {messages} messages of {size} bytes, the rest from the history, {peak:.0f} MiB at most")


@scenario()
def rate(t, per_second=50, burst=10, messages=80):
    """A limited client is read from more slowly: nothing is lost, order holds; a known id costs nothing; typing is dropped."""
    hub = t.rooms("--rate", f"{per_second}/{burst}")
    ada, bob = Member(hub, "ada", ["ops"]), Member(hub, "bob", ["ops"])
    ada.hear("join")
    begin = time.monotonic()
    for number in range(messages):
        ada.say("text", id=f"m{number}", room="ops", text="x")
        ada.hear("ack", messageId=f"m{number}", seq=number + 1)
        ada.hear("text", id=f"m{number}")
    took = time.monotonic() - begin
    least = (messages - burst - 1) / per_second
    expect(least * 0.9 < took < least * 2 + 1, f"{took:.2f} s for {messages} messages")
    begin = time.monotonic()
    for number in range(messages):
        ada.say("text", id=f"m{number}", room="ops", text="x")
        ada.hear("ack", messageId=f"m{number}", seq=number + 1)
    known = time.monotonic() - begin
    expect(known < least / 2, f"{known:.2f} s for messages that are known")
    for number in range(messages):
        expect_equal(bob.hear("text")["seq"], number + 1, "what bob gets")
    for _ in range(40):
        bob.say("typing", room="ops")
    bob.quiet()
    ada.say("ping")
    heard = 0
    while (value := ada.next())["type"] != "pong":
        heard += value["type"] == "typing"
    expect(0 < heard < 40, f"{heard} of 40 typing frames came through")
    t.note(f"{messages} messages in {took:.2f} s at {per_second}/{burst}; {known:.2f} s for the same again; {heard} of 40 typing frames")


@scenario()
def stops(t):
    """TERM: each member gets Close 1001, nobody is told that others leave, and the hub ends with 0; no links any more."""
    hub = t.rooms()
    members = [Member(hub, f"u{n}", ["ops"]) for n in range(5)]
    for index, member in enumerate(members):
        for other in members[index + 1:]:
            member.hear("join", userId=other.user)
    hub.signal(signal.SIGTERM)
    for member in members:
        expect_equal(member.closed(1001), [], "what comes before the Close")
        member.send(wire.CLOSE, b"\x03\xe9")
    hub.expect_exit(0)


@scenario()
def unix_socket(t):
    """Rooms over a Unix socket, where the Host doesn't matter."""
    path = t.path("hub")
    hub = t.start([t.binary, "hub", "--ephemeral", "--listen", f"unix:{path}"])
    hub.wait_err("listens on")
    hub.port = 1
    ada, bob = (Member(hub, name, ["ops"], path=path, host="whatever") for name in ("ada", "bob"))
    ada.hear("join", userId="bob")
    bob.say("text", id="1", room="ops", text="x")
    ada.hear("text", id="1", seq=1)
    expect("memory" not in hub.errors, f"--ephemeral needs no word: {hub.errors!r}")


@scenario(seconds=60)
def many_members(t, members=200, messages=50):
    """Hundreds in one room: every message once to each, in order."""
    hub = t.rooms()
    all = [Member(hub, f"u{n}") for n in range(members)]
    for member in all:
        member.join("ops")
    for number in range(messages):
        all[number % members].say("text", id=f"m{number}", room="ops", text=f"{number}")
    for member in all:
        seq = 0
        while seq < messages:
            value = member.next()
            if value["type"] == "text":
                seq += 1
                expect_equal(value["seq"], seq, f"{member.user}'s next")
    t.note(f"{members} members, {messages} messages, {hub.peak_mib():.1f} MiB")
