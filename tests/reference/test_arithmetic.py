#!/usr/bin/env python3
"""The reference's own arithmetic: its fma against exact rational numbers, and the bits that numpy must give.

An fma is checked on constructed ties and next to them, on cancellation, on subnormal and huge results, and on random
operands; the exact sum is a fraction, rounded here by integers alone. The table of direction numbers is checked for what
is known of it: primitive polynomials, all of them up to degree 12, and odd numbers m_i below 2^i.
"""
import fractions
import random
import sys

import numpy as np

from spec.numbers import F, bits, float_of, fma, from_bits, round_even
from spec.rows import joe_kuo


def exact(x):
    return fractions.Fraction(float(x))


def rounded(value, sign_of_zero):
    """The bits of a fraction rounded to binary32, to nearest even."""
    if value == 0:
        return 0x80000000 if sign_of_zero else 0
    sign = 0x80000000 if value < 0 else 0
    value = abs(value)
    exponent = value.numerator.bit_length() - value.denominator.bit_length()
    while fractions.Fraction(2) ** exponent > value:
        exponent -= 1
    while fractions.Fraction(2) ** (exponent + 1) <= value:
        exponent += 1
    unit = fractions.Fraction(2) ** (max(exponent, -126) - 23)
    quotient = value / unit
    whole = quotient.numerator // quotient.denominator
    rest = quotient - whole
    if rest > fractions.Fraction(1, 2) or (rest == fractions.Fraction(1, 2) and whole % 2 == 1):
        whole += 1
    # Carries run into the exponent as they do in the bit pattern.
    pattern = (max(exponent, -126) + 126 << 23) + whole
    return sign | min(pattern, 0x7F800000)


def cases():
    random.seed(1)
    number = lambda sign, exponent, fraction: from_bits((sign << 31) | (exponent << 23) | fraction)
    any_number = lambda low, high: number(random.getrandbits(1), random.randint(low, high), random.getrandbits(23))
    for _ in range(6000):
        kind = random.randrange(5)
        if kind == 0:  # anything
            yield any_number(0, 254), any_number(0, 254), any_number(0, 254)
        elif kind == 1:  # the product nearly cancels or sticks out behind the addend
            a, b = any_number(80, 170), any_number(80, 170)
            product = np.float32(a * b)
            exponent = (int(bits(product)) >> 23) & 255
            near = min(max(exponent + random.randint(-30, 30), 0), 254)
            yield a, b, number(random.getrandbits(1), near, random.getrandbits(23))
        elif kind == 2:  # a tie: the product has its last bit half a unit behind the addend's, and a nudge
            half = 2.0 ** random.randint(-100, 80)
            addend = F(half * (2**24 + 2 * random.getrandbits(22)))
            nudge = random.choice([0.0, 2.0**-23, -(2.0**-24)])
            yield F(half), F(1 + nudge), addend
            yield F(half), F(-1 - nudge), addend
        elif kind == 3:  # subnormal results
            yield any_number(1, 90), any_number(1, 60), any_number(0, 3)
        else:  # the edge of the range
            yield any_number(180, 254), any_number(180, 200), any_number(240, 254)


def primitive(degree, inner):
    """Whether x generates all non-zero elements of the field that the polynomial makes."""
    modulus, order = 1 << degree | inner << 1 | 1, 2**degree - 1

    def times(a, b):
        product = 0
        while b:
            product ^= a if b & 1 else 0
            a, b = a << 1, b >> 1
            a ^= modulus if a >> degree else 0
        return product

    def power(n):
        result, base = 1, 2 if degree > 1 else 1
        while n:
            result = times(result, base) if n & 1 else result
            base, n = times(base, base), n >> 1
        return result

    factors = [p for p in range(2, order + 1) if order % p == 0 and all(p % q for q in range(2, int(p**0.5) + 1))]
    return power(order) == 1 and all(power(order // p) != 1 for p in factors)


def wrong_lines_of_the_table():
    wrong, seen = 0, []
    for place, (dimension, s, a, *m) in enumerate(joe_kuo()):
        good = dimension == place + 2 and len(m) == s and all(v % 2 == 1 and v < 2**i for i, v in enumerate(m, 1))
        if not good or not primitive(s, a) or (s, a) < (seen or [(0, 0)])[-1]:
            print(f"direction numbers: dimension {dimension} is wrong")
            wrong += 1
        seen.append((s, a))
    expected = [1, 1, 2, 2, 6, 6, 18, 16, 48, 60, 176, 144]
    return wrong + (len(set(seen)) != 1023) + ([sum(s == n for s, _ in seen) for n in range(1, 13)] != expected)


def main():
    wrong = wrong_lines_of_the_table()
    triples = list(cases())
    a, b, c = (np.array(v, np.float32) for v in zip(*triples))
    results = bits(fma(a, b, c))
    for (x, y, z), got in zip(triples, results):
        value = exact(x) * exact(y) + exact(z)
        minus = bool(np.signbit(z)) and bool(np.signbit(x) != np.signbit(y))
        if int(got) != rounded(value, minus):
            print(f"fma of {float(x).hex()} {float(y).hex()} {float(z).hex()}: {int(got):08x}")
            wrong += 1
    plain = [
        (F(1) / F(3), 0x3EAAAAAB),
        (np.sqrt(F(2)), 0x3FB504F3),
        (F(2.0**-126) * F(0.5), 0x00400000),  # subnormals are kept
        (float_of(2**24 + 1), 0x4B800000),
        (float_of(2**24 + 3), 0x4B800002),
        (round_even(F(-0.5)), 0x80000000),
        (round_even(F(2.5)), 0x40000000),
    ]
    for value, expected in plain:
        if int(bits(value)) != expected or value.dtype != np.float32:
            print(f"{value!r}: expected {expected:08x}")
            wrong += 1
    count = len(triples) + len(plain) + len(joe_kuo())
    print(f"{count - wrong} of {count} results")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
