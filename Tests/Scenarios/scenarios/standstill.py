"""A reader that stops, and a hub that comes and goes (native protocol)."""

import json
import random
import subprocess
import threading
import time

from harness import wire
from harness.clock import elapse, until
from harness.registry import scenario
from harness.server import free_port
from harness.swarm import Swarm
from harness.world import expect, expect_equal


# --- one reader that stops ------------------------------------------------------------------------------------------


def contiguous(lines, room="ops", told=None):
    """Checks that each message follows the one before or a gap with exact bounds; gives (messages, gaps).

    told: by number, the ids of what hubs have said. What a hub lost may be sent to it again by its sender; who has
    read it before is not given it again, so such numbers may be missing."""
    last, gap, count, gaps, read = None, None, 0, [], set()

    def expect_behind(known, seq, about):
        for number in range(known + 1, seq):
            again = told is not None and told.get(number, set()) & read
            expect(again, f"{number} is missing between {known} and {seq}, {about}")
        expect(seq > known, f"{seq} behind {known}, {about}")

    for line in lines:
        value = json.loads(line)
        if value.get("conversationId") != room:
            continue
        known = gap["before"] - 1 if gap else last
        if value["type"] == "wsii.gap":
            # Two in a row are two histories that began anew without a message between them.
            expect(gap is None or "epoch" in value, f"two gaps in a row: {gap} {value}")
            if known is not None:
                expect_behind(known, value["after"] + 1, f"the gap {value}")
            gap = value
            gaps.append(value)
        elif "seq" in value and value["type"] not in ("ack", "wsii.delivered"):
            if known is not None:
                expect_behind(known, value["seq"], f"the message {value}")
            read.add(value["id"])
            last, gap, count = value["seq"], None, count + 1
    return count, gaps


@scenario(seconds=300, alone=True)
def reader_that_stops(t, stall=60, rate=200):
    """One client's reader stops: it misses nothing, or one gap says exactly what; the others notice nothing."""
    hub = t.rooms("--history-max", "1000")
    native = ("--dialect", "native", "--room", "ops")
    patient = t.run(hub.url, *native, "--user-id", "patient")
    bounded = t.run(hub.url, *native, "--user-id", "bounded", "--overflow-max", "64KiB")
    other = t.run(hub.url, *native, "--user-id", "other")
    speaker = t.run(hub.url, *native, "--user-id", "speaker", output=subprocess.DEVNULL)
    for program in (patient, bounded, other):
        program.process.stdin.flush()
    until(lambda: hub_members(hub.port) >= 4, 10)
    padding = "x" * 400
    total = int(stall * rate)
    patient.out.stop_reading()
    bounded.out.stop_reading()
    # A chunk that a reader thread already waits for is still taken.
    late = [0.0]
    begin = time.monotonic()
    for number in range(total):
        left = begin + number / rate - time.monotonic()
        if left > 0:
            elapse(left)
        speaker.send(json.dumps({"id": f"m{number}", "text": padding, "sent": time.monotonic()}))
    other.wait_out(f'"m{total - 1}"', 20)
    for line, at in zip(list(other.out.lines), list(other.out.times)):
        value = json.loads(line)
        if "sent" in value:
            late.append(at - value["sent"])
    patient.out.go_on_reading()
    bounded.out.go_on_reading()
    for program in (patient, bounded):
        program.wait_out(f'"m{total - 1}"', 30)
    counts = {name: contiguous(p.out.lines) for name, p in (("patient", patient), ("bounded", bounded), ("other", other))}
    expect_equal(counts["other"], (total, []), "what the other client got")
    expect_equal(counts["patient"], (total, []), "what the client with room on disk got")
    count, gaps = counts["bounded"]
    missing = sum(g["before"] - g["after"] - 1 for g in gaps)
    expect_equal(count + missing, total, "messages and gap of the client without room")
    if total > 4000:
        expect_equal(len(gaps), 1, "gaps of the client without room")
    t.note(f"{total} messages while the readers stood still for {stall} s: with room on disk {counts['patient'][0]} got; without "
           f"{count} got, {len(gaps)} gap of {missing}; the others' slowest message after {max(late) * 1000:.0f} ms; "
           f"peaks {patient.peak_mib():.1f} and {bounded.peak_mib():.1f} MiB, hub {hub.peak_mib():.1f} MiB")
    expect(max(late) < 2, f"another client waited {max(late):.2f} s")


def hub_members(port, room="ops"):
    """How many users are in a room, asked by joining it."""
    asking = Swarm(port, 1, room)
    frames = [json.loads(f.payload) for m in asking.members.values() for f in m.frames]
    asking.close()
    return len(next(f for f in frames if f["type"] == "joined")["users"]) - 1


# --- a hub that comes and goes --------------------------------------------------------------------------------------


