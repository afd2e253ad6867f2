"""Every script in examples/ and every example in README.md, run as it stands."""

import fnmatch
import json
import os
import re
import subprocess

from harness.clock import until
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


@scenario(seconds=60)
def readme(t):
    """Every console example in README.md prints what the README says; `…` stands for anything."""
    with open(os.path.join(t.checkout, "README.md")) as file:
        text = file.read()
    blocks = re.findall(r"^```console\n(.*?)^```", text, re.M | re.S)
    expect(len(blocks) >= 3, f"{len(blocks)} console examples")
    hub = t.hub()
    count = 0
    for block in blocks:
        for part in re.split(r"^\$ ", block, flags=re.M)[1:]:
            command, _, wanted = part.partition("\n")
            if command.startswith("wsii hub"):
                continue  # ours listens already, on a port of its own
            done = subprocess.run(
                ["bash", "-c", command.replace("127.0.0.1:7717", f"127.0.0.1:{hub.port}")],
                env={**t.environment, **path(t)}, cwd=t.directory, capture_output=True, text=True, timeout=20,
                stdin=subprocess.DEVNULL,
            )
            found, expected = done.stdout.splitlines(), wanted.splitlines()
            alike = len(found) == len(expected) and all(
                fnmatch.fnmatchcase(f, re.sub(r"([\[\]*?])", r"[\1]", e).replace("…", "*")) for f, e in zip(found, expected)
            )
            expect(alike, f"$ {command}\n{done.stdout}instead of\n{wanted}(stderr: {done.stderr[-200:]!r})")
            count += 1
    t.note(f"{count} commands")


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
