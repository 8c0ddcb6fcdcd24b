"""SPEC.md, chapter 27: skeletons, their bytes, what follows from them, and exact kernels."""
import math
import struct

import numpy as np

from . import functions, kernels, streams
from .numbers import F, bits, float_of, fma

BASES = ("binary", "circle", "gaussian", "categorical", "sphere", "sphere-uniform")
DUALS = ("identity", "series", "relu", "step")


def _u16(data, at):
    return struct.unpack_from("<H", data, at)[0]


def _u32(data, at):
    return struct.unpack_from("<I", data, at)[0]


def turns_bits(turns):
    """A positive binary32 as its word."""
    return struct.unpack("<I", struct.pack("<f", turns))[0]


class Group:
    """One record of §27.1, read at `at`."""

    def __init__(self, data, at):
        self.kind, what, self.depth = struct.unpack_from("<BBH", data, at)
        self.what = (BASES if self.kind == 0 else DUALS)[what]
        self.cost, self.first = _u32(data, at + 4), _u32(data, at + 8)
        self.height, self.width, self.channels = _u16(data, at + 12), _u16(data, at + 14), _u32(data, at + 16)
        self.nodes = self.height * self.width * self.channels
        self.steps, own = (), at + 20
        if self.kind == 0:
            self.column, self.columns, self.value = struct.unpack_from("<III", data, own)
        elif self.kind == 1:
            self.source, *self.patch, rows, columns, count = struct.unpack_from("<HHHHHH", data, own)
            self.stride = (rows, columns)
            self.steps = struct.unpack_from(f"<{count}I", data, own + 12)
        else:
            ranges, count = struct.unpack_from("<HH", data, own)
            pairs = struct.unpack_from(f"<{2 * ranges}I", data, own + 4)
            self.ranges = list(zip(pairs[::2], pairs[1::2]))
            self.steps = struct.unpack_from(f"<{count}I", data, own + 4 + 8 * ranges)


def read(data):
    """The groups of a skeleton whose bytes are right."""
    return [Group(data, _u32(data, 16 + 4 * i)) for i in range(_u16(data, 6))]


def _of_node(groups, node):
    return next(g for g in groups if g.first <= node < g.first + g.nodes)


def derived(groups, g):
    """§27.2: depth and cost of a group that is made of `groups`."""
    if g.kind == 0:
        return 0, 65536
    factors = {"step": 130 * 65536, "series": sum(2**32 - s for s in g.steps) >> 16}.get(g.what, 65536)
    if g.kind == 1:
        made_of, mean = [groups[g.source]], groups[g.source].cost
    else:
        made_of = [_of_node(groups, first) for first, _ in g.ranges]
        counts = [count for _, count in g.ranges]
        mean = sum(count * of.cost for count, of in zip(counts, made_of)) // sum(counts)
    return 1 + max(of.depth for of in made_of), min(min(factors, 2**32 - 1) * mean >> 16, 2**32 - 1)


def make(groups):
    """The bytes of a skeleton, of dictionaries with `kind` and the fields of §27.1 but for depth, cost and first."""
    records, done, nodes, inputs = [], [], 0, 0
    for fields in groups:
        kind = fields["kind"]
        what = (BASES if kind == 0 else DUALS).index(fields["what"])
        height, width, channels = fields.get("grid", (1, 1, 1))
        steps = fields.get("steps", ())
        if kind == 0:
            own = struct.pack("<III", fields["column"], fields["columns"], fields["value"])
        elif kind == 1:
            source = done[fields["source"]]
            height = (source.height - fields["patch"][0]) // fields["stride"][0] + 1
            width = (source.width - fields["patch"][1]) // fields["stride"][1] + 1
            own = struct.pack("<HHHHHH", fields["source"], *fields["patch"], *fields["stride"], len(steps))
        else:
            own = struct.pack("<HH", len(fields["ranges"]), len(steps))
            own += b"".join(struct.pack("<II", *pair) for pair in fields["ranges"])
        own += struct.pack(f"<{len(steps)}I", *steps)
        build = lambda depth, cost: struct.pack("<BBHIIHHI", kind, what, depth, cost, nodes, height, width, channels) + own
        depth, cost = derived(done, Group(build(0, 0), 0))
        records.append(build(depth, cost))
        done.append(Group(records[-1], 0))
        nodes += done[-1].nodes
        if kind == 0:
            inputs = max(inputs, fields["column"] + done[-1].nodes * fields["columns"])
    offsets, at = [], 16 + 4 * len(records)
    for record in records:
        offsets.append(at)
        at += len(record)
    return struct.pack(f"<IHHII{len(offsets)}I", at, 1, len(records), nodes, inputs, *offsets) + b"".join(records)


