"""Ways to a server: IPv6, names, Unix sockets, proxies, TLS."""

import socket
import time

from harness import wire
from harness.certificates import Authority, server_context
from harness.clock import elapse
from harness.proxy import Proxy
from harness.registry import scenario
from harness.server import free_port
from harness.world import expect, expect_equal


def round_trip(bridge, value='{"n":1}'):
    bridge.send(value)
    expect_equal(bridge.line(), value, "echo")
    bridge.end_input()
    bridge.expect_exit(0)


def refused(t, name, *arguments, status=69):
    """The connection must fail for a stated reason; gives it."""
    bridge = t.run("--retries", "0", *arguments)
    expect_equal(bridge.exit(10), status, f"{name}: exit status")
    expect(not bridge.matching("wsii.state", state="online"), f"{name}: it went online")
    reasons = [r["reason"] for r in bridge.records if r["type"] == "wsii.state" and r.get("reason")]
    expect(reasons, f"{name}: no reason: {bridge.errors[-300:]!r}")
    return reasons[-1]


@scenario()
def addresses(t):
    """IPv6 literals, localhost by name (both families), and a Unix socket."""
    round_trip(t.run(t.echo(family=socket.AF_INET6).url))
    for family in (socket.AF_INET, socket.AF_INET6):
        server = t.echo(family=family)
        round_trip(t.run(f"ws://localhost:{server.port}/"))
    path = t.path("socket")
    server = t.echo(path=path)
    round_trip(t.run("--unix-socket", path, "ws://somewhere.test/x"))
    expect_equal(server.links[0].fields["host"], "somewhere.test", "Host over a Unix socket")
    expect_equal(server.links[0].resource, "/x", "resource over a Unix socket")


@scenario()
def names_that_fail(t):
    """A name that doesn't exist, a refused port, something that is no TLS: each one reason."""
    reasons = [
        refused(t, "no such name", "ws://nowhere.invalid/"),
        refused(t, "closed port", f"ws://127.0.0.1:{free_port()}/"),
        refused(t, "plain behind wss", t.serve(lambda link: link.wait_end(5)).url.replace("ws://", "wss://"), "--connect-timeout", "1s"),
        refused(t, "missing Unix socket", "--unix-socket", t.path("none"), "ws://x/"),
    ]
    expect_equal(len(set(reasons)), len(reasons), "different reasons")


@scenario()
def proxies(t):
    """A CONNECT proxy: used when asked for, its credentials accepted and hidden, 407 said."""
    server = t.echo()
    proxy = Proxy()
    t.servers.append(proxy)
    round_trip(t.run("--proxy", f"http://127.0.0.1:{proxy.port}", server.url))
    expect_equal(proxy.requests, [f"CONNECT 127.0.0.1:{server.port} HTTP/1.1"], "the proxy's requests")

    guarded = Proxy("user:pa55w0rd")
    t.servers.append(guarded)
    reason = refused(t, "407", "--proxy", f"http://127.0.0.1:{guarded.port}", server.url, status=77)
    expect("407" in reason, f"reason {reason!r}")
    bridge = t.run("--trace", "--log-level", "debug", "--proxy", f"http://user:pa55w0rd@127.0.0.1:{guarded.port}", server.url)
    round_trip(bridge)
    expect("pa55w0rd" not in bridge.errors, "the proxy's password is shown")

    refused(t, "closed proxy", "--proxy", f"http://127.0.0.1:{free_port()}", server.url)


@scenario()
def tls(t):
    """wss with an own authority works; untrusted, expired and wrong names are refused, each with its reason."""
    authority = Authority(t.directory)
    good = t.echo(tls=server_context(*authority.issue("good")))
    round_trip(t.run("--cacert", authority.certificate, good.url))
    by_name = good.url.replace("127.0.0.1", "localhost")
    round_trip(t.run("--cacert", authority.certificate, by_name))

    untrusted = refused(t, "untrusted", good.url)
    old = t.echo(tls=server_context(*authority.issue("old", expired=True)))
    expired = refused(t, "expired", "--cacert", authority.certificate, old.url)
    other = t.echo(tls=server_context(*authority.issue("other", "DNS:elsewhere.test")))
    wrong = refused(t, "wrong name", "--cacert", authority.certificate, other.url)
    expect("expired" in expired, f"expired: {expired!r}")
    expect_equal(len({untrusted, expired, wrong}), 3, "different reasons")
    t.note(f"{untrusted!r}, {expired!r}, {wrong!r}")
    for server in (old, other):
        expect(all(not l.request_line for l in server.links), "a request was sent before the verification")

    bridge = t.run("--insecure", old.url)
    round_trip(bridge)
    expect("insecure" in bridge.errors, "--insecure isn't said loudly")


