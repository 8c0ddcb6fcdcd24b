"""SPEC.md, chapter 31: the map local-arccos."""
import dataclasses

import numpy as np

from . import local, registry, streams
from .inputs import sample, samples
from .numbers import F, float_of, fma


@dataclasses.dataclass
class LocalArcCos:
    inputs: int
    features: int
    height: int = 0
    width: int = 0
    channels: int = 0
    length: int = 0
    largest: int = 0
    reach: int = 0
    seed: int = 0


def resolve(spec):
    """§30.1: as of local, which has other fields beside these."""
    of_local = local.resolve(local.Local(**dataclasses.asdict(spec)))
    return LocalArcCos(**{f.name: getattr(of_local, f.name) for f in dataclasses.fields(LocalArcCos)})


def feature(s, number, x):
    """§31.2: a feature of a resolved spec."""
    draws = local.Draws(streams.key(s.seed, streams.LOCAL_FILTERS, number))
    patch = local.made_patch(s, draws)
    balanced = draws.word() & 1 == 1 or not local.is_series(s)
    window = local.made_window(s, patch, draws)
    places, n = local.places_of(s, window).reshape(window[1:]), len(patch.sites)
    w = streams.fill_normals(streams.key(s.seed, streams.LOCAL_WEIGHTS, number), n)
    if balanced:
        total = F(0)
        for v in w:
            total = total + v
        w = w - total / float_of(n)
    total = F(0)
    for row in places:
        a = np.zeros(len(row), np.float32)
        for weight, site in zip(w, patch.sites):
            a = fma(weight, x[row + site], a)
        in_row = F(0)
        for v in np.maximum(a, F(0)):
            in_row = in_row + v
        total = total + in_row
    freedom = float_of(n - 1 if balanced else n)
    amplitude = np.sqrt(F(2) / (float_of(s.features) * freedom))
    return total * (amplitude / float_of(places.size))


def local_arccos(spec, x):
    s = resolve(spec)
    return np.array([feature(s, n, np.asarray(x, np.float32)) for n in range(s.features)], np.float32)


# ---- What other files ask of this map


def _cases():
    image = LocalArcCos(126, 60, height=6, width=7, channels=3, seed=42)
    plane = LocalArcCos(120, 60, width=10, largest=3, seed=42)
    least = LocalArcCos(12, 40, height=2, width=3, seed=42)
    series = LocalArcCos(130, 60, channels=2, largest=15, reach=60, seed=42)
    of = lambda spec: lambda: samples(spec.inputs, lambda x: local_arccos(spec, x))
    named = {"image": image, "image/plane": plane, "image/least": least, "series": series}
    return {"local-arccos/" + name: of(spec) for name, spec in named.items()}


def _vectors():
    yield resolve(LocalArcCos(64, 40, height=8, seed=10)), sample(64, 4)
    yield resolve(LocalArcCos(60, 20, height=4, width=5, channels=3, seed=2**64 - 1)), sample(60, 0)
    yield resolve(LocalArcCos(4, 9, height=2, seed=3)), sample(4, 7)
    yield resolve(LocalArcCos(3, 20, length=3, reach=2, seed=6)), sample(3, 4)
    yield resolve(LocalArcCos(84, 30, channels=7, largest=31, reach=255, seed=5)), sample(84, 6)
    yield resolve(LocalArcCos(64, 8, height=8, seed=10)), np.zeros(64, np.float32)


def _bytes(s):
    sizes = registry.whole(s.height, s.width, s.channels, s.length)
    return registry.small(s.largest, s.reach, 0, 0) + sizes + registry.seed(s.seed)


def _read(inputs, features, b):
    sizes = [b.whole(at) for at in (16, 20, 24, 28)]
    return LocalArcCos(inputs, features, *sizes, b.small(12), b.small(13), b.seed(32))


registry.register(
    number=14,
    name="local-arccos",
    spec=LocalArcCos,
    spec_bytes=_bytes,
    read=_read,
    resolve=resolve,
    blocks=lambda spec, x, kept: [local_arccos(spec, x)],
    selftest=_cases,
    vectors=("local", _vectors),
    models=lambda: [
        (resolve(LocalArcCos(3, 40, channels=1, seed=10)), {"outputs": 2}),
    ],
)