def turn_cosine(u):
    """§27.3."""
    u = abs(u)
    if u >= 2.0**52:
        return 1.0
    r = u - math.trunc(u)
    r = 1 - r if r > 0.5 else r
    if r <= 0.25:
        return kernels.sine_cosine(2 * kernels.PI * r)[1]
    return -kernels.sine_cosine(2 * kernels.PI * (0.5 - r))[1]


def _base(g, node, x, y):
    first = g.column + node * g.columns
    x, y = [float(v) for v in x[first:first + g.columns]], [float(v) for v in y[first:first + g.columns]]
    turns = struct.unpack("<f", struct.pack("<I", g.value))[0]
    if g.what == "binary":
        return 1.0 if (x[0] > 0) == (y[0] > 0) else -1.0
    if g.what == "circle":
        return turn_cosine(turns * (x[0] - y[0]))
    if g.what == "gaussian":
        return kernels.gaussian(x, y, 0.5 / (kernels.PI * turns))
    if g.what == "categorical":
        return 1.0 if x[0] == y[0] else 0.0
    return _sum(a * b for a, b in zip(x, y))


def _sum(numbers):
    total = 0.0
    for number in numbers:
        total = total + number
    return total


def _dual(g, m):
    if g.what == "series":
        bounds = [0, *g.steps, 2**32]
        s = 0.0
        for low, high in reversed(list(zip(bounds, bounds[1:]))):
            s = s * m + (high - low) / 2.0**32
        return s
    if g.what == "relu":
        return kernels.network_of_cosine(m, 1, False)
    if g.what == "step":
        c = min(max(m, -1.0), 1.0)
        return 2 * kernels.angle(kernels.root(1 + c), kernels.root(1 - c)) / kernels.PI
    return m


def kernel(data, x, y):
    """§27.3."""
    groups, values = read(data), []
    for g in groups:
        if g.kind == 0:
            values += [_base(g, node, x, y) for node in range(g.nodes)]
            continue
        for node in range(g.nodes):
            if g.kind == 1:
                source = groups[g.source]
                top, left = node // g.width * g.stride[0], node % g.width * g.stride[1]
                length = g.patch[1] * source.channels
                starts = [source.first + ((top + i) * source.width + left) * source.channels for i in range(g.patch[0])]
                runs = [(start, length) for start in starts]
                count = float(g.patch[0]) * float(length)
            else:
                runs, count = g.ranges, float(sum(count for _, count in g.ranges))
            values.append(_dual(g, _sum(_sum(values[start:start + length]) for start, length in runs) / count))
    return values[-1]


MOST_FACTORS = 65536
ONE_OVER_PI, ONE_OVER_TWO_PI = 0x145F306DC9C882A5, 0x0A2F9836E4E44152


class Words:
    """The narrow stream of a key, word after word."""

    def __init__(self, key):
        self.stream = streams.narrow_streams([key])

    def __call__(self):
        return int(self.stream.step()[0])

    def below(self, count):
        return self() * count >> 32

    def normals(self, count):
        low = self()
        return streams.fill_normals(self() << 32 | low, count)


def _terms_below(u, p, ratio):
    k = i = 0
    while i < MOST_FACTORS // 2 - 1 and u >= p >> k:
        u -= p >> k
        a, b, c = ratio(i)
        p -= p // a * b // c
        while p < 2**59:
            p, k = 2 * p, k + 1
        i += 1
    return i


