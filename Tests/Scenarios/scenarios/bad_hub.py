"""The client against a hub that is told to be a bad one: each switch of --chaos (DESIGN, section 6)."""

import json

from harness.registry import scenario
from harness.world import expect, expect_equal
from scenarios.standstill import contiguous

NATIVE = ("--dialect", "native", "--room", "ops", "--backoff", "10ms..100ms", "--ack-timeout", "500ms")


def records(program, type):
    return [r for r in map(json.loads, list(program.out.lines)) if r["type"] == type]


def speak(t, spec, messages, *extra):
    """One says so many messages over a hub with this chaos, another listens; both live with it."""
    hub = t.rooms("--chaos", spec)
    listener = t.run(hub.url, *NATIVE, "--user-id", "ear", "--history", "1000")
    listener.wait_out('"state":"online"')
    speaker = t.run(hub.url, *NATIVE, "--user-id", "mouth", *extra)
    for number in range(messages):
        speaker.send(json.dumps({"id": f"m{number}", "text": str(number)}))
    speaker.out.wait(
        lambda s: sum(b'"wsii.delivered"' in l for l in s.lines) >= messages, 60, f"{messages} delivered")
    listener.out.wait(lambda s: any(f'"m{messages - 1}"'.encode() in l for l in s.lines), 30, "the last message")
    delivered = [r["messageId"] for r in records(speaker, "wsii.delivered")]
    expect_equal(sorted(delivered), sorted(f"m{n}" for n in range(messages)), "delivered, each once")
    heard = [r["id"] for r in records(listener, "text")]
    expect_equal(heard, [f"m{n}" for n in range(messages)], "heard, once and in order")
    count, gaps = contiguous(listener.out.lines)
    expect_equal((count, gaps), (messages, []), "what was heard")
    return hub, speaker, listener


def onlines(program):
    return sum(r["state"] == "online" for r in records(program, "wsii.state"))


@scenario()
def delay(t):
    """delay=MS: all is late, nothing is lost, and an ack is waited for."""
    hub, speaker, _ = speak(t, "delay=200", 20)
    def at(type):
        return next(a for l, a in zip(speaker.out.lines, speaker.out.times) if f'"{type}"'.encode() in l)
    late = at("wsii.delivered") - at("wsii.accepted")
    expect(late >= 0.19, f"the ack came after {late * 1000:.0f} ms")
    expect_equal(onlines(speaker), 1, "links")
    t.note(f"first ack after {late * 1000:.0f} ms")


@scenario(seconds=120)
def drop_after(t, messages=200):
    """drop-after=N-M: links break in the middle; each message arrives once, in order."""
    _, speaker, listener = speak(t, "drop-after=8-40,seed=7", messages)
    expect(onlines(speaker) > 3 and onlines(listener) > 3, f"links: {onlines(speaker)} and {onlines(listener)}")
    t.note(f"{messages} messages over {onlines(speaker)} links, heard over {onlines(listener)}")


@scenario(seconds=120)
def lose_acks(t, messages=30):
    """lose-acks=K: what has no ack is sent again with its id on a new link, and stored once."""
    _, speaker, _ = speak(t, "lose-acks=10", messages)
    expect(onlines(speaker) > 1, "the lost ack went unnoticed")
    t.note(f"{messages} messages over {onlines(speaker)} links")


@scenario()
def refuse(t):
    """refuse=STATUSxN: so many attempts are refused and told, the next one is let in."""
    hub = t.rooms("--chaos", "refuse=503x3")
    program = t.run(hub.url, *NATIVE)
    program.wait_out('"state":"online"', 20)
    states = [(r["state"], r.get("httpStatus")) for r in records(program, "wsii.state")]
    expect_equal([s for s in states if s[0] == "offline"], [("offline", 503)] * 3, "refusals")
    hub = t.rooms("--chaos", "refuse=403")
    t.run(hub.url, *NATIVE).expect_exit(77)


@scenario(seconds=120)
def stop_reading(t, messages=60):
    """stop-reading=N: a server that takes no more is left for a new link, and nothing is sent twice on one."""
    _, speaker, _ = speak(t, "stop-reading=25", messages, "--ping-interval", "500ms", "--ping-timeout", "500ms")
    expect(onlines(speaker) > 1, "the deaf hub went unnoticed")
    t.note(f"{messages} messages over {onlines(speaker)} links")
