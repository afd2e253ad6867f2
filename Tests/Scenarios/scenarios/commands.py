"""The command line: help, version, wrong use, configuration, environment."""

import os
import subprocess

from harness.registry import scenario
from harness.world import expect, expect_equal


def call(t, *arguments, **options):
    return subprocess.run(
        [t.binary, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=10,
        env={**t.environment, **options.pop("environment", {})}, cwd=t.directory,
    )


@scenario()
def help_and_version(t):
    """Help on stdout with 0, also for each command; --version is one line."""
    for arguments in (["help"], ["--help"], ["help", "run"], ["run", "--help"], ["help", "hub"], ["hub", "--help"]):
        done = call(t, *arguments)
        expect_equal((done.returncode, done.stderr), (0, ""), f"{arguments}")
        expect("wsii" in done.stdout and len(done.stdout) > 100, f"{arguments}: {done.stdout!r}")
        widest = max(map(len, done.stdout.splitlines()))
        expect(widest <= 100, f"{arguments}: a line of {widest} columns")
    done = call(t, "--version")
    expect(done.returncode == 0 and done.stdout.startswith("wsii ") and done.stdout.count("\n") == 1, f"{done}")
    with open("/dev/full", "w") as full:
        done = subprocess.run([t.binary, "help"], stdout=full, stderr=subprocess.PIPE, text=True)
        expect_equal(done.returncode, 74, "help into a full device")


@scenario()
def wrong_use(t):
    """Wrong use is 64 with one line that says what; nothing on stdout."""
    for arguments in (
        ["nonsense"],
        ["run", "--nonsense", "ws://127.0.0.1:1/"],
        ["run", "ws://127.0.0.1:1/", "ws://127.0.0.1:2/"],
        ["run", "--count", "x", "ws://127.0.0.1:1/"],
        ["run", "--count", "-1", "ws://127.0.0.1:1/"],
        ["run", "--backoff", "5s..1s", "ws://127.0.0.1:1/"],
        ["run", "--ping-interval", "fast", "ws://127.0.0.1:1/"],
        ["run", "http://127.0.0.1:1/"],
        ["run", "ws://"],
        ["run", "ws://127.0.0.1:99999/"],
        ["run"],
        ["hub", "--listen", "nowhere"],
    ):
        done = call(t, *arguments)
        expect(done.returncode in (64, 78), f"{arguments}: {done}")
        expect_equal(done.stdout, "", f"{arguments}: stdout")
        expect(done.stderr.startswith("wsii: "), f"{arguments}: {done.stderr!r}")


@scenario()
def order_of_sources(t):
    """Command line before environment before file; a connection's file by its name."""
    server = t.echo()
    folder = os.path.join(t.environment["XDG_CONFIG_HOME"], "wsii")
    os.makedirs(folder)
    with open(os.path.join(folder, "here.conf"), "w") as f:
        f.write(f"# a comment\nurl = {server.url}from-file\n\norigin = http://file\n")
    for environment, arguments, wanted in (
        ({}, [], "http://file"),
        ({"WSII_ORIGIN": "http://environment"}, [], "http://environment"),
        ({"WSII_ORIGIN": "http://environment"}, ["--origin", "http://line"], "http://line"),
    ):
        bridge = t.run(*arguments, "here", environment=environment)
        bridge.state("online")
        link = server.links[-1]
        expect_equal(link.resource, "/from-file", "resource")
        expect_equal(link.fields["origin"], wanted, "origin")
        bridge.stop()
    with open(os.path.join(folder, "bad.conf"), "w") as f:
        f.write(f"url = {server.url}\nnonsense = 1\n")
    done = call(t, "run", "bad")
    expect_equal(done.returncode, 78, "status for a bad file")
    expect("bad.conf:2" in done.stderr or "bad.conf" in done.stderr and "2" in done.stderr, f"{done.stderr!r}")
