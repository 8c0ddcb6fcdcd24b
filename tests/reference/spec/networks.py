"""SPEC.md, sections 14 to 19: maps of networks. The map of section 19 has its own module."""
import dataclasses
import math

import numpy as np

from . import kernels, maps, registry, rows, sketches, streams
from .inputs import SEED, block_samples, samples
from .maps import all_products, degree_two_weight, length, mean_magnitude, step
from .numbers import F, float_of, fma, is_zero, power_of_two
from .sketch_maps import lower_fft_size
from .streams import key
from .transforms import fft_size

INVERSE_PI = F(0.318309886)
INVERSE_ROOT_PI = F(0.564189584)


def widened(z, features):
    """What is left over is +0."""
    z = np.asarray(z, np.float32)
    return np.concatenate([z, np.zeros(features - len(z), np.float32)])


def unit(x):
    """§14.2: x brought to length 1."""
    size = length(x)
    return (x * size.down) * (F(1) / size.L)


def whole_length(x):
    """§14.2: l = L * 2^e."""
    size = length(x)
    return size.L * power_of_two(size.e)


# ---- nngp and ntk: layers


@dataclasses.dataclass
class Layers:
    """nngp and ntk (`tangent`). Sizes that are 0 are chosen; a resolved spec has rows and orders."""

    inputs: int
    features: int
    depth: int = 1
    tangent: bool = False
    step: int = 0
    relu: int = 0
    tensor: int = 0
    sketch: str = "srht"
    rows: str = None
    orders: int = None
    sweeps: int = 1
    seed: int = 0


