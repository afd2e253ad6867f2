"""The built program under test: started, fed, read and ended by its process id."""

import json
import os
import signal
import subprocess
import threading
import time

from . import procfs
from .clock import Deadline


class Lines:
    """One output stream, collected as whole lines; waiting is for a line, never for a time."""

    def __init__(self, stream, keep=True):
        self.stream = stream
        self.keep = keep
        self.lines = []
        self.times = []
        self.count = 0
        self.rest = b""
        self.ended = False
        self.changed = threading.Condition()
        self.hold = threading.Event()
        self.hold.set()
        self.check = None  # called with each line when the lines aren't kept
        threading.Thread(target=self._collect, daemon=True).start()

    def _collect(self):
        while True:
            self.hold.wait()
            try:
                data = os.read(self.stream.fileno(), 1 << 18)
            except (OSError, ValueError):
                data = b""
            with self.changed:
                if not data:
                    self.ended = True
                    self.changed.notify_all()
                    return
                parts = (self.rest + data).split(b"\n")
                self.rest = parts.pop()
                now = time.monotonic()
                self.count += len(parts)
                if self.keep:
                    self.lines += parts
                    self.times += [now] * len(parts)
                elif self.check:
                    for part in parts:
                        self.check(part)
                self.changed.notify_all()

    def stop_reading(self):
        self.hold.clear()

    def go_on_reading(self):
        self.hold.set()

    def wait(self, found, seconds, what):
        """Waits until `found(self)` is true; `what` says in words what was missing."""
        deadline = Deadline(seconds)
        with self.changed:
            while True:
                value = found(self)
                if value or value == 0 and value is not False:
                    return value
                if self.ended:
                    raise AssertionError(f"{what}: the stream ended after {self.count} lines")
                if deadline.passed:
                    raise AssertionError(f"{what}: not within {seconds} s ({self.count} lines so far)")
                self.changed.wait(min(deadline.left, 1) or 0.001)

    def wait_count(self, count, seconds=10):
        self.wait(lambda s: s.count >= count, seconds, f"{count} lines")
        return self.lines[:count]


class Program:
    """A child in our process group. `output` and `errors` may be given as files or descriptors instead of pipes."""

    def __init__(
        self, arguments, input=subprocess.PIPE, output=subprocess.PIPE, errors=subprocess.PIPE, keep=True, **options
    ):
        self.arguments = arguments
        self.started = time.monotonic()
        self.process = subprocess.Popen(arguments, stdin=input, stdout=output, stderr=errors, bufsize=0, **options)
        self.pid = self.process.pid
        self.out = Lines(self.process.stdout, keep) if self.process.stdout else None
        self.err = Lines(self.process.stderr) if self.process.stderr else None

    # Standard input.

    def write(self, data):
        if isinstance(data, str):
            data = data.encode()
        view = memoryview(data)
        while view:
            view = view[os.write(self.process.stdin.fileno(), view) :]

    def send(self, *lines):
        self.write("".join(line + "\n" for line in lines))

    def send_json(self, *values):
        self.send(*(json.dumps(v) for v in values))

    def end_input(self):
        self.process.stdin.close()

    # Output.

    def line(self, index=0, seconds=10):
        self.out.wait_count(index + 1, seconds)
        return self.out.lines[index].decode()

    def wait_out(self, text, seconds=10):
        text = text.encode() if isinstance(text, str) else text
        return self.out.wait(
            lambda s: next((l for l in s.lines if text in l), None), seconds, f"{text!r} on stdout"
        ).decode()

    def wait_err(self, text, seconds=10):
        text = text.encode() if isinstance(text, str) else text
        try:
            return self.err.wait(
                lambda s: next((l for l in s.lines if text in l), None), seconds, f"{text!r} on stderr"
            ).decode()
        except AssertionError as error:
            raise AssertionError(f"{error}; stderr: {self.errors[-600:]!r}") from None

    @property
    def errors(self):
        return b"\n".join(self.err.lines + [self.err.rest]).decode(errors="replace")

    @property
    def records(self):
        """The `wsii.*` records on stderr so far."""
        found = []
        for line in list(self.err.lines):
            if line.startswith(b'{"type":"wsii.') or line.startswith(b"{"):
                try:
                    value = json.loads(line)
                except ValueError:
                    raise AssertionError(f"a record on stderr is no JSON: {line[:200]!r}") from None
                if isinstance(value, dict) and str(value.get("type", "")).startswith("wsii."):
                    found.append(value)
        return found

    def matching(self, type, **fields):
        return [r for r in self.records if r["type"] == type and all(r.get(k) == v for k, v in fields.items())]

    def record(self, type, seconds=10, count=1, **fields):
        """Waits for the count-th record of this type with these fields and gives it."""

        def found(_):
            all = self.matching(type, **fields)
            return all[count - 1] if len(all) >= count else None

        wanted = type + "".join(f" {k}={v!r}" for k, v in fields.items())
        try:
            return self.err.wait(found, seconds, f"record {count} of {wanted}")
        except AssertionError as error:
            raise AssertionError(f"{error}; stderr: {self.errors[-600:]!r}") from None

    def state(self, state, seconds=10, count=1, **fields):
        return self.record("wsii.state", seconds, count, state=state, **fields)

    # The end.

    def signal(self, number):
        os.kill(self.pid, number)

    def stop(self, seconds=5):
        """TERM, and the time in seconds that it took to end."""
        begin = time.monotonic()
        self.signal(signal.SIGTERM)
        self.exit(seconds)
        return time.monotonic() - begin

    @property
    def is_running(self):
        return self.process.poll() is None

    def exit(self, seconds=10):
        """The exit status (negative: the signal), once all output has been read too."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            tail = self.errors[-400:] if self.err else ""
            raise AssertionError(f"still running after {seconds} s; stderr: {tail!r}") from None
        for lines in (self.out, self.err):
            if lines:
                with lines.changed:
                    lines.changed.wait_for(lambda: lines.ended, 5)
        return status

    def expect_exit(self, wanted, seconds=10):
        status = self.exit(seconds)
        if status != wanted:
            tail = self.errors[-600:] if self.err else ""
            raise AssertionError(f"exit status {status} instead of {wanted}; stderr: {tail!r}")
        return self

    def kill(self):
        if self.is_running:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                if stream:
                    stream.close()
            except OSError:
                pass

    # The kernel's view.

    def cpu(self):
        return procfs.cpu_seconds(self.pid)

    def resident_mib(self):
        return procfs.resident_kib(self.pid) / 1024

    def peak_mib(self):
        return procfs.peak_kib(self.pid) / 1024
