"""SPEC.md, sections 9 to 11: maps of rows. A map's features come as a list of blocks, exact features first."""
import dataclasses
import fractions
import math

import numpy as np

from . import registry
from . import rows as rows_
from . import sketches, streams
from .functions import cosine_turns, exp, sine_turns
from .inputs import FACTOR, MISSING, ONES, SEED, SHIFT, block_samples
from .numbers import F, float_of, fma, is_zero, largest_exponent, power_of_two, relu, sum_of_squares

MU = F(0.797884561)
ROOT_HALF = F(0.707106781)
ROOT_TWO = F(1.41421354)


@dataclasses.dataclass
class Rff:
    """A resolved spec has rows and orders; None stands for auto."""

    inputs: int
    features: int
    kernel: str = "gaussian"
    form: str = "pair"
    rows: str = None
    orders: int = None
    bandwidth: float = 1.0
    seed: int = 0
    numbers: int = 0  # 1: int8


@dataclasses.dataclass
class ArcCos:
    inputs: int
    features: int
    order: int = 1
    rows: str = None
    orders: int = None
    sweeps: int = 0
    pairs: int = 0
    seed: int = 0
    numbers: int = 0  # 1: int8; orders 3: even


def pays(spec, least):
    """§9.3."""
    return spec.inputs + 1 <= spec.features // 4 and spec.features - spec.inputs - 1 >= least


