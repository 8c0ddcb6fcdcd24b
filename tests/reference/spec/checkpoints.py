"""SPEC.md, section 23: checkpoints in two slots."""
import struct

from .numbers import crc32

MAGIC = b"SCKP"


def slot(state, sequence):
    """§23.1: the bytes of a slot that holds a state."""
    head = MAGIC + struct.pack("<III", sequence & 0xFFFFFFFF, len(state), crc32(state)) + bytes(12)
    return head + struct.pack("<I", crc32(head)) + state + b"\xff" * (-len(state) % 32)


def read_slot(data):
    """The sequence number and the state of a slot, or None if it holds no whole state."""
    if len(data) < 32 or data[:4] != MAGIC or struct.unpack_from("<I", data, 28)[0] != crc32(data[:28]):
        return None
    sequence, length, crc = struct.unpack_from("<III", data, 4)
    state = data[32 : 32 + length]
    return (sequence, state) if len(state) == length and crc32(state) == crc else None


def newest(slots):
    """§23.2: which of two slots is newer, 0 or 1, or None: the one ahead, as a signed difference of 32 bits."""
    found = [read_slot(data) for data in slots]
    if found[0] is None or found[1] is None:
        return 0 if found[0] else 1 if found[1] else None
    ahead = (found[1][0] - found[0][0]) & 0xFFFFFFFF
    return 1 if 0 < ahead < 0x80000000 else 0


def save(slots, state):
    """§23.3: the next state goes into the other slot, with the next sequence number; 1 into slot 0 if there is none."""
    last = newest(slots)
    where, sequence = (0, 1) if last is None else (1 - last, read_slot(slots[last])[0] + 1)
    slots[where] = slot(state, sequence)
    return where
