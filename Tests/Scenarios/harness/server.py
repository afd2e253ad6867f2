"""A WebSocket server that does, byte for byte, what a script tells it."""

import select
import socket
import ssl
import struct
import threading
import time

from . import wire
from .clock import Deadline


class Ended(Exception):
    """The client ended the connection (or reset it)."""


class Link:
    """One accepted connection, as the script sees it."""

    def __init__(self, connection, number):
        self.socket = connection
        self.number = number
        self.reader = wire.FrameReader()
        self.request_line = None
        self.fields = {}
        self.raw_head = b""
        self.log = []  # every frame the client sent
        self.ended = False

    # Handshake.

    def read_head(self, seconds=10):
        deadline = Deadline(seconds)
        data = b""
        while b"\r\n\r\n" not in data:
            data += self._receive(deadline)
        head, rest = data.split(b"\r\n\r\n", 1)
        self.raw_head = head + b"\r\n\r\n"
        lines = head.decode("latin-1").split("\r\n")
        self.request_line = lines[0]
        self.fields = {}
        for line in lines[1:]:
            name, value = line.split(":", 1)
            self.fields.setdefault(name.strip().lower(), value.strip())
        self.reader.feed(rest)
        return self

    @property
    def resource(self):
        return self.request_line.split(" ")[1]

    def response(self, extra=(), accept=None, status="101 Switching Protocols", upgrade="websocket"):
        lines = [f"HTTP/1.1 {status}"]
        if upgrade:
            lines.append(f"Upgrade: {upgrade}")
        key = self.fields.get("sec-websocket-key", "")
        lines += ["Connection: Upgrade", f"Sec-WebSocket-Accept: {accept or wire.accept_key(key)}"]
        return ("\r\n".join(lines + list(extra)) + "\r\n\r\n").encode("latin-1")

    def accept(self, **changes):
        self.read_head()
        self.send(self.response(**changes))
        return self

    def refuse(self, status, extra=(), body=b""):
        self.read_head()
        fields = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", "Connection: close", *extra]
        self.send(("\r\n".join(fields) + "\r\n\r\n").encode() + body)
        self.finish()

    # Out.

    def send(self, data):
        try:
            self.socket.sendall(data)
        except (BrokenPipeError, ConnectionResetError, ssl.SSLError) as error:
            raise Ended(str(error)) from None

    def send_text(self, text):
        self.send(wire.frame(wire.TEXT, text))

    def send_slowly(self, data):
        """One byte a segment."""
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for i in range(len(data)):
            self.send(data[i : i + 1])

    # In.

    def _receive(self, deadline):
        if not (hasattr(self.socket, "pending") and self.socket.pending()):
            if not select.select([self.socket], [], [], deadline.left)[0]:
                raise TimeoutError(f"link {self.number}: nothing came from the client")
        try:
            data = self.socket.recv(1 << 18)
        except ssl.SSLWantReadError:
            return b""
        except (ConnectionResetError, ssl.SSLError, OSError) as error:
            self.ended = True
            raise Ended(str(error)) from None
        if not data:
            self.ended = True
            raise Ended("end of stream")
        return data

    def frame(self, seconds=10):
        """The client's next frame."""
        deadline = Deadline(seconds)
        while True:
            found = self.reader.next()
            if found:
                self.log.append(found)
                return found
            self.reader.feed(self._receive(deadline))

    def message(self, seconds=10):
        """The client's next text or binary frame; its pings are answered, its close ends the link."""
        deadline = Deadline(seconds)
        while True:
            f = self.frame(deadline.left)
            if f.opcode == wire.PING:
                self.send(wire.frame(wire.PONG, f.payload))
            elif f.opcode == wire.CLOSE:
                self.answer_close(f)
                raise Ended("closed")
            elif f.opcode != wire.PONG:
                return f

    def messages(self, count, seconds=10):
        deadline = Deadline(seconds)
        return [self.message(deadline.left) for _ in range(count)]

    def wait_for(self, opcode, seconds=10):
        """Reads until a frame of this kind comes; what came before it is in `log`."""
        deadline = Deadline(seconds)
        while True:
            f = self.frame(deadline.left)
            if f.opcode == opcode:
                return f

    def serve(self, echo=False, seconds=600):
        """A good server: answers pings, closes when asked to, and gives messages back if wanted."""
        deadline = Deadline(seconds)
        while True:
            f = self.message(deadline.left)
            if echo:
                self.send(wire.frame(f.opcode, f.payload, final=f.final))

    def answer_close(self, f):
        self.log_close = f
        try:
            self.send(wire.frame(wire.CLOSE, f.payload))
        except Ended:
            pass
        self.finish()

    def wait_end(self, seconds=10):
        """Reads until the client ends TCP."""
        deadline = Deadline(seconds)
        try:
            while True:
                self.frame(deadline.left)
        except Ended:
            return True

    # Ends.

    def close(self, code=1000, reason="", wait=True):
        self.send(wire.close(code, reason))
        if wait:
            self.wait_for(wire.CLOSE)
        self.finish()

    def finish(self):
        """An orderly end of TCP."""
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()

    def reset(self):
        """What a crashed peer's kernel sends."""
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.socket.close()


