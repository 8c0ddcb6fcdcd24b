"""SPEC.md, sections 12 and 13: maps of sketches, for polynomial kernels and power series of the inner product."""
import dataclasses
import fractions
import math

import numpy as np

from . import maps, registry, sketches, streams
from . import rows as rows_
from .inputs import FACTOR, SEED, SHIFT, samples
from .numbers import F
from .transforms import fft_size


@dataclasses.dataclass
class Polynomial:
    """A resolved spec has orders; None stands for auto."""

    inputs: int
    features: int
    degree: int = 2
    sketch: str = "srht"
    orders: int = None
    scale: float = 1.0
    offset: float = 1.0
    seed: int = 0
    numbers: int = 0  # 1: int8


@dataclasses.dataclass
class Dot:
    inputs: int
    features: int
    coefficients: list
    sketch: str = "srht"
    orders: int = None
    seed: int = 0


def coefficients(spec):
    """§12.6: c_0 ... c_p, as floats."""
    if isinstance(spec, Dot):
        return [F(c) for c in spec.coefficients]
    p, scale, offset = spec.degree, float(F(spec.scale)), float(F(spec.offset))

    def power(x, n):
        result = 1.0
        for _ in range(n):
            result = result * x
        return result

    return [F(float(math.comb(p, j)) * power(scale, j) * power(offset, p - j)) for j in range(p + 1)]


def lower_fft_size(m):
    """The largest size that the FFT takes, at most m; 0 if there is none."""
    while m >= 4 and not fft_size(m):
        m -= 1
    return m if m >= 4 else 0


@dataclasses.dataclass
class Layout:
    """§12.5: exact features of degrees 0 and 1, and shares of width m of the powers in `powers`."""

    constant: bool
    linear: bool
    powers: list
    width: int
    whole: bool  # one share, of the power p of x with sqrt(offset) appended


def layout(spec, orders):
    c = coefficients(spec)
    if isinstance(spec, Polynomial) and not orders and F(spec.offset) != 0:
        constant, linear, powers, whole = False, False, [spec.degree], True
    else:
        # Of a polynomial kernel those powers that the numbers leave, even where a coefficient is rounded to 0.
        there = [F(spec.offset) != 0] * spec.degree + [True] if isinstance(spec, Polynomial) else [v != 0 for v in c]
        constant, linear, whole = bool(there[0]), bool(orders and len(c) > 1 and there[1]), False
        powers = [j for j in range(1, len(c)) if there[j] and not (linear and j == 1)]
    left = spec.features - constant - (spec.inputs if linear else 0)
    width = left // len(powers) if powers else 0
    if spec.sketch == "count":
        width = lower_fft_size(width)
    return Layout(constant, linear, powers, width, whole)


def resolve(spec):
    """§12.4."""
    s = dataclasses.replace(spec)
    if s.orders is None and isinstance(s, Polynomial) and s.numbers:
        s.orders = 0
    if s.orders is None:
        plan = layout(s, 1)
        exact = plan.constant + (s.inputs if plan.linear else 0)
        pays = not plan.powers or exact <= s.features // 4
        room = not plan.powers or plan.width >= (4 if s.sketch == "count" else 1)
        some = plan.constant or plan.linear
        s.orders = 1 if some and room and pays and exact <= s.features else 0
    return s


def features(spec, x):
    """§12.6: the features of one sample; zeros if they overflow."""
    if isinstance(spec, Polynomial) and spec.numbers:
        return whole_features(spec, x).astype(np.float32)
    try:
        return sketches.finite(_features(spec, np.asarray(x, np.float32)))
    except sketches.Overflow:
        return np.zeros(spec.features, np.float32)


def _features(spec, x):
    plan, rho = layout(spec, spec.orders), np.sqrt(np.array(coefficients(spec), np.float32))

    def power(v, degree):
        if spec.sketch == "count":
            return sketches.tensor_sketch([v] * degree, plan.width, spec.seed)
        return sketches.PolySketch(plan.width, "srht", spec.seed).of([v] * degree)

    def prefixes(v, degree):
        """All powers, each of which may overflow, also those that have no share."""
        if spec.sketch == "count":
            found = sketches.tensor_sketch_prefixes([v] * degree, plan.width, spec.seed)
        else:
            found = sketches.PolySketch(plan.width, "srht", spec.seed).prefixes(v, degree)
        return [sketches.finite(z) for z in found]

    if plan.whole:
        widened = np.concatenate([x * np.sqrt(F(spec.scale)), [np.sqrt(F(spec.offset))]])
        parts = [power(sketches.within(widened.astype(np.float32)), spec.degree)]
    else:
        parts = [rho[:1]] if plan.constant else []
        parts += [x * rho[1]] if plan.linear else []
        if len(plan.powers) == 1:
            parts.append(power(x, plan.powers[0]) * rho[plan.powers[0]])
        elif plan.powers:
            powers = prefixes(x, plan.powers[-1])
            parts += [powers[j - 1] * rho[j] for j in plan.powers]
    z = np.concatenate(parts).astype(np.float32)
    return np.concatenate([z, np.zeros(spec.features - len(z), np.float32)])


def nearest_root(v):
    """§29.2: [([sqrt(4 v)] + 1) / 2] of an exact number."""
    return (math.isqrt(math.floor(4 * v)) + 1) // 2


