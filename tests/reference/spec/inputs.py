"""The self-test's inputs, made of integers (ports/selftest/inputs.hpp)."""
import numpy as np

from .numbers import F, float_of, from_bits
from .sketches import refused
from .streams import key, narrow_words

SAMPLES = 8


def plain(n, index):
    """Multiples of 2^-16 in [-4, 4)."""
    words = narrow_words(key(2026, 99, index), n)
    return float_of((words >> np.uint32(13)).astype(np.int64) - (1 << 18)) * F(2.0**-16)


def sample(n, kind):
    """One sample of each awkward kind, 0 to 7."""
    x, i = plain(n, kind), np.arange(n)
    if kind == 1:  # zeros of both signs
        return np.where(i % 2 == 0, F(0), F(-0.0))
    if kind == 2:  # subnormals
        return from_bits((1 + 77 * i) | np.where(i % 3 == 0, 0x80000000, 0))
    if kind == 3:  # tiny
        return x * F(2.0**-100)
    if kind == 4:  # huge
        return x * F(2.0**38)
    if kind == 5:  # one-hot
        return np.where(i == n // 2, F(1), F(0))
    if kind == 6:  # from subnormal to huge in one vector
        return x * from_bits((1 + (i * 37) % 160) << 23)
    return x


SEED = 0x123456789ABCDEF

# What the models of tests/vectors do to their inputs, and a sample with a number that is missing.
ONES = np.ones(3, np.float32)
SHIFT, FACTOR = np.array([0.5, -1, 2], np.float32), np.array([2, 0.25, 1.5], np.float32)
MISSING = np.array([1, from_bits(0x7FC00000), 0.25], np.float32)


def samples(n, of):
    """What `of` makes of each sample of n numbers; results out of range are cleared, all of a sample's together."""
    return [refused(np.asarray(of(sample(n, kind)))) for kind in range(SAMPLES)]


def block_samples(of, spec):
    """The features of the eight samples of a map of rows, block after block."""
    return [np.concatenate(of(spec, sample(spec.inputs, kind))) for kind in range(SAMPLES)]
