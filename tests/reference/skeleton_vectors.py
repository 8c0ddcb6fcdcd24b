"""The known answers of SPEC.md, chapter 27."""
import math

from spec import skeletons
from spec.inputs import plain
from spec.numbers import hex32, hex64


def poisson_steps(mean):
    steps, term, total, j = [], math.exp(-mean), 0.0, 0
    while True:
        total += term
        if round(total * 2**32) >= 2**32:
            return steps
        steps.append(round(total * 2**32))
        j += 1
        term = term * mean / j


def base(what, column, grid=(1, 1, 1), columns=1, value=0):
    return {"kind": 0, "what": what, "column": column, "grid": grid, "columns": columns, "value": value}


def windows(source, patch, stride, what, steps=()):
    return {"kind": 1, "what": what, "source": source, "patch": patch, "stride": stride, "steps": steps}


def node(ranges, what, steps=()):
    return {"kind": 2, "what": what, "ranges": ranges, "steps": steps}


def feature_answers(data, x):
    seed, first = 0x123456789ABCDEF, 5
    found = [skeletons.feature(data, seed, first + i, x) for i in range(40)]
    return {"seed": "%016x" % seed, "first": first, "factors": [f[2] for f in found], "real": hex32([f[0] for f in found]),
            "imaginary": hex32([f[1] for f in found])}


def skeleton_file():
    turns = skeletons.turns_bits
    exponential = poisson_steps(0.25)
    cases = {
        "shallow": [base("circle", 0, (1, 1, 16), value=turns(0.25)), node([(0, 16)], "series", exponential)],
        "every base": [
            base("binary", 0), base("categorical", 1, value=4), base("gaussian", 2, columns=3, value=turns(0.1)),
            base("sphere", 5, columns=4), base("sphere-uniform", 9, columns=3), base("circle", 12, value=turns(1.5)),
            node([(0, 1), (1, 1), (5, 1)], "series", poisson_steps(1.0)), node([(2, 1), (3, 1), (4, 1)], "relu"),
            node([(6, 1), (7, 1), (0, 1)], "step"), node([(8, 1), (6, 1), (7, 1)], "identity")],
        "two convolutions": [
            base("circle", 3, (9, 8, 2), value=turns(0.3)), windows(0, (3, 2), (2, 1), "series", exponential),
            windows(1, (2, 3), (1, 2), "relu"), node([(172, 9)], "relu")],
    }
    entries = []
    for name, groups in cases.items():
        data = skeletons.make(groups)
        read = skeletons.read(data)
        inputs = int.from_bytes(data[12:16], "little")
        x, y = plain(inputs, 1), plain(inputs, 2)
        if name == "every base":
            x[1], y[1] = 3, 3
        entries.append({
            "name": name, "bytes": data.hex(), "inputs": inputs, "nodes": sum(g.nodes for g in read),
            "depth": [g.depth for g in read], "cost": [g.cost for g in read], "x": hex32(x), "y": hex32(y),
            "kernel": hex64(skeletons.kernel(data, x, y)), "diagonal": hex64(skeletons.kernel(data, x, x)),
            **feature_answers(data, x)})
    return {"what": "SPEC.md, chapter 27. `bytes` of a skeleton; `depth` and `cost` of each group; the exact kernel of x and y, and of"
                    " x and x; of x and a seed the features from `first` on, and how many factors they have.", "cases": entries}
