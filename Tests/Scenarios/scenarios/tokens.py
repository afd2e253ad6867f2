"""Secrets: sent where they belong, shown nowhere."""

import base64
import urllib.parse

from harness import procfs
from harness.registry import scenario
from harness.server import free_port
from harness.world import expect, expect_equal

SECRET = "s3cr3t+T0k3n/with=odd&bytes"


def forms(secret):
    return [
        secret,
        urllib.parse.quote(secret, safe=""),
        base64.b64encode(secret.encode()).decode(),
        base64.urlsafe_b64encode(secret.encode()).decode(),
    ]


def hunt(bridge, secret=SECRET, environment=True):
    """Nothing on stderr or in what ps shows has the secret in any form."""
    places = {"stderr": bridge.errors.encode(), "stdout": b"\n".join(bridge.out.lines)}
    if bridge.is_running:
        places["the command line"] = procfs.command_line(bridge.pid)
        if environment:
            places["the environment"] = procfs.environment(bridge.pid)
    for name, content in places.items():
        for form in forms(secret):
            expect(form.encode() not in content, f"{name} shows the secret as {form!r}")


def sees(field, wanted):
    """A server that refuses everything but this field value."""

    def script(link):
        link.read_head()
        if link.fields.get(field) != wanted:
            raise AssertionError(f"{field}: {link.fields.get(field)!r}")
        link.send(link.response())
        link.serve(echo=True)

    return script


LOUD = ["--trace", "--log-level", "debug"]


@scenario()
def token_sources(t):
    """--token-file, --token-env, --token-command give the bearer token; no output or ps shows it."""
    path = t.file("token", SECRET + "\n")
    sources = {
        "file": (["--token-file", path], {}),
        "environment": (["--token-env", "MY_TOKEN"], {"MY_TOKEN": SECRET}),
        "command": (["--token-command", f"cat {path}"], {}),
    }
    for name, (options, environment) in sources.items():
        server = t.serve(sees("authorization", f"Bearer {SECRET}"))
        bridge = t.run(*LOUD, *options, server.url, environment=environment)
        bridge.state("online")
        bridge.send_json({"n": 1})
        bridge.line()
        hunt(bridge)
        bridge.stop()
        server.check()
        hunt(bridge)


@scenario()
def token_is_read_again(t):
    """The token's file is read before each handshake."""
    path = t.file("token", "first\n")
    seen = []

    def script(link):
        link.read_head()
        seen.append(link.fields.get("authorization"))
        link.send(link.response())
        if link.number == 1:
            with open(path, "w") as f:
                f.write("second")
            link.close(1001)
        else:
            link.serve()

    bridge = t.run("--token-file", path, "--backoff", "20ms..40ms", t.serve(script).url)
    bridge.state("online", count=2)
    expect_equal(seen, ["Bearer first", "Bearer second"], "tokens")


@scenario()
def tokens_from_pipes(t):
    """--token-file and a header's @FILE may be pipes, as <(command) makes them, on every link."""
    seen = []

    def script(link):
        link.read_head()
        seen.append((link.fields.get("authorization"), link.fields.get("x-key")))
        link.send(link.response())
        if link.number == 1:
            link.close(1001)
        else:
            link.serve()

    command = 'exec "$@" --token-file <(echo secret) --header "X-Key: @/dev/fd/7" 7< <(echo other)'
    bridge = t.run("--backoff", "20ms..40ms", t.serve(script).url, wrapper=["bash", "-c", command, "bash"])
    bridge.state("online", count=2)
    expect_equal(seen, [("Bearer secret", "other")] * 2, "credentials")


@scenario()
def token_file_for_all(t):
    """A token's file that others can read is warned about, once a run; one of the owner's own isn't."""
    for mode, digits in ((0o600, None), (0o400, None), (0o644, "0644"), (0o640, "0640"), (0o604, "0604")):
        path = t.file("token", "secret", mode=mode)
        server = t.serve(lambda link: link.accept().close(1001) if link.number == 1 else link.accept().serve())
        bridge = t.run("--token-file", path, "--backoff", "20ms..40ms", server.url)
        bridge.state("online", count=2)
        bridge.stop()
        warning = f"token file {path} can be read by others (mode {digits}): chmod 600 {path}"
        expect_equal(bridge.errors.count("can be read by others"), 1 if digits else 0, f"warnings about {mode:o}")
        expect(not digits or f"wsii: {warning}" in bridge.errors, lambda: bridge.errors)


@scenario()
def token_faults(t):
    """A missing file, an empty token, an unset variable, a failing command, line ends inside: said, no connection."""
    server = t.serve()
    for options in (
        ["--token-file", t.path("missing")],
        ["--token-file", t.file("empty", "\n")],
        ["--token-file", t.file("split", "a\r\nX: y\n")],
        ["--token-env", "NOT_SET"],
        ["--token-command", "exit 3"],
    ):
        bridge = t.run(*options, "--retries", "0", server.url)
        status = bridge.exit(10)
        # A command may do better next time; what can't be read at the start is a mistake.
        expect_equal(status, 69 if options[0] == "--token-command" else 78, f"{options}: exit status")
        expect(bridge.errors, f"{options}: nothing said")
    expect_equal(len(server.times), 0, "connections")


@scenario()
def header_and_query(t):
    """--header and --query reach the server, from argument and @FILE; their values are masked."""
    path = t.file("value", SECRET + "\n")

    def script(link):
        link.read_head()
        query = urllib.parse.urlsplit(link.resource).query
        if link.fields.get("x-api-key") != SECRET or dict(urllib.parse.parse_qsl(query)) != {"a": "1", "access_token": SECRET}:
            raise AssertionError(f"{link.request_line} {link.fields}")
        link.send(link.response())
        link.serve(echo=True)

    server = t.serve(script)
    bridge = t.run(*LOUD, "--header", f"X-Api-Key: @{path}", "--query", f"access_token=@{path}", server.url + "?a=1")
    bridge.state("online")
    bridge.send_json({"n": 1})
    bridge.line()
    hunt(bridge)
    bridge.stop()
    hunt(bridge)


@scenario()
def secrets_in_failures(t):
    """Failures of many kinds don't quote the token, a header, a query value or a URL's token."""
    path = t.file("token", SECRET)
    quoted = urllib.parse.quote(SECRET, safe="")
    scripts = [
        lambda link: link.refuse("401 Unauthorized", body=SECRET.encode()),
        lambda link: link.refuse("500 Oops", [f"X-Echo: {SECRET}"], SECRET.encode()),
        lambda link: link.accept(accept="wrong"),
        lambda link: link.accept().close(4001, SECRET),
        lambda link: link.accept().close(1011, f"token {SECRET}"),
        lambda link: link.read_head().reset(),
        lambda link: link.read_head().send(SECRET.encode() * 10),
    ]

    urls = [t.serve(s).url for s in scripts] + [f"ws://127.0.0.1:{free_port()}/", "ws://nowhere.invalid/"]
    for url in urls:
        bridge = t.run(
            *LOUD, "--plaintext-token", "--token-file", path, "--header", f"X-Key: @{path}", "--retries", "0",
            url + f"?token={quoted}",
        )
        bridge.exit(15)
        hunt(bridge)


@scenario()
def tokens_stay_off_plain_networks(t):
    """A token over ws:// goes to loopback only, unless --plaintext-token."""
    path = t.file("token", SECRET)
    bridge = t.run("--token-file", path, "--retries", "0", "ws://192.0.2.1/")
    status = bridge.exit(5)
    expect(status in (64, 78), f"exit status {status}")
    expect("plaintext-token" in bridge.errors, f"no hint: {bridge.errors!r}")
