"""SPEC.md, section 20: sealed models, read, written and computed with."""
import dataclasses
import struct

import numpy as np

from .functions import exp
from .numbers import F, crc32, dot, fma, largest_exponent, power_of_two, sum_of_squares
from .registry import SpecBytes, all_maps, map_of

MAGIC = b"samara\x1a\n"
GENERATOR = b"xoshiro128++/1\0\0"
TYPES = {"float32": (0, "<f4"), "float16": (1, "<f2"), "int8": (2, "i1")}
FILL, AFFINE, UNIT = 1, 2, 4

# ---- §20.3, Spec


def write_spec(s):
    """The bytes of a resolved spec. Orders none, one and two are 1, 2 and 3."""
    m = map_of(s)
    return struct.pack("<HHII", m.number, 1, s.inputs, s.features) + m.spec_bytes(s)


def read_spec(data):
    """The spec of its bytes."""
    number, _, inputs, features = struct.unpack_from("<HHII", data)
    return next(m for m in all_maps() if m.number == number).read(inputs, features, SpecBytes(data))


# ---- A map's features, whichever map it is


def resolve(spec):
    """What a spec with None and 0 for "chosen" stands for."""
    return map_of(spec).resolve(spec)


def blocks(spec, x, kept=None):
    """The features of a sample, in blocks."""
    return map_of(spec).blocks(spec, x, kept)


def features(spec, x, kept=None):
    """The features of a sample."""
    return np.concatenate(blocks(spec, x, kept)).astype(np.float32)


# ---- The whole model


@dataclasses.dataclass
class Model:
    """`weights` has a row an output, in the readout's own type; `scaling` is None or (steps, [vectors])."""

    spec: object
    weights: np.ndarray
    bias: np.ndarray
    type: str = "float32"
    scales: np.ndarray = None
    classify: bool = False
    kept: list = None
    scaling: tuple = None
    labels: list = None
    application: tuple = None  # version, input layout, confidence's mean and spread, bytes
    probability_scale: float = 0.0


def write(m):
    """§20.1: the bytes of a sealed model."""
    floats = lambda v: np.asarray(v, dtype="<f4").tobytes()
    number, stored = TYPES[m.type]
    outputs, count = np.shape(m.weights)
    map_data = map_of(m.spec).data(m.spec, m.kept)
    scaling = b""
    if m.scaling is not None:
        steps, vectors = m.scaling
        scaling = struct.pack("<II", steps, len(vectors[0]) if vectors else m.spec.inputs) + b"".join(floats(v) for v in vectors)
    readout = struct.pack("<BBHIIf", number, m.classify, 0, outputs, count, m.probability_scale) + floats(m.bias)
    readout += floats(m.scales) if m.type == "int8" else b""
    readout += np.asarray(m.weights).astype(stored).tobytes()
    labels = b"".join(text.encode() + b"\0" for text in m.labels or [])
    sections = [write_spec(m.spec), map_data, scaling, readout, labels]
    if m.application is not None:
        *numbers, words = m.application
        sections.append(struct.pack("<IIff", *numbers) + words)
    table, body, at = [], b"", 80
    for section in sections:
        table.append((at, len(section)))
        section += bytes(-len(section) % 16)
        body += section
        at += len(section)
    head = MAGIC + struct.pack("<HHI", 1, len(table), at + 4) + GENERATOR
    head += b"".join(struct.pack("<II", *entry) for entry in table)
    head += bytes(80 - len(head))
    return head + body + struct.pack("<I", crc32(head + body))


