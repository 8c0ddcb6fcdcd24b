#!/usr/bin/env python3
"""Inputs that tell the coefficients of SPEC.md, section 4, from their neighbours.

Of most inputs a polynomial's value is the same where a high coefficient is the next float: a slip of the pen would be
found by none of them. FOUND has, for each coefficient and each of its two neighbours, an input whose result is another
one.
`telling_inputs.py` searches anew and prints them; it takes a minute.
"""
import numpy as np

from spec import functions
from spec.numbers import F, bits, from_bits, hex32

FOUND = {
    "sine": [
        "3e2bb8e5", "3e4e14ab", "3e639f37", "3e653c18", "3e674c8c", "3e6ee7c2", "3e703a9f",
    ],
    "log": [
        "3fa9dd91", "3fac44eb", "3facd0ee", "3fad421e", "3fadae09", "3fadfa8c", "3fb26fef", "3fb2ad50",
        "3fb4413c", "3fb46bda",
    ],
    "exp": [
        "3e4cadfc", "3e9ab5a7", "be8be26e", "be96273d", "bea5b6af", "bea823b1", "bead3145", "bead39d1",
    ],
    "inverse-normal": [
        "0024463c", "002a4f41", "00316208", "003522c3", "00370d28", "0045e495", "005c168a", "005cc7cc",
        "0069d0b6", "006c8179", "006e2ef0", "00816d08", "00aa05d6", "00c1cb8d", "26c3cf8d", "3ab5ab73",
        "4d34102d", "59eada9a", "5aa65b29", "5c9c9c14", "691cab4e", "71cd7e9f", "78263bd9", "7f199472",
    ],
}

BATCH, BATCHES = 1 << 19, 14


def _words(random, low, high):
    return random.integers(low, high, BATCH, dtype=np.uint64).astype(np.uint32)


def _inverse_inputs(random):
    """As many words in the tails as in the middle."""
    tail = random.random(BATCH) < 0.5
    return from_bits(np.where(tail, _words(random, 0, 0x00DA7000), _words(random, 0x00DA7000, 0x80000000)))


SEARCHED = {
    "sine": (functions.sine_turns, lambda r: from_bits(_words(r, 0x3D800000, 0x3E800000)), [functions.SINE]),
    "log": (functions.log, lambda r: from_bits(_words(r, 0x3F3504F3, 0x3FB504F3)), [functions.LOG]),
    "exp": (functions.exp, lambda r: (r.random(BATCH) * 0.6931 - 0.3466).astype(np.float32), [functions.EXP]),
    "inverse-normal": (
        lambda x: functions.inverse_normal(bits(x)),
        _inverse_inputs,
        [functions.INVERSE_TAIL, functions.INVERSE_MIDDLE],
    ),
}


def search(function, inputs, lists):
    """An input for each coefficient and neighbour; how many were not found."""
    random, found = np.random.default_rng(5), set()
    pending = [(c, i, towards) for c in lists for i in range(len(c)) for towards in (-1, 1)]
    for _ in range(BATCHES):
        if not pending:
            break
        x = inputs(random)
        before, left = bits(function(x)), []
        for c, i, towards in pending:
            own, c[i] = c[i], np.nextafter(c[i], F(towards * np.inf))
            places = np.flatnonzero(bits(function(x)) != before)
            c[i] = own
            if len(places):
                found.add(hex32(x[places[0]]))
            else:
                left.append((c, i, towards))
        pending = left
    return sorted(found), len(pending)


if __name__ == "__main__":
    for name, arguments in SEARCHED.items():
        inputs, missing = search(*arguments)
        print(f'    "{name}": {inputs},  # {missing} not found')