class Server:
    """Listens and runs `script(link)` in a thread for each connection.

    A script that takes no further notice may just return: its link is then ended. What a script raises, apart from
    the client's own leaving, fails the test."""

    def __init__(self, script, port=0, family=socket.AF_INET, path=None, tls=None, backlog=64):
        if path:
            self.listener = socket.socket(socket.AF_UNIX)
            self.listener.bind(path)
        else:
            self.listener = socket.socket(family)
            self.listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.listener.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1", port))
            self.port = self.listener.getsockname()[1]
        self.listener.listen(backlog)
        self.script = script
        self.tls = tls
        self.family = family
        self.links = []
        self.times = []  # when each connection came
        self.faults = []
        self.changed = threading.Condition()
        self.closed = False
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()

    @property
    def url(self):
        host = "[::1]" if self.family == socket.AF_INET6 else "127.0.0.1"
        return f"{'wss' if self.tls else 'ws'}://{host}:{self.port}/"

    def _accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with self.changed:
                if self.closed:
                    connection.close()
                    return
                link = Link(connection, len(self.times) + 1)
                self.times.append(time.monotonic())
                self.links.append(link)
                # A test of ten thousand links must not keep them all.
                if len(self.links) > 200:
                    self.links = [l for l in self.links if l.socket.fileno() >= 0][-200:]
                self.changed.notify_all()
            threading.Thread(target=self._run, args=(link,), daemon=True).start()

    def _run(self, link):
        try:
            if self.tls:
                link.socket.settimeout(10)
                try:
                    link.socket = self.tls.wrap_socket(link.socket, server_side=True)
                except (ssl.SSLError, OSError) as error:
                    link.tls_error = str(error)
                    return
                link.socket.settimeout(None)
            self.script(link)
        except Ended:
            pass
        except OSError as error:
            if not self.closed:
                self._fault(link, error)
        except Exception as error:  # noqa: BLE001: reported by check()
            self._fault(link, error)
        finally:
            if link.socket.fileno() >= 0:
                link.finish()
            with self.changed:
                self.changed.notify_all()

    def _fault(self, link, error):
        with self.changed:
            self.faults.append(f"server, link {link.number}: {type(error).__name__}: {error}")
            self.changed.notify_all()

    def wait_links(self, count, seconds=10):
        deadline = Deadline(seconds)
        with self.changed:
            while len(self.times) < count:
                self.check()
                if not self.changed.wait(deadline.left or 0.001) and deadline.passed:
                    raise AssertionError(f"{len(self.times)} connections instead of {count} in {seconds} s")
        return self

    def check(self):
        if self.faults:
            raise AssertionError(self.faults[0])

    def stop(self):
        with self.changed:
            self.closed = True
        try:
            self.listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listener.close()
        for link in self.links:
            try:
                link.socket.close()
            except OSError:
                pass


def free_port(family=socket.AF_INET):
    """A port that nothing listens on; another program may take it, so bind at once or expect a refusal."""
    with socket.socket(family) as s:
        s.bind(("::1" if family == socket.AF_INET6 else "127.0.0.1", 0))
        return s.getsockname()[1]


def connectable(port, host="127.0.0.1"):
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family) as s:
        s.settimeout(1)
        return s.connect_ex((host, port)) == 0
