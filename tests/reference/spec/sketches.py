"""SPEC.md, section 7: sketches of vectors, of tensor products and of powers."""
import functools

import numpy as np

from . import streams, transforms
from .numbers import F, float_of, negate_where
from .streams import expansion, key, permutation


def least_power_of_two(n):
    return 1 << max(n - 1, 0).bit_length()


def inverse_root(m):
    """sqrt(1 / float(m))."""
    return np.sqrt(F(1) / float_of(m))


class Overflow(Exception):
    """§24.3: a power or a product of sketches left the range of floats, or of a sketch's inputs."""


def within(values):
    """§24.3: what a sketch takes on the way inside a map."""
    if not np.all(np.abs(values) <= F(2.0**40)):
        raise Overflow
    return values


def finite(values):
    """§24.3: what a sketch or a map gives."""
    if not np.all(np.isfinite(values)):
        raise Overflow
    return values


def refused(values):
    """§24.3: the output of a call that overflows is cleared."""
    return values if np.all(np.isfinite(values)) else np.zeros_like(values)


# ---- Hashing


def hash_places(k, indices, first, count):
    """§7.2: the places in [first, first + count) of indices, and whether their signs are minus."""
    a, c = expansion(k, 0), expansion(k, 1)
    i = np.asarray(indices, dtype=np.uint64)
    u = ((np.uint64(a) * i + np.uint64(c)) >> np.uint64(32)).astype(np.uint32)
    u = (u ^ (u >> np.uint32(15))) * np.uint32(0xBF58476D)
    u = (u ^ (u >> np.uint32(14))) * np.uint32(0x94D049BB)
    u = u ^ (u >> np.uint32(16))
    low = (u << np.uint32(1)).astype(np.uint64)
    return first + (low * np.uint64(count) >> np.uint64(32)).astype(np.int64), (u >> np.uint32(31)) != 0


def _add_signed(z, k, indices, values, first, count):
    places, minus = hash_places(k, indices, first, count)
    np.add.at(z, places, negate_where(minus, values))  # in the order of the entries


def count_sketch(values, size, seed, indices=None):
    """§7.3, CountSketch of a dense vector, or of entries with their indices in order."""
    return _count_sketch(values, size, key(seed, streams.COUNT_HASH, 0), indices)


def _count_sketch(values, size, k, indices=None):
    z = np.zeros(size, np.float32)
    _add_signed(z, k, np.arange(len(values)) if indices is None else indices, values, 0, size)
    return z


def osnap(values, size, nonzeros, seed, indices=None):
    """§7.3, OSNAP."""
    keys = [key(seed, streams.OSNAP_HASH, k) for k in range(nonzeros)]
    return _osnap(values, size, keys, indices)


def _osnap(values, size, keys, indices=None):
    z, s = np.zeros(size, np.float32), len(keys)
    scaled = np.asarray(values, np.float32) * inverse_root(s)
    for k, hash_key in enumerate(keys):
        first, end = k * size // s, (k + 1) * size // s
        _add_signed(z, hash_key, np.arange(len(values)) if indices is None else indices, scaled, first, end - first)
    return z


# ---- Signed transforms and their rows


