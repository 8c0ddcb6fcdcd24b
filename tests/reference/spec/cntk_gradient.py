"""SPEC.md, sections 28.1 and 28.4: maps of images, and the map cntk-gradient."""
import dataclasses
import functools

import numpy as np

from . import registry, streams
from .inputs import FACTOR, MISSING, ONES, SEED, SHIFT, sample, samples
from .networks import unit, whole_length, widened
from .numbers import F, dot, float_of, fma, is_zero
from .streams import key

POOLS = {"average": 0, "none": 1, "grid": 2}


@dataclasses.dataclass
class CntkGradient:
    inputs: int
    features: int
    height: int = 0
    width: int = 0
    channels: int = 0
    patch: int = 3
    depth: int = 3
    pool: str = "average"
    grid: int = 0
    filters: int = 0
    seed: int = 0


def image_resolved(spec):
    """§28.1: the sizes of the image and the grid."""
    h, w, c = spec.height, spec.width, spec.channels
    if c == 0 and (h == 0 or w == 0):
        c = 1
    h = h or spec.inputs // (w * c)
    w = w or spec.inputs // (h * c)
    c = c or spec.inputs // (h * w)
    grid = spec.grid or (2 if h * w > 1 else 1) if spec.pool == "grid" else 0
    return dataclasses.replace(spec, height=h, width=w, channels=c, grid=grid)


