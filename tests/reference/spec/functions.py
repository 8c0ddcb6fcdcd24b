"""SPEC.md, section 4: functions of one number, as polynomials."""
import numpy as np

from .numbers import F, bits, f32, fma, float_of, from_bits, hexadecimal, negate_where, polynomial, round_even

SINE = hexadecimal("0x1.3daff6p+5, -0x1.324ccap+6, 0x1.4668bp+6, -0x1.4abbc2p+5, 0x1.921fb6p+2")
LOG = hexadecimal(
    "-0x1.38b576p-4, 0x1.055b68p-3, -0x1.0d8542p-3, 0x1.22da1ep-3, -0x1.547244p-3, 0x1.99a008p-3, -0x1.000226p-2,"
    " 0x1.555554p-2"
)
EXP = hexadecimal("0x1.6a244cp-10, 0x1.1239d4p-7, 0x1.5558f2p-5, 0x1.555492p-3, 0x1.fffffcp-2")
INVERSE_TAIL = hexadecimal(
    "0x1.abf6fcp-15, 0x1.157df2p-16, -0x1.be85dap-12, 0x1.848c6ap-11, -0x1.c8e154p-11, 0x1.82684ap-10,"
    " -0x1.8290f4p-9, 0x1.3098e2p-8, 0x1.6cb51p+0, 0x1.2de4c8p+2"
)
INVERSE_MIDDLE = hexadecimal(
    "-0x1.ab2c58p-27, 0x1.1a3adep-25, 0x1.61f092p-21, -0x1.48a1e2p-18, -0x1.d70d76p-18, 0x1.43c906p-12,"
    " -0x1.d06d0ep-10, -0x1.832b0cp-8, 0x1.652c5cp-2, 0x1.0fc8bcp+1"
)


def sine_quarter(u):
    """§4.1, S(u): sin 2 pi u for |u| <= 1/4."""
    return u * polynomial(SINE, u * u)


def cosine_quarter(a):
    """S(0.25 - a): cos 2 pi a for 0 <= a <= 1/2."""
    return sine_quarter(F(0.25) - a)


def sine_turns(t):
    """§4.2: the sine of t turns."""
    r = f32(t) - round_even(t)
    a = np.abs(r)
    return negate_where(np.signbit(r), sine_quarter(np.where(a < F(0.25), a, F(0.5) - a)))


def cosine_turns(t):
    """§4.2: the cosine of t turns."""
    return cosine_quarter(np.abs(f32(t) - round_even(t)))


def log(x):
    """§4.3: the logarithm of positive normal numbers."""
    v = bits(x) + np.uint32(0x3F800000 - 0x3F3504F3)
    e = float_of((v >> np.uint32(23)).astype(np.int64)) - F(127)
    f = from_bits((v & np.uint32(0x7FFFFF)) + np.uint32(0x3F3504F3)) - F(1)
    w = f * f
    r = fma(f * w, polynomial(LOG, f), e * F(-2.12194440e-4))
    r = fma(F(-0.5), w, r)
    return fma(e, F(0.693359375), f + r)


def exp(x):
    """§4.4: the exponential."""
    x = f32(x)
    x = np.where(x < F(-104), F(-104), x)
    x = np.where(x > F(88.7), F(88.7), x)
    n = round_even(x * F(1.44269504))
    r = fma(n, F(-0.693359375), x)
    r = fma(n, F(2.12194440e-4), r)
    p = fma(r * r, polynomial(EXP, r), r) + F(1)
    n = n.astype(np.int64)
    h = n >> 1  # the floor of n / 2
    scale = lambda e: from_bits((np.asarray(e) + 127 << 23).astype(np.uint32))
    return p * scale(h) * scale(n - h)


def inverse_normal(k):
    """§4.5: the inverse normal CDF of a word."""
    k = np.asarray(k, dtype=np.uint32)
    lower = k < np.uint32(2**31)
    q = np.where(lower, k, ~k)
    p = (float_of(q) + F(0.5)) * F(2.0**-32)
    y = (float_of(np.uint32(0x7FFFFFFF) - q) + F(0.5)) * F(2.0**-31)
    w = F(0) - log((p * F(4)) * (F(1) - p))
    tail = w > F(5)
    middle_value = polynomial(INVERSE_MIDDLE, w - F(2.5))
    tail_value = polynomial(INVERSE_TAIL, np.sqrt(np.where(tail, w, F(9))) - F(3.5))
    return negate_where(lower, y * np.where(tail, tail_value, middle_value))
