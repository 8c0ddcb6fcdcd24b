"""SPEC.md, section 23: checkpoints and models in two slots."""
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


# ---- §23.4 to 23.6: models that come over the air

STORE_MAGIC = b"SMDL"
TRIED, TRIED_AGAIN, CONFIRMED, REJECTED = range(4)


def _header(magic, sequence, length=0, crc=0):
    head = magic + struct.pack("<III", sequence & 0xFFFFFFFF, length, crc) + bytes(12)
    return head + struct.pack("<I", crc32(head))


def mark(kind, sequence):
    """§23.4: the 32 bytes of a mark."""
    return _header(b"SMK" + bytes([0x30 + kind]), sequence)


def model_slot(model, sequence, marks=(), size=0):
    """§23.4: the bytes of a slot that holds a model."""
    data = _header(STORE_MAGIC, sequence, len(model), crc32(model))
    data += b"".join(mark(kind, sequence) if kind in marks else b"\xff" * 32 for kind in range(4))
    data += model
    return data + b"\xff" * max(-len(data) % 32, size - len(data))


def read_model_slot(data):
    """§23.5: sequence, model and the state of each mark ("blank", "set" or "torn"); None if there is no whole model."""
    if data[:4] != STORE_MAGIC or struct.unpack_from("<I", data, 28)[0] != crc32(data[:28]):
        return None
    sequence, length, crc = struct.unpack_from("<III", data, 4)
    model = data[160 : 160 + length]
    if len(model) != length or crc32(model) != crc:
        return None
    states = []
    for kind in range(4):
        record = data[32 + 32 * kind : 64 + 32 * kind]
        states.append("set" if record == mark(kind, sequence) else "blank" if record == b"\xff" * 32 else "torn")
    return sequence, model, states


def start(slots):
    """§23.5: the slot whose model is used, or None, and the mark that is set then, or None. Marks it in `slots`."""
    found = [read_model_slot(data) for data in slots]
    good = [f is not None and f[2][REJECTED] == "blank" for f in found]
    if not any(good):
        return None, None
    if all(good):
        newest_slot = 1 if 0 < (found[1][0] - found[0][0]) & 0xFFFFFFFF < 0x80000000 else 0
    else:
        newest_slot = good.index(True)
    sequence, _, states = found[newest_slot]
    if not all(good) or states[CONFIRMED] == "set":
        return newest_slot, None
    trial = TRIED_AGAIN if states[TRIED] == "torn" else TRIED
    if states[trial] != "blank":
        return 1 - newest_slot, None
    data, at = slots[newest_slot], 32 + 32 * trial
    slots[newest_slot] = data[:at] + mark(trial, sequence) + data[at + 32 :]
    return newest_slot, trial
