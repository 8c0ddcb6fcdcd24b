"""SPEC.md, section 28.3: the map cntk without exact orders, and what other files ask of the map."""
import dataclasses

import numpy as np

from . import cntk_orders, maps, registry, sketches, streams
from .cntk_gradient import POOLS, cells, image_bytes, image_resolved
from .inputs import SEED, sample, samples
from .networks import mixed_series, series_coefficients, unit, widened
from .numbers import F, float_of, fma, is_zero, largest_exponent, power_of_two, relu, sum_of_squares
from .streams import key

FORMS = {"features": 0, "sketch": 1}
SERIES = {"taylor": 0, "fixed": 1, "fitted": 2}

# 28.3: the coefficients of the powers 0, 2, ... of k1 and of the powers 1, 3, ... of k0.
FITTED_RELU = [
    [0.313670844, 0.186329141],
    [0.319033891, 0.148787618, 0.0321784951],
    [0.318300933, 0.161494911, 0, 0.020204166],
    [0.31819582, 0.161510855, 0.00810336228, 0, 0.0121899508],
    [0.318260223, 0.159841835, 0.013505646, 0, 0, 0.00839230139],
    [0.318309754, 0.158752769, 0.0163404197, 0, 0, 0, 0.00659705978],
    [0.318339646, 0.15820615, 0.0172796529, 0.000775282795, 0, 0, 0, 0.00539924949],
    [0.318329006, 0.158613101, 0.0150832562, 0.00375459692, 0, 0, 0, 0, 0.00422004005],
]
FITTED_STEP = [
    [0.5],
    [0.220506907, 0.279493093],
    [0.29105556, 0, 0.208944455],
    [0.316737384, 0, 0, 0.183262601],
    [0.330653608, 0, 0, 0, 0.169346407],
    [0.339267552, 0.000717404298, 0, 0, 0, 0.160015047],
    [0.332927048, 0.0248632114, 0, 0, 0, 0, 0.142209738],
    [0.328053504, 0.0416556969, 0, 0, 0, 0, 0, 0.130290791],
]


@dataclasses.dataclass
class Cntk:
    """A resolved spec has orders; None stands for auto."""

    inputs: int
    features: int
    height: int = 0
    width: int = 0
    channels: int = 0
    patch: int = 3
    depth: int = 3
    pool: str = "average"
    grid: int = 0
    form: str = "features"
    orders: int = None
    inner: int = 0
    relu_degree: int = 2
    step_degree: int = 2
    series: str = "fixed"
    base: str = "srht"
    seed: int = 0


