"""`wsii hub --echo`, seen from raw clients."""

import os
import signal
import socket

from harness import wire
from harness.clock import Deadline, elapse, until
from harness.raw import Client
from harness.registry import scenario
from harness.server import connectable, free_port
from harness.world import expect, expect_equal


@scenario()
def echoes(t):
    """Text, binary, fragments and sizes come back as they came, unmasked; pings are answered."""
    client = Client(t.hub())
    expect_equal(client.status, 101, "status")
    expect(f"Sec-WebSocket-Accept: {wire.accept_key(client.key)}".lower() in client.head.lower(), "Accept")
    for opcode, payload in ((wire.TEXT, "hé".encode()), (wire.BINARY, bytes(range(256))), (wire.TEXT, b""), (wire.TEXT, b"x" * 126),
                            (wire.TEXT, b"x" * 65_536), (wire.BINARY, b"y" * 1_000_000)):
        client.send(opcode, payload)
        f = client.frame()
        expect_equal((f.opcode, f.payload, f.mask, f.reserved), (opcode, payload, None, 0), f"echo of {len(payload)} bytes")
    client.send(wire.TEXT, "a", final=False)
    client.send(wire.PING, "between")
    client.send(wire.CONTINUATION, "b")
    expect_equal((f := client.frame()).payload, b"between", "pong")
    expect_equal(f.opcode, wire.PONG, "pong")
    expect_equal(client.frame().payload, b"ab", "fragments")
    client.send(wire.CLOSE, b"\x03\xe8bye")
    expect_equal(client.frame().close_code, 1000, "close code")
    expect(client.ended(), "the hub must end TCP itself")


@scenario()
def protocol_errors(t):
    """Unmasked frames, RSV bits, bad text: the hub fails that client alone."""
    hub = t.hub()
    good = Client(hub)
    for name, code, send in (
        ("unmasked", 1002, lambda c: c.send(wire.TEXT, "x", mask=None)),
        ("RSV1", 1002, lambda c: c.send(wire.TEXT, "x", reserved=4)),
        ("bad text", 1007, lambda c: c.send(wire.TEXT, b"\xff")),
        ("too big", 1009, lambda c: c.socket.sendall(wire.frame(wire.TEXT, b"", mask=b"abcd", declared=1 << 40, width=64)[:14])),
    ):
        client = Client(hub)
        send(client)
        expect_equal(client.frame().close_code, code, name)
    good.send(wire.TEXT, "still here")
    expect_equal(good.frame().payload, b"still here", "the other client's echo")


