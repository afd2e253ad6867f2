"""What one scenario gets: its own folder, its servers and programs, and words for what it expects."""

import os
import shutil
import subprocess
import tempfile

from .clock import until
from .process import Program
from .server import Server, connectable, free_port


class Skip(Exception):
    pass


class World:
    def __init__(self, binary, checkout, python):
        self.binary = binary
        self.checkout = checkout
        self.python = python  # of the venv with the packages that some scenarios need, or None
        self.directory = tempfile.mkdtemp(prefix="wsii-")
        self.programs = []
        self.servers = []
        self.figures = []
        self.environment = {
            k: v for k, v in os.environ.items() if not k.startswith("WSII_") and not k.lower().endswith("_proxy")
        }
        # Most servers here never greet, and the 2 s that finding out takes are a scenario of their own.
        self.environment["WSII_DIALECT"] = "plain"
        self.environment["XDG_CONFIG_HOME"] = self.path("config")
        self.environment["XDG_STATE_HOME"] = self.path("state")
        self.environment["TMPDIR"] = self.directory

    def path(self, name):
        return os.path.join(self.directory, name)

    def file(self, name, content=b"", mode=0o600):
        path = self.path(name)
        with open(path, "wb") as f:
            f.write(content.encode() if isinstance(content, str) else content)
        os.chmod(path, mode)
        return path

    # Programs.

    def start(self, arguments, environment=None, **options):
        """Any program; `environment` is added to the clean one."""
        program = Program(
            [str(a) for a in arguments], env={**self.environment, **(environment or {})}, cwd=self.directory, **options
        )
        self.programs.append(program)
        return program

    def run(self, *arguments, wrapper=(), **options):
        """`wsii run` with these arguments; `wrapper` is a command that executes it (unshare, setpriv)."""
        return self.start([*wrapper, self.binary, "run", *arguments], **options)

    def online(self, *arguments, **options):
        program = self.run(*arguments, **options)
        program.state("online")
        return program

    def hub(self, *arguments, port=None):
        """`wsii hub --echo` on a port of its own; `.url` says where."""
        return self.rooms("--echo", *arguments, port=port)

    def rooms(self, *arguments, port=None, **options):
        """`wsii hub` on a port of its own."""
        port = port or free_port()
        program = self.start([self.binary, "hub", "--listen", f"127.0.0.1:{port}", *arguments], **options)
        program.port, program.url = port, f"ws://127.0.0.1:{port}/"
        if not until(lambda: connectable(port) or not program.is_running, 10) or not program.is_running:
            raise AssertionError(f"the hub doesn't listen on {port}: {program.errors[-300:]!r}")
        return program

    # Servers.

    def serve(self, script=None, **options):
        server = Server(script or (lambda link: link.accept().serve()), **options)
        self.servers.append(server)
        return server

    def echo(self, **options):
        return self.serve(lambda link: link.accept().serve(echo=True), **options)

    # Words.

    def note(self, figure):
        """A figure to print beside the scenario's name."""
        self.figures.append(figure)

    def skip(self, reason):
        raise Skip(reason)

    def need(self, *commands):
        for command in commands:
            if not shutil.which(command):
                self.skip(f"needs {command}")

    def need_python(self, module):
        if not self.python:
            self.skip(f"needs the Python package {module} (contrib/test installs it)")
        return self.python

    def need_root(self):
        if os.geteuid() != 0:
            self.skip("needs root (own namespaces)")

    def shell(self, script, seconds=30, environment=None):
        return subprocess.run(
            ["bash", "-c", script],
            env={**self.environment, "WSII": self.binary, **(environment or {})},
            cwd=self.directory,
            capture_output=True,
            text=True,
            timeout=seconds,
            stdin=subprocess.DEVNULL,
        )

    # The end.

    def clean(self):
        for program in self.programs:
            program.kill()
        for server in self.servers:
            server.stop()
        shutil.rmtree(self.directory, ignore_errors=True)

    def check_servers(self):
        for server in self.servers:
            server.check()


def expect(condition, otherwise):
    if not condition:
        raise AssertionError(otherwise() if callable(otherwise) else otherwise)


def expect_equal(found, wanted, what="value"):
    if found != wanted:
        raise AssertionError(f"{what}: {str(found)[:300]!r} instead of {str(wanted)[:300]!r}")
