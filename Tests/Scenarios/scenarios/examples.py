"""Every script in examples/ and every example in README.md, run as it stands."""

import fnmatch
import json
import os
import pty
import re
import select
import subprocess
import termios

from harness.clock import Deadline, until
from harness.raw import Member
from harness.registry import scenario
from harness.world import expect, expect_equal


def path(t):
    """A PATH on which this build is `wsii`."""
    folder = t.path("bin")
    os.makedirs(folder, exist_ok=True)
    if not os.path.exists(f"{folder}/wsii"):
        os.symlink(t.binary, f"{folder}/wsii")
    return {"PATH": f"{folder}:{t.environment['PATH']}"}


def example(t, name, *arguments, **options):
    return t.start([os.path.join(t.checkout, "examples", name), *arguments], environment=path(t), **options)


def speak(texts, then):
    def script(link):
        link.accept()
        for text in texts:
            link.send_text(text)
        then(link)

    return script


@scenario()
def bot(t):
    """examples/bot answers others and not itself."""
    answers = []

    def listen(link):
        answers.append(json.loads(link.message().text))
        link.send_text(json.dumps(answers[0]))  # its own words come back, as in a room
        link.send_text('{"from":"ada","text":"and now?"}')
        answers.append(json.loads(link.message().text))
        link.close()

    server = t.serve(speak(['{"from":"ada","text":"hello"}', '{"other":1}'], listen))
    program = example(t, "bot", server.url)
    program.exit(10)
    expect_equal(answers, [{"from": "bot", "text": "HELLO"}, {"from": "bot", "text": "AND NOW?"}], "answers")


