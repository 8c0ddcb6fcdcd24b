"""SPEC.md, section 3: streams. Keys, words, and the numbers that are made of words."""
import functools

import numpy as np

from .functions import cosine_quarter, log, sine_quarter
from .numbers import F, bits, fma, float_of, from_bits, hexadecimal, negate_where, polynomial

MASK32, MASK64 = 2**32 - 1, 2**64 - 1
INCREMENT = 0x9E3779B97F4A7C15

# The table of domains.
USER, DENSE_ROWS = 0, 1
HADAMARD_SIGNS, HADAMARD_NORMS = 2, 3
FASTFOOD_SIGNS, FASTFOOD_SHUFFLE, FASTFOOD_WEIGHTS, FASTFOOD_NORMS = 4, 5, 6, 7
QUASI_SHIFT, GIBBS_ROWS, PHASES, TIES = 8, 9, 10, 11
COUNT_HASH, OSNAP_HASH, SRHT_SIGNS, SRHT_ROWS = 16, 17, 18, 19
TENSOR_SIGNS, TENSOR_ROWS, TENSOR_HASH = 20, 21, 22
POLY_SIGNS, POLY_ROWS, POLY_HASH = 23, 24, 25
NTK_LAYERS, NTK_SKETCH_LAYERS, NTK_SKETCH_MIX, GRADIENT_WEIGHTS = 32, 33, 34, 35
CNTK_WEIGHTS, CNTK_SIGNS, CNTK_ROWS, CNTK_SKETCH = 36, 37, 38, 39
LOCAL_FILTERS, LOCAL_WEIGHTS = 41, 42


def mix(z):
    """§3.1: mix."""
    z &= MASK64
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK64
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK64
    return z ^ (z >> 31)


def common(seed, domain):
    """§3.1: the b of keys."""
    a = mix(seed + INCREMENT)
    return mix((a ^ domain) + INCREMENT)


def key(seed, domain, index):
    """§3.1: key."""
    return mix((common(seed, domain) ^ index) + INCREMENT)


def expansion(k, i):
    """§3.3, Expansion: o_i of a key."""
    return mix(k + (i + 1) * INCREMENT)


class Generators:
    """§3.3: any number of xoshiro128++ generators side by side. `states` has the shape (generators, 4)."""

    def __init__(self, states):
        s = np.array(states, dtype=np.uint32).reshape(-1, 4)
        s[np.all(s == 0, axis=1)] = (1, 2, 3, 4)
        self.s0, self.s1, self.s2, self.s3 = (s[:, i].copy() for i in range(4))

    @property
    def state(self):
        return np.stack([self.s0, self.s1, self.s2, self.s3], axis=1)

    def step(self):
        """The next word of every generator."""
        rotl = lambda x, k: (x << np.uint32(k)) | (x >> np.uint32(32 - k))
        result = rotl(self.s0 + self.s3, 7) + self.s0
        t = self.s1 << np.uint32(9)
        self.s2 ^= self.s0
        self.s3 ^= self.s1
        self.s1 ^= self.s2
        self.s0 ^= self.s3
        self.s2 ^= t
        self.s3 = rotl(self.s3, 11)
        return result


def narrow_state(k):
    """§3.3, Narrow stream: the state of a key."""
    low, high = expansion(k, 0), expansion(k, 1)
    return [low & MASK32, low >> 32, high & MASK32, high >> 32]


def narrow_streams(keys):
    """The narrow streams of several keys, side by side."""
    return Generators([narrow_state(k) for k in keys])


def narrow_words(k, n):
    """The first n words of the narrow stream of a key."""
    stream = narrow_streams([k])
    return np.array([stream.step()[0] for _ in range(n)], dtype=np.uint32)


def wide_state(k):
    """§3.3, Wide stream: the states of its sixteen lanes."""
    w = []
    for i in range(32):
        o = expansion(k, i)
        w += [o & MASK32, o >> 32]
    return [[w[l], w[16 + l], w[32 + l], w[48 + l]] for l in range(16)]


