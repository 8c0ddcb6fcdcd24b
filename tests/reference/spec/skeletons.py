"""SPEC.md, chapter 27: skeletons, their bytes, what follows from them, and exact kernels."""
import math
import struct

from . import kernels

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