@scenario()
def log(t):
    """examples/log appends a time and a text for each message."""
    server = t.serve(speak(['{"text":"one"}', '{"n":2}'], lambda link: link.serve()))
    target = t.path("log.txt")
    program = example(t, "log", server.url, target)
    expect(until(lambda: os.path.exists(target) and open(target).read().count("\n") == 2, 10), "two lines in the log")
    lines = open(target).read().splitlines()
    expect(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ one", lines[0]), f"line 1: {lines[0]!r}")
    expect(lines[1].endswith('Z {"n":2}'), f"line 2: {lines[1]!r}")
    expect(program.is_running, "it ended")


@scenario()
def per_minute(t):
    """examples/per-minute counts."""
    server = t.serve(speak([f'{{"n":{i}}}' for i in range(5)], lambda link: link.close(4001)))
    program = example(t, "per-minute", server.url)
    program.exit(10)
    counts = [int(l.split()[1]) for l in program.out.lines]
    expect_equal(sum(counts), 5, "messages counted")  # five, unless a minute turned meanwhile


@scenario()
def announce(t):
    """examples/announce: 0 when the server has it, not 0 when there is none."""
    got = []

    def script(link):
        link.accept()
        got.append(link.message().text)
        link.serve()

    server = t.serve(script)
    example(t, "announce", server.url, "lunch", "at", "noon").expect_exit(0)
    expect_equal(got, ['{"text":"lunch at noon"}'], "message")
    refusing = t.serve(lambda link: link.refuse("403 Forbidden"))
    expect_equal(example(t, "announce", refusing.url, "x").exit(10), 77, "exit status when refused")


@scenario()
def all_are_tested(t):
    """Each file in examples/ has a scenario here."""
    names = sorted(n.replace("-", "_") for n in os.listdir(os.path.join(t.checkout, "examples")))
    missing = [n for n in names if n not in globals()]
    expect_equal(missing, [], "examples without a scenario")


class Terminal:
    """Somebody of README's transcripts, in a terminal of his own."""

    def __init__(self, t, command, environment):
        self.near, theirs = pty.openpty()
        settings = termios.tcgetattr(theirs)
        settings[3] &= ~termios.ECHO  # what is typed would stand among what is printed
        termios.tcsetattr(theirs, termios.TCSANOW, settings)
        self.program = t.start(
            ["bash", "-c", f"exec {command}"], input=theirs, output=theirs, errors=subprocess.PIPE, environment=environment)
        os.close(theirs)
        self.text, self.at = b"", 0

    def type(self, line):
        os.write(self.near, line.encode() + b"\n")

    def see(self, wanted):
        """Reads on until a line like this has come."""
        deadline = Deadline(20)
        while True:
            while b"\n" in self.text[self.at :]:
                line, _, _ = self.text[self.at :].partition(b"\n")
                self.at += len(line) + 1
                if alike(line.decode().rstrip("\r"), wanted):
                    return
            expect(not deadline.passed, f"no {wanted!r} in {self.text!r}; stderr: {self.program.errors[-300:]!r}")
            if select.select([self.near], [], [], deadline.left)[0]:
                self.text += os.read(self.near, 65_536)


def alike(found, wanted):
    """`…` stands for anything."""
    return fnmatch.fnmatchcase(found, re.sub(r"([\[\]*?])", r"[\1]", wanted).replace("…", "*"))


class Transcript:
    """Runs README's console blocks from top to bottom, against a hub and an echo server of the test's own."""

    def __init__(self, t):
        self.t = t
        self.ports = {"7717": t.rooms().port, "7718": t.hub().port}
        self.people = {}
        self.count = 0
        # README's readers have no dialect set.
        self.environment = {**path(t), "WSII_DIALECT": "auto"}
        self.shell = t.start(["bash", "--norc", "-m"], environment=self.environment)

    def here(self, command):
        for theirs, ours in self.ports.items():
            command = command.replace(f"127.0.0.1:{theirs}", f"127.0.0.1:{ours}")
        return command

    def block(self, text):
        for step in re.split(r"^(?=\w*[$<>] )", text, flags=re.M)[1:]:
            head, _, rest = step.partition("\n")
            who, kind, line = re.fullmatch(r"(\w*)([$<>]) (.*)", head).groups()
            self.count += 1
            if who and kind == "$":
                self.people[who] = Terminal(self.t, self.here(line), self.environment)
                self.wait_for(line)
            elif kind == "<":
                self.people[who].type(line)
            elif kind == ">":
                self.people[who].see(line)
            elif not line.startswith("wsii hub"):  # ours listen already
                self.run(self.here(line), rest)

    def wait_for(self, command):
        """A reader takes longer to read on than wsii to join its room."""
        found = re.search(r"--user-id (\w+) --room (\w+) ", command)
        if found:
            expect(until(lambda: self.has_joined(*found.groups()), 20), f"{found[1]} isn't in {found[2]}")

    def has_joined(self, who, room):
        member = Member(type("Hub", (), {"port": self.ports["7717"]}), "watch")
        member.say("join", room=room)
        users = member.hear("joined", room=room)["users"]
        member.socket.close()
        return any(u["userId"] == who for u in users)

    def run(self, command, wanted):
        """In one shell for all, as a reader would."""
        mark = f"end of {self.count}"
        before = self.shell.out.count
        self.shell.write(f"{command}\necho '{mark}'\n")
        self.shell.out.wait(lambda s: any(mark.encode() == l for l in s.lines[before:]), 20, f"$ {command}")
        found = [l.decode() for l in self.shell.out.lines[before:]]
        found = found[: found.index(mark)]
        expected = wanted.splitlines()
        if command.endswith("&"):
            self.wait_for(command)
        same = len(found) == len(expected) and all(alike(f, e) for f, e in zip(found, expected))
        expect(same, f"$ {command}: {found} instead of {expected} (stderr: {self.shell.errors[-300:]!r})")


@scenario(seconds=120)
def readme(t):
    """Every console example in README.md, in its order, does what the README shows."""
    with open(os.path.join(t.checkout, "README.md")) as file:
        blocks = re.findall(r"^```console\n(.*?)^```", file.read(), re.M | re.S)
    expect(len(blocks) >= 6, f"{len(blocks)} console examples")
    transcript = Transcript(t)
    for block in blocks:
        transcript.block(block)
    expect(len(transcript.people) >= 3, f"people: {list(transcript.people)}")
    t.note(f"{transcript.count} steps, {len(transcript.people)} terminals")


@scenario()
def set_up(t):
    """README's set-up: two commands, each tested by itself, then an install that puts wsii on PATH."""
    with open(os.path.join(t.checkout, "README.md")) as file:
        text = file.read()
    block = re.search(r"^```sh\n(.*?)^```", text, re.M | re.S)[1]
    commands = [l.split("#")[0].strip() for l in block.splitlines()]
    expect_equal(commands, ["contrib/quickstart", "contrib/test"], "the two commands")
    install = re.search(r"`(install -D [^`]*)`", text)[1]
    home = t.path("home")
    os.makedirs(home)
    done = subprocess.run(["bash", "-c", install], cwd=t.checkout, env={**t.environment, "HOME": home}, capture_output=True)
    expect_equal(done.returncode, 0, f"{install} ({done.stderr!r})")
    version = subprocess.run([f"{home}/.local/bin/wsii", "--version"], capture_output=True, text=True)
    expect(version.returncode == 0 and version.stdout.startswith("wsii "), f"{version}")
