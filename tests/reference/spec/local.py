"""SPEC.md, chapter 30: local maps."""
import dataclasses
import functools

import numpy as np

from . import registry, streams
from .inputs import plain, sample, samples
from .numbers import F, float_of

KINDS = {"both": 0, "sum": 1, "max": 2}


@dataclasses.dataclass
class Local:
    inputs: int
    features: int
    height: int = 0
    width: int = 0
    channels: int = 0
    length: int = 0
    largest: int = 0
    reach: int = 0
    pairs: int = 2
    kinds: str = "both"
    gain: int = 0
    seed: int = 0


def is_series(spec):
    """§30.1."""
    return spec.height == 0 and spec.width == 0


def resolve(spec):
    """§30.1: sizes, and what is automatic."""
    h, w, c, length = spec.height, spec.width, spec.channels, spec.length
    if is_series(spec):
        if length == 0 and c:
            length = spec.inputs // c
        elif c == 0 and length:
            c = spec.inputs // length
    else:
        if c == 0 and (h == 0 or w == 0):
            c = 1
        h = h or spec.inputs // (w * c)
        w = w or spec.inputs // (h * c)
        c = c or spec.inputs // (h * w)
    largest = spec.largest or (9 if is_series(spec) else 5)
    reach = spec.reach or (32 if is_series(spec) else 0)
    sizes = {"height": h, "width": w, "channels": c, "length": length}
    return dataclasses.replace(spec, **sizes, largest=largest, reach=reach, gain=spec.gain or 8)


@dataclasses.dataclass
class Filter:
    """`taps`: (distance from the patch's first place, sign); `places`: where that place is, row by row of the window."""

    taps: list
    places: np.ndarray
    window: tuple
    maximum: bool
    shift: int


class Draws:
    """§30.2: words of a narrow stream, and numbers made of their upper halves."""

    def __init__(self, key):
        self.stream = streams.narrow_streams([key])

    def word(self):
        return int(self.stream.step()[0])

    def __call__(self, k):
        return (self.word() >> 16) * k >> 16


@dataclasses.dataclass
class Patch:
    """`sites`: the place of each site among the numbers of a sample, from the patch's first place; `room`: tall and wide."""

    sites: list
    room: tuple


def made_patch(spec, draws):
    """§30.2, up to the sites: of a resolved spec, local or local-arccos."""
    series = is_series(spec)
    right, down, deeper = steps(spec)
    high_of_all, wide_of_all = (1, spec.length) if series else (spec.height, spec.width)
    room = min(wide_of_all, spec.largest + 1) if series else min(high_of_all, wide_of_all, spec.largest + 1)
    sides = (room - 2) // 2 if room >= 4 else 0
    side = 3 + 2 * draws(sides) if sides else 2
    high = 1 if series else side
    apart = 1
    if series:
        most = min(spec.length, spec.reach) - 1
        spreads = max(s for s in range(1, 17) if s == 1 or (side - 1) << (s - 1) <= most)
        apart = 1 << draws(spreads)
    channels = [draws(spec.channels)]
    if spec.channels > 1:
        two = draws(2) == 1
        other = draws(spec.channels - 1)
        if two:
            channels.append(other + (other >= channels[0]))
    sites = [c * deeper + y * down + column * apart * right
             for c in channels for y in range(high) for column in range(side)]
    return Patch(sites, (high_of_all - high + 1, wide_of_all - (side - 1) * apart))


def steps(spec):
    """§30.2: right, down, deeper."""
    return (1, 0, spec.length) if is_series(spec) else (spec.channels, spec.width * spec.channels, 1)