def resolve(spec):
    """§10.4 and §11.4."""
    s = dataclasses.replace(spec)
    d, rff = s.inputs, isinstance(s, Rff)
    if s.numbers:
        s.rows, s.orders = "hadamard", s.orders or 0
    if s.rows is None:
        radial = not rff or s.kernel == "gaussian"
        s.rows = "hadamard" if d >= 16 and radial else "dense"
    if s.orders is None:
        s.orders = 1 if not rff and s.rows != "gibbs" and pays(s, 1) else 0
    if not rff and s.orders == 2 and s.pairs == 0:
        every, left = d * (d + 1) // 2, s.features - d - 1
        s.pairs = every if left - every >= max(1, s.features // 16) else left - (left + 5) // 6
    if not rff and s.rows != "gibbs":
        s.sweeps = 0
    return s


def mean_magnitude(kind, d):
    """§9.6: mu, and mu_d for unit rows."""
    if kind != "unit":
        return MU
    if d <= 16:
        return F(math.sqrt(d) * math.gamma(d / 2) / (math.sqrt(math.pi) * math.gamma((d + 1) / 2)))
    r = F(1) / float_of(d)
    return MU * (F(1) + r * (F(0.25) + r * (F(0.03125) - r * (F(0.0390625) + r * F(0.0102539062)))))


@dataclasses.dataclass
class Length:
    """§9.4, measure: e, L = the root of the sum of squares of x 2^-e, and the factor 2^-e."""

    e: int
    L: np.float32
    down: np.float32


def length(x):
    e = largest_exponent(x)
    down = power_of_two(-e)
    return Length(e, np.sqrt(sum_of_squares(x, down)), down)


def exact_count(spec):
    """E: the features of the exact orders."""
    if spec.orders not in (1, 2):
        return 0
    return spec.inputs + 1 + (getattr(spec, "pairs", 0) if spec.orders == 2 else 0)


def row_count(spec):
    """m, before rows are left out."""
    rest = spec.features - exact_count(spec)
    return rest // 2 if isinstance(spec, Rff) and spec.form == "pair" else rest


def in_blocks(spec, parts, total, kept, left_over):
    """Block after block: of each part (cosines, sines) the features of the block's rows. What is left over is 0."""
    found = []
    size = rows_.block_rows(spec.rows, spec.inputs)
    for b in range(-(-total // size)):
        here = (kept >= b * size) & (kept < (b + 1) * size)
        found.append(np.concatenate([part[here] for part in parts]))
    if left_over and found:
        found[-1] = np.concatenate([found[-1], np.zeros(left_over, np.float32)])
    return found


def all_or_kept(total, kept):
    return np.arange(total) if kept is None else np.asarray(kept, dtype=np.int64)


def rff(spec, x, kept=None):
    """§10.5. `kept`: numbers of rows that are kept."""
    x = np.asarray(x, np.float32)
    total = row_count(spec)
    kept_rows = all_or_kept(total, kept)
    if spec.numbers:
        parts = [part[kept_rows].astype(np.float32) for part in whole_waves(spec, x)]
        return in_blocks(spec, parts, total, kept_rows, 0)
    m, b = float_of(len(kept_rows)), F(spec.bandwidth)
    scale = F(0.159154943) / b
    values = {"gaussian": "normal", "laplacian": "cauchy", "cauchy": "laplace"}[spec.kernel]
    t = rows_.projections(spec.rows, x, total, spec.seed, scale, values, kept=kept)
    left_over = spec.features - exact_count(spec) - total * (2 if spec.form == "pair" else 1) if kept is None else 0
    if spec.form == "phase":
        phase = phases(spec.rows, spec.inputs, total, spec.seed)[kept_rows]
        A = np.sqrt(F(2) / m)
        return in_blocks(spec, [cosine_turns(t + phase) * A], total, kept_rows, left_over)
    A = np.sqrt(F(1) / m)
    if not spec.orders:
        return in_blocks(spec, [cosine_turns(t) * A, sine_turns(t) * A], total, kept_rows, left_over)
    size = length(x)
    q = size.L * power_of_two(size.e) / b
    q = q if q < F(1024) else F(1024)
    G = F(exp(q * q * F(-0.5)))
    exact = np.concatenate([[G], x * (G / b)]).astype(np.float32)
    parts = [(cosine_turns(t) - G) * A, fma(t, F(-6.28318548) * G, sine_turns(t)) * A]
    return [exact] + in_blocks(spec, parts, total, kept_rows, left_over)


def phases(kind, d, m, seed):
    """§10.5, form=phase: a phase a row."""
    parts = []
    for block, count in rows_.blocks(kind, d, m):
        words = streams.wide_words(streams.key(seed, streams.PHASES, block), count)
        parts.append(float_of(words >> np.uint32(8)) * F(2.0**-24))
    return np.concatenate(parts)


def degree_two_weight(kind, d):
    """§9.6: a, the weight of the products, and the square of the constant's."""
    mu = mean_magnitude(kind, d)
    if kind != "unit":
        return mu * F(0.5), mu * F(0.5), mu * mu * F(0.5)
    k = float_of(d)
    a = mu * ((k + F(2)) / (F(2) * k + F(2)))
    return a, a * np.sqrt(k / (k + F(2))), mu * mu * F(0.5) - a * a / (k + F(2))


def all_products(x, down, s):
    """§9.5, all_products: x_i^2, then x_i x_j times the root of two, for i ascending."""
    found = []
    for i in range(len(x)):
        h = x[i] * down * s
        found += [[x[i] * h], x[i + 1 :] * (h * ROOT_TWO)]
    return np.concatenate(found).astype(np.float32)


def arccos_rows(spec, x):
    """§9.4: e', the projections of x 2^-e' and the length of x."""
    size = length(x)
    e = 0 if -32 <= size.e <= 31 else size.e
    t = rows_.projections(spec.rows, x * power_of_two(-e), row_count(spec), spec.seed, F(1), sweeps=spec.sweeps)
    l = size.L * power_of_two(size.e) if e == 0 else size.L
    return e, t, size, l


def step(kind, d, t, total, seed):
    """Whether the step is on: t > 0, or t is a positive tie."""
    return (t > 0) | ((t == 0) & rows_.ties(kind, d, total, seed))


def arccos(spec, x, kept=None):
    """§11.6."""
    x = np.asarray(x, np.float32)
    total = row_count(spec)
    kept_rows = all_or_kept(total, kept)
    if spec.numbers:
        return in_blocks(spec, [whole_features(spec, x)[kept_rows].astype(np.float32)], total, kept_rows, 0)
    if is_zero(x):
        blocks = [np.zeros(exact_count(spec), np.float32)] if exact_count(spec) else []
        return blocks + in_blocks(spec, [np.zeros(len(kept_rows), np.float32)], total, kept_rows, 0)
    m = float_of(len(kept_rows))
    e, t, size, l = arccos_rows(spec, x)
    up = power_of_two(e)
    if spec.order == 0:
        on = step(spec.rows, spec.inputs, t, total, spec.seed)[kept_rows]
    t = t[kept_rows]
    if not spec.orders:
        A = np.sqrt(F(2) / m)
        random = relu(t) * (A * up) if spec.order == 1 else np.where(on, A, F(0))
        return in_blocks(spec, [random], total, kept_rows, 0)
    A, mu = np.sqrt(F(0.5) / m), mean_magnitude(spec.rows, spec.inputs)
    if spec.orders == 3:
        return in_blocks(spec, [np.abs(t) * (A * up)], total, kept_rows, 0)
    if spec.order == 0:
        exact = np.concatenate([[ROOT_HALF], (x * size.down) * (mu * ROOT_HALF / size.L)])
        random = fma(t, -(mu / l), np.where(on, F(1), F(-1))) * A
    elif spec.orders == 1:
        exact = np.concatenate([[size.L * (mu * ROOT_HALF) * power_of_two(size.e)], x * ROOT_HALF])
        random = (np.abs(t) - mu * l) * (A * up)
    else:
        exact = exact_two(spec, x, size)
        a, _, _ = degree_two_weight(spec.rows, spec.inputs)
        random = fma(t * -(a / l), t, np.abs(t) - (mu - a) * l) * (A * up)
    return [exact.astype(np.float32)] + in_blocks(spec, [random], total, kept_rows, 0)


def whole_block(x, block, seed):
    """§29.1: the products of whole numbers with the rows of a block."""
    size = rows_.padded_size(len(x))
    k = size.bit_length() - 1
    y = np.concatenate([np.asarray(x, np.int64), np.zeros(size - len(x), np.int64)])
    for r, stream in enumerate([2**32 - 1, block]):
        y = np.where(streams.signs(streams.key(seed, streams.HADAMARD_SIGNS, stream), size), -y, y)
        for level in range(k):
            halves = level >= (7 if k < 10 else 6) if r == 0 else level % 2 == 1
            y = y.reshape(-1, 2, 1 << level)
            y = np.stack([y[:, 0] + y[:, 1], y[:, 0] - y[:, 1]], 1).reshape(size)
            if halves:
                y >>= 1
            assert np.abs(y).max() < 1 << 15
    return y


def whole_products(x, rows, seed):
    """§29.1 and §29.2: the products of inputs with the rows 0 ... rows - 1."""
    x = np.rint(np.clip(np.asarray(x, np.float64), -127, 127)).astype(np.int64)
    size = rows_.padded_size(len(x))
    return np.concatenate([whole_block(x, b, seed) for b in range(-(-rows // size))])[:rows]


def whole_turns(d, bandwidth):
    """§29.2: M_0, M_1 and s, of exact numbers."""
    k = rows_.padded_size(d).bit_length() - 1
    halvings = max(0, k - (7 if k < 10 else 6))
    b = fractions.Fraction(float(F(bandwidth)))
    plain = math.sqrt(1 + k % 2) * 2 * math.pi
    lengths = [round(2**18 * math.sqrt(1 + sign * math.sqrt(2 / 2**k)) / plain) for sign in (1, -1)]
    value = [fractions.Fraction(length, 2**18) * 2 ** (halvings + 8) / b for length in lengths]
    s = next(s for s in range(32) if value[0] * 2**s >= 2**14)
    found = [math.floor(v * 2**s) for v in value]
    assert max(found) < 2**15
    return found, s


def whole_waves(spec, x):
    """§29.2: cosines, and sines of form=pair, of all rows, as whole numbers."""
    z = whole_products(x, row_count(spec), spec.seed)
    multipliers, s = whole_turns(spec.inputs, spec.bandwidth)
    i = np.arange(len(z))
    angles = z * np.asarray(multipliers)[i % 2] >> s
    cosines = np.array([round(127 * math.cos(2 * math.pi * (a + 0.5) / 256)) for a in range(256)], np.int64)
    if spec.form == "pair":
        return [cosines[angles % 256], cosines[(angles - 64) % 256]]
    return [cosines[(angles - 64 * (i // 2 % 2)) % 256]]


def whole_shift(d):
    """§29.2: s."""
    k = rows_.padded_size(d).bit_length() - 1
    halvings = max(0, k - (7 if k < 10 else 6))
    return next(s for s in range(32) if 7 * 4 ** (s + halvings) >= 3 * d * (1 + k % 2))


def whole_features(spec, x):
    """§29.2: features of all rows, as whole numbers."""
    z = whole_products(x, spec.features, spec.seed)
    z = np.abs(z) if spec.orders == 3 else np.maximum(z, 0)
    return np.minimum(z >> whole_shift(spec.inputs), 127)


def exact_two(spec, x, size):
    """§11.6, orders=two: the exact features."""
    d = spec.inputs
    mu = mean_magnitude(spec.rows, d)
    _, weight, constant_squared = degree_two_weight(spec.rows, d)
    c = np.sqrt(constant_squared) if spec.rows == "unit" else mu * ROOT_HALF
    s = weight / size.L
    if spec.pairs == d * (d + 1) // 2:
        products = all_products(x, size.down, s)
    else:
        products = sketches.tensor_srht((x * size.down) * s, x, spec.pairs, spec.seed)
    return np.concatenate([[size.L * c * power_of_two(size.e)], x * ROOT_HALF, products])


# ---- What other files ask of these maps


def _rff_cases():
    cases = {}

    def rff_case(name, d, m, kernel, form, rows, orders, bandwidth, seed=SEED, numbers=0):
        spec = Rff(d, m, kernel, form, rows, orders, bandwidth, seed, numbers)
        cases["rff/" + name] = lambda: block_samples(rff, spec)

    rff_case("hadamard/pair/17", 17, 300, "gaussian", "pair", "hadamard", 0, 1.5)
    rff_case("hadamard/pair/130", 130, 600, "gaussian", "pair", "hadamard", 0, 8.0)
    rff_case("hadamard/phase/17", 17, 300, "gaussian", "phase", "hadamard", 0, 1.5)
    rff_case("hadamard/orders-1/17", 17, 300, "gaussian", "pair", "hadamard", 1, 9.0)
    rff_case("fastfood/pair/17", 17, 300, "gaussian", "pair", "fastfood", 0, 1.5)
    rff_case("fastfood/phase/130", 130, 301, "gaussian", "phase", "fastfood", 0, 6.0)
    rff_case("dense/pair/3", 3, 100, "gaussian", "pair", "dense", 0, 0.7)
    rff_case("dense/pair/130", 130, 202, "gaussian", "pair", "dense", 0, 8.0)
    rff_case("dense/phase/1", 1, 77, "gaussian", "phase", "dense", 0, 0.7)
    rff_case("dense/orders-1/16", 16, 200, "gaussian", "pair", "dense", 1, 7.0)
    rff_case("dense/laplacian/17", 17, 150, "laplacian", "pair", "dense", 0, 4.0)
    rff_case("dense/cauchy/17", 17, 151, "cauchy", "phase", "dense", 0, 3.0)
    rff_case("quasi/gaussian/17", 17, 400, "gaussian", "pair", "quasi", 0, 1.5)
    rff_case("quasi/orders-1/17", 17, 400, "gaussian", "pair", "quasi", 1, 8.0)
    rff_case("quasi/laplacian/130", 130, 150, "laplacian", "pair", "quasi", 0, 9.0)
    rff_case("quasi/cauchy/17", 17, 150, "cauchy", "phase", "quasi", 0, 3.0)
    rff_case("int8/pair/17", 17, 300, "gaussian", "pair", "hadamard", 0, 1.5, 42, 1)
    rff_case("int8/phase/130", 130, 600, "gaussian", "phase", "hadamard", 0, 8.0, 42, 1)
    return cases


def _arccos_cases():
    cases = {}

    def arccos_case(name, d, m, order, rows, orders, pairs=0, numbers=0):
        spec = ArcCos(d, m, order, rows, orders, 2, pairs, 42, numbers)
        cases[f"arccos-{order}/{name}"] = lambda: block_samples(arccos, spec)

    arccos_case("hadamard/17", 17, 300, 1, "hadamard", 0)
    arccos_case("hadamard/orders-1/130", 130, 400, 1, "hadamard", 1)
    arccos_case("dense/3", 3, 100, 1, "dense", 0)
    arccos_case("dense/orders-1/50", 50, 133, 1, "dense", 1)
    arccos_case("unit/5", 5, 101, 1, "unit", 0)
    arccos_case("unit/orders-1/17", 17, 101, 1, "unit", 1)
    arccos_case("gibbs/6", 6, 70, 1, "gibbs", 0)
    arccos_case("hadamard/orders-2/17", 17, 300, 1, "hadamard", 2, 153)
    arccos_case("unit/orders-2/9", 9, 128, 1, "unit", 2, 45)
    arccos_case("hadamard/orders-2/sketch/130", 130, 600, 1, "hadamard", 2, 333)
    arccos_case("dense/orders-2/sketch/17", 17, 200, 1, "dense", 2, 99)
    arccos_case("unit/orders-2/sketch/6", 6, 60, 1, "unit", 2, 20)
    arccos_case("hadamard/17", 17, 300, 0, "hadamard", 0)
    arccos_case("hadamard/orders-1/17", 17, 300, 0, "hadamard", 1)
    arccos_case("hadamard/ties/64", 64, 600, 0, "hadamard", 0)
    arccos_case("hadamard/ties/orders-1/64", 64, 600, 0, "hadamard", 1)
    arccos_case("dense/50", 50, 100, 0, "dense", 0)
    arccos_case("unit/orders-1/5", 5, 101, 0, "unit", 1)
    arccos_case("gibbs/6", 6, 70, 0, "gibbs", 0)
    arccos_case("hadamard/even/17", 17, 300, 1, "hadamard", 3)
    arccos_case("int8/17", 17, 300, 1, "hadamard", 0, 0, 1)
    arccos_case("int8/even/130", 130, 600, 1, "hadamard", 3, 0, 1)
    return cases


def _rff_bytes(s):
    kinds = registry.KERNELS[s.kernel], registry.FORMS[s.form], rows_.KINDS[s.rows], s.orders + 1
    return registry.small(*kinds) + registry.real(s.bandwidth) + registry.small(s.numbers, 0, 0, 0) + registry.seed(s.seed)


def _arccos_bytes(s):
    kinds = registry.small(s.order, s.numbers, rows_.KINDS[s.rows], s.orders + 1)
    return kinds + registry.whole(s.sweeps, s.pairs) + registry.seed(s.seed)


registry.register(
    number=1,
    name="rff",
    spec=Rff,
    spec_bytes=_rff_bytes,
    read=lambda inputs, features, b: Rff(
        inputs,
        features,
        b.name(registry.KERNELS, 12),
        b.name(registry.FORMS, 13),
        b.name(rows_.KINDS, 14),
        b.small(15) - 1,
        b.real(16),
        b.seed(24),
        b.small(20),
    ),
    later=("numbers",),
    resolve=resolve,
    blocks=rff,
    selftest=_rff_cases,
    models=lambda: [
        (
            Rff(3, 140, rows="dense", orders=0, bandwidth=1.5, seed=1),
            {"type": "int8", "outputs": 3, "labels": ["low", "é", ""]},
        ),
        (
            Rff(3, 138, rows="hadamard", orders=1, seed=1),
            {"kept": [0, 5, 63, 64, 66], "scaling": (7, [ONES, SHIFT, FACTOR]), "x": MISSING},
        ),
    ],
)
registry.register(
    number=2,
    name="arccos",
    spec=ArcCos,
    spec_bytes=_arccos_bytes,
    read=lambda inputs, features, b: ArcCos(
        inputs,
        features,
        b.small(12),
        b.name(rows_.KINDS, 14),
        b.small(15) - 1,
        b.whole(16),
        b.whole(20),
        b.seed(24),
        b.small(13),
    ),
    later=("numbers",),
    resolve=resolve,
    blocks=arccos,
    selftest=_arccos_cases,
    models=lambda: [
        (
            ArcCos(3, 74, 1, "dense", 1, seed=2),
            {"kept": [2, 63, 64, 68], "type": "float16", "scaling": (4, [])},
        ),
        (ArcCos(3, 12, 0, "gibbs", 0, 2, seed=2), {"type": "float16", "scaling": (1, [ONES]), "x": MISSING}),
    ],
)
