"""What a message to a crowd costs, beside the flooding C server of ../shared/bench."""

import json
import os
import select
import shutil
import subprocess
import time

from harness import wire
from harness.clock import Deadline, elapse
from harness.registry import scenario
from harness.server import free_port
from harness.swarm import Member, Swarm
from harness.world import expect, expect_equal


@scenario(seconds=240, alone=True)
def broadcast(t, clients=1000, rate=100, seconds=10, burst=1, peak=64, most=0):
    """Each of so many clients gets every message, in order; memory and CPU a frame, beside a flooding C server."""
    floor = flooding_server(t, clients * rate * seconds // 10)
    hub = t.rooms()
    swarm = Swarm(hub.port, clients)
    swarm.settle()
    swarm.begin_counting()
    reference = next(iter(swarm.members.values()))
    stream = bytearray()
    take = reference.take
    reference.take = lambda data: (stream.extend(data), take(data))
    total = rate * seconds
    begin_cpu, begin = hub.cpu(), time.monotonic()

    # In its own process, so that it keeps time.
    ours, theirs = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            os.close(ours)
            speak(hub.port, total, rate, burst, theirs)
            code = 0
        finally:
            os._exit(code)
    os.close(theirs)
    wanted = None
    deadline = Deadline(seconds + 60)
    while True:
        swarm.turn(0.2)
        if wanted is None:
            frames, rest = split(stream)
            if len(frames) >= 1 and any(f'"m{total - 1}"'.encode() in f for f in frames[-1:]):
                wanted = (reference.count, reference.sum)
        if wanted and all((m.count, m.sum) == wanted for m in swarm.members.values()):
            break
        expect(not deadline.passed, lambda: f"incomplete: {sum((m.count, m.sum) != wanted for m in swarm.members.values())}"
               f" of {clients} differ from the first, which has {len(split(stream)[0])} frames")
    took, cpu = time.monotonic() - begin, hub.cpu() - begin_cpu
    os.close(ours)
    expect_equal(os.waitpid(pid, 0)[1], 0, "the speaker's status")
    frames, _ = split(stream)
    texts = [json.loads(f) for f in frames if b'"text"' in f]
    expect_equal([m["seq"] for m in texts], list(range(texts[0]["seq"], texts[0]["seq"] + total)), "seq of the first client")
    expect_equal([m["id"] for m in texts], [f"m{n}" for n in range(total)], "ids of the first client")
    each = cpu / (clients * total) * 1e6
    t.note(
        f"{clients} clients x {total} messages in {took:.1f} s, complete and alike; peak {hub.peak_mib():.1f} MiB; "
        f"{each:.2f} us CPU a frame" + (f", {each / floor:.1f} x the flooding C server's {floor:.2f} us" if floor else "")
    )
    expect(hub.peak_mib() < peak, f"peak {hub.peak_mib():.1f} MiB")
    if floor and most:
        expect(each <= most * floor, f"{each / floor:.1f} x the C server's CPU a frame; {t.figures}")
    swarm.close()


def speak(port, total, rate, burst, until_closed):
    speaker = Swarm(port, 0)
    member = Member(port, "/?userId=speaker")
    speaker.members[member.socket.fileno()] = member
    speaker.poll.register(member.socket, select.EPOLLIN)
    member.say('{"type":"join","conversationId":"ops"}')
    speaker.until(lambda m: any(b'"joined"' in f.payload for f in m.frames), 20, "the speaker's join")
    begin = time.monotonic()
    for number in range(total):
        at = begin + number // burst * burst / rate
        while (left := at - time.monotonic()) > 0:
            speaker.turn(left)
        member.say(f'{{"type":"text","id":"m{number}","conversationId":"ops","text":"{"x" * 100}"}}')
    speaker.until(lambda m: any(f'"messageId":"m{total - 1}"'.encode() in f.payload for f in m.frames), 60, "the last ack")
    # Its leaving would be among what the others get.
    speaker.poll.register(until_closed, select.EPOLLERR)
    speaker.members[until_closed] = None
    while not any(d == until_closed for d, _ in speaker.poll.poll(60)):
        pass


def split(stream):
    """The payloads of whole, unmasked frames, and what is left."""
    frames, at = [], 0
    while len(stream) - at >= 4:
        length, head = stream[at + 1], 2
        if length == 126:
            length, head = int.from_bytes(stream[at + 2 : at + 4], "big"), 4
        if len(stream) - at < head + length:
            break
        frames.append(bytes(stream[at + head : at + head + length]))
        at += head + length
    return frames, at


def flooding_server(t, frames):
    """CPU in microseconds that the C server of ../shared/bench needs for a frame, or None."""
    bench = os.path.join(t.checkout, "..", "shared", "bench")
    if not os.path.isdir(bench) or not shutil.which("gcc"):
        return None
    here = t.path("bench")
    shutil.copytree(bench, here)
    subprocess.run(["chmod", "-R", "u+w", here], check=True)
    subprocess.run(["gcc", "-O2", "-o", f"{here}/ws_flood", f"{here}/ws_flood.c"], check=True, capture_output=True)
    port = free_port()
    server = t.start([f"{here}/ws_flood", str(port), str(frames), "200"])
    server.wait_out("LISTENING")
    begin = server.cpu()
    member = Member(port, "/")
    member.socket.settimeout(60)
    while not member.socket.recv(1 << 18).endswith(b"\x88\x02\x03\xe8"):
        pass
    # It waits for our Close, all frames written.
    used = server.cpu() - begin
    member.socket.sendall(wire.frame(wire.CLOSE, b"\x03\xe8", mask=b"abcd"))
    return used / frames * 1e6