def made_window(spec, patch, draws):
    """§30.2, from a on: where the window begins, its rows and columns."""
    series = is_series(spec)
    tall, wide = patch.room
    a = draws(16)
    rows, columns = tall, wide
    if not series and a >= 1:
        rows = min(tall, 1 + draws(tall // 2 + 1))
        columns = min(wide, 1 + draws(wide // 2 + 1))
    if series and a >= 8:
        rows, columns = 1, 1 + draws(wide)
    top = 0 if series else draws(tall - rows + 1)
    left = draws(wide - columns + 1)
    right, down, _ = steps(spec)
    return top * down + left * right, rows, columns


def places_of(spec, window):
    """The places of a window, row by row."""
    first, rows, columns = window
    right, down, _ = steps(spec)
    return (first + np.arange(rows)[:, None] * down + np.arange(columns) * right).reshape(-1)


def made_filter(spec, number):
    """§30.2: a filter of a resolved spec."""
    key = streams.key(spec.seed, streams.LOCAL_FILTERS, number)
    draws = Draws(key)
    patch = made_patch(spec, draws)
    sites = len(patch.sites)
    pairs = min(1 + draws(spec.pairs), sites // 2)
    signs = draws.word()
    balanced = not is_series(spec) or signs & 1 == 1
    left_over, taps = list(range(sites)), []
    for i in range(2 * pairs):
        site = left_over.pop(draws(len(left_over)))
        minus = i >= pairs if balanced else signs >> (i + 1) & 1 == 1
        taps.append((patch.sites[site], -1 if minus else 1))
    of_maxima = draws.word() >> 31 == 1
    maximum = spec.kinds == "max" or (spec.kinds == "both" and of_maxima)
    window = made_window(spec, patch, draws)
    places = places_of(spec, window)
    summed = 1 if maximum else len(places)
    shift = summed.bit_length() - 1 + (len(taps) > 2) + 8 - spec.gain
    assert 0 <= places[0] and max(places[-1] + distance for distance, _ in taps) < spec.inputs and -8 <= shift <= 23
    return Filter(taps, places, window, maximum, shift)


@functools.lru_cache(maxsize=None)
def _filter_of(fields, number):
    return made_filter(Local(*fields), number)


def filter_of(spec, number):
    """Filters do not depend on how many there are."""
    return _filter_of(dataclasses.astuple(dataclasses.replace(spec, features=0)), number)


def whole_inputs(x):
    """§30.3: the inputs as whole numbers."""
    limited = np.clip(np.asarray(x, np.float32), F(-127), F(127))
    return np.round(limited.astype(np.float64)).astype(np.int64)


def whole_feature(made, v):
    """§30.3: what a filter makes of whole numbers."""
    a = sum(sign * v[made.places + distance] for distance, sign in made.taps)
    found = int(np.max(a)) if made.maximum else int(np.sum(np.maximum(a, 0)))
    assert abs(found) < 1 << 26 and found << max(0, -made.shift) < 1 << 26
    found = found >> made.shift if made.shift >= 0 else found << -made.shift
    return min(max(found, -127), 127)


def whole_features(spec, v, kept=None):
    """§30.3, §30.4: features of whole numbers."""
    s = resolve(spec)
    numbers = range(s.features) if kept is None else kept
    return np.array([whole_feature(filter_of(s, n), v) for n in numbers], np.int64)


def local(spec, x, kept=None):
    """§30.3: the features of one sample, block after block."""
    z = float_of(whole_features(spec, whole_inputs(x), kept))
    numbers = np.arange(spec.features) if kept is None else np.array(kept)
    return [z[numbers // 64 == block] for block in range(-(-spec.features // 64))]


# ---- What other files ask of this map


def wide_range(n, index):
    """Halves from -160 to 159.5: what is rounded, and what is limited."""
    return np.floor(plain(n, index) * F(80)) / F(2)


def _cases():
    seed = 42
    image = Local(126, 300, height=6, width=7, channels=3, pairs=4, gain=11, seed=seed)
    plane = Local(120, 200, width=10, gain=11, seed=seed)
    series = Local(130, 300, channels=2, pairs=4, gain=11, seed=seed)
    line = Local(100, 200, length=100, largest=15, reach=60, kinds="max", gain=11, seed=seed)
    least = Local(12, 40, height=2, width=3, gain=11, seed=seed)
    of = lambda spec: lambda: samples(spec.inputs, lambda x: np.concatenate(local(spec, x)))
    named = {"image": image, "image/plane": plane, "image/least": least, "series": series, "series/maxima": line}
    return {"local/" + name: of(spec) for name, spec in named.items()}


def _vectors():
    yield Local(64, 70, height=8, seed=10), wide_range(64, 1)
    yield Local(60, 20, height=4, width=5, channels=3, pairs=4, seed=2**64 - 1), wide_range(60, 2)
    yield Local(4, 9, height=2, seed=3), wide_range(4, 3)
    yield Local(100, 40, width=20, largest=3, kinds="sum", gain=12, seed=11), wide_range(100, 4)
    yield Local(3, 20, length=3, reach=2, seed=6), wide_range(3, 5)
    yield Local(100, 40, length=100, pairs=4, seed=4), wide_range(100, 6)
    yield Local(84, 40, channels=7, pairs=3, kinds="max", gain=5, seed=5), wide_range(84, 7)
    yield Local(300, 140, length=300, largest=31, reach=255, pairs=1, seed=7), wide_range(300, 8)
    yield Local(64, 8, width=8, seed=10), sample(64, 4)
    yield Local(64, 8, height=8, width=8, channels=1, seed=10), np.zeros(64, np.float32)


def _bytes(s):
    head = registry.small(s.largest, s.reach, s.pairs, KINDS[s.kinds])
    sizes = registry.whole(s.height, s.width, s.channels, s.length)
    return head + sizes + registry.small(s.gain, *[0] * 7) + registry.seed(s.seed)


def _read(inputs, features, b):
    sizes = [b.whole(at) for at in (16, 20, 24, 28)]
    return Local(inputs, features, *sizes, b.small(12), b.small(13), b.small(14), b.name(KINDS, 15), b.small(32), b.seed(40))


registry.register(
    number=13,
    name="local",
    spec=Local,
    spec_bytes=_bytes,
    read=_read,
    resolve=resolve,
    blocks=local,
    selftest=_cases,
    vectors=("local", _vectors),
    models=lambda: [
        (resolve(Local(3, 70, channels=1, seed=10)), {"type": "int8", "outputs": 3}),
        (resolve(Local(3, 140, length=3, gain=11, seed=10)), {"kept": [0, 5, 63, 64, 130]}),
    ],
)
