"""The known answers of SPEC.md, chapter 27."""
import math

import numpy as np

from spec import models, skeleton_map, skeletons
from spec.inputs import plain
from spec.numbers import F, hex32, hex64


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
    return skeleton_map.base(what, column, columns, grid, value)


def windows(source, patch, stride, what, steps=()):
    return {"kind": 1, "what": what, "source": source, "patch": patch, "stride": stride, "steps": steps}


def node(ranges, what, steps=()):
    return {"kind": 2, "what": what, "ranges": ranges, "steps": steps}


def feature_answers(data, x):
    seed, first = 0x123456789ABCDEF, 5
    found = [skeletons.feature(data, seed, first + i, x) for i in range(40)]
    return {"seed": "%016x" % seed, "first": first, "factors": [f[2] for f in found], "real": hex32([f[0] for f in found]),
            "imaginary": hex32([f[1] for f in found])}


def map_answers(cases):
    """Maps of the skeletons in `cases` and of others, and models of two of them."""
    every, shallow = skeletons.make(cases["every base"]), skeletons.make(cases["shallow"])
    signs = skeletons.make([base("binary", 0, (1, 1, 5)), node([(0, 5)], "series", poisson_steps(2.0))])
    counted = [(3 * i, 1 + i % 3) for i in range(66)]
    once = [(2 * i + 1, 1) for i in range(65)]
    far = [(65000 + 40 * i, 70000 if i == 2 else 1) for i in range(20)]
    of = skeleton_map.of_skeleton
    maps = {
        "pair": of(every, 70, "pair", 21), "phase": of(every, 70, "phase", 22), "real": of(skeleton_map.real_skeleton(), 70, "real", 23),
        "parities": of(signs, 70, "real", 24), "pair, list with times": of(every, 80, "pair", 25, counted),
        "phase, list without times": of(every, 65, "phase", 26, once), "real, list with times": of(signs, 80, "real", 27, counted),
        "pair, list of 4 bytes each": of(shallow, 20, "pair", 28, far)}
    entries = []
    for name, s in maps.items():
        x = sample_of(s)
        z = models.features(s, x)
        fields = {"map": 10, "inputs": s.inputs, "features": s.features, "form": s.form, "normals": s.normals, "seed": "%016x" % s.seed}
        entries.append({"name": name, "spec": fields, "map_data": skeleton_map.data(s).hex(), "x": hex32(x), "features": hex32(z)})
    sealed = []
    for name in "phase, list without times", "pair, list of 4 bytes each":
        s = maps[name]
        x = sample_of(s)
        count = len(models.features(s, x))
        weights = np.floor(plain(2 * count, 29).reshape(2, count) * 31).astype(np.int8)
        m = models.Model(s, weights, plain(2, 30), "int8", np.abs(plain(2, 31)), classify=True, labels=["no", "yes"])
        data = models.write(m)
        again = models.read(data)
        assert again.spec == s and models.write(again) == data
        sealed.append({"name": name, "bytes": data.hex(), "x": hex32(x), "scores": hex32(models.scores(m, x))})
    return {"maps": entries, "models": sealed}


def sample_of(s):
    """Plain numbers, smaller ones for spheres, whose products would overflow, and for the one categorical input a category."""
    x = plain(s.inputs, 3)
    for g in skeletons.read(s.skeleton):
        if g.kind == 0 and g.what == "categorical":
            x[g.column] = F(3)
        if g.kind == 0 and g.what.startswith("sphere"):
            x[g.column :][: g.columns] *= F(0.125)
    return x


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
    return {"what": "SPEC.md, chapter 27. `cases`: `bytes` of a skeleton; `depth` and `cost` of each group; the exact kernel of x and"
                    " y, and of x and x; of x and a seed the features from `first` on, and how many factors they have. `maps`: the"
                    " spec of a map, the section of a model that has its data, and its features. `models`: whole sealed models, and"
                    " their scores.", "cases": entries, **map_answers(cases)}
