"""What a thousand clients cost a hub."""

import json
import os
import select
import subprocess

from harness import procfs, wire
from harness.clock import Deadline
from harness.raw import Member
from harness.registry import scenario
from harness.world import expect, expect_equal

HERE = os.path.dirname(__file__)


@scenario(seconds=120, alone=True)
def idle(t, clients=1000, seconds=25, most=16):
    """A thousand members of a room who say nothing: at most 16 KiB each, and no wake-up but pings."""
    hub = t.rooms("--ephemeral")
    before = hub.resident_mib()
    members = [Member(hub, f"u{n}", ["ops"]) for n in range(clients)]
    poll = select.poll()
    by_number = {m.socket.fileno(): m for m in members}
    for number in by_number:
        poll.register(number, select.POLLIN)

    def listen(seconds, until=lambda: False):
        """Takes what comes, answers pings, and counts them."""
        deadline, pings = Deadline(seconds), 0
        while not deadline.passed and not until():
            for number, _ in poll.poll(deadline.left * 1000):
                member = by_number[number]
                member.reader.feed(member.receive())
                while frame := member.reader.next():
                    if frame.opcode == wire.PING:
                        pings += 1
                        member.send(wire.PONG, frame.payload)
                    elif b'"userId":"u%d"' % (clients - 1) in frame.payload:
                        member.knows_all = True
        return pings

    # All have heard of the last one's coming.
    listen(30, until=lambda: sum(hasattr(m, "knows_all") for m in members) >= clients - 1)
    after = hub.resident_mib()
    begin = hub.cpu(), procfs.switches(hub.pid)
    pings = listen(seconds)
    cpu, wakeups = hub.cpu() - begin[0], procfs.switches(hub.pid) - begin[1]
    settled = hub.resident_mib()
    t.note(f"{clients} clients: {after - before:.1f} MiB more, {settled - before:.1f} MiB after {seconds} s; "
           f"{wakeups} wake-ups for {pings} pings, {cpu * 1000:.0f} ms CPU")
    expect(after - before <= most, t.figures[-1])
    expect(settled - before <= most, t.figures[-1])
    expect(pings >= clients * (seconds // 20), f"only {pings} pings")
    expect(wakeups <= 2 * pings + 10, t.figures[-1])


@scenario(seconds=300, alone=True)
def fan_out(t, members=1000, messages=300, pace=100, times=3):
    """100 messages a second to a thousand: complete and in order, under 64 MiB, CPU a frame beside a C server's that does no more."""
    t.need("gcc")
    crowd = t.path("crowd")
    subprocess.run(["gcc", "-O2", "-o", crowd, os.path.join(HERE, "../load/crowd.c")], check=True, capture_output=True)
    figures = [str(f) for f in (members, messages, pace)]
    hub = t.rooms("--ephemeral")
    clients = t.start([crowd, "members", hub.port, *figures])
    clients.line(0, seconds=60)  # READY: all have joined
    begin = hub.cpu()
    told = json.loads(clients.line(1, seconds=60 + messages / pace))
    hub_cpu = hub.cpu() - begin
    clients.expect_exit(0)
    peak = hub.peak_mib()
    hub.stop()
    expect_equal((told["frames"], told["wrong"]), (members * messages, 0), "frames")

    port = hub.port
    floor = t.start([crowd, "serve", port, *figures])
    floor.line(0)
    listeners = t.start([crowd, "listeners", port, *figures])
    floor_cpu = json.loads(floor.line(1, seconds=60 + messages / pace))["cpu"]
    listeners.expect_exit(0, seconds=60)
    ratio = hub_cpu / floor_cpu
    each = members * messages
    t.note(f"{each} frames in {told['seconds']:.1f} s, {hub_cpu / each * 1e6:.2f} us CPU a frame, {ratio:.2f} x the C server's "
           f"{floor_cpu / each * 1e6:.2f} us, {peak:.1f} MiB at most, {told['delay_ms']:.0f} ms from sender to member "
           f"(at most {told['delay_most_ms']:.0f} ms)")
    expect(peak < 64, t.figures[-1])
    expect(ratio <= times, t.figures[-1])