class Relay:
    """Hands bytes on between one listening port and a hub's; looks at each frame before it is handed on.

    A chunk with a frame that `look` says true of is lost, and its link with it."""

    def __init__(self, port, look):
        import socket

        self.socket = socket
        self.port = free_port()
        self.target, self.look = port, look
        self.server = socket.create_server(("127.0.0.1", self.port))
        self.closing = False
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while not self.closing:
            try:
                near, _ = self.server.accept()
            except OSError:
                return
            try:
                far = self.socket.create_connection(("127.0.0.1", self.target), 5)
            except OSError:
                near.close()
                continue
            for a, b, direction in ((near, far, ">"), (far, near, "<")):
                threading.Thread(target=self._pump, args=(a, b, direction), daemon=True).start()

    def _pump(self, source, target, direction):
        reader, head = wire.FrameReader(), b""
        try:
            while data := source.recv(1 << 16):
                rest = data
                if head is not None:
                    head += data
                    rest = b""
                    if b"\r\n\r\n" in head:
                        rest, head = head.split(b"\r\n\r\n", 1)[1], None
                reader.feed(rest)
                lost = False
                while frame := reader.next():
                    lost = self.look(direction, frame.payload) or lost
                if lost:
                    break
                target.sendall(data)
        except OSError:
            pass
        for one in (source, target):
            try:
                one.shutdown(self.socket.SHUT_RDWR)
            except OSError:
                pass

    def close(self):
        self.closing = True
        self.server.close()


# What the client or the hub says when the hub is to die.
PHASES = {
    "before the welcome": ("<", b'"welcome"'),
    "before the join": (">", b'"type":"join"'),
    "before joined": ("<", b'"joined"'),
    "before the request for history": (">", b'"type":"history"'),
    "before the history": ("<", b'"type":"history"'),
    "before a message": (">", b'"type":"text"'),
    "before an ack": ("<", b'"messageId"'),
}


@scenario(seconds=600, alone=True)
def hub_restarts(t, restarts=100, seed=0):
    """kill -9 of the hub in each phase of a link and at random: no message twice, contiguous seq or exact gaps."""
    seed = int(seed) or random.SystemRandom().randrange(1, 1 << 31)
    dice = random.Random(seed)
    port = free_port()
    lock = threading.Lock()
    state = {"hub": t.rooms(port=port), "armed": None, "hits": {}}
    told = {}

    def restart():
        state["hub"].kill()
        state["hub"] = t.rooms(port=port)

    def look(direction, payload):
        frame = json.loads(payload) if direction == "<" and payload[:1] == b"{" else {}
        with lock:
            for one in frame.get("messages", [frame]):
                if one.get("type") == "text":
                    told.setdefault(one["seq"], set()).add(one["id"])
            armed = state["armed"]
            if armed and PHASES[armed][0] == direction and PHASES[armed][1] in payload:
                state["armed"] = None
                state["hits"][armed] = state["hits"].get(armed, 0) + 1
                restart()
                return True
        return False

    relay = Relay(port, look)
    url = f"ws://127.0.0.1:{relay.port}/"
    native = ("--dialect", "native", "--room", "ops", "--backoff", "20ms..100ms", "--history", "5", "--own")
    clients = {n: t.run(url, *native, "--user-id", n, "--ping-interval", "1s", "--ping-timeout", "2s") for n in ("ada", "bob", "cy")}
    sent = {name: 0 for name in clients}

    def say(name):
        number = sent[name]
        sent[name] += 1
        clients[name].send(json.dumps({"id": f"{name}-{number}", "text": f"{number}"}))

    def all_delivered(seconds=30):
        for name, program in clients.items():
            for number in range(sent[name]):
                pass
            wanted = sent[name]
            program.out.wait(lambda s: sum(b'"wsii.delivered"' in l for l in s.lines) >= wanted, seconds, f"{wanted} delivered to {name}")

    for round in range(restarts):
        phase = list(PHASES)[round % len(PHASES)] if round < 3 * len(PHASES) or dice.random() < 0.5 else None
        for _ in range(dice.randrange(1, 6)):
            say(dice.choice(list(clients)))
        if phase:
            with lock:
                state["armed"] = phase
            # A link's early phases come with the next link.
            if phase not in ("before a message", "before an ack"):
                with lock:
                    restart()
            say(dice.choice(list(clients)))
            until(lambda: state["armed"] is None, 3)
            with lock:
                state["armed"] = None
        else:
            elapse(dice.random() * 0.2)
            with lock:
                restart()
        say(dice.choice(list(clients)))
    all_delivered()
    # A last message, so that each client has a common end.
    say("ada")
    last = f'"ada-{sent["ada"] - 1}"'
    for program in clients.values():
        program.out.wait(lambda s: any(last.encode() in l and b'"seq"' in l for l in s.lines), 20, f"the last message {last}")
    result = []
    for name, program in clients.items():
        count, gaps = contiguous(program.out.lines, told=told)
        ids = [json.loads(l)["id"] for l in program.out.lines if b'"type":"text"' in l]
        result.append(f"{name}: {count} messages, {len(gaps)} gaps")
        delivered = [json.loads(l)["messageId"] for l in program.out.lines if b'"wsii.delivered"' in l]
        expect_equal(sorted(delivered), sorted(f"{name}-{n}" for n in range(sent[name])), f"what {name} was told delivered")
        expect_equal(len(ids), len(set(ids)), f"ids that {name} got, all and distinct")
    relay.close()
    missed = [p for p in PHASES if p not in state["hits"]]
    expect(not missed or restarts < 2 * len(PHASES), f"phases never hit: {missed}")
    t.note(f"seed {seed}, {restarts} rounds, {sum(state['hits'].values())} kills in a phase ({', '.join(f'{k} {v}' for k, v in state['hits'].items())}); "
           + "; ".join(result))