def whole_facts(spec):
    """§29.2: g and s."""
    d, offset = spec.inputs, fractions.Fraction(float(F(spec.offset)))
    if spec.sketch == "count":
        squares, g = 1024 * -(-d // spec.features), nearest_root(offset)
    else:
        k = rows_.padded_size(d).bit_length() - 1
        unit = fractions.Fraction(1 + k % 2, 4 ** max(0, k - (7 if k < 10 else 6)))
        g = nearest_root(unit * offset)
        squares = math.floor(1024 * d * unit) + g * g
    if spec.degree == 2:
        return g, next(s for s in range(32) if 127 * 2**s >= 4 * squares)
    return g, next(s for s in range(32) if 127**2 * 4**s >= 7 * squares)


def whole_values(spec, x):
    """§29.2: v of all features."""
    m, (g, _) = spec.features, whole_facts(spec)
    x = np.rint(np.clip(np.asarray(x, np.float64), -127, 127)).astype(np.int64)
    if spec.sketch == "count":
        words = streams.narrow_words(streams.key(spec.seed, streams.COUNT_HASH, 1), spec.inputs + 1).astype(np.int64)
        v = np.zeros(m, np.int64)
        np.add.at(v, (words >> 1) * m >> 31, np.where(words & 1, -1, 1) * np.append(x, g))
        return v
    t, u = (maps.whole_block(x, block, spec.seed)[::-1] + g for block in (0, 1))
    if spec.degree == 1:
        return t[:m]
    j, size = np.arange(m), len(t)
    o = streams.common(spec.seed, streams.HADAMARD_SIGNS) // 2 * 2 + 1
    return t[j % size] * u[(j % size + j // size * (o % size)) % size]


def whole_features(spec, x):
    """§29.2: the features, as whole numbers."""
    v, (_, s) = whole_values(spec, x), whole_facts(spec)
    assert np.abs(v).max() < 1 << 30
    return np.clip((v + 2**s // 2) >> s, -127, 127)


def blocks_of(spec, x, kept=None):
    """§29.2: in whole numbers blocks of D rows, or all of them for sketch=count; else one block."""
    z = features(spec, x)
    if not spec.numbers:
        return [z]
    size = rows_.padded_size(spec.inputs) if spec.sketch == "srht" else spec.features
    kept_rows = maps.all_or_kept(spec.features, kept)
    return [z[kept_rows[kept_rows // size == b]] for b in range(-(-spec.features // size))]


# ---- What other files ask of these maps


def _polynomial_cases():
    cases = {}

    def polynomial(name, degree, sketch, orders):
        spec = Polynomial(17, 300, degree, sketch, orders, 0.3, 0.7, SEED)
        cases["polynomial/" + name] = lambda: samples(17, lambda x: features(spec, x))

    polynomial("2/orders-1", 2, "srht", 1)
    polynomial("3", 3, "srht", 0)
    polynomial("5/orders-1", 5, "srht", 1)
    polynomial("count/3", 3, "count", 0)
    polynomial("count/3/orders-1", 3, "count", 1)

    def whole(name, d, m, degree, sketch, offset):
        spec = Polynomial(d, m, degree, sketch, 0, 1.0, offset, SEED, 1)
        cases["polynomial/int8/" + name] = lambda: samples(d, lambda x: features(spec, x))

    whole("1", 130, 200, 1, "srht", 3000.0)
    whole("2", 17, 300, 2, "srht", 0.0)
    whole("2/offset", 130, 300, 2, "srht", 70000.0)
    whole("count", 130, 64, 1, "count", 3000.0)
    return cases


def _dot_cases():
    cases = {}

    def dot(name, sketch, orders):
        spec = Dot(17, 300, [0.5, 0.25, 0.0, 0.125, 0.1], sketch, orders, SEED)
        cases["dot/" + name] = lambda: samples(17, lambda x: features(spec, x))

    dot("orders-1", "srht", 1)
    dot("none", "srht", 0)
    dot("count", "count", 1)
    return cases


def _polynomial_bytes(s):
    kinds = registry.small(s.degree, registry.SKETCHES[s.sketch], s.orders + 1, s.numbers)
    return kinds + registry.real(s.scale) + registry.real(s.offset) + registry.seed(s.seed)


def _dot_bytes(s):
    kinds = registry.small(registry.SKETCHES[s.sketch], s.orders + 1, len(s.coefficients), 0)
    return kinds + registry.whole(0, 0) + registry.seed(s.seed) + registry.coefficients(s.coefficients)


registry.register(
    number=3,
    name="polynomial",
    spec=Polynomial,
    spec_bytes=_polynomial_bytes,
    read=lambda inputs, m, b: Polynomial(
        inputs,
        m,
        b.small(12),
        b.name(registry.SKETCHES, 13),
        b.small(14) - 1,
        b.real(16),
        b.real(20),
        b.seed(24),
        b.small(15),
    ),
    resolve=resolve,
    later=("numbers",),
    blocks=blocks_of,
    selftest=_polynomial_cases,
    models=lambda: [(Polynomial(3, 25, 3, "count", 1, 0.3, 0.7, 5), {"scaling": (2, [SHIFT, FACTOR])})],
)
registry.register(
    number=4,
    name="dot",
    spec=Dot,
    spec_bytes=_dot_bytes,
    read=lambda inputs, m, b: Dot(
        inputs, m, b.coefficients(14), b.name(registry.SKETCHES, 12), b.small(13) - 1, b.seed(24)
    ),
    resolve=resolve,
    blocks=lambda spec, x, kept: [features(spec, x)],
    selftest=_dot_cases,
    models=lambda: [(Dot(3, 20, [F(0.5), F(0.25), F(0), F(0.125)], "srht", 1, 6), {"type": "int8"})],
)