@scenario()
def client_certificate(t):
    """A server that wants a certificate gets it from --cert and --key; without one the reason is told."""
    authority = Authority(t.directory)
    server = t.echo(tls=server_context(*authority.issue("server"), client_authority=authority.certificate))
    certificate, key = authority.issue("client")
    round_trip(t.run("--cacert", authority.certificate, "--cert", certificate, "--key", key, server.url))
    with open(certificate) as a, open(key) as b:
        both = t.file("both.pem", a.read() + b.read())
    round_trip(t.run("--cacert", authority.certificate, "--cert", both, server.url))
    refused(t, "no certificate", "--cacert", authority.certificate, server.url)


@scenario(seconds=60)
def stalled_tls(t, messages=30_000):
    """A TLS server that stops reading for a while: every message arrives, whole and in order."""
    authority = Authority(t.directory)
    got = [0]

    def script(link):
        link.accept()
        for _ in range(3):
            link.messages(500, 20)
            got[0] += 500
            elapse(0.7)
        while True:
            f = link.message(20)
            if not f.payload.startswith(b'{"n":%d,' % got[0]):
                raise AssertionError(f"message {got[0]} is {f.payload[:40]!r}")
            got[0] += 1

    server = t.serve(script, tls=server_context(*authority.issue("server")))
    bridge = t.run("--quiet", "--cacert", authority.certificate, server.url)
    bridge.write(b"".join(b'{"n":%d,"fill":"%s"}\n' % (i, b"x" * (i % 700)) for i in range(messages)))
    bridge.end_input()
    bridge.expect_exit(0, 40)
    expect_equal(got[0], messages, "messages")


@scenario(seconds=60)
def slow_reader_over_tls(t, messages=50_000):
    """A TLS server floods while stdout isn't read: pings answered, nothing lost."""
    from scenarios.stdio import Ordered

    authority = Authority(t.directory)
    pongs = []

    def script(link):
        link.accept()
        for begin in range(0, messages, 1000):
            link.send(b"".join(wire.frame(wire.TEXT, b'{"n":%d,"fill":"%s"}' % (i, b"x" * 160)) for i in range(begin, begin + 1000)))
        for i in range(3):
            link.send(wire.frame(wire.PING, b"%d" % i))
            pongs.append(link.wait_for(wire.PONG).payload)
            elapse(0.3)
        link.close()

    server = t.serve(script, tls=server_context(*authority.issue("server")))
    bridge = t.run("--retries", "0", "--cacert", authority.certificate, server.url, keep=False)
    order = Ordered()
    bridge.out.check = order
    bridge.out.wait_count(10)
    bridge.out.stop_reading()
    server.wait_links(1)
    from harness.clock import until

    until(lambda: len(pongs) == 3, 20)
    bridge.out.go_on_reading()
    bridge.out.wait_count(messages, 20)
    bridge.expect_exit(0)
    order.check(messages)
    expect_equal(pongs, [b"0", b"1", b"2"], "pongs while stdout stood")


@scenario()
def tls_bytes_in_one_record(t):
    """The 101 and many frames in one TLS record: decrypted bytes that wait inside TLS aren't forgotten."""
    authority = Authority(t.directory)

    def script(link):
        data = link.read_head().response() + b"".join(wire.frame(wire.TEXT, f'{{"n":{i}}}') for i in range(900))
        link.send(data)
        link.serve()

    server = t.serve(script, tls=server_context(*authority.issue("server")))
    begin = time.monotonic()
    bridge = t.run("--cacert", authority.certificate, server.url)
    bridge.out.wait_count(900, 5)
    t.note(f"{(time.monotonic() - begin) * 1000:.0f} ms")
