"""SPEC.md, section 28.2: the map cntk with exact orders."""
import functools
import math

import numpy as np

from . import streams
from .cntk_gradient import cells
from .functions import inverse_normal
from .numbers import F, dot, float_of, fma, is_zero, largest_exponent, negate_where, power_of_two, sum_of_squares
from .streams import MASK32, fill_chi, key, narrow_words, signs
from .transforms import hadamard

MU, INVERSE_PI, HALF, EIGHTH = F(0.797884561), F(0.318309886), F(0.5), F(0.125)

# The uses of streams of signs; rounds 0 to 2 are of the first layer.
REST_MIX, LEFT_MIX, REST, LEFT = 3, 4, 5, 6
RELU_FOLD, PRODUCT_FOLD, RELU_BORDER, PRODUCT_BORDER = 12, 13, 14, 15
TAU_FILTER, OMEGA_FILTER, RAW_TABLE, WEIGHT_TABLE = 16, 17, 19, 20

# The walks of a layer.
NORMALS, OF_RAW, OF_PRODUCTS, TAIL, TURNED, SCALED, RELU, BOTH = range(8)


def up(n, size):
    """n, padded to a multiple of size."""
    return -(-n // size) * size


@functools.lru_cache(maxsize=None)
def root_of_prime(k):
    """The fractional part of the root of prime k, the 0th is 2, in units of 2^-32, rounded down."""
    primes = [n for n in range(2, 1000) if all(n % d for d in range(2, math.isqrt(n) + 1))]
    return math.isqrt(primes[k] << 64) & MASK32


class Reach:
    """How far `windows` windows reach from a pixel of an image, down and across: no farther than the image."""

    def __init__(self, spec, windows):
        r = windows * (spec.patch // 2)
        self.y, self.x = min(r, spec.height - 1), min(r, spec.width - 1)
        self.shape = self.high, self.wide = 2 * self.y + 1, 2 * self.x + 1
        self.places = self.high * self.wide


def exact_numbers(spec, h):
    return Reach(spec, 1).places + Reach(spec, h).places * spec.channels


def least_inner(spec, numbers):
    """inner_for: the least power of two with room for so many random numbers."""
    return 1 << (max(128, up(exact_numbers(spec, spec.depth), 64) + numbers) - 1).bit_length()


def automatic_inner(spec):
    outputs = spec.features // len(cells(spec)) - 2 - 3 * spec.channels
    return max(least_inner(spec, 64), min(least_inner(spec, (7 * outputs + 9) // 10), 4096))


def along_axis(far, windows, reach):
    """Counts of ways along an axis without borders."""
    size = 2 * reach + 1
    counts = [F(i == reach) for i in range(size)]
    for _ in range(windows):
        counts = [in_order(counts[max(0, i - far) : i + far + 1]) for i in range(size)]
    return np.array(counts)


def in_order(numbers):
    """Their sum, one after the other, from +0."""
    total = F(0)
    for v in numbers:
        total = total + v
    return total


def ways_from(length, far, windows, pixel, reach, inverse):
    """The ways from a pixel that do not leave the image, over the roots of those without borders."""
    size = 2 * reach + 1
    out = [F(i == reach) for i in range(size)]
    at = lambda i: out[i] if 0 <= i < size else F(0)
    for _ in range(windows):
        made = []
        for i in range(size):
            total = at(i)
            for j in range(1, far + 1):
                total = (total + at(i - j)) + at(i + j)
            made.append(total if 0 <= pixel + i - reach < length else F(0))
        out = made
    return np.array(out) * inverse


def blocks_mixed(v, minus):
    """Signs and transforms of blocks of 64, not scaled."""
    padded = np.concatenate([v, np.zeros(len(minus) - len(v), np.float32)])
    return hadamard(negate_where(minus, padded).reshape(-1, 64))


def fold(v, minus, out, add):
    """fold: adds what is mixed to `out`, in place; without `add`, what comes first is written."""
    for b, block in enumerate(blocks_mixed(v, minus)):
        at = 64 * b % len(out)
        here = slice(at, at + 64)
        out[here] = fma(block, EIGHTH, out[here]) if add or 64 * b >= len(out) else block * EIGHTH


class Layer:
    """What no sample changes, of one layer."""


class Prepared:
    """Sizes, streams, ways and directions of a resolved spec."""

    def __init__(self, s):
        self.spec, self.q = s, float_of(s.patch)
        self.window = Reach(s, 1)
        V = self.window.places
        self.w = s.inner - up(exact_numbers(s, s.depth), 64)
        self.outputs = s.features // len(cells(s)) - 2 - 3 * s.channels
        self.blocks = -(-self.outputs // s.inner)
        self.inputs = V * s.channels
        self.first = 1 << (max(64, self.inputs) - 1).bit_length()
        self.window_root = F(1) / np.sqrt(float_of(V))
        self.over = np.sqrt(HALF) / self.q
        self.square = F(1) / (self.q * self.q)
        self.pi_over = np.sqrt(INVERSE_PI) / self.q
        self.layers = {h: self.layer(h) for h in range(1, s.depth + 1)}
        for h in range(2, s.depth + 1):
            layer, below = self.layers[h], self.layers[h - 1]
            layer.raw_table = self.border_table(h, RAW_TABLE, False)
            if h > 2:
                layer.product_table = self.border_table(h, WEIGHT_TABLE, True)
        self.directions()
        norms = fill_chi(key(s.seed, streams.CNTK_ROWS, (1 << 8) + 255), self.first, self.w)
        size = float_of(self.first)
        self.norms = norms * (F(1) / (size * np.sqrt(size)))
        self.last_signs = self.even_signs(s.depth, RELU, self.w + 3 * V + 3 * self.raw(s.depth))

    def raw(self, h):
        return Reach(self.spec, h).places * self.spec.channels

    def minus(self, h, use, n, block=0):
        """n signs of a use; True is minus."""
        return signs(key(self.spec.seed, streams.CNTK_SIGNS, (block << 16) + (h << 8) + use), n)

    def plus_minus(self, h, use, *shape):
        return np.where(self.minus(h, use, math.prod(shape)), F(-1), F(1)).reshape(shape)

    def walk(self, h, number, n):
        start = int(narrow_words(key(self.spec.seed, streams.CNTK_ROWS, (h << 8) + number), 1)[0])
        step = root_of_prime(8 * (h - 1) + number)
        return np.array([(start + i * step) & MASK32 for i in range(n)], dtype=np.uint32)

    def even_normals(self, h, number, n):
        return inverse_normal(self.walk(h, number, n))

    def even_signs(self, h, number, n):
        return (self.walk(h, number, n) >> np.uint32(31)) != 0

    def layer(self, h):
        s, p, V = self.spec, Layer(), self.window.places
        last = h == s.depth
        reach = p.reach = Reach(s, h)
        rows, columns = along_axis(self.window.y, h, reach.y), along_axis(self.window.x, h, reach.x)
        rows, columns = np.sqrt(rows), np.sqrt(columns)
        p.row_inverse, p.column_inverse = F(1) / rows, F(1) / columns
        p.roots = rows[:, None] * columns
        p.inverses = p.row_inverse[:, None] * p.column_inverse
        ways = lambda length, far, n, inverse: np.array(
            [ways_from(length, far, h, i, n, inverse) for i in range(length)]
        )
        p.at_row = ways(s.height, self.window.y, reach.y, p.row_inverse)
        p.at_column = ways(s.width, self.window.x, reach.x, p.column_inverse)
        count = up(self.outputs, 16) if last else self.w
        p.normals = self.even_normals(h, NORMALS, self.w if h == 1 else count)
        if h == 1:
            p.rounds = [self.minus(1, use, up(self.w, self.first)) for use in range(3)]
            return p
        p.of_raw, p.of_products = (self.even_normals(h, number, count) for number in (OF_RAW, OF_PRODUCTS))
        flat = p.roots.reshape(-1)
        p.squares = in_order(flat * flat)
        p.common = np.repeat(flat * (F(1) / np.sqrt(p.squares * float_of(s.channels))), s.channels)
        mixed = up(V + self.raw(h), 64)
        p.rest_mix, p.left_mix = self.minus(h, REST_MIX, mixed), self.minus(h, LEFT_MIX, mixed)
        numbers = range(self.blocks if last else 1)
        p.rest = [self.minus(h, REST, s.inner, b) for b in numbers]
        p.left = [self.minus(h, LEFT, s.inner, b) for b in numbers]
        p.tail = self.even_signs(h, TAIL, count)
        p.turned, p.scaled = self.even_signs(h, TURNED, self.w), self.even_signs(h, SCALED, self.w)
        p.relu_border = self.minus(h, RELU_BORDER, up(self.raw(h), 64))
        p.product_border = self.minus(h, PRODUCT_BORDER, up(self.raw(h), 64))
        p.tau_filter = self.filter(h, TAU_FILTER)
        p.omega_filter = self.filter(h, OMEGA_FILTER) if h > 2 else None
        if not last:
            p.relu, p.both = self.even_signs(h, RELU, self.w), self.even_signs(h, BOTH, self.w)
            p.relu_fold = self.minus(h, RELU_FOLD, up(V + 1, 64))
            p.product_fold = self.minus(h, PRODUCT_FOLD, up(3 * V + 3 + 3 * self.raw(h), 64))
        return p

    def filter(self, h, use):
        E = self.plus_minus(h, use, self.window.places, self.w)
        part = (F(1) - np.sum(E, axis=0, dtype=np.float32) * self.window_root) * self.window_root
        return E + part

    def overlap(self, h, a, b):
        """The places of the layer below that place (a, b) of the window sees, as slices, and as slices of this reach."""
        reach, below = self.layers[h].reach, self.layers[h - 1].reach

        def axis(at, window, far, near):
            shift = at + far - window - near
            begin, end = max(0, -shift), min(2 * near + 1, 2 * far + 1 - shift)
            return slice(begin, end), slice(begin + shift, end + shift)

        rows, columns = axis(a, self.window.y, reach.y, below.y), axis(b, self.window.x, reach.x, below.x)
        return (rows[0], columns[0]), (rows[1], columns[1])

    def border_table(self, h, use, products):
        """T, and what is given back."""
        layer, below = self.layers[h], self.layers[h - 1]
        T = self.plus_minus(h, use, *self.window.shape, *below.reach.shape)
        given = np.zeros(layer.reach.shape, np.float32)
        for a in range(self.window.high):
            for b in range(self.window.wide):
                there, here = self.overlap(h, a, b)
                given[here] = given[here] + T[a, b][there] * below.roots[there] * layer.inverses[here]
                if products:
                    T[a, b][there] = T[a, b][there] * below.inverses[there]
        return T, given

    def directions(self):
        c = g = INVERSE_PI
        l = a = HALF
        scale = self.over

        def two(x, y):
            total = x + y
            return np.sqrt(x / total), np.sqrt(y / total)

        def four(shares):
            total = (shares[0] + shares[1]) + (shares[2] + shares[3])
            e = [np.sqrt(share / total) for share in shares]
            factor, one = F(1) / (F(1) + e[0]), [F(1), F(0)]
            others = [[-e[k]] + [one[i != k] - e[k] * e[i] * factor for i in (1, 2, 3)] for k in (1, 2, 3)]
            return [e] + others

        for h in range(2, self.spec.depth + 1):
            p = self.layers[h]
            p.raw_scale = scale
            scale = scale * self.over
            raw = [a * HALF, a * c * INVERSE_PI, g * l * INVERSE_PI, l * HALF]
            eta = [g * HALF, g * c * INVERSE_PI, INVERSE_PI, c * HALF]
            p.raw_direction, p.eta_direction = four(raw), four(eta)
            p.k_direction = two(eta[2], eta[3])
            p.omega_direction = two(HALF, c * INVERSE_PI)
            share = HALF + c * INVERSE_PI
            a, g = a * share + g * l * INVERSE_PI + l * HALF, g * share + INVERSE_PI + c * HALF
            c, l = INVERSE_PI + c * HALF, l * HALF


@functools.lru_cache(maxsize=8)
def _prepared(spec_type, fields):
    return Prepared(spec_type(**dict(fields)))


class Records:
    """What a layer hands on, of all pixels."""

    def __init__(self, s, places, w):
        shape = s.height, s.width
        self.N, self.k, self.eta = (np.zeros(shape, np.float32) for _ in range(3))
        self.weights = np.zeros(shape + places, np.float32)
        self.tau, self.omega = np.zeros(shape + (w,), np.float32), np.zeros(shape + (w,), np.float32)


class Sums:
    """Those of a cell."""

    def __init__(self, p):
        zeros = lambda *shape: np.zeros(shape, np.float32)
        self.constants, self.folded, self.windows = zeros(2), zeros(p.w), zeros(3 * p.window.places)
        self.raw, self.random = zeros(3, p.raw(p.spec.depth)), zeros(up(p.outputs, 16))


def first_layer(p, x):
    """x: the image, times 2^-e."""
    s, layer = p.spec, p.layers[1]
    out = Records(s, (0, 0), p.w)
    each = F(1) / np.sqrt(float_of(p.inputs))
    wide = np.pad(x, [(p.window.y,) * 2, (p.window.x,) * 2, (0, 0)])
    for i in range(s.height):
        for j in range(s.width):
            v = wide[i : i + p.window.high, j : j + p.window.wide].reshape(-1)
            n = sum_of_squares(v)
            if not n > 0:
                continue
            root = np.sqrt(n)
            v = v * (F(1) / root)
            out.N[i, j], out.k[i, j] = n, root / p.q * np.sqrt(INVERSE_PI)
            common = in_order(v) * each
            v = v - common * each
            y = np.zeros((up(p.w, p.first) // p.first, p.first), np.float32)
            y[:, : len(v)] = v
            for minus in layer.rounds:
                y = hadamard(negate_where(minus.reshape(y.shape), y))
            z = fma(common, layer.normals, y.reshape(-1)[: p.w] * p.norms)
            out.tau[i, j] = (np.abs(z) - MU) * (root / p.q * np.sqrt(HALF / float_of(p.w)))
    return out


class Pixel:
    """One pixel of layer h >= 2."""

    def __init__(self, p, h, i, j, x, below):
        self.p, self.h, self.i, self.j, self.x, self.below = p, h, i, j, x, below
        self.layer, self.of_below = p.layers[h], p.layers[h - 1]
        s, window = p.spec, p.window
        inside = lambda a, b: 0 <= i + a - window.y < s.height and 0 <= j + b - window.x < s.width
        self.places = [
            (a, b, i + a - window.y, j + b - window.x)
            for a in range(window.high)
            for b in range(window.wide)
            if inside(a, b)
        ]

    def common(self, numbers):
        """What they have in common, and what is left of each place."""
        p = self.p
        value = in_order(numbers[i, j] for _, _, i, j in self.places) * p.window_root
        each = value * p.window_root
        rest = np.full(p.window.shape, -each)
        for a, b, i, j in self.places:
            rest[a, b] = numbers[i, j] - each
        return value, rest.reshape(-1)

    def filtered(self, numbers, filter):
        total = np.zeros(self.p.w, np.float32)
        for a, b, i, j in self.places:
            total = fma(filter[a * self.p.window.wide + b], numbers[i, j], total)
        return total

    def at_border(self):
        p, s = self.p, self.p.spec
        near = lambda at, length, half: half and min(at, length - 1 - at) < self.h * half
        return near(self.i, s.height, p.window.y) or near(self.j, s.width, p.window.x)

    def border(self, weights, table, minus, random, of_place):
        T, given = table
        lost = -weights * given
        for a, b, i, j in self.places:
            there, here = self.p.overlap(self.h, a, b)
            lost[here] = lost[here] + of_place(T[a, b], i, j)[there]
        fold((self.around * lost[:, :, None]).reshape(-1), minus, random, True)

    def see(self):
        """Scalars and exact numbers; False of a pixel that sees nothing."""
        p, h, layer, below = self.p, self.h, self.layer, self.below
        self.N = in_order(below.N[i, j] for _, _, i, j in self.places) * p.square
        if not self.N > 0:
            return False
        self.root = np.sqrt(self.N)
        self.inverse = F(1) / self.root
        k, self.rest = self.common(below.k)
        self.chi, self.left = self.common(below.eta) if h > 2 else (k, self.rest)
        self.kappa = k * self.inverse
        self.scaled = self.chi * self.inverse * p.pi_over
        self.of_kappa = self.kappa * p.pi_over
        self.tau = self.filtered(below.tau, layer.tau_filter)
        if h > 2:
            self.omega = self.filtered(below.omega, layer.omega_filter)
        y, x = layer.reach.y, layer.reach.x
        wide = np.pad(self.x, [(y, y), (x, x), (0, 0)])
        self.around = wide[self.i : self.i + 2 * y + 1, self.j : self.j + 2 * x + 1]
        self.raw_weights = (layer.at_row[self.i] * layer.raw_scale)[:, None] * layer.at_column[self.j]
        if h > 2:
            self.product_weights = np.zeros(layer.reach.shape, np.float32)
            for a, b, i, j in self.places:
                there, here = p.overlap(h, a, b)
                self.product_weights[here] = self.product_weights[here] + below.weights[i, j][there]
            self.product_weights = self.product_weights * layer.inverses
        else:
            self.product_weights = self.raw_weights
        if self.at_border():
            rows, columns = self.of_below.at_row, self.of_below.at_column
            ways = lambda T, i, j: T * (rows[i] * layer.raw_scale)[:, None] * columns[j]
            self.border(self.raw_weights, layer.raw_table, layer.relu_border, self.tau, ways)
            if h > 2:
                own = lambda T, i, j: T * below.weights[i, j]
                self.border(self.product_weights, layer.product_table, layer.product_border, self.omega, own)
        if h == 2:
            self.omega = self.tau
        self.of_raw = (self.around * self.raw_weights[:, :, None]).reshape(-1)
        self.of_products = (self.around * self.product_weights[:, :, None]).reshape(-1)
        direction = layer.omega_direction
        self.straight = direction[0] * p.over + direction[1] * self.of_kappa
        self.across = direction[0] * self.of_kappa - direction[1] * p.over
        return True

    def windows(self):
        return np.concatenate([self.rest * self.scaled, self.left * self.p.over, self.left * self.of_kappa])

    def products(self, block):
        """z and the values of random features of P D, of a block."""
        p, s, layer = self.p, self.p.spec, self.layer
        take = lambda v: (dot(v, layer.common), fma(-dot(v, layer.common), layer.common, v))
        of_raw, raw = take(self.of_raw)
        of_products, products = take(self.of_products)
        y = np.zeros(s.inner, np.float32)
        y[: p.w] = self.tau
        mixed = len(layer.rest_mix)
        y[p.w : p.w + mixed] = blocks_mixed(np.concatenate([self.rest, raw]), layer.rest_mix).reshape(-1) * EIGHTH
        y = hadamard(negate_where(layer.rest[block], y))
        exact = blocks_mixed(np.concatenate([self.left, products]), layer.left_mix) * EIGHTH
        left = np.zeros((s.inner // 16, 16), np.float32)
        step = len(left) // (mixed // 16)
        of_exact = np.arange(mixed // 16) * step
        left[of_exact] = exact.reshape(-1, 16)
        others = np.setdiff1d(np.arange(len(left)), of_exact)[: p.w // 16]
        left[others] = self.omega.reshape(-1, 16)
        left = hadamard(negate_where(layer.left[block], left.reshape(-1)))
        at = slice(block * s.inner, block * s.inner + s.inner)
        g, h, hp, minus = layer.normals[at], layer.of_raw[at], layer.of_products[at], layer.tail[at]
        y, left = y[: len(g)], left[: len(g)]
        z = fma(self.kappa, g, fma(of_raw * self.inverse, h, y * self.inverse))
        sign = np.where(z > 0, F(1), np.where(z < 0, F(-1), F(0)))
        tail = negate_where(minus, fma(z, -MU, sign) * self.chi)
        return z, fma(fma(of_products, hp, left), fma(g, -MU * self.kappa, sign), tail)

    def hand_on(self, out):
        p, layer, i, j = self.p, self.layer, self.i, self.j
        out.N[i, j] = self.N
        one, two = self.root * p.pi_over, self.root * self.kappa * p.over
        direction = layer.k_direction
        out.k[i, j] = one * direction[0] + two * direction[1]
        tau, omega = np.zeros(p.w, np.float32), np.zeros(p.w, np.float32)
        across = one * direction[1] - two * direction[0]
        fold(np.append(self.rest * p.over, across), layer.relu_fold, tau, False)

        constants = [self.chi * p.over, self.chi * self.of_kappa, one, two]
        along = [
            (constants[0] * e[0] + constants[1] * e[1]) + (constants[2] * e[2] + constants[3] * e[3])
            for e in layer.eta_direction
        ]
        out.eta[i, j] = along[0]
        factors = [
            (e[0] * p.over + e[1] * self.of_kappa, e[2] * self.scaled + e[3] * p.over) for e in layer.raw_direction
        ]
        leave = [fma(self.of_products, a, self.of_raw * b) for a, b in factors[1:]]
        out.weights[i, j] = (self.product_weights * factors[0][0] + self.raw_weights * factors[0][1]) * layer.roots
        fold(np.concatenate([self.windows(), along[1:]] + leave), layer.product_fold, omega, False)

        z, value = self.products(0)
        z, value = z[: p.w], value[: p.w]
        scale = np.sqrt(HALF / float_of(p.w)) / p.q
        tau = fma(np.abs(z) - MU, scale * self.root, tau)
        tau = fma(negate_where(layer.relu, self.tau), p.over, tau)
        omega = fma(value, scale, omega)
        omega = fma(self.omega, self.straight, omega)
        omega = fma(negate_where(layer.turned, self.omega), self.across, omega)
        omega = fma(negate_where(layer.scaled, self.tau), self.scaled, omega)
        out.tau[i, j], out.omega[i, j] = tau, omega + negate_where(layer.both, tau)

    def finish(self, sums):
        p, layer = self.p, self.layer
        sums.constants[0] += self.chi * p.over
        sums.constants[1] += self.chi * self.of_kappa
        sums.windows += self.windows()
        sums.raw[0] = fma(p.over, self.of_products, sums.raw[0])
        sums.raw[1] = fma(self.of_kappa, self.of_products, sums.raw[1])
        sums.raw[2] = fma(self.scaled, self.of_raw, sums.raw[2])
        folded = fma(self.omega, self.straight, sums.folded)
        folded = fma(negate_where(layer.turned, self.omega), self.across, folded)
        sums.folded = fma(negate_where(layer.scaled, self.tau), self.scaled, folded)
        for block in range(p.blocks):
            _, value = self.products(block)
            at = slice(block * p.spec.inner, block * p.spec.inner + len(value))
            sums.random[at] = sums.random[at] + value


def finish_cell(p, sums, scale):
    s, layer, M = p.spec, p.layers[p.spec.depth], p.outputs
    exact = [sums.constants[0] * scale, sums.constants[1] * scale]
    unit = layer.roots.reshape(-1) * (F(1) / np.sqrt(layer.squares))
    raw = sums.raw.reshape(3, -1, s.channels)
    for kind in range(3):
        for channel in range(s.channels):
            along = in_order(unit * raw[kind, :, channel])
            raw[kind, :, channel] = raw[kind, :, channel] - along * unit
            exact.append(along * scale)
    z = sums.random[:M] * (np.sqrt(HALF / float_of(M)) / p.q)
    added = negate_where(p.last_signs, np.concatenate([sums.folded, sums.windows, raw.reshape(-1)]))
    for begin in range(0, len(added), M):
        some = added[begin : begin + M]
        z[: len(some)] = z[: len(some)] + some
    return np.concatenate([np.array(exact, np.float32), z * scale])


def features(spec, x):
    """§28.2: the features of one sample of a resolved spec."""
    x = np.asarray(x, np.float32)
    if is_zero(x):
        return np.zeros(spec.features, np.float32)
    p = _prepared(type(spec), tuple(sorted(vars(spec).items())))
    s, e = p.spec, largest_exponent(x)
    image = (x * power_of_two(-e)).reshape(s.height, s.width, s.channels)
    below = first_layer(p, image)
    of_cells = [(cell, Sums(p)) for cell in cells(s)]
    for h in range(2, s.depth + 1):
        out = Records(s, p.layers[h].reach.shape, p.w)
        for i in range(s.height):
            for j in range(s.width):
                pixel = Pixel(p, h, i, j, image, below)
                if not pixel.see():
                    continue
                if h < s.depth:
                    pixel.hand_on(out)
                    continue
                pixel.finish(next(sums for (t, b, l, r), sums in of_cells if t <= i < b and l <= j < r))
        below = out
    parts = []
    for (top, bottom, left, right), sums in of_cells:
        parts.append(finish_cell(p, sums, power_of_two(e) / float_of((bottom - top) * (right - left))))
    left_over = spec.features - sum(len(part) for part in parts)
    return np.concatenate(parts + [np.zeros(left_over, np.float32)])
