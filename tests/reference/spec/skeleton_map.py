"""SPEC.md, sections 27.5 and 27.6: the map of skeletons, and its data."""
import dataclasses
import struct

import numpy as np

from . import registry, skeletons
from .inputs import SEED, samples
from .numbers import F, float_of

FORMS = {"pair": 1, "phase": 2, "real": 3}
ROOT_TWO = F(1.41421354)
BLOCK_ROWS = 64


@dataclasses.dataclass
class SkeletonMap:
    """`skeleton`: its bytes. `listed`: of features (index, times), or None where all rows are used."""

    inputs: int
    features: int
    form: str = "pair"
    normals: int = 0
    seed: int = 1
    skeleton: bytes = b""
    listed: list = None


def of_skeleton(data, rows, form="pair", seed=1, listed=None):
    """The map of a skeleton with so many rows."""
    drawn = [g.columns for g in skeletons.read(data) if g.kind == 0 and g.what in ("gaussian", "sphere-uniform")]
    inputs = struct.unpack_from("<I", data, 12)[0]
    return SkeletonMap(inputs, rows * _per_row(form), form, max(drawn, default=0), seed, data, listed)


def _per_row(form):
    return 2 if form == "pair" else 1


def _width(most):
    return 2 if most < 65536 else 4


def data(spec, _=None):
    """§27.6: the section of the map data."""
    written = struct.pack("<II", 2, len(spec.listed or [])) + spec.skeleton
    if spec.listed is None:
        return written
    indices, times = zip(*spec.listed)
    of_index, of_times = _width(indices[-1]), 0 if max(times) == 1 else _width(max(times))
    written += struct.pack("<HHI", of_index, of_times, sum(times))
    for width, numbers in (of_index, indices), (of_times, times):
        written += b"".join(n.to_bytes(width, "little") for n in numbers) if width else b""
    return written


def read_data(spec, section):
    """The spec with what its section of map data has."""
    listed, size = struct.unpack_from("<II", section, 4)
    skeleton, rest = section[8 : 8 + size], section[8 + size :]
    if not listed:
        return dataclasses.replace(spec, skeleton=skeleton), None
    of_index, of_times = struct.unpack_from("<HH", rest)
    numbers = lambda at, width: [int.from_bytes(rest[at + i * width :][:width], "little") for i in range(listed)]
    times = numbers(8 + listed * of_index, of_times) if of_times else [1] * listed
    return dataclasses.replace(spec, skeleton=skeleton, listed=list(zip(numbers(8, of_index), times))), None


def blocks(spec, x, _=None):
    """§27.5: the features of a sample, block after block."""
    rows = spec.features // _per_row(spec.form)
    used = spec.listed or [(k, 1) for k in range(rows)]
    root = np.sqrt(F(1) / float_of(sum(times for _, times in used)))
    if spec.form == "phase":
        root = root * ROOT_TWO
    made = [_block(spec, x, used[first : first + BLOCK_ROWS], root) for first in range(0, len(used), BLOCK_ROWS)]
    return made if all(np.all(np.isfinite(z)) for z in made) else [np.zeros_like(z) for z in made]


def _block(spec, x, used, root):
    real, imaginary = [], []
    for index, times in used:
        weight = root if times == 1 else np.sqrt(float_of(times)) * root
        angle, re, im, _, words = skeletons.product(spec.skeleton, spec.seed, index, x)
        if spec.form == "real":
            re = -re if angle >> 31 else re
        else:
            if spec.form == "phase" and words() >> 31:
                angle = (angle + 2**30) % 2**32
            re, im = skeletons.turned(angle, re, im)
        real.append(weight * re)
        imaginary.append(weight * im)
    return np.array(real + imaginary if spec.form == "pair" else real, np.float32)


# ---- What other files ask of the map


def base(what, column, columns=1, grid=(1, 1, 1), value=0):
    return {"kind": 0, "what": what, "column": column, "columns": columns, "grid": grid, "value": value}


def awkward_skeleton():
    """The self-test's own: every base but the categorical one, whose inputs are no awkward numbers."""
    quarter = skeletons.turns_bits(0.25)
    few, more = (1 << 30, 3 << 30, 15 << 28), (1 << 29, 3 << 29, 5 << 29)
    return skeletons.make([
        base("circle", 0, grid=(5, 4, 2), value=quarter), base("binary", 40), base("gaussian", 41, 7, value=quarter),
        base("sphere", 48, 3), base("sphere-uniform", 51, 4),
        {"kind": 1, "what": "series", "source": 0, "patch": (3, 2), "stride": (2, 1), "steps": few},
        {"kind": 2, "what": "series", "ranges": [(40, 1), (41, 1), (42, 1), (43, 1), (44, 6)], "steps": more},
        {"kind": 2, "what": "relu", "ranges": [(50, 1)]}])


def real_skeleton():
    """Bases whose features have no imaginary part."""
    steps = (1 << 29, 3 << 29, 5 << 29)
    return skeletons.make([
        base("binary", 0, grid=(1, 1, 9)), base("sphere-uniform", 9, 4),
        {"kind": 2, "what": "series", "ranges": [(0, 9), (9, 1)], "steps": steps}])


def _cases():
    listed = [(1000 + 7 * i, 5 if i == 3 else 1) for i in range(66)]
    maps = [of_skeleton(awkward_skeleton(), 70, "pair", SEED), of_skeleton(awkward_skeleton(), 70, "phase", SEED, listed),
            of_skeleton(real_skeleton(), 70, "real", SEED)]
    features = lambda s: samples(s.inputs, lambda x: np.concatenate(blocks(s, x)))
    return {"skeleton/map": lambda: [z for s in maps for z in features(s)]}


registry.register(
    number=10,
    name="skeleton",
    spec=SkeletonMap,
    spec_bytes=lambda s: registry.small(FORMS[s.form], 0, 0, 0) + registry.whole(s.normals, 0) + registry.seed(s.seed),
    read=lambda inputs, m, b: SkeletonMap(inputs, m, b.name(FORMS, 12), b.whole(16), b.seed(24)),
    blocks=blocks,
    data=data,
    read_data=read_data,
    hidden=("skeleton", "listed"),
    selftest=_cases,
)
