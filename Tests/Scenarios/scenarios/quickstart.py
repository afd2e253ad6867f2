"""contrib/quickstart: twice on this machine, on a terminal, and in a bare Debian."""

import os
import pty
import select
import shutil
import subprocess

from harness.clock import Deadline
from harness.registry import scenario
from harness.world import expect, expect_equal


def script(t):
    return os.path.join(t.checkout, "contrib/quickstart")


def call(t, input, command=None, seconds=280, environment=None):
    return subprocess.run(
        command or [script(t)], input=input, capture_output=True, timeout=seconds, cwd=t.directory,
        env=environment or t.environment,
    )


@scenario(seconds=600, alone=True)
def twice(t):
    """Piped lines come back and it ends with 0; the second time too; with no line it greets by itself."""
    for _ in range(2):
        done = call(t, b'hello there\n{"n":1}\nlast without a newline')
        expect_equal(done.returncode, 0, f"exit status ({done.stderr[-300:]!r})")
        expect_equal(done.stdout, b'hello there\n{"n":1}\nlast without a newline\n', "echo")
    for input in (b"", None):
        done = call(t, input) if input is not None else subprocess.run(
            [script(t)], stdin=subprocess.DEVNULL, capture_output=True, timeout=60, env=t.environment)
        expect_equal((done.returncode, done.stdout), (0, b"hello from quickstart\n"), "greeting")


@scenario(seconds=300, alone=True)
def terminal(t):
    """On a terminal: three lines that say what to do, then a line typed comes back; Ctrl-D ends it with 0."""
    ours, theirs = pty.openpty()
    errors = t.path("err")
    with open(errors, "wb") as err:
        program = t.start([script(t)], input=theirs, output=theirs, errors=err)
    os.close(theirs)
    shown = b""

    def wait(text, seconds):
        nonlocal shown
        deadline = Deadline(seconds)
        while text not in shown:
            expect(select.select([ours], [], [], deadline.left)[0], f"{text!r} isn't shown: {shown!r}")
            try:
                shown += os.read(ours, 4096)
            except OSError:
                break

    deadline = Deadline(280)
    while True:
        with open(errors) as f:
            said = f.read()
        if '"online"' in said:
            break
        expect(not deadline.passed and program.is_running, f"not online: {said!r}")
        select.select([], [], [], 0.05)
    words = [l for l in said.splitlines() if l.startswith("wsii: ") and "ephemeral" not in l]
    expect_equal(len(words), 3, f"lines that say what to do ({words})")
    os.write(ours, b"typed words\n")
    wait(b"typed words\r\ntyped words\r\n", 10)  # the terminal's own echo, then the hub's
    os.write(ours, b"\x04")
    program.expect_exit(0, 10)


@scenario(seconds=120, alone=True)
def ends_what_it_started(t):
    """TERM in the middle: the hub goes too, and its port is free again."""
    import signal

    program = t.start([script(t)])
    program.write("hello\n")
    program.line(seconds=100)
    with open(f"/proc/{program.pid}/task/{program.pid}/children") as f:
        children = [int(p) for p in f.read().split()]
    program.signal(signal.SIGTERM)
    program.end_input()
    program.exit(10)
    for child in children:
        expect(not os.path.exists(f"/proc/{child}") or open(f"/proc/{child}/stat").read().split()[2] == "Z",
               f"process {child} is left behind")


@scenario(alone=True)
def without_swift(t):
    """Without the toolchain: one clear line, not a cascade of errors."""
    bare = t.path("bin")
    os.mkdir(bare)
    for name in ("bash", "env", "dirname", "cat"):
        os.symlink(shutil.which(name), f"{bare}/{name}")
    done = call(t, b"", environment={**t.environment, "PATH": bare})
    expect(done.returncode != 0, "exit status 0")
    expect_equal(done.stderr.count(b"\n"), 1, "lines on stderr")
    expect(b"Swift toolchain" in done.stderr, f"{done.stderr!r}")


@scenario(seconds=900, alone=True)
def chroot(t):
    """A bare Debian with only the toolchain: twice in a row."""
    import time

    t.need_root()
    t.need("debootstrap", "unshare", "chroot")
    helper = os.path.join(t.checkout, "Tests/Stages/chroot")
    figures = []
    for _ in range(2):
        begin = time.monotonic()
        done = call(t, b"hello there\n", [helper, t.directory, "/wsii/contrib/quickstart"], 850, dict(os.environ))
        expect_equal(done.returncode, 0, f"exit status ({done.stderr[-600:]!r})")
        expect_equal(done.stdout, b"hello there\n", "echo")
        figures.append(f"{time.monotonic() - begin:.0f} s")
    expect(not os.path.exists(t.path("root/proc/1")), "a mount is left behind")
    t.note(f"bare Debian: {figures[0]} with debootstrap, then {figures[1]}")