@scenario()
def requests(t):
    """Wrong requests get an HTTP answer: version 426 with the right one, no WebSocket 4xx, strange Host and Origin 403."""
    hub = t.hub()
    client = Client(hub, version="12")
    expect_equal(client.status, 426, "version 12")
    expect("sec-websocket-version: 13" in client.head.lower(), "no version in the answer")
    for name, data, statuses in (
        ("no upgrade", b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", range(200, 500)),
        ("POST", b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n", range(400, 500)),
        ("garbage", b"\x16\x03\x01\x02\x00\x01\x00\r\n\r\n", range(400, 500)),
        ("endless head", b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000, range(400, 500)),
    ):
        client = Client(hub, open=False)
        client.socket.sendall(data)
        try:
            client.head = client.read_head()
            expect(client.status in statuses, f"{name}: status {client.status}")
        except (EOFError, ConnectionResetError):
            pass
    for fields in (["Origin: http://evil.test"], []):
        client = Client(hub, fields=fields, host=None if fields else "evil.test")
        expect_equal(client.status, 403, f"{fields or 'Host: evil.test'}")
    expect_equal(Client(hub, fields=[f"Origin: http://127.0.0.1:{hub.port}"]).status, 101, "own origin")


@scenario()
def slow_clients(t):
    """Clients that never finish their head, or never read, hold up no other and no memory."""
    hub = t.hub()
    Client(hub, open=False).socket.sendall(b"GET / HT")
    silent = [Client(hub, open=False) for _ in range(20)]
    deaf = Client(hub)
    deaf.socket.setblocking(False)
    sent = 0
    block = wire.frame(wire.TEXT, b"x" * 60_000, mask=b"abcd")
    deadline = Deadline(3)
    try:
        while not deadline.passed and sent < 400 << 20:
            sent += deaf.socket.send(block)
    except BlockingIOError:
        pass
    good = Client(hub)
    good.send(wire.TEXT, "hello")
    expect_equal(good.frame().payload, b"hello", "echo beside a deaf client")
    expect(hub.resident_mib() < 64, f"{hub.resident_mib():.0f} MiB")
    t.note(f"{len(silent)} silent clients, {sent >> 20} MiB taken from one that doesn't read, {hub.resident_mib():.1f} MiB resident")


@scenario()
def many_clients(t, clients=300):
    """Hundreds of clients at once, each with its own echoes; all gone, descriptors are back."""
    hub = t.hub()
    before = len(os.listdir(f"/proc/{hub.pid}/fd"))
    all = [Client(hub) for _ in range(clients)]
    for i, client in enumerate(all):
        client.send(wire.TEXT, f"{i}")
    for i, client in enumerate(all):
        expect_equal(client.frame().text, str(i), "echo")
    for client in all:
        client.socket.close()
    back = until(lambda: len(os.listdir(f"/proc/{hub.pid}/fd")) <= before, 5)
    expect(back, "descriptors aren't given back")
    t.note(f"{clients} clients, {hub.peak_mib():.1f} MiB")


@scenario()
def listening(t):
    """A Unix socket; an address in use is an error that names it; a stale socket file is replaced, a live one isn't."""
    path = t.path("hub")
    hub = t.start([t.binary, "hub", "--echo", "--listen", f"unix:{path}"])
    expect(until(lambda: os.path.exists(path), 5), f"no socket: {hub.errors!r}")
    hub.port = 1
    client = Client(hub, path=path, host="localhost")
    client.send(wire.TEXT, "x")
    expect_equal(client.frame().payload, b"x", "echo")
    expect(os.stat(path).st_mode & 0o077 == 0, "the socket is open to others")
    second = t.start([t.binary, "hub", "--echo", "--listen", f"unix:{path}"])
    status = second.exit(5)
    expect(status in (69, 73, 74), f"exit status {status}")
    expect(path in second.errors, f"stderr: {second.errors!r}")
    os.kill(hub.pid, signal.SIGKILL)
    hub.exit()
    third = t.start([t.binary, "hub", "--echo", "--listen", f"unix:{path}"])
    expect(until(lambda: third.is_running and _answers(path), 5), f"the stale socket: {third.errors!r}")
    third.stop()
    expect(not os.path.exists(path), "the socket file stays behind")

    port = free_port()
    first = t.hub(port=port)
    other = t.start([t.binary, "hub", "--echo", "--listen", f"127.0.0.1:{port}"])
    status = other.exit(5)
    expect(status in (69, 73, 74), f"exit status {status}")
    expect(str(port) in other.errors, f"stderr: {other.errors!r}")
    expect(first.is_running and connectable(port), "the first hub suffered")


def _answers(path):
    with socket.socket(socket.AF_UNIX) as s:
        return s.connect_ex(path) == 0


@scenario()
def term(t):
    """TERM: clients get Close 1001, the hub ends with 0 at once."""
    hub = t.hub()
    client = Client(hub)
    elapse(0.05)
    hub.signal(signal.SIGTERM)
    expect_equal(client.frame().close_code, 1001, "close code")
    client.send(wire.CLOSE, b"\x03\xe9")
    hub.expect_exit(0, 6)
    deaf = t.hub()
    client = Client(deaf)
    took = deaf.stop(8)
    expect(took < 6, f"{took:.1f} s")
    t.note(f"with a client that doesn't answer: {took * 1000:.0f} ms")


@scenario()
def beyond_loopback(t):
    """Listening beyond loopback without tokens is refused."""
    hub = t.start([t.binary, "hub", "--echo", "--listen", f"0.0.0.0:{free_port()}"])
    status = hub.exit(5)
    expect(status in (64, 78), f"exit status {status}: {hub.errors!r}")
