"""SPEC.md, section 19: the map ntk-gradient."""
import dataclasses
import functools

import numpy as np

from . import registry, streams
from .inputs import SEED, sample, samples
from .networks import unit, whole_length, widened
from .numbers import F, dot, float_of, fma, is_zero
from .streams import key


@dataclasses.dataclass
class NtkGradient:
    inputs: int
    features: int
    depth: int = 1
    width: int = 0
    seed: int = 0


def gradient_width(spec):
    """The given width, or the largest that the features have room for."""
    if spec.width:
        return spec.width
    w = 0
    needed = lambda n: n + spec.inputs * n + (spec.depth - 1) * n * n
    while w < 4096 and needed(w + 1) <= spec.features:
        w += 1
    return w


@functools.lru_cache(maxsize=None)
def gradient_weights(seed, layer, width, inputs):
    """§19.4: W(l)."""
    row = lambda i: streams.fill_normals(key(seed, streams.GRADIENT_WEIGHTS, ((layer - 1) << 32) + i), inputs)
    return np.stack([row(i) for i in range(width)])


def ntk_gradient(spec, x):
    """§19.5: the features of one sample."""
    x = np.asarray(x, np.float32)
    if is_zero(x):
        return np.zeros(spec.features, np.float32)
    width, depth = gradient_width(spec), spec.depth
    root, l = np.sqrt(F(2) / float_of(width)), whole_length(x)
    h, slopes = [unit(x)], []
    for layer in range(1, depth + 1):
        t = dot(gradient_weights(spec.seed, layer, width, len(h[-1])), h[-1])
        slopes.append(np.where(t > 0, F(1), F(0)))
        h.append(np.where(t > 0, t * root, F(0)))
    parts = [h[depth] * l]
    g = streams.fill_normals(key(spec.seed, streams.GRADIENT_WEIGHTS, depth << 32), width)
    for layer in range(depth, 0, -1):
        delta = slopes[layer - 1] * g * root
        parts.append(((delta * l)[:, None] * h[layer - 1][None, :]).reshape(-1))
        weights = gradient_weights(spec.seed, layer, width, len(h[layer - 1]))
        g = np.zeros(weights.shape[1], np.float32)
        for i in range(width):
            g = fma(delta[i], weights[i], g)
    return widened(np.concatenate(parts), spec.features)


# ---- What other files ask of this map


def _cases():
    spec = NtkGradient(17, 300, 2, seed=SEED)
    return {"ntk-gradient/2": lambda: samples(17, lambda x: ntk_gradient(spec, x))}


def _vectors():
    yield NtkGradient(3, 40, 1, 0, 10), None
    yield NtkGradient(3, 40, 2, 4, 10), None
    yield NtkGradient(3, 60, 2, 0, 10), sample(3, 4)


registry.register(
    number=9,
    name="ntk-gradient",
    spec=NtkGradient,
    spec_bytes=lambda s: registry.whole(0, s.depth, s.width) + registry.seed(s.seed),
    read=lambda inputs, features, b: NtkGradient(inputs, features, b.whole(16), b.whole(20), b.seed(24)),
    resolve=lambda spec: dataclasses.replace(spec, width=gradient_width(spec)),
    blocks=lambda spec, x, kept: [ntk_gradient(spec, x)],
    selftest=_cases,
    vectors=("networks", _vectors),
    models=lambda: [(NtkGradient(3, 40, 2, 0, 10), {"outputs": 1})],
)
