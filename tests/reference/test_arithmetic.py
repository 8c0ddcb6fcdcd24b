#!/usr/bin/env python3
"""The reference's own arithmetic: its fma against exact rational numbers, and the bits that numpy must give.

An fma is checked on constructed ties and next to them, on cancellation, on subnormal and huge results, and on random
operands; the exact sum is a fraction, rounded here by integers alone.
"""
import fractions
import random
import sys

import numpy as np

from spec.numbers import F, bits, float_of, fma, from_bits, round_even


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


def main():
    wrong = 0
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
    print(f"{len(triples) + len(plain) - wrong} of {len(triples) + len(plain)} results")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
