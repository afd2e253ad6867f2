"""Signals: TERM in every phase, INT, HUP, USR1 (DESIGN, section 2)."""

import os
import signal
import time

from harness import wire
from harness.clock import elapse
from harness.registry import scenario
from harness.server import free_port
from harness.world import expect, expect_equal

LIMIT = 0.1


def term(t, name, bridge, statuses=(0,), limit=LIMIT):
    """TERM; the run must end within the limit."""
    begin = time.monotonic()
    bridge.signal(signal.SIGTERM)
    status = bridge.process.wait(15)
    took = time.monotonic() - begin
    expect(status in statuses, f"{name}: exit status {status}")
    expect(took <= limit, f"{name}: TERM took {took * 1000:.0f} ms")
    return took * 1000


@scenario(seconds=60, alone=True)
def term_in_every_phase(t, rounds=3):
    """TERM acts within 100 ms while connecting, shaking hands, waiting, idle, with a stopped server."""
    worst = {}

    def note(name, milliseconds):
        worst[name] = max(worst.get(name, 0), milliseconds)

    silent = t.serve(lambda link: link.wait_end(20))
    drip = t.serve(lambda link: link.read_head() and link.send(b"HTTP/1.1 101 S") or link.wait_end(20))
    idle = t.serve()
    for _ in range(rounds):
        bridge = t.run(silent.url)
        bridge.state("connecting")
        silent.wait_links(1)
        elapse(0.05)
        note("no answer", term(t, "server accepts and says nothing", bridge))

        bridge = t.run(drip.url)
        bridge.state("connecting")
        elapse(0.1)
        note("half an answer", term(t, "half an answer", bridge))

        bridge = t.run("--backoff", "5s..5s", f"ws://127.0.0.1:{free_port()}/")
        bridge.state("offline", count=1)
        elapse(0.05)
        note("backoff", term(t, "waiting in backoff", bridge))

        bridge = t.online(idle.url)
        note("idle", term(t, "online, idle", bridge))

        hub = t.hub()
        bridge = t.online(hub.url)
        os.kill(hub.pid, signal.SIGSTOP)
        note("stopped server", term(t, "online, server stopped", bridge, (0,)))
        os.kill(hub.pid, signal.SIGCONT)

        bridge = t.online(idle.url, "--ping-interval", "off")
        bridge.out.stop_reading()
        note("nobody reads stdout", term(t, "stdout not read", bridge))
    t.note(", ".join(f"{k} {v:.0f} ms" for k, v in worst.items()))


@scenario(alone=True)
def term_while_a_name_hangs(t, rounds=3):
    """TERM within 100 ms while the resolver is a black hole (own network and mount namespace)."""
    t.need_root()
    t.need("unshare", "ip", "mount")
    resolver = t.file("resolv.conf", "nameserver 127.0.0.1\noptions timeout:30 attempts:3\n", 0o644)
    switch = t.file("nsswitch.conf", "hosts: dns\n", 0o644)
    # A socket that is bound and never read swallows every question.
    hole = t.file(
        "hole.py",
        "import os,socket,sys\n"
        "s=socket.socket(socket.AF_INET,socket.SOCK_DGRAM);s.bind(('127.0.0.1',53));s.set_inheritable(True)\n"
        "os.execv(sys.argv[1],sys.argv[1:])\n",
    )
    script = (
        f"ip link set lo up && mount --bind {resolver} /etc/resolv.conf && mount --bind {switch} /etc/nsswitch.conf"
        f' && exec python3 {hole} "$@"'
    )
    worst = 0
    for _ in range(rounds):
        bridge = t.run("ws://nowhere.test/", wrapper=["unshare", "-n", "-m", "sh", "-c", script, "sh"])
        bridge.state("connecting")
        elapse(0.3)
        expect(not bridge.matching("wsii.state", state="offline"), f"the name didn't hang: {bridge.errors}")
        worst = max(worst, term(t, "a hanging name", bridge))
    t.note(f"hanging name {worst:.0f} ms")


