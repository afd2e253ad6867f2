"""`wsii run` with nothing to connect to: a hub in the same process, or one that listens already."""

import json
import os
import pty
import select
import signal
import socket

from harness.clock import Deadline
from harness.raw import Member
from harness.registry import scenario
from harness.server import connectable, free_port
from harness.world import expect, expect_equal


class Terminal:
    """`wsii run` on a pseudo terminal of its own."""

    def __init__(self, t, port, *arguments):
        self.end, theirs = pty.openpty()
        self.program = t.start([t.binary, "run", *arguments], input=theirs, output=theirs, errors=theirs,
                               environment={"WSII_LISTEN": f"127.0.0.1:{port}"})
        os.close(theirs)
        self.shown = ""

    def wait(self, text, seconds=10):
        deadline = Deadline(seconds)
        while text not in self.shown:
            expect(select.select([self.end], [], [], deadline.left)[0], f"{text!r} isn't shown: {self.shown!r}")
            try:
                self.shown += os.read(self.end, 4096).decode()
            except OSError:  # nobody has the other end any more
                raise AssertionError(f"ended without {text!r}: {self.shown!r}") from None
        return self

    def type(self, text):
        os.write(self.end, text.encode())

    @property
    def guide(self):
        """What was said before it was online."""
        return self.wait("wsii: online").shown.split("wsii: online")[0].splitlines()


@scenario()
def two_terminals(t):
    """The first `wsii run` starts a hub and says in three lines what to do, the second joins it; both talk; Ctrl-D ends."""
    port = free_port()
    first = Terminal(t, port)
    guide = first.guide
    expect_equal(len(guide), 3, f"lines ({guide})")
    expect("a hub runs here" in guide[0] and f"ws://127.0.0.1:{port}" in guide[0] and "Ctrl-D" in guide[0], guide[0])
    expect(guide[1].endswith(f"in a second terminal: {t.binary} run"), guide[1])
    second = Terminal(t, port)
    expect("joined the hub" in second.guide[0] and len(second.guide) == 3, second.guide)
    second.type("hello there\n")
    first.wait("> hello there")
    first.type("hi yourself\n")
    second.wait("> hi yourself")
    script = guide[2].split("in a script: ")[1]
    done = t.shell(f"{script} --quiet", environment={"WSII_DIALECT": "auto"})
    expect_equal(done.returncode, 0, f"the script's status ({done.stderr})")
    first.wait("> hi\r\n")
    second.wait("> hi\r\n")
    second.type("\x04")
    second.program.expect_exit(0)
    first.type("\x04")
    first.program.expect_exit(0)
    expect(not connectable(port), "the hub goes on")


@scenario()
def port_taken(t):
    """Another server, or a hub that one can't just join, has the port: a free one is taken, and the commands have it."""
    taken = socket.create_server(("127.0.0.1", 0))
    echo = t.hub()
    closed = t.rooms("--tokens", t.file("tokens", "secret ada\n"))
    for port in (taken.getsockname()[1], echo.port, closed.port):
        terminal = Terminal(t, port, "--room", "our room")
        guide = terminal.guide
        expect(f"127.0.0.1:{port} is taken by another program" in guide[0] and len(guide) == 3, guide)
        url = guide[0].split("runs here, at ")[1].split(";")[0]
        for line in guide[1:]:
            expect(url in line and "--room 'our room'" in line, line)
        done = t.shell(guide[2].split("in a script: ")[1], environment={"WSII_DIALECT": "auto"})
        expect_equal(done.returncode, 0, f"the script's status ({done.stderr})")
        terminal.wait("> hi\r\n")
        terminal.program.signal(signal.SIGTERM)
        terminal.program.expect_exit(0)


@scenario()
def from_a_pipe(t):
    """--demo without a terminal: JSON in and out; others get 1001 when it ends; without --demo it is 64 with a hint."""
    port = free_port()
    place = {"WSII_LISTEN": f"127.0.0.1:{port}"}
    program = t.run("--demo", environment=place)
    program.out.wait(lambda s: any(b'"online"' in line for line in s.lines), 10, "online")
    program.port = port
    ada = Member(program, "ada")
    ada.say("join", room="lobby")
    ada.hear("joined", room="lobby")
    program.send('{"text":"from a pipe"}')
    ada.hear("text", room="lobby", text="from a pipe")
    ada.say("text", id="1", room="lobby", text="back")
    while json.loads(program.out.wait(lambda s: s.lines and s.lines[-1], 10, "a record")).get("text") != "back":
        program.out.wait_count(program.out.count + 1)
    expect_equal(len([l for l in program.err.lines if l.startswith(b"wsii: ")]), 3, f"lines that say what to do ({program.errors})")
    program.end_input()
    texts = ada.closed(1001)
    expect(texts[-1]["type"] in ("leave", "presence", "ack", "text"), texts)
    program.expect_exit(0)
    program = t.run(environment=place)
    program.expect_exit(64)
    expect("--demo" in program.errors, program.errors)
    program = t.run("--demo", "ws://127.0.0.1:1")
    program.expect_exit(64)


@scenario()
def interrupted(t):
    """INT ends the hub with the run: others get 1001, and the run dies by the signal."""
    port = free_port()
    program = t.run("--demo", environment={"WSII_LISTEN": f"127.0.0.1:{port}"})
    program.out.wait(lambda s: any(b'"online"' in line for line in s.lines), 10, "online")
    program.port = port
    ada = Member(program, "ada", ["lobby"])
    program.signal(signal.SIGINT)
    ada.closed(1001)
    expect_equal(program.exit(), -signal.SIGINT, "exit status")
