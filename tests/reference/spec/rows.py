"""SPEC.md, section 6: rows. Projections of one vector on m random rows."""
import functools
import pathlib

import numpy as np

from . import streams
from .functions import inverse_normal
from .numbers import F, float_of, fma, negate_where, sum_of_squares
from .streams import cauchy, chi_over_root, fill_normals, key, laplace, narrow_streams, narrow_words, signs, two_normals
from .transforms import hadamard

KINDS = {"hadamard": 1, "dense": 2, "fastfood": 3, "quasi": 4, "unit": 5, "gibbs": 6}


def padded_size(d):
    """D = max(64, the least power of two >= d)."""
    return max(64, 1 << (d - 1).bit_length())


def block_rows(kind, d):
    """B: how many rows a block has."""
    return padded_size(d) if kind in ("hadamard", "fastfood") else 64


def blocks(kind, d, m):
    """The numbers of the blocks of m rows, and how many rows each has."""
    size = block_rows(kind, d)
    return [(b, min(size, m - b * size)) for b in range(-(-m // size))]


def chain(weights, x):
    """acc = fma(w, x, acc) over the columns, from 0."""
    acc = np.zeros(weights.shape[0], np.float32)
    for column in range(weights.shape[1]):
        acc = fma(weights[:, column], x[..., column], acc)
    return acc


def chain_of_squares(weights):
    """n = fma(w, w, n) over the columns, from 0."""
    n = np.zeros(weights.shape[0], np.float32)
    for column in range(weights.shape[1]):
        n = fma(weights[:, column], weights[:, column], n)
    return n


def _normal_entries(generators, d):
    pairs = [two_normals(generators.step()) for _ in range(-(-d // 2))]
    return np.stack([value for pair in pairs for value in pair][:d], axis=1)


@functools.lru_cache(maxsize=64)
def dense_entries(m, d, seed, values="normal"):
    """§6.2: the matrix W."""
    generators = narrow_streams([key(seed, streams.DENSE_ROWS, j) for j in range(m)])
    if values == "normal":
        return _normal_entries(generators, d)
    of = {"cauchy": cauchy, "laplace": laplace}[values]
    return np.stack([of(generators.step()) for _ in range(d)], axis=1)


# ---- Gibbs rows


def gibbs_sweep(v, generators, squares):
    """§6.4: one sweep over the columns of v, in place; Q before, and Q after it."""
    Q, T = squares, np.zeros_like(squares)
    for j in range(v.shape[1]):
        Q = fma(-v[:, j], v[:, j], Q)
        Q = np.where(Q > 0, Q, F(0))
        z = Q + T
        c, w1, w2 = generators.step(), generators.step(), generators.step()
        normal, n1 = two_normals(w1)
        n2, n3 = two_normals(w2)
        u = streams.uniform(c)
        chi = np.sqrt(fma(n3, n3, fma(n2, n2, n1 * n1)))
        chi = negate_where((c & np.uint32(1)) != 0, chi)
        v[:, j] = np.where(u * (F(1) + z) < z, normal, chi)
        T = fma(v[:, j], v[:, j], T)
    return T


@functools.lru_cache(maxsize=64)
def gibbs_entries(m, d, seed, sweeps):
    """§6.4: the vectors v (arXiv 2104.01351, Algorithm 2)."""
    generators = narrow_streams([key(seed, streams.GIBBS_ROWS, j) for j in range(m)])
    v = _normal_entries(generators, d)
    squares = chain_of_squares(v)
    for _ in range(sweeps):
        squares = gibbs_sweep(v, generators, squares)
    return v


# ---- Quasi rows


@functools.lru_cache(maxsize=None)
def joe_kuo():
    """The numbers of Joe and Kuo (new-joe-kuo-6.21201), dimensions 2 to 1,024: (d, s, a, m_1 ... m_s) each."""
    lines = (pathlib.Path(__file__).resolve().parent.parent / "joe_kuo.txt").read_text().splitlines()
    return [[int(n) for n in line.split()] for line in lines if not line.startswith("#")]


def direction_numbers(dimension, count):
    """§6.5: V[0] ... V[count - 1] of a dimension, counted from 0."""
    if dimension == 0:
        return [1 << (31 - i) for i in range(count)]
    _, s, a, *m = joe_kuo()[dimension - 1]
    v = [n << (31 - i) for i, n in enumerate(m)]
    for i in range(s, count):
        new = v[i - s] ^ (v[i - s] >> s)
        for k in range(1, s):
            if (a >> (s - 1 - k)) & 1:
                new ^= v[i - k]
        v.append(new)
    return v[:count]


@functools.lru_cache(maxsize=16)
def quasi_words(m, d, seed, chosen=None):
    """§6.5: the shifted points of Sobol's sequence, a word a row and column, of all rows or the chosen ones."""
    j = np.arange(m) if chosen is None else np.array(chosen)
    shifts = narrow_words(key(seed, streams.QUASI_SHIFT, 0), d)
    columns = []
    for c in range(d):
        point = np.full(len(j), shifts[c], dtype=np.uint32)
        for i, v in enumerate(direction_numbers(c, max(1, (m - 1).bit_length()))):
            point ^= np.where((j >> i) & 1, np.uint32(v), np.uint32(0))
        columns.append(point)
    return np.stack(columns, axis=1)


@functools.lru_cache(maxsize=16)
def quasi_entries(m, d, seed, values="normal", chosen=None):
    """§6.5: the matrix W, or its chosen rows."""
    k = quasi_words(m, d, seed, chosen)
    low = k < np.uint32(2**31)
    if values == "normal":
        return inverse_normal(k)
    if values == "cauchy":
        return cauchy(np.where(low, ~k, k ^ np.uint32(2**31)))
    return laplace(np.where(low, k | np.uint32(2**31), ~k))


# ---- Hadamard and Fastfood rows


def padded(x, size):
    return np.concatenate([np.asarray(x, np.float32), np.zeros(size - len(x), np.float32)])


@functools.lru_cache(maxsize=None)
def _block_signs(seed, domain, block, count):
    return signs(key(seed, domain, block), count)


@functools.lru_cache(maxsize=None)
def _block_normals(seed, domain, block, count):
    return fill_normals(key(seed, domain, block), count)


def hadamard_block(x, block, seed, scale):
    """§6.6: the transformed vector of a block, and the factors of its rows."""
    size = padded_size(len(x))
    minus = _block_signs(seed, streams.HADAMARD_SIGNS, block, 3 * size).reshape(3, size)
    y = padded(x, size)
    for r in range(3):
        y = hadamard(negate_where(minus[r], y))
    z = _block_normals(seed, streams.HADAMARD_NORMS, block, size)
    return y, chi_over_root(z, size) * (F(scale) / float_of(size))


def fastfood_block(x, block, seed, scale):
    """§6.7: the transformed vector of a block, and the factors of its rows."""
    size = padded_size(len(x))
    y = hadamard(negate_where(_block_signs(seed, streams.FASTFOOD_SIGNS, block, size), padded(x, size)))
    weights = _block_normals(seed, streams.FASTFOOD_WEIGHTS, block, size)
    shuffle = streams.permutation(key(seed, streams.FASTFOOD_SHUFFLE, block), size)
    t = hadamard(y[shuffle] * weights)
    z = _block_normals(seed, streams.FASTFOOD_NORMS, block, size)
    return t, chi_over_root(z, size) * (F(scale) / np.sqrt(sum_of_squares(weights)))


# ---- All of them


def projections(kind, x, m, seed, scale=F(1), values="normal", sweeps=0, kept=None):
    """§6.1: the projections of x on rows 0 ... m - 1, or on those of them that are kept."""
    if kept is not None and kind != "quasi":
        return projections(kind, x, m, seed, scale, values, sweeps)[np.asarray(kept)]
    x, scale = np.asarray(x, np.float32), F(scale)
    d = len(x)
    if kind in ("hadamard", "fastfood"):
        of = hadamard_block if kind == "hadamard" else fastfood_block
        parts = []
        for block, rows in blocks(kind, d, m):
            y, factors = of(x, block, seed, scale)
            parts.append((y * factors)[:rows])
        return np.concatenate(parts) if parts else np.zeros(0, np.float32)
    root_d = np.sqrt(float_of(d))
    if kind == "dense":
        return chain(dense_entries(m, d, seed, values), x) * scale
    if kind == "quasi":
        chosen = None if kept is None else tuple(int(row) for row in kept)
        return chain(quasi_entries(m, d, seed, values, chosen), x) * scale
    if kind == "unit":
        w = dense_entries(m, d, seed)
        return chain(w, x) * (scale * (root_d / np.sqrt(chain_of_squares(w))))
    v = gibbs_entries(m, d, seed, sweeps)
    return chain(v, x) * (scale * (root_d / np.sqrt(sum_of_squares(v))))


@functools.lru_cache(maxsize=None)
def ties(kind, d, m, seed):
    """§11.6, ties: whether a row whose projection is 0 counts as positive."""
    parts = [signs(key(seed, streams.TIES, b), rows) for b, rows in blocks(kind, d, m)]
    return np.concatenate(parts) if parts else np.zeros(0, bool)
