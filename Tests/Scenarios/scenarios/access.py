"""Who may connect to a hub: pages, names and tokens (DESIGN, section 6)."""

from harness.raw import Client, Member
from harness.registry import scenario
from harness.server import free_port
from harness.world import expect, expect_equal

TOKENS = """# who may connect
secret-of-ada  ada  Ada Lovelace
secret-of-bob\tbob
another-of-ada ada Ada
"""


@scenario()
def pages(t):
    """A page of another origin gets 403, and so does a name that was pointed here; `--origin` lets one in."""
    hub = t.rooms("--origin", "https://chat.example")
    own = f"http://127.0.0.1:{hub.port}"
    for name, wanted, options in (
        ("another page", 403, {"fields": ["Origin: https://evil.example"]}),
        ("a local file", 403, {"fields": ["Origin: null"]}),
        ("two origins", 403, {"fields": [f"Origin: {own}", "Origin: https://evil.example"]}),
        ("a rebound name", 403, {"host": "evil.example"}),
        ("a rebound name with the port", 403, {"host": f"evil.example:{hub.port}"}),
        ("its own page", 101, {"fields": [f"Origin: {own}"]}),
        ("localhost", 101, {"host": f"localhost:{hub.port}", "fields": ["Origin: http://localhost:3000"]}),
        ("the page of --origin", 101, {"host": "chat.example", "fields": ["Origin: https://chat.example"]}),
        ("that page without TLS", 403, {"host": "chat.example", "fields": ["Origin: http://chat.example"]}),
    ):
        expect_equal(Client(hub, **options).status, wanted, name)


@scenario()
def tokens(t):
    """A token says who somebody is, by header, subprotocol or query; a wrong one is 401; the token itself is shown nowhere."""
    hub = t.rooms("--tokens", t.file("tokens", TOKENS), "--log-level", "debug")
    ada = Member(hub, token="secret-of-ada", rooms=["ops"])
    expect_equal((ada.user, ada.welcome["userName"]), ("ada", "Ada Lovelace"), "ada's identity")
    bob = Client(hub, fields=["Sec-WebSocket-Protocol: wsii, secret-of-bob"])
    expect_equal(bob.status, 101, "a token as subprotocol")
    expect("sec-websocket-protocol: wsii\r" in bob.head.lower() + "\r", f"the subprotocol: {bob.head!r}")
    query = Client(hub, resource="/?access_token=another-of-ada&userId=eve")
    expect_equal(query.status, 101, "a token in the query")
    expect(b'"userId":"ada"' in query.frame().payload, "the query's userId counts")
    wrong = {
        "none": {}, "a wrong one": {"fields": ["Authorization: Bearer nope"]},
        "another scheme": {"fields": ["Authorization: Basic c2VjcmV0LW9mLWFkYTo="]},
        "half of one": {"fields": ["Authorization: Bearer secret-of-ad"]},
        "a wrong one beside a right one": {"fields": ["Authorization: Bearer nope"], "resource": "/?access_token=secret-of-bob"},
        "two": {"fields": ["Authorization: Bearer secret-of-ada", "Authorization: Bearer secret-of-bob"]},
        "only a name": {"resource": "/?userId=ada"},
    }
    for name, options in wrong.items():
        client = Client(hub, **options)
        expect_equal(client.status, 401, name)
        expect("www-authenticate: bearer" in client.head.lower(), f"{name}: {client.head!r}")
    expect_equal(Client(hub, fields=["Authorization: Bearer secret-of-ada"], host="evil.example").status, 403, "a token at another Host")
    expect("secret-of" not in hub.errors and "another-of" not in hub.errors, f"stderr: {hub.errors!r}")
    echo = t.hub("--tokens", t.path("tokens"))
    expect_equal(Client(echo).status, 401, "the echo server without a token")
    expect_equal(Client(echo, fields=["Authorization: Bearer secret-of-bob"]).status, 101, "the echo server with one")


@scenario()
def token_files(t):
    """A tokens file that can't be used ends the hub with 78 and the line's number, never the token; a readable one is warned of."""
    for name, content, wanted in (
        ("missing", None, "No such file"), ("empty", "# nobody\n", "no token"), ("nameless", "\nlonely\n", "line 2"),
        ("twice", "same a\nsame b\n", "line 2"),
    ):
        path = t.path(name) if content is None else t.file(name, content)
        hub = t.start([t.binary, "hub", "--tokens", path])
        hub.expect_exit(78)
        expect(path in hub.errors and wanted in hub.errors, f"{name}: {hub.errors!r}")
        expect("lonely" not in hub.errors and "same" not in hub.errors, f"{name}: {hub.errors!r}")
    hub = t.rooms("--tokens", t.file("open", TOKENS, mode=0o644))
    hub.wait_err("other users can read")


@scenario()
def beyond_this_machine(t):
    """All addresses: only with tokens; then any number is a good Host, and no name."""
    port = free_port()
    hub = t.start([t.binary, "hub", "--listen", f"0.0.0.0:{port}"])
    hub.expect_exit(64)
    expect("--tokens FILE" in hub.errors, f"what to do: {hub.errors!r}")
    hub = t.start([t.binary, "hub"], environment={"WSII_LISTEN": f"0.0.0.0:{port}"})
    hub.expect_exit(78)
    hub = t.start([t.binary, "hub", "--listen", f"0.0.0.0:{port}", "--tokens", t.file("tokens", TOKENS)])
    hub.wait_err("hub listens")
    hub.port = port
    bearer = ["Authorization: Bearer secret-of-bob"]
    expect_equal(Client(hub, fields=bearer, host=f"192.168.7.7:{port}").status, 101, "a number")
    expect_equal(Client(hub, fields=bearer, host="evil.example").status, 403, "a name")