def factors(g, words):
    """§27.4: how many."""
    if g.what == "identity":
        return 1
    if g.what == "series":
        w = words()
        return sum(s <= w for s in g.steps)
    high = words()
    u = (high << 30) + (words() >> 2)
    if g.what == "relu":
        if u < ONE_OVER_PI:
            return 0
        u -= ONE_OVER_PI
        ratio = lambda i: (2 * i + 3, 10 * i + 11, 2 * i + 4)
        return 1 if u < 2**61 else 2 + 2 * _terms_below(u - 2**61, ONE_OVER_TWO_PI, ratio)
    ratio = lambda i: (2 * i + 2, 6 * i + 5, 2 * i + 3)
    return 0 if u < 2**61 else 1 + 2 * _terms_below(u - 2**61, ONE_OVER_PI, ratio)


def _places(groups, g, node):
    """The nodes that node number `node` of a group is made of, in order."""
    if g.kind == 2:
        return [first + i for first, count in g.ranges for i in range(count)]
    source = groups[g.source]
    top, left = node // g.width * g.stride[0], node % g.width * g.stride[1]
    return [source.first + ((top + i) * source.width + left + j) * source.channels + c
            for i in range(g.patch[0]) for j in range(g.patch[1]) for c in range(source.channels)]


def phase(t):
    """§27.4: the fraction of a binary32."""
    pattern = int(bits(t))
    exponent, mantissa = pattern >> 23 & 255, pattern & 0x7FFFFF | 0x800000
    shift = exponent - 118
    p = mantissa << shift if shift >= 0 else (mantissa + (1 << -shift - 1)) >> -shift
    return (-p if pattern >> 31 else p) % 2**32


def _base_feature(g, node, x, words):
    """An angle and a complex number as a pair, or None."""
    x = x[g.column + node * g.columns:][:g.columns]
    turns, d = struct.unpack("<f", struct.pack("<I", g.value))[0], g.columns
    dot = lambda a, b: _chain(a, b)
    if g.what == "binary":
        return (0 if x[0] > 0 else 2**31), None
    if g.what == "circle":
        p = phase(F(turns) * x[0])
        return (-p if words() >> 31 else p), None
    if g.what == "gaussian":
        return phase(F(turns) * dot(words.normals(d), x)), None
    if g.what == "categorical":
        r = words.below(g.value) * int(x[0]) % g.value
        return (r * 2**32 + g.value // 2) // g.value, None
    if g.what == "sphere":
        k = words.below(2 * d)
        s, j = np.sqrt(F(0.5) * F(d)), k >> 1
        b = s * x[(j + 1) % d]
        return 0, (s * x[j], -b if k & 1 else b)
    normals = words.normals(d)
    t, q = dot(normals, x), dot(normals, normals)
    return 0, (np.sqrt(F(d)) * (t / np.sqrt(q)) if q > 0 else F(0), F(0))


def _chain(a, b):
    total = F(0)
    for u, v in zip(a, b):
        total = fma(u, v, total)
    return total


def product(data, seed, index, x):
    """§27.4: of a feature the angle, the complex number, how many factors it has, and its words behind them."""
    groups, words = read(data), Words(streams.key(seed, 40, index))
    angle, re, im, count = 0, F(1), F(0), 0

    def visit(node):
        nonlocal angle, re, im, count
        g = _of_node(groups, node)
        if g.kind != 0:
            for _ in range(factors(g, words)):
                places = _places(groups, g, node - g.first)
                visit(places[words.below(len(places)) if len(places) > 1 else 0])
            return
        count += 1
        turn, number = _base_feature(g, node - g.first, x, words)
        angle = (angle + turn) % 2**32
        if number is not None:
            a, b = number
            re, im = fma(-im, b, re * a), fma(im, a, re * b)

    visit(groups[-1].first + groups[-1].nodes - 1)
    return angle, re, im, count, words


def turned(angle, re, im):
    """§27.4: a complex number times that of an angle."""
    t = float_of(angle - 2**32 if angle >= 2**31 else angle) * F(2.0**-32)
    sine, cosine = functions.sine_turns(t), functions.cosine_turns(t)
    return fma(-im, sine, re * cosine), fma(im, cosine, re * sine)


def feature(data, seed, index, x):
    """§27.4: its real and imaginary part, and how many factors it has."""
    angle, re, im, count, _ = product(data, seed, index, x)
    return (*turned(angle, re, im), count)