def cells(spec):
    """§28.1: the cells of a resolved spec, each as rows and columns (first, end), row by row."""

    def edges(length):
        n = {"average": 1, "none": length, "grid": min(spec.grid, length)}[spec.pool]
        return [(i * length // n, (i + 1) * length // n) for i in range(n)]

    return [rows + columns for rows in edges(spec.height) for columns in edges(spec.width)]


def image_bytes(spec, *own):
    """From offset 12 on: the fields of images, the map's own from 40 to 55, the seed."""
    shared = spec.height, spec.width, spec.channels, spec.patch, spec.depth, spec.grid
    own = list(own) + [0] * (4 - len(own))
    return registry.small(POOLS[spec.pool], 0, 0, 0) + registry.whole(*shared, *own) + registry.seed(spec.seed)


def made(spec, n):
    """§28.4: how many features come of n filters."""
    return len(cells(spec)) * (spec.depth - 1) * spec.patch**2 * n * n


def resolve(spec):
    s = image_resolved(spec)
    if s.filters == 0:
        room = lambda n: (s.depth + 2) * s.height * s.width * n + s.patch**2 * max(s.channels, n) + s.inputs <= 2**28
        s.filters = 1
        while s.filters < 4096 and made(s, s.filters + 1) <= s.features and room(s.filters + 1):
            s.filters += 1
    return s


@functools.lru_cache(maxsize=None)
def weights(seed, layer, filters, count):
    """§28.4: W(layer), a filter a row; of layer depth + 1, w."""
    row = lambda i: streams.fill_normals(key(seed, streams.CNTK_WEIGHTS, ((layer - 1) << 32) + i), count)
    return np.stack([row(i) for i in range(filters)])


def window_rows(spec, i, j):
    """The rows of the window of pixel (i, j) inside the image: the row's number and column of the window's first place
    there, the row and column of the pixel there, and how many."""
    r = spec.patch // 2
    first, end = max(0, r - j), min(spec.patch, spec.width + r - j)
    for a in range(spec.patch):
        if 0 <= i + a - r < spec.height:
            yield a, first, i + a - r, j + first - r, end - first


def cntk_gradient(spec, x):
    """§28.4: the features of one sample."""
    x = np.asarray(x, np.float32)
    if is_zero(x):
        return np.zeros(spec.features, np.float32)
    s = resolve(spec)
    H, W, n, q, depth = s.height, s.width, s.filters, s.patch, s.depth
    scale, length = np.sqrt(F(2) / float_of(n * q * q)), whole_length(x)
    outputs = [unit(x).reshape(H, W, s.channels)]
    for layer in range(1, depth + 1):
        below = outputs[-1]
        filters = weights(s.seed, layer, n, q * q * below.shape[2]).reshape(n, q, q, -1)
        out = np.zeros((H, W, n), np.float32)
        for i in range(H):
            for j in range(W):
                t = np.zeros(n, np.float32)
                for a, b, row, column, count in window_rows(s, i, j):
                    part = filters[:, a, b : b + count].reshape(n, -1)
                    t = t + dot(part, below[row, column : column + count].reshape(-1))
                out[i, j] = np.where(t > 0, t * scale, F(0))
        outputs.append(out)
    parts, last = [], weights(s.seed, depth + 1, 1, n)[0]
    for top, bottom, left, right in cells(s):
        share = F(1) / float_of((bottom - top) * (right - left))
        g = np.zeros((H, W, n), np.float32)
        g[top:bottom, left:right] = last * share
        for layer in range(depth, 1, -1):
            filters = weights(s.seed, layer, n, q * q * n).reshape(n, q, q, n)
            z, below = np.zeros((n, q, q, n), np.float32), np.zeros((H, W, n), np.float32)
            for f in range(n):
                for i in range(H):
                    for j in range(W):
                        if not outputs[layer][i, j, f] > 0:
                            continue
                        delta = g[i, j, f] * scale
                        for a, b, row, column, count in window_rows(s, i, j):
                            here, there = np.s_[f, a, b : b + count], np.s_[row, column : column + count]
                            z[here] = fma(delta, outputs[layer - 1][there], z[here])
                            below[there] = fma(delta, filters[here], below[there])
            parts.append(z.reshape(-1) * length)
            g = below
    return widened(np.concatenate(parts), spec.features)


# ---- What other files ask of this map


def _cases():
    image = CntkGradient(24, 200, 4, 3, 2, 3, 3, "average", 0, 0, SEED)
    grid = CntkGradient(15, 300, 1, 5, 3, 3, 2, "grid", 2, 3, SEED)
    of = lambda spec: lambda: samples(spec.inputs, lambda x: cntk_gradient(spec, x))
    return {"cntk-gradient/image": of(image), "cntk-gradient/series": of(grid)}


def _vectors():
    yield resolve(CntkGradient(4, 40, 2, 2, 1, seed=10)), sample(4, 7)
    yield resolve(CntkGradient(3, 40, 1, 3, 1, pool="none", depth=2, seed=10)), sample(3, 4)
    yield resolve(CntkGradient(18, 200, 3, 3, 2, patch=5, depth=2, pool="grid", grid=2, seed=10)), sample(18, 0)
    yield resolve(CntkGradient(20, 400, 5, 4, 1, depth=4, filters=3, seed=10)), sample(20, 6)


def _read(inputs, features, b):
    sizes = [b.whole(at) for at in (16, 20, 24, 28, 32)]
    return CntkGradient(inputs, features, *sizes, b.name(POOLS, 12), b.whole(36), b.whole(40), b.seed(56))


registry.register(
    number=12,
    name="cntk-gradient",
    spec=CntkGradient,
    spec_bytes=lambda s: image_bytes(s, s.filters),
    read=_read,
    resolve=resolve,
    blocks=lambda spec, x, kept: [cntk_gradient(spec, x)],
    selftest=_cases,
    vectors=("networks", _vectors),
    models=lambda: [
        (resolve(CntkGradient(3, 40, 1, 3, 1, depth=2, pool="grid", seed=10)), {"outputs": 1}),
        # One shift and one factor for all pixels.
        (resolve(CntkGradient(3, 40, 3, 1, 1, depth=2, seed=10)), {"scaling": (2, [SHIFT[:1], FACTOR[:1]])}),
        (
            resolve(CntkGradient(3, 40, 3, 1, 1, depth=2, seed=10)),
            {"scaling": (7, [ONES[:1], SHIFT[1:2], FACTOR[2:]]), "x": MISSING},
        ),
    ],
)
