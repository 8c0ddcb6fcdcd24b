"""SPEC.md, chapter 29: scaling to whole numbers, and readouts in whole numbers."""
import numpy as np


def scale(lines, x, runs=False):
    """§29.3, of whole numbers: (C, factor) of each input, with runs (steps = 24) of as many inputs one after the other as
    have the same; None: whole numbers already."""
    x = [int(v) for v in x]
    if lines is not None:
        # v = floor(x (8 + m) 2^(e - 19) + C / 8), over a common denominator.
        run = len(x) // len(lines)
        tiled = [lines[i // run if runs else i % len(lines)] for i in range(len(x))]
        x = [(v * (8 + (f & 7)) * 2 ** (f >> 3) + int(c) * 2**16) >> 19 for v, (c, f) in zip(x, tiled)]
    return np.clip(x, -127, 127)


def row_bytes(stored, n):
    """§29.4: the bytes of one output's weights."""
    return -(-n // 4) * 4 if stored == 8 else -(-n // 8) * 4


def weights_of(stored, row, n):
    """§29.4: the n weights of a row's bytes."""
    if stored == 8:
        return np.asarray(row[:n], np.int64) - 128
    places = [(j // 8 * 4 + j % 4, 0 if j % 8 < 4 else 4) for j in range(n)]
    return np.array([(int(row[at]) >> up & 15) - 8 for at, up in places], np.int64)


def sum_shift(stored, n):
    """§29.4: p."""
    largest = (128 if stored == 8 else 8) * 127 * n
    return next(p for p in range(32) if largest >> p <= 1 << 18)


def scores(stored, weights, biases, multipliers, z):
    """§29.4: the scores of features z."""
    sums = np.asarray(weights, np.int64) @ np.asarray(z, np.int64)
    p = sum_shift(stored, len(z))
    made = [(int(s) >> p) * int(m) + int(b) for s, m, b in zip(sums, multipliers, biases)]
    assert all(abs(v) < 1 << 31 for v in made)
    return made