@functools.lru_cache(maxsize=None)
def transform_signs(k, size):
    """§7.4, Signed transform: True where the sign is flipped."""
    return np.array([(expansion(k, i // 64) >> (i % 64)) & 1 for i in range(size)], dtype=bool)


def padded(v, size):
    return np.concatenate([np.asarray(v, np.float32), np.zeros(size - len(v), np.float32)])


def signed_transform(v, k):
    """§7.4, Signed transform of a vector with a key."""
    size = least_power_of_two(len(v))
    return transforms.hadamard(negate_where(transform_signs(k, size), padded(v, size)))


def _translations(count, left, right, second_key):
    """turn(b) of §7.4, Paired rows, for the blocks b = 0 ... count - 1."""
    smaller, unit = min(left, right), max(1, left // right)
    rho = permutation(second_key, smaller)
    found = []
    for b in range(count):
        e = 0 if b % unit == 0 else expansion(second_key, b % unit) % smaller
        found.append(int(rho[(b // unit) % smaller]) ^ int(rho[0]) ^ e)
    return np.array(found, dtype=np.int64)


@functools.lru_cache(maxsize=None)
def paired_rows(m, left, right, first_key, second_key, third_key):
    """§7.4, Paired rows of sizes `left` and `right`: the rows of m places on either side."""
    k = np.arange(m)
    t = _translations(-(-m // right), left, right, second_key)[k // right]
    right_rows = permutation(first_key, right)[(k % right) ^ t]
    return _left_rows(k, m, left, third_key), right_rows


def _left_rows(k, m, left, third_key):
    return np.where(k < left * (m // left), k % left, permutation(third_key, left)[k % left])


@functools.lru_cache(maxsize=None)
def grouped_rows(m, left, right, keys):
    """§7.4, Grouped rows, from five keys; the right side's size is at least 16."""
    first_key, second_key, third_key, fourth_key, fifth_key = keys
    k = np.arange(m)
    t = _translations(-(-m // right), left, right, second_key)[k // right]
    g, l = (k % right) // 16, k % 16
    c = np.array([(expansion(fifth_key, i // 16) >> (4 * (i % 16))) & 15 for i in range(right // 16)])
    right_rows = (16 * permutation(fourth_key, right // 16)[g] + (l ^ c[g])) ^ t
    return _left_rows(k, m, left, third_key), right_rows


def independent_rows(m, size, key_of_chunk):
    """§7.4, Independent rows of `size`, m of them."""
    shift = np.uint32(32 - (size.bit_length() - 1))
    rows = []
    for c in range(-(-m // 256)):
        words = streams.wide_words(key_of_chunk(c), min(256, m - 256 * c))
        rows.append((words.astype(np.uint64) >> np.uint64(shift)).astype(np.int64))
    return np.concatenate(rows)


# ---- SRHT, TensorSRHT, TensorSketch


def srht(x, m, seed, replacement=False):
    """§7.5."""
    signs_key, rows_key = key(seed, streams.SRHT_SIGNS, 0), key(seed, streams.SRHT_ROWS, 0)
    if not replacement:
        return _srht(x, m, signs_key, rows_key)
    t = signed_transform(x, signs_key)
    rows = independent_rows(m, len(t), lambda c: key(seed, streams.SRHT_ROWS, 1 + c))
    return t[rows] * inverse_root(m)


def _srht(x, m, signs_key, rows_key):
    t = signed_transform(x, signs_key)
    size = len(t)
    if m < size:
        return t[permutation(rows_key, size)[:m]] * inverse_root(m)
    copies = m // size
    return padded(np.tile(t * inverse_root(copies * size), copies), m)


def tensor_srht(x, y, m, seed, replacement=False):
    """§7.6."""
    t = signed_transform(x, key(seed, streams.TENSOR_SIGNS, 0))
    u = signed_transform(y, key(seed, streams.TENSOR_SIGNS, 1))
    if replacement:
        i = independent_rows(m, len(t), lambda c: key(seed, streams.TENSOR_ROWS, 4 + 2 * c))
        j = independent_rows(m, len(u), lambda c: key(seed, streams.TENSOR_ROWS, 5 + 2 * c))
    else:
        keys = [key(seed, streams.TENSOR_ROWS, n) for n in (1, 2, 0)]
        if len(t) >= len(u):
            i, j = paired_rows(m, len(t), len(u), *keys)
        else:
            j, i = paired_rows(m, len(u), len(t), *keys)
    return t[i] * u[j] * inverse_root(m)


def tensor_sketch_prefixes(factors, m, seed):
    """§7.7: the sketches of the first 1, 2, ... factors."""
    counts = [_count_sketch(f, m, key(seed, streams.TENSOR_HASH, i)) for i, f in enumerate(factors)]
    found, product = [counts[0]], transforms.real_fft(counts[0])
    for c in counts[1:]:
        product = product * transforms.real_fft(c)
        found.append(transforms.real_fft_backward(product, m) * (F(1) / float_of(m)))
    return found


def tensor_sketch(factors, m, seed):
    """§7.7 of factors."""
    return tensor_sketch_prefixes(factors, m, seed)[-1]


# ---- PolySketch


class PolySketch:
    """§7.8: powers of x over a binary tree."""

    def __init__(self, m, base, seed):
        self.m, self.base, self.seed = m, base, seed

    def _leaf(self, factor, i):
        if self.base == "srht":
            return factor
        return _osnap(factor, self.m, [key(self.seed, streams.POLY_HASH, 4 * i + k) for k in range(4)])

    def _row_key(self, index):
        return key(self.seed, streams.POLY_ROWS, index)

    def node(self, left, right, level, place, right_is_factor):
        """The value of a node from its children's, which are on `level`."""
        sign_keys = [key(self.seed, streams.POLY_SIGNS, 2**32 * (level + 1) + 2 * place + side) for side in (0, 1)]
        left_size, right_size = least_power_of_two(len(left)), least_power_of_two(len(right))
        keys = [self._row_key(n) for n in (1, 2, 0)]
        grouped = self.base == "srht" and right_is_factor and self.m >= 512 and 16 <= right_size < 2 * self.m
        if grouped:
            right = padded(right, right_size)[permutation(keys[0], right_size)]
            all_keys = (*keys, self._row_key(4), self._row_key(5))
            i, j = grouped_rows(self.m, left_size, right_size, all_keys)
        else:
            i, j = paired_rows(self.m, left_size, right_size, *keys)
        t, u = signed_transform(left, sign_keys[0]), signed_transform(right, sign_keys[1])
        return t[i] * u[j] * inverse_root(self.m)

    def of(self, factors):
        """The sketch of factors."""
        values = [(self._leaf(f, i), True) for i, f in enumerate(factors)]
        if len(values) == 1:
            if self.base == "srht":
                return _srht(values[0][0], self.m, key(self.seed, streams.POLY_SIGNS, 0), self._row_key(3))
            return values[0][0]
        level = 0
        while len(values) > 1:
            above = []
            for place in range(0, len(values), 2):
                if place + 1 == len(values):
                    above.append(values[place])
                else:
                    (left, _), (right, is_factor) = values[place], values[place + 1]
                    above.append((self.node(left, right, level, place // 2, is_factor), False))
            values, level = above, level + 1
        return values[0][0]

    def prefixes(self, x, degree):
        """The sketches of the powers 1 ... degree of x."""
        return [self.of([x] * j) for j in range(1, degree + 1)]