def reach(spec):
    """How far the windows reach within the image, down and across."""
    return min(spec.patch // 2, spec.height - 1), min(spec.patch // 2, spec.width - 1)


def resolve(spec):
    """Of an image for which no size of `inner` is too large."""
    s = image_resolved(spec)
    s.orders = (0 if s.form == "sketch" else 1) if s.orders is None else s.orders
    if s.inner == 0:
        s.inner = cntk_orders.automatic_inner(s) if s.orders else max(64, s.features // len(cells(s)))
    return s


def part_seed(spec, layer, part, cell=0):
    return key(spec.seed, streams.CNTK_SKETCH, (cell << 32) + (layer << 8) + part)


def window(spec, vectors, i, j):
    """The vectors of a window one behind the other, zeros beyond the borders."""
    down, across = reach(spec)
    inside = lambda a, b: 0 <= i + a < spec.height and 0 <= j + b < spec.width
    nothing = np.zeros(vectors.shape[2], np.float32)
    places = [(a, b) for a in range(-down, down + 1) for b in range(-across, across + 1)]
    return np.concatenate([vectors[i + a, j + b] if inside(a, b) else nothing for a, b in places])


def rows_of(spec, v, order, seed):
    """Features of Hadamard rows, and their amplitude."""
    rows = maps.ArcCos(len(v), spec.inner, order, "hadamard", 0, 0, 0, seed)
    e, t, _, _ = maps.arccos_rows(rows, sketches.within(v))
    A = np.sqrt(F(2) / float_of(spec.inner)) / float_of(spec.patch)
    if order == 1:
        return relu(t) * (A * power_of_two(e))
    return np.where(maps.step("hadamard", len(v), t, spec.inner, seed), A, F(0))


def coefficients(spec, of_relu):
    """The powers of the series of k1 or k0, from 0 on, and their coefficients."""
    order = spec.relu_degree if of_relu else spec.step_degree
    if spec.series != "fitted":
        return series_coefficients(order, of_relu, spec.series == "fixed")
    if of_relu:
        even = FITTED_RELU[order]
        return [0, 1] + [2 * i for i in range(1, order + 2)], [even[0], 0.5] + even[1:]
    return [0] + [2 * i + 1 for i in range(order + 1)], [0.5] + FITTED_STEP[order]


def layer_features(spec, h, v, length):
    """phi(h) if there is a layer behind it, and phi_dot(h) if there is one before it."""
    n, q, last = spec.inner, float_of(spec.patch), h == spec.depth
    if spec.form == "features":
        phi = None if last else rows_of(spec, v, 1, part_seed(spec, h, 0))
        return phi, None if h == 1 else rows_of(spec, v, 0, part_seed(spec, h, 1))
    mu = v * (F(1) / length) if spec.series == "taylor" else v if is_zero(v) else unit(v)

    def series(of_relu):
        seeds = [part_seed(spec, h, part) for part in ((0, 2) if of_relu else (1, 3))]
        return mixed_series(*coefficients(spec, of_relu), spec.base, mu, *seeds, n, n)

    phi = None if last else series(True) * (length / q)
    return phi, None if h == 1 else series(False) * (F(1) / q)


def features(spec, x):
    """The features of one sample; zeros if they overflow."""
    if spec.orders:
        return cntk_orders.features(spec, x)
    try:
        return _features(spec, np.asarray(x, np.float32))
    except sketches.Overflow:
        return np.zeros(spec.features, np.float32)


def _features(spec, x):
    if is_zero(x):
        return np.zeros(spec.features, np.float32)
    H, W, n = spec.height, spec.width, spec.inner
    e = largest_exponent(x)
    phi = (x * power_of_two(-e)).reshape(H, W, spec.channels)
    lengths = np.sqrt(sum_of_squares(phi))[:, :, None]
    products = np.zeros((H, W, 0), np.float32)
    for h in range(1, spec.depth + 1):
        below, below_lengths, below_products = phi, lengths, products
        phi, products = np.zeros((H, W, n), np.float32), np.zeros((H, W, n if h > 1 else 0), np.float32)
        lengths = np.zeros((H, W, 1), np.float32)
        for i in range(H):
            for j in range(W):
                v = window(spec, below, i, j)
                length = np.sqrt(sum_of_squares(window(spec, below_lengths, i, j)))
                lengths[i, j] = length / float_of(spec.patch)
                if is_zero(v) if spec.form == "features" else length == 0:
                    continue
                if h > 1:
                    seen = np.concatenate([v, window(spec, below_products, i, j)])
                    psi = sketches.srht(sketches.within(seen), n, part_seed(spec, h - 1, 4))
                made, slope = layer_features(spec, h, v, length)
                if made is not None:
                    phi[i, j] = made
                if h > 1:
                    seed = part_seed(spec, h, 5)
                    products[i, j] = sketches.tensor_srht(sketches.within(psi), sketches.within(slope), n, seed)
    parts, each = [], spec.features // len(cells(spec))
    for number, (top, bottom, left, right) in enumerate(cells(spec)):
        share, mean = F(1) / float_of((bottom - top) * (right - left)), np.zeros(n, np.float32)
        for i in range(top, bottom):
            for j in range(left, right):
                mean = fma(share, products[i, j], mean)
        parts.append(sketches.srht(sketches.within(mean), each, part_seed(spec, 0, 6, number)))
    return widened(np.concatenate(parts) * power_of_two(e), spec.features)


# ---- What other files ask of this map


def _cases():
    cases = {}

    def case(name, *sizes, **options):
        spec = resolve(Cntk(*sizes, seed=SEED, **options))
        cases["cntk/" + name] = lambda: samples(spec.inputs, lambda x: features(spec, x))

    case("plain/image", 24, 70, 4, 3, 2, orders=0, inner=28)
    case("plain/series", 15, 90, 1, 5, 3, orders=0, depth=2, pool="grid", grid=2)
    sketch = dict(form="sketch", relu_degree=1, step_degree=2, inner=24)
    case("sketch/taylor", 24, 70, 4, 3, 2, series="taylor", **sketch)
    case("sketch/fixed", 15, 90, 1, 5, 3, depth=4, patch=5, pool="none", base="osnap", **sketch)
    case("sketch/fitted", 24, 100, 4, 3, 2, pool="grid", grid=3, series="fitted", **sketch)
    case("orders/image", 12, 200, 3, 2, 2, inner=128)
    case("orders/series", 5, 320, 1, 5, 1, pool="grid", grid=2, inner=128)
    return cases


def _vectors():
    plain = dict(orders=0, seed=10)
    sketch = dict(orders=0, form="sketch", seed=10)
    exact = dict(orders=1, seed=10)
    # Tiny, huge and zero; one pixel; more features than inner; rows of cells; windows that are longer than the image.
    yield resolve(Cntk(40, 60, 4, 5, 2, depth=2, **exact)), sample(40, 0)
    yield resolve(Cntk(40, 60, 4, 5, 2, inner=256, **exact)), sample(40, 6)
    yield resolve(Cntk(18, 300, 1, 18, 1, depth=4, inner=128, **exact)), sample(18, 2)
    yield resolve(Cntk(20, 130, 5, 4, 1, pool="grid", grid=2, **exact)), sample(20, 4)
    yield resolve(Cntk(12, 300, 2, 3, 2, depth=2, pool="none", **exact)), sample(12, 3)
    yield resolve(Cntk(12, 41, 3, 4, 1, patch=5, **exact)), sample(12, 7)
    yield resolve(Cntk(9, 60, 3, 3, 1, patch=5, depth=2, **exact)), sample(9, 0)
    yield resolve(Cntk(24, 30, 4, 3, 2, patch=1, **exact)), sample(24, 5)
    yield resolve(Cntk(3, 50, 1, 1, 3, **exact)), sample(3, 0)
    yield resolve(Cntk(12, 300, 1, 4, 3, depth=5, pool="grid", grid=3, **exact)), sample(12, 0)
    yield resolve(Cntk(90, 70, 5, 6, 3, patch=5, inner=512, **exact)), sample(90, 0)
    yield resolve(Cntk(20, 40, 4, 5, 1, **exact)), sample(20, 1)
    yield resolve(Cntk(4, 20, 2, 2, 1, inner=10, **plain)), sample(4, 7)
    yield resolve(Cntk(20, 40, 5, 4, 1, depth=4, pool="grid", grid=2, **plain)), sample(20, 6)
    yield resolve(Cntk(3, 30, 1, 3, 1, pool="none", depth=2, inner=8, series="taylor", **sketch)), sample(3, 4)
    yield resolve(Cntk(18, 40, 3, 3, 2, patch=5, base="osnap", inner=16, **sketch)), sample(18, 0)
    yield resolve(
        Cntk(12, 40, 4, 3, 1, series="fitted", relu_degree=3, step_degree=4, inner=16, **sketch)
    ), sample(12, 2)


def spec_bytes(s):
    own = registry.small(FORMS[s.form], s.orders + 1, registry.BASES[s.base])
    shared = image_bytes(s, s.inner, s.relu_degree, s.step_degree, SERIES[s.series])
    return shared[:1] + own + shared[4:]


def _blocks(spec, x, kept):
    """§28.2: rows of 64 where there is one cell and orders is one, else one block."""
    z = features(spec, x)
    if spec.form != "features" or spec.orders == 0 or spec.pool != "average":
        return [z]
    exact = 2 + 3 * spec.channels
    total = len(z) - exact
    rows = np.arange(total) if kept is None else np.asarray(kept, dtype=np.int64)
    values = z[exact:][rows]
    if kept is not None:
        values = values * np.sqrt(np.float32(total) / np.float32(len(rows)))
    return [z[:exact]] + [values[rows // 64 == b] for b in range(-(-total // 64))]


def _read(inputs, m, b):
    sizes = [b.whole(at) for at in (16, 20, 24, 28, 32)]
    return Cntk(
        inputs,
        m,
        *sizes,
        b.name(POOLS, 12),
        b.whole(36),
        b.name(FORMS, 13),
        b.small(14) - 1,
        b.whole(40),
        b.whole(44),
        b.whole(48),
        b.name(SERIES, 52),
        b.name(registry.BASES, 15),
        b.seed(56),
    )


registry.register(
    number=11,
    name="cntk",
    spec=Cntk,
    spec_bytes=spec_bytes,
    read=_read,
    resolve=resolve,
    blocks=_blocks,
    selftest=_cases,
    vectors=("networks", _vectors),
    models=lambda: [
        (resolve(Cntk(3, 30, 1, 3, 1, orders=0, inner=16, seed=10)), {"outputs": 1}),
        (resolve(Cntk(3, 30, 1, 3, 1, form="sketch", inner=16, seed=11)), {"type": "int8"}),
        (resolve(Cntk(3, 30, 1, 3, 1, seed=12)), {"outputs": 1}),
        (resolve(Cntk(3, 100, 1, 3, 1, seed=13)), {"outputs": 1, "kept": [0, 3, 63, 64, 90]}),
    ],
)
