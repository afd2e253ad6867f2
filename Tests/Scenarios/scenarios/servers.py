"""Servers that nobody here wrote: Debian's node-ws, Python's websockets, nginx as a TLS proxy."""

import os

from harness.certificates import Authority
from harness.clock import until
from harness.registry import scenario
from harness.server import connectable, free_port
from harness.world import expect, expect_equal

HERE = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "servers")


def node(t):
    t.need("node")
    if not os.path.isdir("/usr/share/nodejs/ws"):
        t.skip("needs Debian's node-ws")
    return t.start(["node", f"{HERE}/node-ws.js"], environment={"NODE_PATH": "/usr/share/nodejs"})


def python(t, *arguments):
    return t.start([t.need_python("websockets"), f"{HERE}/websockets_echo.py", *arguments])


def port(program):
    return int(program.line(seconds=15))


def converse(t, url, *options, messages=1000):
    """Both kinds of frame, many sizes, both ways; then a close by either side."""
    lines = [f'{{"n":{i},"fill":"{"é" * (i % 97)}"}}' for i in range(messages)]
    lines += ['{"large":"' + "x" * size + '"}' for size in (100, 125, 126, 65_535, 65_536, 900_000)]
    lines += ['{"type":"wsii.text","text":"plain"}', '{"type":"wsii.binary","data":"AAEC/w=="}']
    bridge = t.run(*options, url)
    bridge.send(*lines)
    bridge.out.wait_count(len(lines), 20)
    expect_equal([l.decode() for l in bridge.out.lines], lines, "echoes")
    bridge.record("wsii.delivered", count=len(lines))
    bridge.end_input()
    bridge.expect_exit(0)
    # The server closes with a code of its own.
    bridge = t.run("--retries", "0", *options, url)
    bridge.send('"close"')
    bridge.expect_exit(69)
    record = bridge.state("offline", closeCode=4000)
    expect_equal(record["closeReason"], "as you wish", "reason")
    t.note(f"{len(lines)} messages each way")


@scenario()
def node_ws(t):
    """Debian's node-ws."""
    converse(t, f"ws://127.0.0.1:{port(node(t))}/")


@scenario()
def websockets(t):
    """Python's websockets over ws, which pings twice a second."""
    converse(t, f"ws://127.0.0.1:{port(python(t))}/")


@scenario()
def websockets_tls(t):
    """Python's websockets over wss."""
    authority = Authority(t.directory)
    server = python(t, *authority.issue("server"))
    converse(t, f"wss://127.0.0.1:{port(server)}/", "--cacert", authority.certificate)


@scenario()
def nginx(t):
    """nginx in front as a TLS proxy, node-ws behind; its 502 when the server behind is gone."""
    t.need("nginx")
    authority = Authority(t.directory)
    certificate, key = authority.issue("server")
    behind = node(t)
    listen = free_port()
    configuration = t.file(
        "nginx.conf",
        f"""
        daemon off; master_process off; pid {t.path("nginx.pid")}; error_log {t.path("nginx.err")};
        events {{ }}
        http {{
          access_log off;
          client_body_temp_path {t.path("b")}; proxy_temp_path {t.path("p")}; fastcgi_temp_path {t.path("f")};
          uwsgi_temp_path {t.path("u")}; scgi_temp_path {t.path("s")};
          server {{
            listen 127.0.0.1:{listen} ssl;
            ssl_certificate {certificate}; ssl_certificate_key {key};
            location /chat {{
              proxy_pass http://127.0.0.1:{port(behind)};
              proxy_http_version 1.1;
              proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection upgrade;
              proxy_read_timeout 60s;
            }}
            location /guarded {{ return 401; }}
          }}
        }}
        """,
    )
    server = t.start(["nginx", "-c", configuration, "-e", t.path("nginx.start")])
    ready = until(lambda: connectable(listen) or not server.is_running, 10)
    expect(ready and server.is_running, f"nginx doesn't start: {server.errors[-300:]!r}")
    trust = ["--cacert", authority.certificate]
    converse(t, f"wss://127.0.0.1:{listen}/chat", *trust)
    t.run(*trust, f"wss://127.0.0.1:{listen}/guarded").expect_exit(77)
    behind.kill()
    bridge = t.run("--retries", "0", *trust, f"wss://127.0.0.1:{listen}/chat")
    bridge.expect_exit(69)
    bridge.state("offline", httpStatus=502)