@scenario(alone=True)
def term_while_connecting(t, rounds=3):
    """TERM within 100 ms while TCP's SYN gets no answer (own network namespace, an address that nobody has)."""
    t.need_root()
    t.need("unshare", "ip")
    script = (
        "ip link add near type veth peer name far && ip addr add 10.9.9.1/24 dev near && ip link set near up"
        ' && ip link set far up && exec "$@"'
    )
    worst = 0
    for _ in range(rounds):
        bridge = t.run("ws://10.9.9.2:81/", wrapper=["unshare", "-n", "sh", "-c", script, "sh"])
        bridge.state("connecting")
        elapse(0.2)
        worst = max(worst, term(t, "TCP connecting", bridge))
    t.note(f"unanswered SYN {worst:.0f} ms")


@scenario()
def term_closes_politely(t):
    """TERM: what was read is sent, then Close 1000 or 1001, exit 0."""
    got, closes = [], []

    def script(link):
        link.accept()
        try:
            while True:
                got.append(link.message().text)
        finally:
            closes.append(link.log_close.close_code)

    bridge = t.online(t.serve(script).url)
    bridge.send_json({"n": 1}, {"n": 2})
    bridge.signal(signal.SIGTERM)
    bridge.expect_exit(0)
    expect_equal(got, ['{"n": 1}', '{"n": 2}'], "messages")
    expect(closes in ([1000], [1001]), f"close codes {closes}")
    bridge.state("stopping")


@scenario()
def term_with_messages_left(t):
    """TERM with messages that no server took: 69 while nothing is kept on disk (75 would promise a queue)."""
    bridge = t.run("--backoff", "5s..5s", f"ws://127.0.0.1:{free_port()}/")
    bridge.send_json({"n": 1})
    bridge.record("wsii.accepted")
    bridge.signal(signal.SIGTERM)
    status = bridge.exit(15)
    expect_equal(status, 69, "exit status")


@scenario()
def interrupt(t):
    """INT stops like TERM and then dies by the signal; HUP is TERM for a stream run."""
    closes = []

    def script(link):
        link.accept()
        closes.append(link.wait_for(wire.CLOSE).close_code)
        link.answer_close(link.log[-1])

    server = t.serve(script)
    bridge = t.online(server.url)
    bridge.signal(signal.SIGINT)
    bridge.expect_exit(-signal.SIGINT)
    bridge = t.online(server.url)
    bridge.signal(signal.SIGHUP)
    bridge.expect_exit(0)
    expect_equal(len(closes), 2, "Close frames")


@scenario()
def second_interrupt(t):
    """A second INT doesn't wait for a server that doesn't answer."""
    server = t.serve(lambda link: link.accept() and link.wait_for(wire.CLOSE) and elapse(10))
    bridge = t.online(server.url)
    bridge.signal(signal.SIGINT)
    elapse(0.1)
    if bridge.is_running:
        bridge.signal(signal.SIGINT)
    begin = time.monotonic()
    bridge.expect_exit(-signal.SIGINT, 6)
    t.note(f"{(time.monotonic() - begin) * 1000:.0f} ms")


@scenario()
def reconnect_now(t):
    """USR1 reconnects now: out of a long wait, and away from a live link."""
    port = free_port()
    bridge = t.run("--backoff", "20s..20s", f"ws://127.0.0.1:{port}/")
    bridge.state("offline")
    elapse(0.1)
    server = t.serve(port=port)
    bridge.signal(signal.SIGUSR1)
    bridge.state("online", seconds=3)
    bridge.signal(signal.SIGUSR1)
    bridge.state("online", seconds=3, count=2)
    expect_equal(len(server.times), 2, "links")


@scenario()
def stop_and_continue(t):
    """SIGSTOP for longer than ping timeouts, then SIGCONT: it notices, reconnects and loses nothing."""

    def script(link):
        link.accept()
        link.serve(echo=True)

    server = t.serve(script)
    bridge = t.run("--ping-interval", "300ms", "--ping-timeout", "300ms", "--backoff", "50ms..100ms", server.url)
    bridge.state("online")
    bridge.signal(signal.SIGSTOP)
    bridge.write('{"n":1}\n')
    elapse(1.2)
    bridge.signal(signal.SIGCONT)
    expect_equal(bridge.line(), '{"n":1}', "echo")
    bridge.end_input()
    bridge.expect_exit(0)