def read(data):
    """§20.2: the model of its bytes; ValueError if the form is wrong."""
    version, sections, total = struct.unpack_from("<HHI", data, 8)
    if data[:8] != MAGIC or version != 1 or sections not in (5, 6) or data[16:32] != GENERATOR or len(data) < total:
        raise ValueError("not a model")
    if crc32(data[: total - 4]) != struct.unpack_from("<I", data, total - 4)[0]:
        raise ValueError("the CRC is wrong")
    table = [struct.unpack_from("<II", data, 32 + 8 * i) for i in range(sections)]
    spec_bytes, map_data, scaling, readout, labels, *more = (data[at : at + n] for at, n in table)
    if sections == 5 and data[72:80] != bytes(8):
        raise ValueError("the header is wrong")
    if more and (not 16 <= len(more[0]) <= 272 or more[0] == bytes(16)):
        raise ValueError("the application's section is wrong")
    end = 80
    for at, n in table:
        if at != end:
            raise ValueError("sections are not in order")
        end = -(-(at + n) // 16) * 16
    if end != total - 4:
        raise ValueError("the length is wrong")
    number, task, _, outputs, count, scale = struct.unpack_from("<BBHIIf", readout)
    if readout[12:16] != bytes(4) and not (0 < scale < float("inf") and task == 1 and outputs > 1):
        raise ValueError("the probability scale is wrong")
    kind = next(name for name, (n, _) in TYPES.items() if n == number)
    floats = np.frombuffer(readout, "<f4", outputs * (2 if kind == "int8" else 1), 16).astype(np.float32)
    weights_at = 16 + 4 * len(floats)
    m = Model(
        spec=read_spec(spec_bytes),
        weights=np.frombuffer(readout, TYPES[kind][1], -1, weights_at).reshape(outputs, count),
        bias=floats[:outputs],
        type=kind,
        scales=floats[outputs:] if kind == "int8" else None,
        classify=task == 1,
        probability_scale=scale,
    )
    if map_data:
        m.spec, m.kept = map_of(m.spec).read_data(m.spec, map_data)
    if scaling:
        steps, length = struct.unpack_from("<II", scaling)
        if m.spec.inputs % length:
            raise ValueError("the scaling's length does not divide the inputs")
        m.scaling = steps, list(np.frombuffer(scaling, "<f4", -1, 8).astype(np.float32).reshape(-1, length))
    if labels:
        m.labels = [text.decode() for text in labels[:-1].split(b"\0")]
    if more:
        m.application = (*struct.unpack_from("<IIff", more[0]), more[0][16:])
    return m


def features_id(data):
    """§20.8: the CRC-32 of a model's bytes from the spec's offset to the readout's."""
    return crc32(data[struct.unpack_from("<I", data, 32)[0] : struct.unpack_from("<I", data, 56)[0]])


def scale_input(scaling, x):
    """§20.5."""
    x = np.array(x, dtype=np.float32)
    if scaling is None:
        return x
    steps, vectors = scaling[0], [np.tile(v, len(x) // len(v)) for v in scaling[1]]
    if steps & FILL:
        x = np.where(np.isnan(x), vectors.pop(0), x)
    if steps & AFFINE:
        shift, factor = vectors
        x = (x - shift) * factor
    if steps & UNIT and np.any(x != 0) and not np.any(np.abs(x) > F(2.0**40)):
        down = power_of_two(-largest_exponent(x))
        x = x * down / np.sqrt(sum_of_squares(x, down))
    return x


def segment_scores(weights, parts):
    """§20.6, before the bias: segments of 64 features, within each block."""
    weights = np.asarray(weights).astype(np.float32)
    totals, at = np.zeros(len(weights), np.float32), 0
    for z in parts:
        for first in range(0, len(z), 64):
            piece = z[first : first + 64]
            totals = totals + dot(weights[:, at + first : at + first + len(piece)], piece)
        at += len(z)
    return totals


def scores(m, x):
    """§20.6: the scores of one sample."""
    totals = segment_scores(m.weights, blocks(m.spec, scale_input(m.scaling, x), m.kept))
    return fma(totals, m.scales, m.bias) if m.type == "int8" else totals + m.bias


def probabilities(values, scale):
    """§20.6: of the scores of one sample."""
    values = np.asarray(values, np.float32)
    with np.errstate(over="ignore"):
        e, total = exp(F(scale) * (values - np.max(values))), F(0)
    for v in e:
        total = total + v
    return e / total


def best(values):
    """§20.6: the class, which is the first largest output."""
    return int(np.argmax(values))
