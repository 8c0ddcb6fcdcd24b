"""SPEC.md, section 5: the Walsh-Hadamard transform and the real FFT."""
import functools
import math

import numpy as np

from .numbers import F


def hadamard(v):
    """§5.1, Walsh-Hadamard, unnormalised, Sylvester's order, along the last axis."""
    y = np.array(v, dtype=np.float32)
    n, h = y.shape[-1], 1
    while h < n:
        pairs = y.reshape(y.shape[:-1] + (n // (2 * h), 2, h))
        a, b = pairs[..., 0, :].copy(), pairs[..., 1, :].copy()
        pairs[..., 0, :], pairs[..., 1, :] = a + b, a - b
        h *= 2
    return y


class Complex:
    """Complex numbers as pairs of floats: one rounding an operation, products as a c - b d and a d + b c."""

    def __init__(self, real, imaginary):
        self.r, self.i = np.asarray(real, np.float32), np.asarray(imaginary, np.float32)

    def __getitem__(self, where):
        return Complex(self.r[where], self.i[where])

    def __add__(self, other):
        return Complex(self.r + other.r, self.i + other.i)

    def __sub__(self, other):
        return Complex(self.r - other.r, self.i - other.i)

    def __mul__(self, other):
        return Complex(self.r * other.r - self.i * other.i, self.r * other.i + self.i * other.r)

    def times(self, factor):
        """Both parts times a float."""
        return Complex(self.r * factor, self.i * factor)

    def turned(self, inverse):
        """Times -i, of an inverse transform i, by exchange."""
        return Complex(-self.i, self.r) if inverse else Complex(self.i, -self.r)

    def conjugate(self):
        return Complex(self.r, -self.i)


def _unit(phases):
    """exp(i phase) of doubles, each part rounded to binary32."""
    return Complex([F(math.cos(p)) for p in phases], [F(math.sin(p)) for p in phases])


def factors(n):
    """§5.3: the radices, outermost first: fours, then a two, then odd numbers ascending.

    A trial divisor above the root of n, the number at the start, gives way to all that is left.
    """
    found, p, most, left = [], 4, math.isqrt(n), n
    while left > 1:
        while left % p:
            p = {4: 2, 2: 3}.get(p, p + 2)
            if p > most:
                p = left
        found.append(p)
        left //= p
    return found or [1]


@functools.lru_cache(maxsize=None)
def _twiddles(n, inverse):
    phases = [-2 * math.pi * i / n for i in range(n)]
    return _unit([-p if inverse else p for p in phases])


def _butterfly(parts, n, stride, inverse):
    """Transforms of p decimated parts, each of m numbers, made one of p m numbers."""
    p, m = len(parts), len(parts[0].r)
    w = _twiddles(n, inverse)
    k = np.arange(m)
    if p > 5:
        # The general radix: a sum in ascending order, twiddle indices modulo n.
        out = []
        for q1 in range(p):
            place = k + q1 * m
            total = parts[0]
            for q in range(1, p):
                total = total + parts[q] * w[(stride * place * q) % n]
            out.append(total)
        return out
    a = parts[0]
    t = [None] + [parts[q] * w[stride * k * q] for q in range(1, p)]
    if p == 1:
        return [a]
    if p == 2:
        return [a + t[1], a - t[1]]
    if p == 3:
        s, d = t[1] + t[2], (t[1] - t[2]).times(w.i[stride * m])
        middle = a - s.times(F(0.5))
        one = Complex(middle.r - d.i, middle.i + d.r)
        two = Complex(middle.r + d.i, middle.i - d.r)
        return [a + s, one, two]
    if p == 4:
        even, odd = a + t[2], a - t[2]
        s, d = t[1] + t[3], (t[1] - t[3]).turned(inverse)
        return [even + s, odd + d, even - s, odd - d]
    ya, yb = w[stride * m], w[stride * 2 * m]
    s7, s10, s8, s9 = t[1] + t[4], t[1] - t[4], t[2] + t[3], t[2] - t[3]
    s5 = (a + s7.times(ya.r)) + s8.times(yb.r)
    s11 = (a + s7.times(yb.r)) + s8.times(ya.r)
    s6 = Complex(s10.i * ya.i + s9.i * yb.i, -(s10.r * ya.i) - s9.r * yb.i)
    s12 = Complex(-(s10.i * yb.i) + s9.i * ya.i, s10.r * yb.i - s9.r * ya.i)
    return [a + (s7 + s8), s5 - s6, s11 + s12, s11 - s12, s5 + s6]


def _work(x, n, stride, radices, inverse):
    p = radices[0]
    if len(x.r) == p:
        parts = [x[q : q + 1] for q in range(p)]
    else:
        parts = [_work(x[q::p], n, stride * p, radices[1:], inverse) for q in range(p)]
    out = _butterfly(parts, n, stride, inverse)
    return Complex(np.concatenate([o.r for o in out]), np.concatenate([o.i for o in out]))


def complex_fft(x, inverse):
    """§5.3: the complex transform of n numbers, unnormalised."""
    n = len(x.r)
    return _work(x, n, 1, factors(n), inverse)


@functools.lru_cache(maxsize=None)
def _super_twiddles(half, inverse):
    phases = [-math.pi * (float(i + 1) / half + 0.5) for i in range(half // 2)]
    return _unit([-p if inverse else p for p in phases])


def real_fft(v):
    """§5.4: n real numbers to n/2 + 1 complex ones, n even."""
    v = np.asarray(v, np.float32)
    half = len(v) // 2
    z = complex_fft(Complex(v[0::2], v[1::2]), False)
    real, imaginary = np.zeros(half + 1, np.float32), np.zeros(half + 1, np.float32)
    real[0], real[half] = z.r[0] + z.i[0], z.r[0] - z.i[0]
    for k in range(1, half // 2 + 1):
        a, b = z[k], z[half - k].conjugate()
        s, d = a + b, (a - b) * _super_twiddles(half, False)[k - 1]
        real[k], imaginary[k] = (s.r + d.r) * F(0.5), (s.i + d.i) * F(0.5)
        real[half - k], imaginary[half - k] = (s.r - d.r) * F(0.5), (d.i - s.i) * F(0.5)
    return Complex(real, imaginary)


def real_fft_backward(z, n):
    """§5.5: n/2 + 1 complex numbers to n real ones, times n."""
    half = n // 2
    real, imaginary = np.zeros(half, np.float32), np.zeros(half, np.float32)
    real[0], imaginary[0] = z.r[0] + z.r[half], z.r[0] - z.r[half]
    for k in range(1, half // 2 + 1):
        a, b = z[k], z[half - k].conjugate()
        s, d = a + b, (a - b) * _super_twiddles(half, True)[k - 1]
        real[k], imaginary[k] = s.r + d.r, s.i + d.i
        real[half - k], imaginary[half - k] = s.r - d.r, -(s.i - d.i)
    out = complex_fft(Complex(real, imaginary), True)
    return np.stack([out.r, out.i], axis=1).reshape(-1)


def fft_size(n):
    """Whether the FFT takes n: even, n/2 a product of twos, threes and fives, at least 4."""
    half = n // 2
    for p in (2, 3, 5):
        while half > 1 and half % p == 0:
            half //= p
    return n % 2 == 0 and n >= 4 and half == 1
