"""SPEC.md, section 2: numbers. binary32 arithmetic, a correctly rounded fma, and sums of a fixed shape."""
import math
import struct
import zlib

import numpy as np

F = np.float32

# What leaves the range of floats is asked about afterwards, and 0 / 0 is nowhere.
np.seterr(all="ignore")


def f32(x):
    """A float or an array of floats of binary32, rounded to nearest even."""
    return np.asarray(x, dtype=np.float32)[()]


def float_of(integer):
    """§2.2: a float made of an integer, rounded to nearest even. Up to 53 bits the way through binary64 is exact."""
    return np.asarray(np.asarray(integer), dtype=np.float64).astype(np.float32)[()]


def bits(x):
    """The bit patterns of floats."""
    return np.ascontiguousarray(np.asarray(x, dtype=np.float32)).view(np.uint32).reshape(np.shape(x))[()]


def from_bits(u):
    """The floats of bit patterns."""
    return np.ascontiguousarray(np.asarray(u, dtype=np.uint32)).view(np.float32).reshape(np.shape(u))[()]


def power_of_two(e):
    """2^e as a float, -149 <= e <= 127."""
    return F(math.ldexp(1.0, int(e)))


def fma(a, b, c):
    """§2.1: a b + c rounded once.

    The product of two binary32 numbers is exact in binary64. Their sum with c is rounded to odd in binary64: an
    inexact sum whose last bit is even is moved by one place towards the exact value. Binary64 has more than two bits
    more than binary32, so that rounding this to binary32 is rounding the exact sum.
    """
    product = np.asarray(a, dtype=np.float64) * np.asarray(b, dtype=np.float64)
    addend = np.asarray(c, dtype=np.float64)
    total = product + addend
    # What was rounded off, exactly (Knuth's two-sum).
    part = total - product
    error = (product - (total - part)) + (addend - part)
    pattern = np.ascontiguousarray(total).view(np.int64).reshape(np.shape(total))
    inexact_and_even = (error != 0) & ((pattern & 1) == 0)
    away_from_zero = (error > 0) == (total > 0)
    step = np.where(inexact_and_even, np.where(away_from_zero, 1, -1), 0)
    odd = np.ascontiguousarray(pattern + step).view(np.float64).reshape(np.shape(total))
    return odd.astype(np.float32)[()]


def round_even(t):
    """§2.1: the nearest integer, ties to even, with the sign of t even for zero."""
    return np.copysign(np.rint(f32(t)), f32(t))


def relu(z):
    """§2.1."""
    return np.where(z > 0, z, F(0))


def negate_where(condition, x):
    """Flips signs, those of zeros too."""
    return np.where(condition, -x, x)


def polynomial(coefficients, x):
    """§2.3: Horner's rule, an fma a coefficient, from the highest power down."""
    result = np.broadcast_to(F(coefficients[0]), np.shape(x))
    for c in coefficients[1:]:
        result = fma(result, x, F(c))
    return result


def hexadecimal(text):
    """The floats of a text of hexadecimal floats, as SPEC.md lists coefficients."""
    return [F(float.fromhex(part)) for part in text.replace(",", " ").split()]


def fold_sixteen(sums):
    """§2.4: sixteen accumulators (the last axis) made one."""
    s = np.array(sums, dtype=np.float32)
    for h in (8, 4, 2, 1):
        s = s[..., :h] + s[..., h : 2 * h]
    return s[..., 0]


def dot(a, b):
    """The sum of products in the shape of §2.4, along the last axis; places after the end count as 0 * 0."""
    a, b = np.broadcast_arrays(np.asarray(a, np.float32), np.asarray(b, np.float32))
    n = a.shape[-1]
    padded = -(-n // 16) * 16
    widen = [(0, 0)] * (a.ndim - 1) + [(0, padded - n)]
    a, b = np.pad(a, widen), np.pad(b, widen)
    sums = np.zeros(a.shape[:-1] + (16,), np.float32)
    for i in range(0, padded, 16):
        sums = fma(a[..., i : i + 16], b[..., i : i + 16], sums)
    return fold_sixteen(sums)


def sum_of_squares(x, factor=F(1)):
    """§2.4."""
    v = np.asarray(x, np.float32) * F(factor)
    return dot(v, v)


def largest_exponent(x):
    """§9.4: e = floor(log2 of the largest |x_i|), -126 if that is subnormal or 0."""
    largest = int(np.max(bits(np.asarray(x, np.float32)) & np.uint32(0x7FFFFFFF)))
    return max((largest >> 23) - 127, -126)


def is_zero(x):
    """Whether all x_i are zeros, of either sign."""
    return not np.any(np.asarray(x) != 0)


def crc32(data, so_far=0):
    """zlib's CRC-32 of bytes."""
    return zlib.crc32(bytes(data), so_far) & 0xFFFFFFFF


def little_endian(values):
    """The bytes of words, floats or doubles as the self-test and the models see them."""
    a = np.asarray(values)
    return a.astype(a.dtype.newbyteorder("<")).tobytes()


def hex32(x):
    """The bit pattern of a float, or of each float of an array, as eight digits."""
    u = bits(x)
    return "%08x" % int(u) if np.ndim(u) == 0 else [hex32(v) for v in np.asarray(x)]


def hex64(x):
    """The bit pattern of a double, or of each double of a list, as sixteen digits."""
    if np.ndim(x) == 0:
        return struct.pack(">d", float(x)).hex()
    return [hex64(v) for v in x]
