"""WebSocket bytes (RFC 6455), written out by hand, so that a test can also send what no library would."""

import base64
import hashlib
import struct
from dataclasses import dataclass

TEXT, BINARY, CLOSE, PING, PONG, CONTINUATION = 1, 2, 8, 9, 10, 0
GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


@dataclass
class Frame:
    opcode: int
    payload: bytes
    final: bool = True
    reserved: int = 0
    mask: bytes = None

    @property
    def close_code(self):
        return struct.unpack("!H", self.payload[:2])[0] if len(self.payload) >= 2 else None

    @property
    def text(self):
        return self.payload.decode()


def masked(payload, mask):
    if not payload:
        return payload
    key = (mask * (len(payload) // 4 + 1))[: len(payload)]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(len(payload), "big")


def frame(opcode, payload=b"", final=True, reserved=0, mask=None, width=None, declared=None):
    """One frame. `width` forces the length's form (7, 16 or 64 bits), `declared` another length than the true one."""
    if isinstance(payload, str):
        payload = payload.encode()
    length = len(payload) if declared is None else declared
    if width is None:
        width = 7 if length < 126 else 16 if length < 65536 else 64
    first = (0x80 if final else 0) | reserved << 4 | opcode
    bit = 0x80 if mask else 0
    head = bytes([first])
    if width == 7:
        head += bytes([bit | length])
    elif width == 16:
        head += bytes([bit | 126]) + struct.pack("!H", length)
    else:
        head += bytes([bit | 127]) + struct.pack("!Q", length)
    return head + (mask + masked(payload, mask) if mask else payload)


def close(code=None, reason=b""):
    if isinstance(reason, str):
        reason = reason.encode()
    return frame(CLOSE, b"" if code is None else struct.pack("!H", code) + reason)


def accept_key(key):
    return base64.b64encode(hashlib.sha1(key.encode() + GUID).digest()).decode()


class FrameReader:
    """Takes bytes as they come and gives whole frames."""

    def __init__(self):
        self.buffer = bytearray()

    def feed(self, data):
        self.buffer += data

    def next(self):
        b = self.buffer
        if len(b) < 2:
            return None
        length, at = b[1] & 0x7F, 2
        if length == 126:
            if len(b) < 4:
                return None
            length, at = struct.unpack_from("!H", b, 2)[0], 4
        elif length == 127:
            if len(b) < 10:
                return None
            length, at = struct.unpack_from("!Q", b, 2)[0], 10
        mask = None
        if b[1] & 0x80:
            if len(b) < at + 4:
                return None
            mask, at = bytes(b[at : at + 4]), at + 4
        if len(b) < at + length:
            return None
        payload = bytes(b[at : at + length])
        first = b[0]
        del b[: at + length]
        return Frame(
            first & 0x0F, masked(payload, mask) if mask else payload, bool(first & 0x80), first >> 4 & 7, mask
        )