def exact_layers(spec, orders):
    d = spec.inputs
    return (0, 1 + d, 1 + d + d * (d + 1) // 2)[orders]


def sizes(spec, orders):
    """§16.3: m_0, m_1, m_s."""
    per_layer = spec.features if not orders else (spec.features - exact_layers(spec, orders)) // spec.depth
    if not spec.tangent:
        return 0, per_layer, 0
    R, m1, ms, m0 = per_layer, spec.relu, spec.tensor, spec.step
    if spec.sketch == "none":
        if m0 == 0 and m1 == 0:
            m0 = m1 = 1
            while _whole_size(spec, m1 + 1) <= spec.features:
                m0 = m1 = m1 + 1
        return m0 or m1, m1 or m0, 0
    if m1 == 0 and ms == 0:
        twentieths = 8 if orders == 0 else 5 if spec.depth == 1 else 6
        m1 = R // 8 if orders == 2 else twentieths * R // 20
        ms = R - m1
        if spec.sketch == "count":
            ms = lower_fft_size(ms)
            m1 = R - ms
    elif m1 == 0:
        m1 = R - ms
    elif ms == 0:
        ms = R - m1
    if m0 == 0:
        power = sketches.least_power_of_two(ms)
        m0 = max(64, power // 2 if orders and power != ms else power)
    return m0, m1, ms


def _whole_size(spec, m):
    size = spec.inputs
    for _ in range(spec.depth):
        size = m + size * m
    return size


def resolve_layers(spec):
    """§15.4 and §16.5."""
    s = dataclasses.replace(spec)
    if s.rows is None:
        s.rows = "hadamard" if s.inputs >= 16 else "dense"
    if s.orders is None:
        pays = maps.pays(s, 8 * s.depth)
        possible = s.rows != "gibbs" and (not s.tangent or (s.sketch != "none" and _sizes_fit(s)))
        s.orders = 1 if pays and possible else 0
    s.step, s.relu, s.tensor = sizes(s, s.orders) if s.tangent else (0, 0, 0)
    s.sweeps = s.sweeps if s.rows == "gibbs" else 0
    return s


def _sizes_fit(spec):
    """Whether the sizes, as far as they are given, are possible with orders=1."""
    _, m1, ms = sizes(spec, 1)
    made = exact_layers(spec, 1) + spec.depth * (m1 + ms)
    possible = fft_size(ms) if spec.sketch == "count" else ms >= 1
    return m1 >= 1 and possible and made <= spec.features < made + spec.depth


def layer_seed(spec, index):
    return key(spec.seed, streams.NTK_LAYERS, index)


def _tensor(spec, left, right, m, seed):
    """The sketch of left (x) right, of which right is the step features or takes their place."""
    if spec.sketch == "count":
        return sketches.tensor_sketch([right, left], m, seed)
    return sketches.tensor_srht(left, right, m, seed)


def step_rows(spec):
    return "hadamard" if spec.rows == "hadamard" else "dense"


def layers_plain(spec, x, trace):
    """§15.5 and §16.6, orders=none. What each layer makes is appended to `trace`."""
    m0, m1, ms = sizes(spec, 0)
    phi = psi = unit(x)
    for layer in range(spec.depth):
        relu_spec = maps.ArcCos(len(phi), m1, 1, spec.rows, 0, spec.sweeps, 0, layer_seed(spec, 4 * layer + 1))
        r = np.concatenate(maps.arccos(relu_spec, phi))
        trace.append({"phi": phi, "r": r})
        if spec.tangent:
            step_spec = maps.ArcCos(len(phi), m0, 0, step_rows(spec), 0, 0, 0, layer_seed(spec, 4 * layer))
            s = np.concatenate(maps.arccos(step_spec, phi))
            if spec.sketch == "none":
                q = (s[:, None] * psi[None, :]).reshape(-1)
            else:
                q = _tensor(spec, psi, s, ms, layer_seed(spec, 4 * layer + 2))
            trace[-1].update({"s": s, "q": q})
            psi = np.concatenate([r, q])
        phi = r
    return psi if spec.tangent else phi


@dataclasses.dataclass
class Weights:
    """§14.6, gather: the weights of one of the vectors phi and psi. `blocks`: of r_0 ... (and q_0 ...)."""

    constant: np.float32 = F(0)
    linear: np.float32 = F(1)
    products: np.float32 = F(0)
    blocks: list = dataclasses.field(default_factory=list)

    def gathered(self, u, products, blocks, first):
        """The vector: sqrt(weight) times each block. The first layer has neither constant nor products."""
        parts = [] if first else [np.sqrt(self.constant).reshape(1)]
        parts.append(np.sqrt(self.linear) * u)
        parts += [] if first or products is None else [np.sqrt(self.products) * products]
        parts += [np.sqrt(w) * block for w, block in zip(self.blocks, blocks)]
        return np.concatenate(parts).astype(np.float32)


@dataclasses.dataclass
class Carried:
    """What a layer of orders=1 and 2 sees: phi of length 1, and its parts."""

    phi: np.ndarray
    first: bool
    inputs: int

    @property
    def head(self):
        return 0 if self.first else 1

    @property
    def bare(self):
        """Without the constant."""
        return self.phi[self.head :]

    @property
    def u(self):
        return self.bare[: self.inputs]

    @property
    def rest(self):
        """Without constant and u."""
        return self.bare[self.inputs :]


def relu_residue(spec, layer, carried, m1):
    """§14.6, step 2: r_i but for the square's sketch."""
    phi = carried.phi
    z = rows.projections(spec.rows, phi, m1, layer_seed(spec, 4 * layer + 1), sweeps=spec.sweeps)
    A, mu = np.sqrt(F(0.5) / float_of(m1)), mean_magnitude(spec.rows, len(phi))
    if spec.orders == 1:
        return (np.abs(z) - mu) * A
    a, _, _ = degree_two_weight(spec.rows, len(phi))
    return fma(z * -a, z, np.abs(z) - (mu - a)) * A


def step_residue(spec, layer, carried, m0):
    """§14.6, step 3: s."""
    kind, seed = step_rows(spec), layer_seed(spec, 4 * layer)
    z = rows.projections(kind, carried.phi, m0, seed)
    on = step(kind, len(carried.phi), z, m0, seed)
    return fma(z, -maps.MU, np.where(on, F(1), F(-1))) * np.sqrt(F(0.5) / float_of(m0))


def product_sketch(spec, layer, psi, s, carried, ms):
    """§14.6, step 3: q_i, of psi as it is gathered."""
    q = _tensor(spec, psi, s, ms, layer_seed(spec, 4 * layer + 2))
    bare, seed = psi[carried.head :], layer_seed(spec, 4 * layer + 3)
    if spec.orders == 1:
        return fma(INVERSE_ROOT_PI, _tensor(spec, bare, carried.bare, ms, seed), q)
    if carried.first:
        return q
    second = _tensor(spec, bare, carried.rest, ms, seed)
    third = _tensor(spec, bare[spec.inputs :], carried.u, ms, layer_seed(spec, 2**32 + 4 * layer))
    return fma(INVERSE_ROOT_PI, third, fma(INVERSE_ROOT_PI, second, q))


def next_weights(spec, layer, n, phi, psi):
    """§14.6, step 5: the weights after a layer whose rows had n inputs."""
    c, beta, gamma, k, w = phi.constant, phi.linear, phi.products, psi.constant, psi.linear
    _, b, constant_squared = degree_two_weight(spec.rows, n)
    p = F(0.5) + c * INVERSE_PI
    if spec.orders == 1:
        mu = mean_magnitude(spec.rows, n)
        f, h = F(0.5), k * INVERSE_PI + F(0.5)
        psi_products = phi_products = F(0)
        c_after = (mu * mu) * F(0.5) + c * F(0.5)
    else:
        sigma = b * b
        v = sigma * c
        f = F(0.5) + (v + v)
        h = k * INVERSE_PI + f
        s = sigma * (beta * beta)
        psi_products = psi.products * p + gamma * h + (beta * w * INVERSE_PI + s)
        phi_products = gamma * f + s
        c_after = constant_squared + c * F(0.5) + v * c
    of_r = [v_j * p + a_j * h for v_j, a_j in zip(psi.blocks[:layer], phi.blocks)] + [F(1)]
    of_q = [t_j * p for t_j in psi.blocks[layer:]] + ([F(1)] if spec.tangent else [])
    after_phi = Weights(c_after, beta * f, phi_products, [a_j * f for a_j in phi.blocks] + [F(1)])
    return after_phi, Weights(k * p + c_after, w * p + beta * h, psi_products, of_r + of_q)


def layers_exact(spec, x, trace, relu_of=relu_residue, step_of=step_residue):
    """§14.6. ntk-sketch has its own residues. What layers make is appended to `trace`."""
    m0, m1, ms = sizes(spec, spec.orders)
    u = unit(x)
    products = all_products(u, F(1), F(1)) if spec.orders == 2 else None
    phi, psi, r_blocks, q_blocks = Weights(), Weights(), [], []
    for layer in range(spec.depth):
        first = layer == 0
        carried = Carried(unit(phi.gathered(u, products, r_blocks, first)), first, spec.inputs)
        n = len(carried.phi)
        r = relu_of(spec, layer, carried, m1)
        if spec.orders == 2 and not first:
            left = np.concatenate([carried.u * maps.ROOT_TWO, carried.rest])
            X = sketches.tensor_srht(left, carried.rest, m1, layer_seed(spec, 2**32 + 4 * layer + 1))
            _, b, _ = degree_two_weight(spec.rows, n)
            r = fma(b, X, r)
        trace.append({"phi": carried.phi, "r": r})
        if spec.tangent:
            s = step_of(spec, layer, carried, m0)
            q = product_sketch(spec, layer, psi.gathered(u, products, r_blocks + q_blocks, first), s, carried, ms)
            q_blocks.append(q)
            trace[-1].update({"s": s, "q": q})
        r_blocks.append(r)
        phi, psi = next_weights(spec, layer, n, phi, psi)
        weights = phi.constant, phi.linear, phi.products, psi.constant, psi.linear, psi.products
        trace[-1].update({"weights_c_beta_gamma_k_w_g": weights, "weights_of_phi": phi.blocks})
        trace[-1].update({"weights_of_psi": psi.blocks} if spec.tangent else {})
    l = whole_length(x)
    vector, blocks = (psi, r_blocks + q_blocks) if spec.tangent else (phi, r_blocks)
    parts = [(np.sqrt(vector.constant) * l).reshape(1), u * (np.sqrt(vector.linear) * l)]
    parts += [] if products is None else [products * (np.sqrt(vector.products) * l)]
    parts += [block * (np.sqrt(w) * l) for w, block in zip(vector.blocks, blocks)]
    return widened(np.concatenate(parts), spec.features)


def layers(spec, x, trace=None):
    """§15.5 and §16.6: the features of one sample."""
    trace = [] if trace is None else trace
    x = np.asarray(x, np.float32)
    if is_zero(x):
        return np.zeros(spec.features, np.float32)
    if spec.orders:
        return layers_exact(spec, x, trace)
    return widened(layers_plain(spec, x, trace) * whole_length(x), spec.features)


# ---- ntk-poly


@dataclasses.dataclass
class NtkPoly:
    inputs: int
    features: int
    depth: int = 1
    degree: int = 32
    rest: str = "spread"
    rows: str = "hadamard"
    orders: int = 0
    coefficients: list = None
    seed: int = 0
    sweeps: int = 0


def ntk_series(depth, degree):
    """§18.4: the power series of K^(depth) at cosine 0, in binary64."""
    n = degree + 1

    def product(a, b):
        found = []
        for i in range(n):
            total = 0.0
            for j in range(i + 1):
                total = total + a[j] * b[i - j]
            found.append(total)
        return found

    def integral(a, constant):
        return [constant] + [a[i] / (i + 1) for i in range(n - 1)]

    s = [0.0, 1.0] + [0.0] * (n - 2)
    k = list(s)
    for _ in range(depth):
        t = [(i + 1) * s[i + 1] for i in range(n - 1)] + [0.0]
        q = [-v for v in product(s, s)]
        q[0] = 1 + q[0]
        p = [1 / kernels.root(q[0])]
        for i in range(1, n):
            total = 0.0
            for j in range(1, i + 1):
                total = total + (0.5 * j - i) * q[j] * p[i - j]
            p.append(total / (i * q[0]))
        k0 = 1 - kernels.angle(kernels.root(1 - s[0] * s[0]), s[0]) / math.pi
        slope = integral([v / math.pi for v in product(t, p)], k0)
        s = integral(product(slope, t), kernels.network_of_cosine(s[0], 1, False))
        k = [u + v for u, v in zip(product(k, slope), s)]
    return k


def ntk_poly_coefficients(depth, degree, rest="spread"):
    """§18.4: c_0 ... c_n as floats, of rest=spread and rest=last."""
    c = ntk_series(depth, degree)
    if rest == "spread":
        missing, upper = depth + 1.0, 0.0
        for j, v in enumerate(c):
            missing = missing - v
            upper = upper + (v if j > degree // 2 else 0.0)
        c = [v + missing * (v / upper) if j > degree // 2 else v for j, v in enumerate(c)]
    found, left = [], depth + 1.0
    for v in c[:-1]:
        found.append(F(v) if F(v) > F(2.0**-40) else F(0))
        left = left - float(found[-1])
    return found + [F(left)]


def signed_roots(c):
    """§18.5: rho_j."""
    return [-np.sqrt(F(v)) if j & 2 else np.sqrt(F(v)) for j, v in enumerate(c)]


def hermite_sum(z, rho):
    """§18.5, step 3: the sum of rho_j times the normalised Hermite polynomials, from the highest down."""
    g = lambda j: F(1 / math.sqrt(j + 1))
    h = lambda j: F(math.sqrt(min(j, 32) / (min(j, 32) + 1)))
    a = b = np.zeros(z.shape, np.float32)
    for j in range(max((i for i, v in enumerate(rho) if v != 0), default=-1), -1, -1):
        a, b = b, fma(z * g(j), b, fma(-h(j + 1), a, rho[j]))
    return b


def ntk_poly(spec, x, kept=None):
    """§18.5: blocks of features, as in §9.7."""
    x = np.asarray(x, np.float32)
    total = spec.features - exact_layers(spec, spec.orders)
    kept_rows = maps.all_or_kept(total, kept)
    if is_zero(x):
        blocks = [np.zeros(exact_layers(spec, spec.orders), np.float32)] if spec.orders else []
        return blocks + maps.in_blocks(spec, [np.zeros(len(kept_rows), np.float32)], total, kept_rows, 0)
    c, rho = [F(v) for v in spec.coefficients], signed_roots(spec.coefficients)
    size = length(x)
    e = 0 if -32 <= size.e <= 31 else size.e
    t = rows.projections(spec.rows, x * power_of_two(-e), total, spec.seed)[kept_rows]
    l = size.L * power_of_two(size.e) if e == 0 else size.L
    up = power_of_two(size.e)
    blocks = []
    if spec.orders:
        exact = [[np.sqrt(c[0]) * size.L * up], x * np.sqrt(c[1])]
        if spec.orders == 2:
            exact.append(all_products(x, size.down, np.sqrt(c[2]) / size.L))
        blocks = [np.concatenate(exact).astype(np.float32)]
        for j in range(spec.orders + 1):
            rho[j] = F(0)
    z = t * (F(1) / l)
    z = np.where(z > F(6), F(6), np.where(z < F(-6), F(-6), z))
    amplitude = (np.sqrt(F(1) / float_of(len(kept_rows))) * size.L) * up
    return blocks + maps.in_blocks(spec, [hermite_sum(z, rho) * amplitude], total, kept_rows, 0)


# ---- ntk-sketch


@dataclasses.dataclass
class NtkSketch:
    """Sizes that are 0 are chosen; a resolved spec has rows and orders."""

    inputs: int
    features: int
    depth: int = 1
    relu_degree: int = 4
    step_degree: int = 4
    relu: int = 0
    tensor: int = 0
    relu_powers: int = 0
    step_powers: int = 0
    fix_diagonal: bool = True
    base: str = "srht"
    rows: str = None
    orders: int = None
    seed: int = 0


def sketch_sizes(spec):
    """§17.3, sizes: r, s, m and n_1, and what is chosen of them."""
    if spec.orders:
        R = (spec.features - 1 - spec.inputs) // spec.depth
        r = spec.relu or (6 * R // 20 if not spec.tensor else R - spec.tensor)
        s = spec.tensor or R - r
        powers = min(32768, sketches.least_power_of_two(max(r, s)))
    else:
        r, s, powers = spec.relu or spec.features, spec.tensor or spec.features, spec.features
    return r, s, spec.relu_powers or powers, spec.step_powers or powers


def resolve_sketch(spec):
    """§17.3: orders=auto and sizes that are 0."""
    s = dataclasses.replace(spec)
    if s.orders is None:
        pays = maps.pays(s, 16 * s.depth)
        possible = s.fix_diagonal and s.step_degree >= 1 and s.rows != "dense" and pays
        r, t, m, n1 = sketch_sizes(dataclasses.replace(s, orders=1))
        made = 1 + s.inputs + s.depth * (r + t)
        fit = all(4 <= size <= 32768 for size in (r, t, m, n1)) and made <= s.features < made + s.depth
        s.orders = 1 if possible and fit else 0
    s.rows = s.rows or "hadamard"
    s.relu, s.tensor, s.relu_powers, s.step_powers = sketch_sizes(s)
    return s


def series_coefficients(order, relu, fix_diagonal):
    """§17.5: the powers of P (relu) or Q of §8.6 and their coefficients."""
    powers, c = ([0, 1], [1 / math.pi, 0.5]) if relu else ([0], [0.5])
    so_far = sum(c)
    for i, v in enumerate(kernels.taylor_coefficients(order, relu)):
        powers.append(2 * i + (2 if relu else 1))
        c.append(1 - so_far if fix_diagonal and i == order else v)
        so_far = so_far + v
    return powers, c


def series(spec, phi, relu, poly_seed, srht_seed, m, size, skip_low=False):
    """§17.5: a series of phi, the SRHT of its terms side by side to `size` numbers."""
    powers, c = series_coefficients(spec.relu_degree if relu else spec.step_degree, relu, spec.fix_diagonal)
    return mixed_series(powers, c, spec.base, phi, poly_seed, srht_seed, m, size, skip_low)


def mixed_series(powers, c, base, phi, poly_seed, srht_seed, m, size, skip_low=False):
    """The same of given powers, the first of which is 0, and their coefficients."""
    poly = sketches.PolySketch(m, base, poly_seed)
    prefixes = [sketches.finite(z) for z in poly.prefixes(sketches.within(phi), powers[-1])]
    terms = []
    for power, v in zip(powers, c):
        if power > (1 if skip_low else 0):
            terms.append(np.sqrt(F(v)) * prefixes[power - 1])
    if not skip_low:
        terms.append(np.sqrt(F(c[0])).reshape(1))
    return sketches.srht(sketches.within(np.concatenate(terms).astype(np.float32)), size, srht_seed)


def ntk_sketch(spec, x):
    """§17.6: the features of one sample; zeros if they overflow."""
    try:
        return _ntk_sketch(spec, np.asarray(x, np.float32))
    except sketches.Overflow:
        return np.zeros(spec.features, np.float32)


def _ntk_sketch(spec, x):
    within = sketches.within
    if is_zero(x):
        return np.zeros(spec.features, np.float32)
    r, s, m, n1 = sketch_sizes(spec)
    part_seed = lambda layer, part: key(spec.seed, streams.NTK_SKETCH_LAYERS, 8 * layer + part)
    if spec.orders:
        plan = Layers(spec.inputs, spec.features, spec.depth, True, s, r, s, "srht", "hadamard", 1, 0, spec.seed)

        def residue(relu):
            parts, powers, size = ((0, 2), m, r) if relu else ((1, 3), n1, s)
            seeds = lambda layer: [part_seed(layer, part) for part in parts]
            return lambda _, layer, v, __: series(spec, v.phi, relu, *seeds(layer), powers, size, True)

        return layers_exact(plan, x, [], residue(True), residue(False))
    other_seed = lambda part: key(spec.seed, streams.NTK_SKETCH_MIX, part)
    bring = unit if spec.fix_diagonal else lambda v: v
    u = unit(x)
    phi = bring(sketches.osnap(u, r, 4, other_seed(0)) if spec.base == "osnap" else sketches.srht(u, r, other_seed(0)))
    psi = sketches.srht(within(phi), s, other_seed(1))
    for layer in range(spec.depth):
        slope = series(spec, phi, False, part_seed(layer, 1), part_seed(layer, 3), n1, s)
        relu = bring(series(spec, phi, True, part_seed(layer, 0), part_seed(layer, 2), m, r))
        q = sketches.tensor_srht(within(psi), within(slope), s, part_seed(layer, 4))
        psi, phi = sketches.srht(within(np.concatenate([q, relu])), s, part_seed(layer, 5)), relu
    t = rows.projections(spec.rows, within(psi), spec.features, other_seed(2))
    return t * (whole_length(x) * np.sqrt(F(1) / float_of(spec.features)))


# ---- What other files ask of these maps


def _nngp_cases():
    cases, d, m = {}, 17, 300

    def nngp(name, depth, rows, orders):
        spec = Layers(d, m, depth, False, rows=rows, orders=orders, sweeps=2, seed=SEED)
        cases["nngp/" + name] = lambda: samples(d, lambda x: layers(spec, x))

    nngp("1/dense", 1, "dense", 0)
    nngp("3/hadamard", 3, "hadamard", 0)
    nngp("3/hadamard/orders-1", 3, "hadamard", 1)
    nngp("2/unit/orders-2", 2, "unit", 2)
    nngp("2/gibbs", 2, "gibbs", 0)
    return cases


def _ntk_cases():
    cases, d, m = {}, 17, 300

    def ntk(name, depth, sketch, rows, orders, steps=None):
        steps = (0 if rows == "hadamard" else 64) if steps is None else steps
        spec = Layers(
            d, m, depth, True, step=steps, sketch=sketch, rows=rows, orders=orders, sweeps=1, seed=SEED
        )
        cases["ntk/" + name] = lambda: samples(d, lambda x: layers(spec, x))

    ntk("1/srht/hadamard", 1, "srht", "hadamard", 0)
    ntk("1/srht/dense/orders-1", 1, "srht", "dense", 1)
    ntk("1/srht/unit/orders-1", 1, "srht", "unit", 1)
    ntk("1/count/gibbs", 1, "count", "gibbs", 0)
    ntk("3/srht/hadamard", 3, "srht", "hadamard", 0)
    ntk("3/srht/hadamard/orders-1", 3, "srht", "hadamard", 1)
    ntk("3/count/hadamard", 3, "count", "hadamard", 0)
    ntk("3/count/hadamard/orders-1", 3, "count", "hadamard", 1)
    ntk("3/srht/hadamard/orders-2", 3, "srht", "hadamard", 2)
    ntk("2/count/unit/orders-2", 2, "count", "unit", 2)
    ntk("2/whole/hadamard", 2, "none", "hadamard", 0, 0)
    return cases


def _sketch_cases():
    cases, d, m = {}, 17, 300

    def sketch(name, **options):
        spec = NtkSketch(d, m, 2, seed=SEED, **options)
        cases["ntk-sketch/2/" + name] = lambda: samples(d, lambda x: ntk_sketch(spec, x))

    for base in "srht", "osnap":
        given = dict(relu=48, tensor=40, relu_powers=32, step_powers=37, base=base, orders=0)
        sketch(base, fix_diagonal=True, rows="hadamard", **given)
        sketch(base + "/cut", fix_diagonal=False, rows="dense", **given)
        sketch(base + "/orders-1", relu_powers=64, step_powers=48, base=base, rows="hadamard", orders=1)
    return cases


def _poly_cases():
    cases, d, m = {}, 17, 300

    def poly(name, rows, orders):
        def of():
            c = ntk_poly_coefficients(2, 32)
            spec = NtkPoly(d, m, 2, 32, rows=rows, orders=orders, coefficients=c, seed=SEED)
            return block_samples(ntk_poly, spec)

        cases["ntk-poly/2/" + name] = of

    poly("hadamard", "hadamard", 0)
    poly("hadamard/orders-1", "hadamard", 1)
    poly("hadamard/orders-2", "hadamard", 2)
    poly("dense", "dense", 0)
    poly("dense/orders-1", "dense", 1)
    return cases


def _nngp_bytes(s):
    kinds = registry.small(rows.KINDS[s.rows], s.orders + 1, 0, 0)
    return kinds + registry.whole(s.depth, s.sweeps) + registry.seed(s.seed)


def _ntk_bytes(s):
    kinds = registry.small(registry.SKETCHES[s.sketch], rows.KINDS[s.rows], s.orders + 1, 0)
    return kinds + registry.whole(s.depth, s.step, s.relu, s.tensor, s.sweeps, 0) + registry.seed(s.seed)


def _sketch_bytes(s):
    kinds = registry.small(registry.BASES[s.base], s.fix_diagonal, rows.KINDS[s.rows], s.orders + 1)
    degrees = registry.whole(s.depth, s.relu_degree, s.step_degree)
    return kinds + degrees + registry.whole(s.relu, s.tensor, s.relu_powers, s.step_powers, 0) + registry.seed(s.seed)


def _poly_bytes(s):
    kinds = registry.small(rows.KINDS[s.rows], s.orders + 1, len(s.coefficients), registry.RESTS[s.rest])
    return kinds + registry.whole(s.depth, s.degree) + registry.seed(s.seed) + registry.coefficients(s.coefficients)


registry.register(
    number=5,
    name="nngp",
    spec=Layers,
    holds=lambda spec: not spec.tangent,
    hidden=("tangent", "step", "relu", "tensor", "sketch"),
    spec_bytes=_nngp_bytes,
    read=lambda inputs, m, b: Layers(
        inputs,
        m,
        b.whole(16),
        False,
        rows=b.name(rows.KINDS, 12),
        orders=b.small(13) - 1,
        sweeps=b.whole(20),
        seed=b.seed(24),
    ),
    resolve=resolve_layers,
    blocks=lambda spec, x, kept: [layers(spec, x)],
    selftest=_nngp_cases,
    models=lambda: [(Layers(3, 24, 2, False, rows="unit", orders=1, seed=5), {"outputs": 1})],
)
registry.register(
    number=6,
    name="ntk",
    spec=Layers,
    holds=lambda spec: spec.tangent,
    hidden=("tangent",),
    spec_bytes=_ntk_bytes,
    read=lambda inputs, m, b: Layers(
        inputs,
        m,
        b.whole(16),
        True,
        *(b.whole(at) for at in (20, 24, 28)),
        b.name(registry.SKETCHES, 12),
        b.name(rows.KINDS, 13),
        b.small(14) - 1,
        b.whole(32),
        b.seed(40),
    ),
    resolve=resolve_layers,
    blocks=lambda spec, x, kept: [layers(spec, x)],
    selftest=_ntk_cases,
    models=lambda: [(Layers(3, 45, 2, True, sketch="count", rows="dense", orders=1, seed=6), {})],
)
registry.register(
    number=7,
    name="ntk-sketch",
    spec=NtkSketch,
    spec_bytes=_sketch_bytes,
    read=lambda inputs, m, b: NtkSketch(
        inputs,
        m,
        *(b.whole(at) for at in range(16, 44, 4)),
        bool(b.small(13)),
        b.name(registry.BASES, 12),
        b.name(rows.KINDS, 14),
        b.small(15) - 1,
        b.seed(48),
    ),
    resolve=resolve_sketch,
    blocks=lambda spec, x, kept: [ntk_sketch(spec, x)],
    selftest=_sketch_cases,
    models=lambda: [(NtkSketch(3, 45, 2, 2, 2, 0, 0, 16, 8, True, "srht", "hadamard", 1, 8), {})],
)
registry.register(
    number=8,
    name="ntk-poly",
    spec=NtkPoly,
    hidden=("sweeps",),
    spec_bytes=_poly_bytes,
    read=lambda inputs, m, b: NtkPoly(
        inputs,
        m,
        b.whole(16),
        b.whole(20),
        b.name(registry.RESTS, 15),
        b.name(rows.KINDS, 12),
        b.small(13) - 1,
        b.coefficients(14),
        b.seed(24),
    ),
    blocks=ntk_poly,
    selftest=_poly_cases,
    models=lambda: [
        (NtkPoly(3, 20, 2, 8, "spread", "dense", 1, ntk_poly_coefficients(2, 8), 9), {"kept": [1, 3, 4]}),
    ],
)
