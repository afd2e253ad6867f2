"""Many WebSocket clients in one thread: each counts and sums up what it gets, and answers pings."""

import base64
import os
import select
import socket
import struct
import zlib

from . import wire
from .clock import Deadline


class Member:
    """One client. Only frames behind the mark count, so that all members' sums can be compared."""

    def __init__(self, port, resource):
        self.socket = socket.create_connection(("127.0.0.1", port), 10)
        key = base64.b64encode(os.urandom(16)).decode()
        self.socket.sendall(
            f"GET {resource} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: {key}\r\n\r\n".encode()
        )
        self.head = b""
        self.reader = wire.FrameReader()
        self.is_counting = False
        self.count = 0
        self.sum = 0
        self.frames = []
        self.pings = 0

    def say(self, text):
        self.socket.sendall(wire.frame(wire.TEXT, text, mask=os.urandom(4)))

    def take(self, data):
        if self.is_counting:
            # A ping would be among the counted bytes: it is taken out, the rest stays one sum.
            while (at := data.find(b"\x89")) == 0:
                length = data[1] & 0x7F
                self.answer(data[2 : 2 + length])
                data = data[2 + length :]
            self.count += len(data)
            self.sum = zlib.crc32(data, self.sum)
            return
        if self.head is not None:
            self.head += data
            if b"\r\n\r\n" not in self.head:
                return
            head, data = self.head.split(b"\r\n\r\n", 1)
            if b" 101 " not in head.split(b"\r\n")[0]:
                raise AssertionError(f"the hub answered {head.splitlines()[0]!r}")
            self.head = None
        self.reader.feed(data)
        while frame := self.reader.next():
            if frame.opcode == wire.PING:
                self.answer(frame.payload)
            else:
                self.frames.append(frame)

    def answer(self, payload):
        self.pings += 1
        self.socket.sendall(wire.frame(wire.PONG, payload, mask=os.urandom(4)))


class Swarm:
    """So many members in one room, all joined."""

    def __init__(self, port, count, room="ops"):
        self.poll = select.epoll()
        self.members = {}
        for number in range(count):
            member = Member(port, f"/?userId=u{number}")
            self.members[member.socket.fileno()] = member
            self.poll.register(member.socket, select.EPOLLIN)
            if room:
                member.say(f'{{"type":"join","conversationId":"{room}"}}')
            if number % 50 == 49:
                self.turn(0)
        if room:
            self.until(lambda m: any(b'"joined"' in f.payload for f in m.frames), 60, "joined")
        else:
            self.until(lambda m: any(b'"welcome"' in f.payload for f in m.frames), 60, "welcome")

    def turn(self, seconds):
        """Reads what is there, and waits at most so long for it. True if there was anything."""
        events = self.poll.poll(seconds)
        for descriptor, _ in events:
            member = self.members[descriptor]
            data = member.socket.recv(1 << 16)
            if not data:
                raise AssertionError(f"the hub ended a link after {member.count} bytes")
            member.take(data)
        return bool(events)

    def until(self, done, seconds, what):
        """Reads until `done` says so of every member."""
        deadline = Deadline(seconds)
        rest = list(self.members.values())
        while True:
            self.turn(0.2)
            rest = [m for m in rest if not done(m)]
            if not rest:
                return
            if deadline.passed:
                raise AssertionError(f"{what}: {len(rest)} of {len(self.members)} not within {seconds} s")

    def settle(self, quiet=1.0):
        """Reads until nothing has come for a while: presence and joins of the others are through."""
        while self.turn(quiet):
            pass
        for member in self.members.values():
            member.frames.clear()

    def begin_counting(self):
        for member in self.members.values():
            member.is_counting = True

    def close(self):
        for member in self.members.values():
            member.socket.close()
        self.poll.close()


def header_length(payload_length):
    return len(wire.frame(wire.TEXT, b"x" * payload_length)) - payload_length


def close_code(frame):
    return struct.unpack("!H", frame.payload[:2])[0] if len(frame.payload) >= 2 else None