def wide_words(k, n):
    """§3.3, Wide stream: its first n words."""
    lanes = Generators(wide_state(k))
    rows = [lanes.step() for _ in range(-(-n // 16))]
    return np.concatenate(rows)[:n] if rows else np.zeros(0, np.uint32)


def minus_bits(words, n):
    """§3.4, sign: whether each of n bits of the words is 1, which means minus."""
    i = np.arange(n)
    return ((words[i // 32] >> (i % 32).astype(np.uint32)) & np.uint32(1)) != 0


def signs(k, n):
    """n signs of the narrow stream of a key: True means minus."""
    return minus_bits(narrow_words(k, -(-n // 32)), n)


def uniform(w):
    """§3.4: uniform."""
    return float_of((w >> np.uint32(8)) | np.uint32(1)) * F(2.0**-24)


_RADIUS = hexadecimal(
    "-0x1.e74398p-3, 0x1.7e514cp-2, -0x1.a3c3cep-2, 0x1.fe26cep-2, -0x1.5523fcp-1, 0x1.000176p+0, -0x1.00001p+1"
)


def two_normals(w):
    """§3.4: two normals of a word (Box-Muller)."""
    w = np.asarray(w, dtype=np.uint32)
    u = float_of(((w << np.uint32(1)) & np.uint32(0x3FFFF)) | np.uint32(1))
    v = bits(u) + np.uint32(0x3F800000 - 0x3F3504F3)
    e = float_of((v >> np.uint32(23)).astype(np.int64) - 145)
    f = from_bits((v & np.uint32(0x7FFFFF)) + np.uint32(0x3F3504F3)) - F(1)
    q = polynomial(_RADIUS, f)
    r = np.sqrt(fma(e, F(float.fromhex("-0x1.62e43p+0")), f * q))
    a = float_of(((w >> np.uint32(16)) & np.uint32(0x3FFE)) | np.uint32(1)) * F(2.0**-16)
    first = negate_where((w >> np.uint32(31)) != 0, r * cosine_quarter(a))
    second = negate_where(((w >> np.uint32(30)) & np.uint32(1)) != 0, r * sine_quarter(a))
    return first, second


def cauchy(w):
    """§3.4: Cauchy."""
    w = np.asarray(w, dtype=np.uint32)
    m = w & np.uint32(0x7FFFFFFF)
    low = m < np.uint32(2**30)
    n = np.where(low, m, np.uint32(0x7FFFFFFF) - m)
    a = (float_of(n) + F(0.5)) * F(2.0**-33)
    s, c = sine_quarter(a), cosine_quarter(a)
    return negate_where((w >> np.uint32(31)) != 0, np.where(low, s / c, c / s))


def laplace(w):
    """§3.4: Laplace."""
    w = np.asarray(w, dtype=np.uint32)
    m = float_of(w & np.uint32(0x7FFFFFFF))
    return negate_where((w >> np.uint32(31)) != 0, np.abs(log((m + F(0.5)) * F(2.0**-31))))


def chi_over_root(z, k):
    """§3.4: chi over root, of a normal z, with k >= 64 degrees of freedom (Wilson, Hilferty)."""
    c = F(2) / (F(9) * float_of(k))
    q = fma(z, np.sqrt(c), F(1) - c)
    return q * np.sqrt(q)


def fill_normals(k, n):
    """§3.5: n normals of the wide stream, sixteen first ones and then their sixteen second ones."""
    words = wide_words(k, 16 * -(-n // 32)).reshape(-1, 16)
    first, second = two_normals(words)
    return np.stack([first, second], axis=1).reshape(-1)[:n]


def fill_chi(k, freedom, n):
    """§3.5: n chi variables of the wide stream."""
    return np.sqrt(float_of(freedom)) * chi_over_root(fill_normals(k, n), freedom)


class Below:
    """§3.6: exactly uniform indices of the narrow stream of a key."""

    def __init__(self, k):
        self.stream = narrow_streams([k])

    def __call__(self, n):
        while True:
            p = int(self.stream.step()[0]) * n
            if (p & MASK32) >= ((2**32 - n) % n):
                return p >> 32


POLYNOMIALS = [
    1, 3, 3, 3, 5, 3, 3, 27, 3, 9, 5, 9, 27, 33, 3, 43, 9, 9, 39, 9, 5, 3, 33, 27, 9, 27, 39, 3, 5, 3, 9
]


class Bijection:
    """§3.7: a permutation of [0, n) of the narrow stream of a key."""

    def __init__(self, k, n):
        self.n, self.bits = n, (n - 1).bit_length()
        self.mask = 2**self.bits - 1
        w = [int(x) for x in narrow_words(k, 8)]
        a = 1 + (w[0] * self.mask >> 32)
        self.offset = w[1] & self.mask
        self.rounds = [(w[2 + 2 * r] | 1, w[3 + 2 * r]) for r in range(3)]
        # a x^j in the field, for every bit j of an index.
        self.columns = []
        for _ in range(self.bits):
            self.columns.append(a)
            a <<= 1
            if a >> self.bits:
                a = (a & self.mask) ^ (POLYNOMIALS[self.bits - 1] & self.mask)

    def _pass(self, i):
        image = np.full(i.shape, self.offset, dtype=np.uint64)
        for j, column in enumerate(self.columns):
            image ^= np.where((i >> np.uint64(j)) & np.uint64(1), np.uint64(column), np.uint64(0))
        for f, o in self.rounds:
            image = (image * np.uint64(f) + np.uint64(o)) & np.uint64(self.mask)
            image ^= image >> np.uint64((self.bits + 1) // 2)
        return image

    def __call__(self, places):
        """The images of an array of places."""
        i = self._pass(np.asarray(places, dtype=np.uint64))
        while np.any(i >= self.n):
            i = np.where(i >= self.n, self._pass(i), i)
        return i.astype(np.int64)


@functools.lru_cache(maxsize=None)
def permutation(k, n):
    """The images of all n places under the bijection of a key."""
    return Bijection(k, n)(np.arange(n))
