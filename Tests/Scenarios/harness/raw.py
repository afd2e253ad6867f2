"""Raw WebSocket clients of a hub, and members of its rooms, who speak the native protocol by hand."""

import base64
import json
import os
import select
import socket

from . import wire
from .clock import Deadline
from .world import expect, expect_equal


class Client:
    """A raw client: its frames are masked unless it is told otherwise."""

    def __init__(self, hub, path=None, resource="/", fields=(), version="13", host=None, open=True):
        self.socket = socket.socket(socket.AF_UNIX if path else socket.AF_INET)
        self.socket.connect(path or ("127.0.0.1", hub.port))
        self.reader = wire.FrameReader()
        if not open:
            return
        self.key = base64.b64encode(os.urandom(16)).decode()
        lines = [
            f"GET {resource} HTTP/1.1", f"Host: {host or f'127.0.0.1:{hub.port}'}", "Upgrade: websocket",
            "Connection: keep-alive, Upgrade", f"Sec-WebSocket-Key: {self.key}", f"Sec-WebSocket-Version: {version}",
            *fields,
        ]
        self.socket.sendall(("\r\n".join(lines) + "\r\n\r\n").encode())
        self.head = self.read_head()

    def read_head(self, seconds=10):
        deadline, data = Deadline(seconds), b""
        while b"\r\n\r\n" not in data:
            data += self.receive(deadline.left)
        head, rest = data.split(b"\r\n\r\n", 1)
        self.reader.feed(rest)
        return head.decode()

    @property
    def status(self):
        return int(self.head.split(" ")[1])

    def receive(self, seconds=10):
        poll = select.poll()  # which takes any descriptor, unlike select
        poll.register(self.socket, select.POLLIN)
        expect(poll.poll(seconds * 1000), "nothing came from the hub")
        data = self.socket.recv(1 << 18)
        if not data:
            raise EOFError("the hub ended the connection")
        return data

    def send(self, opcode, payload=b"", mask=b"\x12\x34\x56\x78", **options):
        self.socket.sendall(wire.frame(opcode, payload, mask=mask, **options))

    def frame(self, seconds=10):
        deadline = Deadline(seconds)
        while not (found := self.reader.next()):
            self.reader.feed(self.receive(deadline.left))
        return found

    def ended(self, seconds=10):
        deadline = Deadline(seconds)
        try:
            while True:
                self.receive(deadline.left)
        except (EOFError, ConnectionResetError):
            return True


class Member(Client):
    """A client whose frames are JSON objects; `user` goes into the query, `token` into Authorization."""

    def __init__(self, hub, user=None, rooms=(), token=None, **options):
        fields = [f"Authorization: Bearer {token}"] if token else []
        super().__init__(hub, resource=f"/?userId={user}" if user else "/", fields=fields, **options)
        expect_equal(self.status, 101, f"status for {user or token}")
        self.welcome = self.hear("welcome")
        self.user = self.welcome["userId"]
        for room in rooms:
            self.join(room)

    def say(self, type=None, **fields):
        """One frame; `room` stands for conversationId."""
        self.send(wire.TEXT, json.dumps(self.spelled(type, fields)))

    @staticmethod
    def spelled(type, fields):
        if "room" in fields:
            fields["conversationId"] = fields.pop("room")
        return {"type": type, **fields} if type else fields

    def next(self, seconds=10):
        """The next frame's object; pings are answered on the way."""
        while True:
            frame = self.frame(seconds)
            if frame.opcode == wire.PING:
                self.send(wire.PONG, frame.payload)
                continue
            expect_equal(frame.opcode, wire.TEXT, f"opcode (Close {frame.close_code})" if frame.opcode == wire.CLOSE else "opcode")
            return json.loads(frame.payload)

    def hear(self, type, seconds=10, **fields):
        """The next frame, which must be this."""
        value = self.next(seconds)
        wanted = self.spelled(type, fields)
        expect_equal({k: value.get(k) for k in wanted}, wanted, f"what {getattr(self, 'user', 'somebody')} hears ({value})")
        return value

    def join(self, room):
        self.say("join", room=room)
        return self.hear("joined", room=room)

    def quiet(self):
        """Nothing has come that wasn't heard: the answer to a ping is next."""
        self.say("ping")
        self.hear("pong")

    def closed(self, code, seconds=10):
        """Reads up to a Close, which must have this code; gives the texts before it."""
        deadline, texts = Deadline(seconds), []
        while (frame := self.frame(deadline.left)).opcode != wire.CLOSE:
            if frame.opcode == wire.TEXT:
                texts.append(json.loads(frame.payload))
        expect_equal(frame.close_code, code, f"close code ({frame.payload[2:]})")
        return texts
