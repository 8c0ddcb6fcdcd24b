"""What tests/vectors holds: a function a file, each giving its content. Everything is computed by the reference."""
import dataclasses

import numpy as np

import selftest_cases
import telling_inputs
from spec import (
    checkpoints,
    functions,
    kernels,
    learners,
    local,
    maps,
    models,
    networks,
    registry,
    rows,
    sketch_maps,
    sketches,
    streams,
    transforms,
)
from spec.inputs import plain, sample
from spec.numbers import (
    F,
    crc32,
    dot,
    float_of,
    fma,
    from_bits,
    hex32,
    hex64,
    little_endian,
    power_of_two,
    sum_of_squares,
)
from spec.streams import key

from skeleton_vectors import skeleton_file

X3 = np.array([1, -0.5, 0.25], np.float32)
Y4 = np.array([0.5, 2, -1, 3], np.float32)


def word(u):
    """A 32-bit word, or a list of them."""
    return "%08x" % int(u) if np.ndim(u) == 0 else [word(v) for v in u]


def long_word(u):
    return "%016x" % u if np.ndim(u) == 0 else [long_word(v) for v in u]


def ints(values):
    return [int(v) for v in values]


# ---- Streams


def stream_file():
    keys = []
    for seed, domain, index in (7, 0, 3), (0, 0, 0), (2**64 - 1, 35, 2**63 + 5):
        k = key(seed, domain, index)
        keys.append(
            {
                "seed": long_word(seed),
                "domain": domain,
                "index": long_word(index),
                "key": long_word(k),
                "expansion": long_word([streams.expansion(k, i) for i in range(4)]),
                "narrow_state": word(streams.narrow_state(k)),
                "narrow_words": word(streams.narrow_words(k, 9)),
                "wide_state": [word(lane) for lane in streams.wide_state(k)],
                "wide_words": word(streams.wide_words(k, 37)),
                "signs": "".join("-" if minus else "+" for minus in streams.signs(k, 70)),
                "uniforms": hex32(streams.uniform(streams.wide_words(k, 19))),
                "normals": hex32(streams.fill_normals(k, 45)),
                "cauchy": hex32(streams.cauchy(streams.wide_words(k, 19))),
                "laplace": hex32(streams.laplace(streams.wide_words(k, 19))),
                "chi_64": hex32(streams.fill_chi(k, 64, 19)),
                "chi_1000": hex32(streams.fill_chi(k, 1000, 19)),
                "below": _below(k, [1, 2, 3, 1000, 2**31 + 1, 2**31 + 1, 2**32 - 1, 2**32 - 1]),
                "bijections": [
                    {"n": n, "images": ints(streams.permutation(k, n))} for n in (1, 2, 3, 10, 16, 37)
                ],
            }
        )
    words = np.array([0, 1, 0x1FFFF, 0x3FFFFFFF, 0x40000000, 0x7FFFFFFF, 0x80000000, 0xC0000001, 0xFFFFFFFF], np.uint32)
    first, second = streams.two_normals(words)
    zero = streams.Generators([[0, 0, 0, 0]])
    normals = np.array([-4.5, -1, -0.0, 0.25, 4.5], np.float32)
    k = key(7, 0, 3)
    words_of = lambda n: streams.wide_words(k, n)
    long_fills = {
        "words": words_of(2**16),
        "uniforms": streams.uniform(words_of(2**16)),
        "normals": streams.fill_normals(k, 2**18),
        "cauchy": streams.cauchy(words_of(2**18)),
        "laplace": streams.laplace(words_of(2**18)),
        "chi_64": streams.fill_chi(k, 64, 2**17),
    }
    return {
        "what": "SPEC.md, section 3. `keys`: for each (seed, domain, index) the key, outputs of the expansion, states and"
        " first words of the narrow and the wide stream (`wide_state` has a row of four words a lane), signs"
        " of the narrow stream, fills of the wide stream, `below` as pairs (n, result) drawn one after the"
        " other, images of all places under bijections of n. `long_fills`: CRC-32 of the bytes of long fills"
        " with the key of (7, 0, 3), in which a slip in one coefficient shows. `of_words`: what single words"
        " become, among them the ends of each branch. `zero_state`: words of a generator that is given four"
        " zeros. `chi_over_root`: of normals and degrees of freedom.",
        "keys": keys,
        "long_fills": [
            {"fill": name, "count": len(v), "crc32": word(crc32(little_endian(v)))} for name, v in long_fills.items()
        ],
        "of_words": {
            "words": word(words),
            "first_normals": hex32(first),
            "second_normals": hex32(second),
            "uniforms": hex32(streams.uniform(words)),
            "cauchy": hex32(streams.cauchy(words)),
            "laplace": hex32(streams.laplace(words)),
        },
        "zero_state": word([zero.step()[0] for _ in range(4)]),
        "chi_over_root": [
            {"freedom": k, "normals": hex32(normals), "values": hex32(streams.chi_over_root(normals, k))}
            for k in (64, 131072)
        ],
    }


def _below(k, numbers):
    draw = streams.Below(k)
    return [[n, draw(n)] for n in numbers]


# ---- Functions


def function_file():
    found = []
    for which, (name, function) in enumerate(selftest_cases.FUNCTIONS.items()):
        x = selftest_cases.function_inputs(which)[:40]
        more = {
            2: [0x00800000, 0x7F7FFFFF, 0x3F800000, 0x3F7FFFFF, 0x3F3504F2, 0x3F3504F3],
            3: [0xC2D00000, 0xC2CFF000, 0xC2AEAC50, 0x42B17218, 0x3F317217, 0xBF317218],
            4: [0x00000000, 0x00000001, 0x7F7FFFFF, 0x3F7FFFFF],
            5: [0x3F000001, 0x3FC00000, 0x40200000, 0x4AFFFFFF, 0x80000001],
            6: [0x00000001, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF, 0x00DA740D, 0x00DA740E],
        }
        telling = [int(u, 16) for u in telling_inputs.FOUND.get(name, [])]
        x = np.concatenate([x, from_bits(more.get(which, [0x80000001, 0xBE7FFFFF]) + telling)]).astype(np.float32)
        found.append({"name": name, "which": which, "inputs": hex32(x), "outputs": hex32(function(x))})
    a, b, c = selftest_cases.fma_inputs()
    pick = np.concatenate([np.arange(24), np.arange(24, 1000, 11)])
    a, b, c = a[pick], b[pick], c[pick]
    return {
        "what": "SPEC.md, sections 2 and 4. `functions`: sine and cosine of turns, logarithm, exponential, square root,"
        " rounding to the nearest integer, and the inverse normal CDF, whose inputs are words; `which` is the"
        " self-test's number of the function; the last inputs of polynomials tell each coefficient from the"
        " floats next to it. `fma`: a b + c rounded once; the first 24 triples are ties of the last place and"
        " nudges next to them, the others products whose sums nearly cancel, stick out or are subnormal."
        " `sums_of_squares`: of x with a factor. `dots`: sums of products in the shape of section 2.4.",
        "functions": found,
        "fma": {"a": hex32(a), "b": hex32(b), "c": hex32(c), "results": hex32(fma(a, b, c))},
        "sums_of_squares": [
            {
                "x": hex32(plain(n, 60 + n)),
                "factor": hex32(F(f)),
                "result": hex32(sum_of_squares(plain(n, 60 + n), F(f))),
            }
            for n, f in ((1, 1), (5, 0.25), (16, 3), (35, 1))
        ],
        "dots": [
            {
                "x": hex32(plain(n, 60 + n)),
                "y": hex32(plain(n, 80 + n)),
                "result": hex32(dot(plain(n, 60 + n), plain(n, 80 + n))),
            }
            for n in (1, 17, 48)
        ],
    }


# ---- Transforms


def transform_file():
    ffts = []
    for n in (4, 6, 8, 10, 16, 60, 486):
        v = plain(n, n)
        z = transforms.real_fft(v)
        flat = np.stack([z.r, z.i], axis=1).reshape(-1)
        back = transforms.real_fft_backward(z, n)
        entry = {"n": n, "radices": transforms.factors(n // 2), "input": hex32(v)}
        entry.update(_long("forward", flat))
        entry.update(_long("backward", back))
        ffts.append(entry)
    return {
        "what": "SPEC.md, section 5. `hadamard`: Walsh-Hadamard transforms, unnormalised. `fft`: real inputs, their n/2 + 1"
        " complex outputs (real, imaginary, real, ...), and what the inverse transform makes of those outputs;"
        " `radices` are those of the complex transform of n/2 numbers, outermost first. Of a long result there"
        " are the first numbers and the CRC-32 of all of its bytes.",
        "hadamard": [
            {"input": hex32(plain(n, n)), "output": hex32(transforms.hadamard(plain(n, n)))} for n in (1, 2, 4, 32)
        ],
        "fft": ffts,
    }


def _long(name, values, most=64):
    """A short result whole, a long one by its first numbers and the CRC-32 of its bytes."""
    values = np.asarray(values, np.float32)
    if len(values) <= most:
        return {name: hex32(values)}
    return {name: hex32(values[:16]), name + "_count": len(values), name + "_crc32": word(crc32(little_endian(values)))}


# ---- Rows


def rows_file():
    seed, x = 11, X3
    d = len(x)
    root = np.sqrt(float_of(d))
    found = []

    def add(kind, m, scale, more, values="normal", sweeps=0):
        entry = {"rows": kind, "entries": values, "seed": long_word(seed), "m": m, "scale": hex32(F(scale))}
        entry.update(x=hex32(x), **more)
        t = rows.projections(kind, x, m, seed, F(scale), values, sweeps)
        found.append({**entry, "projections": hex32(t)})

    matrix = lambda w: [hex32(row) for row in w]
    for values in ("normal", "cauchy", "laplace"):
        add("dense", 5, 0.5, {"W": matrix(rows.dense_entries(5, d, seed, values))}, values)
    for values in ("normal", "cauchy", "laplace"):
        w = rows.quasi_entries(9, d, seed, values)
        k = rows.quasi_words(9, d, seed)
        add("quasi", 9, 0.5, {"words": [word(row) for row in k], "W": matrix(w)}, values)
    w = rows.dense_entries(5, d, seed)
    n = rows.chain_of_squares(w)
    add("unit", 5, 1, {"squares": hex32(n), "factors": hex32(F(1) * (root / np.sqrt(n)))})
    for sweeps in (0, 2):
        v = rows.gibbs_entries(5, d, seed, sweeps)
        factors = F(1) * (root / np.sqrt(sum_of_squares(v)))
        add("gibbs", 5, 1, {"sweeps": sweeps, "v": matrix(v), "factors": hex32(factors)}, sweeps=sweeps)
    for kind, of in (("hadamard", rows.hadamard_block), ("fastfood", rows.fastfood_block)):
        more = []
        for block, count in rows.blocks(kind, d, 70):
            y, factors = of(x, block, seed, F(0.5))
            size = len(y)
            flips = 3 * size if kind == "hadamard" else size
            domain = streams.HADAMARD_SIGNS if kind == "hadamard" else streams.FASTFOOD_SIGNS
            entry = {"rows": count, "sign_words": word(streams.narrow_words(key(seed, domain, block), flips // 32))}
            if kind == "fastfood":
                g = streams.fill_normals(key(seed, streams.FASTFOOD_WEIGHTS, block), size)
                entry["places"] = ints(streams.permutation(key(seed, streams.FASTFOOD_SHUFFLE, block), size)[:16])
                entry["weights"] = hex32(g[:8])
                entry["sum_of_squares"] = hex32(sum_of_squares(g))
            entry["transformed"] = hex32(y[:8])
            entry["factors"] = hex32(factors[:8])
            more.append(entry)
        add(kind, 70, 0.5, {"D": rows.padded_size(d), "blocks": more})
    directions = [{"dimension": c, "numbers": word(rows.direction_numbers(c, 20))} for c in (0, 1, 2, 7, 50, 1023)]
    return {
        "what": "SPEC.md, section 6: projections of x on m rows. W has the entries of dense and quasi rows, a row a"
        " list, and `words` the shifted points of Sobol's sequence; unit rows are dense ones times `factors`;"
        " v are Gibbs rows before they are brought to length; of a block of Hadamard or Fastfood rows there"
        " are the words of its signs, the first of its transformed numbers and of its rows' factors (which"
        " hold the scale), and of the permutation. `directions`: direction numbers of Sobol's sequence,"
        " dimensions counted from 0.",
        "cases": found,
        "directions": directions,
    }


# ---- Specs, as the C++ test reads them


_FLOATS = ("bandwidth", "scale", "offset")


def spec_entry(s):
    """A spec as data. rows and orders that are to be chosen are "auto"."""
    m = registry.map_of(s)
    entry = {"map": m.number}
    for field in dataclasses.fields(s):
        v = getattr(s, field.name)
        if field.name in m.hidden or (field.name in m.later and v == field.default):
            continue
        if field.name == "seed":
            v = long_word(v)
        elif field.name in _FLOATS:
            v = hex32(F(v))
        elif field.name == "numbers":
            v = "int8"
        elif field.name == "orders" and v == 3:
            v = "even"
        elif field.name == "coefficients":
            v = hex32(np.array(v, np.float32))
        elif v is None:
            v = "auto"
        entry[field.name] = v
    return entry


def registered(chapter):
    """The cases, (spec, x), that maps register for a file."""
    found = [case for m in registry.all_maps() if m.vectors and m.vectors[0] == chapter for case in m.vectors[1]()]
    return [(s, X3 if x is None else x) for s, x in found]


def map_entry(request, x, kept=None, **more):
    """One map, one sample. What is chosen by the library is in `resolved`."""
    s = models.resolve(request)
    entry = {"spec": spec_entry(request)}
    if s != request:
        entry["resolved"] = spec_entry(s)
    if kept is not None:
        entry["kept"] = kept
    entry["x"] = hex32(np.asarray(x, np.float32))
    entry.update(more)
    z = models.features(s, x, kept)
    assert entry.get("status", "ok") == "ok" or not np.any(z)
    return {**entry, **_long("features", z, 130)}


# ---- Maps of SPEC.md, sections 10 and 11


def rff_values(s, x):
    """Intermediate values of an rff map."""
    if s.numbers:
        multipliers, shift = maps.whole_turns(s.inputs, s.bandwidth)
        products = maps.whole_products(x, maps.row_count(s), s.seed)
        return {"products": [int(v) for v in products], "multipliers": multipliers, "shift": shift}
    scale = F(0.159154943) / F(s.bandwidth)
    m = maps.row_count(s)
    values = {"gaussian": "normal", "laplacian": "cauchy", "cauchy": "laplace"}[s.kernel]
    more = {"projections": hex32(rows.projections(s.rows, x, m, s.seed, scale, values))}
    if s.form == "phase":
        more["phases"] = hex32(maps.phases(s.rows, s.inputs, m, s.seed))
    if s.orders:
        size = maps.length(x)
        q = size.L * power_of_two(size.e) / F(s.bandwidth)
        q = q if q < 1024 else F(1024)
        more.update({"e": size.e, "L": hex32(size.L), "q": hex32(q), "G": hex32(F(functions.exp(q * q * F(-0.5))))})
    return more


def arccos_values(s, x):
    """Intermediate values of an arccos map."""
    if not np.any(x):
        return {}
    if s.numbers:
        products = maps.whole_products(x, maps.row_count(s), s.seed)
        return {"products": [int(v) for v in products], "shift": maps.whole_shift(s.inputs)}
    e, t, size, l = maps.arccos_rows(s, np.asarray(x, np.float32))
    more = {"e": size.e, "e_of_rows": e, "L": hex32(size.L), "l": hex32(l), "projections": hex32(t)}
    more["mean_magnitude"] = hex32(maps.mean_magnitude(s.rows, s.inputs))
    if s.order == 0:
        tied = rows.ties(s.rows, s.inputs, maps.row_count(s), s.seed)
        more["positive_ties"] = [int(i) for i in np.flatnonzero((t == 0) & tied)]
        more["ties"] = [int(i) for i in np.flatnonzero(t == 0)]
    if s.orders == 2:
        a, weight, constant = maps.degree_two_weight(s.rows, s.inputs)
        more.update({"a": hex32(a), "weight_of_products": hex32(weight), "constant_squared": hex32(constant)})
    return more


def map_file():
    cases = []

    def rff(x, *arguments, kept=None, brief=False, **fields):
        s = maps.Rff(len(x), *arguments, **fields)
        values = {} if brief else rff_values(models.resolve(s), np.asarray(x, np.float32))
        cases.append(map_entry(s, x, kept, **values))

    def arccos(x, *arguments, kept=None, **fields):
        s = maps.ArcCos(len(x), *arguments, **fields)
        cases.append(map_entry(s, x, kept, **arccos_values(models.resolve(s), x)))

    subnormal, huge, mixed = sample(5, 2), sample(5, 4), sample(5, 6)
    rff(X3, 4, rows="dense", orders=0, seed=5)
    rff(X3, 4, rows="hadamard", orders=0, seed=5)
    rff(X3, 10, form="phase", rows="hadamard", orders=0, bandwidth=0.7, seed=5)
    rff(X3, 10, rows="fastfood", orders=0, bandwidth=0.7, seed=6)
    rff(X3, 9, kernel="cauchy", form="phase", rows="dense", orders=0, bandwidth=3.0, seed=6)
    rff(X3, 10, kernel="laplacian", rows="quasi", orders=0, bandwidth=2.0, seed=7)
    rff(X3, 10, rows="quasi", orders=1, bandwidth=2.0, seed=7)
    rff(X3, 14, orders=1, rows="dense", bandwidth=2.5, seed=8)
    rff(plain(4, 1), 14, orders=1, rows="dense", bandwidth=2.5, seed=8)  # one feature is left over
    for x in subnormal, huge, mixed:
        rff(x, 12, orders=1, rows="hadamard", bandwidth=9.0, seed=9)
    rff(plain(3, 2), 134, kept=[0, 1, 63, 64, 66], form="pair", rows="dense", orders=0, seed=10)
    rff(plain(3, 2), 138, kept=[5, 64, 66], orders=1, rows="hadamard", bandwidth=2.0, seed=10)
    # Every bit of the direction numbers that are given, of every dimension.
    every = [2**i for i in range(14)] + [2**14 - 1]
    rff(plain(1024, 2), 2**15, rows="quasi", orders=0, bandwidth=30.0, seed=14, kept=every, brief=True)
    rff(plain(17, 2), 130, orders=1, seed=12)
    rff(plain(3, 2), 12, form="phase", seed=13)

    arccos(X3, 6, rows="unit", orders=1, seed=5)
    arccos(X3, 11, rows="unit", orders=2, pairs=6, seed=5)
    arccos(X3, 8, rows="dense", orders=2, pairs=3, seed=5)
    arccos(X3, 8, rows="dense", orders=0, seed=6)
    arccos(X3, 8, 0, rows="dense", orders=0, seed=6)
    arccos(X3, 8, rows="gibbs", orders=0, sweeps=3, seed=7)
    arccos(X3, 12, 0, rows="hadamard", orders=1, seed=8)
    arccos(np.array([0, 0, 1, 0], np.float32), 70, 0, rows="hadamard", orders=0, seed=8)  # has ties
    arccos(np.array([0, 0, 1, 0], np.float32), 75, 0, rows="hadamard", orders=1, seed=8)
    arccos(np.array([0, -0.0, 0], np.float32), 8, rows="dense", orders=1, seed=9)
    for x in subnormal, huge, mixed:
        arccos(x, 12, rows="hadamard", orders=1, seed=9)
        arccos(x, 24, rows="hadamard", orders=2, pairs=15, seed=9)
    arccos(plain(20, 3), 40, rows="unit", orders=1, seed=10)
    arccos(plain(3, 3), 74, kept=[2, 63, 64, 68], rows="dense", orders=1, seed=11)
    arccos(plain(5, 4), 30, orders=2, seed=12)
    arccos(plain(17, 4), 64, orders=1, seed=13)
    cases += [map_entry(s, x) for s, x in registered("maps")]
    # orders that are to be chosen: of rff none, of arccos one for at most a quarter of the features.
    rff(plain(17, 2), 130, seed=12)
    arccos(plain(17, 4), 72, seed=13)
    arccos(plain(17, 4), 71, seed=13)
    # Whole numbers: halves that are rounded, and what is limited to 127.
    x = np.round(plain(20, 5) * F(80)) / F(2)
    x[3], x[7] = F(300), F(-1000)
    rff(x, 12, bandwidth=77.5, numbers=1, seed=15)
    rff(x, 12, form="phase", bandwidth=333.25, numbers=1, seed=16)
    rff(x, 140, kept=[0, 5, 63, 64, 66], bandwidth=333.25, numbers=1, seed=16)
    arccos(x, 12, numbers=1, seed=15)
    arccos(x, 12, orders=3, numbers=1, seed=16)
    mean = np.array([maps.mean_magnitude("unit", d) for d in [*range(1, 97), 1000, 65536]], np.float32)
    magnitudes = {
        "inputs": [*range(1, 97), 1000, 65536],
        "values": hex32(mean),
        "first_features": hex32(F(1) * (mean * maps.ROOT_HALF)),
    }
    return {
        "what": "SPEC.md, sections 9 to 11: features of one sample, and values on the way to them. Where the spec leaves rows, orders"
        " or pairs to the library (auto, 0), `resolved` has what it chooses. `kept`: numbers of the rows that"
        " are kept. `projections`: of all rows on x 2^-e_of_rows (rff: with the scale 1 / (2 pi b), in turns)."
        " e, e_of_rows and l are what the text calls top, shift and seen."
        " `ties`: rows whose projection is 0, and which of them count as positive. Of long results there are"
        " the first numbers and the CRC-32 of all bytes. `mean_magnitudes`: mu_d of unit rows, and the first"
        " feature, mu_d times the root of 1/2, of arccos with orders=1 and such rows for x = (1, 0, 0, ...).",
        "cases": cases,
        "mean_magnitudes": magnitudes,
    }


# ---- Kernels, SPEC.md, section 8


def kernel_file():
    e0 = np.array([1, 0, 0], np.float32)
    pairs = [
        (X3, np.array([0.5, 2, -1], np.float32)),
        (X3, X3),
        (X3, -X3),
        (e0, np.array([1, 2.0**-12, 0], np.float32)),
        (e0, np.array([-1, 2.0**-30, 2.0**-31], np.float32)),
        (e0, np.array([0, 1, 0], np.float32)),
        (e0, np.zeros(3, np.float32)),
        (sample(3, 2), sample(3, 4)),
        (plain(17, 1), plain(17, 2)),
        (plain(17, 1), plain(17, 1) * F(1.0009765625)),
    ]
    entries = []
    for x, y in pairs:
        entries.append(
            {
                "x": hex32(x),
                "y": hex32(y),
                "gaussian": hex64(kernels.gaussian(x, y, 3.0)),
                "laplacian": hex64(kernels.laplacian(x, y, 5.0)),
                "cauchy": hex64(kernels.cauchy(x, y, 2.0)),
                "arccos0": hex64(kernels.arccos(x, y, 0)),
                "arccos1": hex64(kernels.arccos(x, y, 1)),
                "nngp_3": hex64(kernels.network(x, y, 3, False)),
                "ntk_1": hex64(kernels.network(x, y, 1, True)),
                "ntk_3": hex64(kernels.network(x, y, 3, True)),
                "ntk_taylor_2_4_3_fixed": hex64(kernels.network_taylor(x, y, 2, 4, 3, True)),
                "ntk_taylor_2_4_3": hex64(kernels.network_taylor(x, y, 2, 4, 3, False)),
                "polynomial": hex64(kernels.polynomial(x, y, 3, F(0.3), F(0.7))),
                "dot": hex64(kernels.power_series(x, y, [F(0.5), F(0.25), F(0), F(0.125)])),
            }
        )
    cosines = []
    for c in (-2.0, -1.0, -0.999999, -0.394, 0.0, 0.5, 0.9, 0.999999, 1.0):
        cosines.append(
            {
                "cosine": hex64(c),
                "nngp_2": hex64(kernels.network_of_cosine(c, 2, False)),
                "ntk_5": hex64(kernels.network_of_cosine(c, 5, True)),
                "ntk_taylor_2_4_3_fixed": hex64(kernels.network_taylor_of_cosine(c, 2, 4, 3, True)),
            }
        )
    doubles = lambda f, values: [{"x": hex64(v), "value": hex64(f(v))} for v in values]
    return {
        "what": "SPEC.md, section 8, in binary64. `pairs`: gaussian with bandwidth 3, laplacian"
        " with 5, cauchy with 2, arc-cosine of order 0 and 1, NNGP and NTK of a depth, the NTK by Taylor"
        " series of depth 2 and orders 4 and 3 with the diagonal fixed or not, the polynomial kernel (0.3 s +"
        " 0.7)^3 and the series 0.5 + 0.25 s + 0.125 s^3, with numbers rounded to binary32. `cosines`: of a"
        " cosine. `functions`: root, exp, angle(y, x), sine and cosine. `taylor`: coefficients of P (from 1 /"
        " pi, 1/2 and the powers 2, 4, ... on) and Q (1/2 and the powers 1, 3, ...), without what fixes the"
        " diagonal.",
        "pairs": entries,
        "cosines": cosines,
        "functions": {
            "root": doubles(kernels.root, (0.0, -1.0, 2.0, 1e-300, 5e300, 0.1)),
            "exp": doubles(kernels.exp, (0.0, -1e-9, -0.3, -1.0, -20.25, -700.0, -701.0)),
            "angle": [
                {"y": hex64(y), "x": hex64(x), "value": hex64(kernels.angle(y, x))}
                for y, x in ((0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0), (1e-9, 1.0), (1.0, 1e-9), (0.3, 0.4))
            ],
            "sine_cosine": [
                {"x": hex64(a), "sine": hex64(kernels.sine_cosine(a)[0]), "cosine": hex64(kernels.sine_cosine(a)[1])}
                for a in (0.0, 1e-9, 0.5, 1.5, 3.0)
            ],
        },
        "taylor": {
            "P": hex64([1 / kernels.PI, 0.5] + kernels.taylor_coefficients(6, True)),
            "Q": hex64([0.5] + kernels.taylor_coefficients(6, False)),
        },
    }


# ---- Sketches, SPEC.md, section 7


def sketch_file():
    seed, cases = 5, []

    def add(kind, result, **fields):
        arrays = {k: hex32(v) for k, v in fields.items() if isinstance(v, np.ndarray)}
        rest = {k: v for k, v in fields.items() if not isinstance(v, np.ndarray)}
        cases.append({"sketch": kind, **rest, "seed": long_word(seed), **arrays, **_long("result", result)})

    for size in (4, 61):
        add("count", sketches.count_sketch(X3, size, seed), size=size, x=X3)
    for size, nonzeros in ((6, 2), (75, 3)):
        add("osnap", sketches.osnap(X3, size, nonzeros, seed), size=size, nonzeros=nonzeros, x=X3)
    for m, x in ((3, X3), (4, X3), (11, X3), (1, X3), (40, plain(37, 5))):
        for replacement in (False, True):
            add("srht", sketches.srht(x, m, seed, replacement), features=m, replacement=replacement, x=x)
    for m, x, y in ((6, X3, Y4), (4, X3, Y4), (40, plain(17, 5), X3), (40, X3, plain(17, 5)), (300, plain(9, 1), Y4)):
        for replacement in (False, True):
            z = sketches.tensor_srht(x, y, m, seed, replacement)
            add("tensor-srht", z, features=m, replacement=replacement, x=x, y=y)
    for size, degree, x in ((4, 2, X3), (10, 1, X3), (60, 3, X3), (16, 3, plain(40, 3))):
        z = np.concatenate(sketches.tensor_sketch_prefixes([x] * degree, size, seed))
        add("tensor-prefixes", z, size=size, degree=degree, x=x)
    for m, degree, base, x in (
        (4, 3, "srht", X3),
        (5, 7, "srht", X3),
        (12, 5, "osnap", X3),
        (512, 3, "srht", plain(9, 7)),
        (600, 4, "srht", plain(30, 7)),
        (20, 3, "srht", plain(37, 7)),
    ):
        z = np.concatenate(sketches.PolySketch(m, base, seed).prefixes(x, degree))
        add("poly-prefixes", z, features=m, degree=degree, base=base, x=x)
    huge = X3 * F(2.0**39)
    for sketch, fields in (
        ("tensor-prefixes", {"size": 8, "degree": 5}),
        ("poly-prefixes", {"features": 8, "degree": 5, "base": "srht"}),
    ):
        # Powers that leave the range of floats: all of the output is 0.
        add(sketch, np.zeros(40, np.float32), **fields, status="overflow", x=huge)
    k = key(7, 0, 3)
    places, minus = sketches.hash_places(key(seed, streams.COUNT_HASH, 0), [0, 1, 2, 1000, 2**31, 2**32 - 1], 3, 40)
    i, j = sketches.paired_rows(44, 16, 8, k, key(7, 0, 4), key(7, 0, 5))
    keys = tuple(key(7, 0, n) for n in (3, 4, 5, 6, 7))
    g, h = sketches.grouped_rows(100, 64, 32, keys)
    t = sketches.signed_transform(X3, k)
    return {
        "what": "SPEC.md, section 7. `cases`: sketches of x, or of x (x) y; of TensorSketch and PolySketch all prefixes,"
        " powers 1 to `degree` of x, one after the other; `status` is what the call returns, ok where it is not there."
        " `hash`: indices with the key of (5, 16, 0) to places [3, 43). `rows`: which rows are taken; keys are"
        " those of (7, 0, n), n = 3, 4, 5 (and 6, 7) in the order of the text. `signed`: a signed transform"
        " with the key of (7, 0, 3).",
        "cases": cases,
        "hash": {
            "indices": [0, 1, 2, 1000, 2**31, 2**32 - 1],
            "places": ints(places),
            "signs": "".join("-" if m else "+" for m in minus),
        },
        "rows": {
            "distinct_9_of_16": ints(streams.permutation(k, 16)[:9]),
            "paired_44_of_16_and_8": {"left": ints(i), "right": ints(j)},
            "grouped_100_of_64_and_32": {"left": ints(g), "right": ints(h)},
            "independent_20_of_64": ints(sketches.independent_rows(20, 64, lambda c: k)),
        },
        "signed": {"x": hex32(X3), "result": hex32(t)},
    }


# ---- Maps of sketches, SPEC.md, sections 12 and 13


def sketch_map_file():
    cases = []

    def add(s, x=X3, **more):
        r = models.resolve(s)
        plan = sketch_maps.layout(r, r.orders)
        layout = {"constant": plan.constant, "linear": plan.linear, "powers": plan.powers, "width": plan.width}
        c = sketch_maps.coefficients(r)
        cases.append(map_entry(s, x, kernel_coefficients=hex32(np.array(c, np.float32)), layout=layout, **more))

    P, D = sketch_maps.Polynomial, sketch_maps.Dot
    add(P(3, 12, 2, "srht", 0, 1.0, 1.0, 5))
    add(P(3, 12, 2, "srht", 1, 0.3, 0.7, 5))
    add(P(3, 12, 3, "srht", 0, 0.3, 0.0, 5))
    add(P(3, 22, 3, "count", 0, 0.3, 0.7, 5))
    add(P(3, 25, 3, "count", 1, 0.3, 0.7, 5))
    add(P(3, 12, 1, "srht", 1, 0.3, 0.7, 5))
    add(P(3, 60, 6, "srht", None, 0.3, 0.7, 5))
    add(P(3, 30, 6, "srht", 1, 2.0**-30, 2.0**-10, 5))  # coefficients that are rounded to 0 keep their shares
    c = [F(0.5), F(0.25), F(0), F(0.125), F(0.1)]
    add(D(3, 20, c, "srht", 1, 6))
    add(D(3, 20, c, "srht", 0, 6))
    add(D(3, 20, c, "count", 1, 6))
    add(D(3, 20, [F(0.5), F(0.25)], "srht", None, 6))
    add(D(3, 20, c, "srht", 1, 6), sample(3, 6))
    # x times sqrt(scale), 1 appended, is what the sketch takes: up to 2^40, and beyond.
    for sketch in ("srht", "count"):
        add(P(3, 12, 1, sketch, 0, 4.0, 1.0, 5), X3 * F(2.0**39))
        add(P(3, 12, 1, sketch, 0, 4.0, 1.0, 5), X3 * F(2.0**40), status="overflow")
        add(P(3, 30, 4, sketch, 1, 1.0, 1.0, 5), X3 * F(2.0**40), status="overflow")
        add(D(3, 12, [F(0), F(0), F(0), F(0), F(0.5)], sketch, 0, 5), X3 * F(2.0**40), status="overflow")
    for s, x in registered("sketch_maps"):
        cases.append(map_entry(s, x))
    # Whole numbers: halves that are rounded, and what is limited to 127.
    x = np.round(plain(20, 5) * F(80)) / F(2)
    x[3], x[7] = F(300), F(-1000)
    for degree, sketch, features, offset, kept in [
        (1, "srht", 12, 0.0, None),
        (2, "srht", 140, 0.0, None),
        (2, "srht", 12, 12345.6, None),
        (2, "srht", 140, 999.9, [0, 5, 63, 64, 130]),
        (1, "count", 16, 999.9, None),
        (1, "count", 16, 999.9, [1, 2, 15]),
    ]:
        s = P(20, features, degree, sketch, None, 1.0, offset, 15, 1)
        g, shift = sketch_maps.whole_facts(s)
        cases.append(map_entry(s, x, kept, products=[int(v) for v in sketch_maps.whole_values(s, x)], constant=g, shift=shift))
    return {
        "what": "SPEC.md, sections 12 and 13: features of one sample of the maps of polynomial kernels and power series, with their"
        " coefficients and the layout: whether there is a constant and whether x itself is there, which powers"
        " have a share, and the width of a share. `products`: in whole numbers what is shifted. `status` is what the call returns, ok where it is not there.",
        "cases": cases,
    }


# ---- Local maps, SPEC.md, chapter 30


def filter_entry(request, number):
    s = local.resolve(request)
    made = local.made_filter(s, number)
    first, rows, columns = made.window
    of_sign = lambda sign: [distance for distance, minus in made.taps if minus == sign]
    return {
        "spec": spec_entry(s),
        "number": number,
        "plus": of_sign(1),
        "minus": of_sign(-1),
        "first": first,
        "rows": rows,
        "columns": columns,
        "maximum": made.maximum,
        "shift": made.shift,
    }


def local_file():
    L = local.Local
    filters = [
        (L(64, 64, height=8, seed=1), (0, 1, 2, 3, 63, 65535)),
        (L(60, 64, height=4, width=5, channels=3, pairs=4, gain=16, seed=2**64 - 1), (0, 1, 2, 3, 4, 5)),
        (L(4, 64, height=2, seed=3), (0, 1, 2)),
        (L(65025, 64, height=255, largest=31, kinds="sum", gain=1, seed=4), (0, 1, 2, 3)),
        (L(3, 64, length=3, reach=2, seed=5), (0, 1, 2)),
        (L(100, 64, length=100, pairs=4, seed=6), (0, 1, 2, 3, 4, 5)),
        (L(84, 64, channels=7, pairs=3, kinds="max", seed=7), (0, 1, 2, 3, 4)),
        (L(32767, 64, length=32767, largest=31, reach=255, pairs=1, kinds="sum", gain=3, seed=8), (0, 1, 2, 3)),
        (L(65535, 64, channels=21845, seed=9), (0, 1, 2)),
    ]
    return {
        "what": "SPEC.md, chapter 30: `filters`: of a resolved spec and a number what section 30.2 makes of them: the"
        " distances of the taps from the patch's first place, those with the sign + and those with -, each in the"
        " order in which they are drawn; where the window's first place is, its rows and columns; whether it is a"
        " maximum; the shift s. `cases`: features of one sample, whose numbers are halves from -160 to 159.5, huge"
        " or 0. `kept`: numbers of the filters that are kept.",
        "filters": [filter_entry(s, number) for s, numbers in filters for number in numbers],
        "cases": [map_entry(s, x) for s, x in registered("local")]
        + [map_entry(L(84, 300, channels=7, pairs=4, gain=7, seed=5), local.wide_range(84, 9), kept=[0, 5, 63, 64, 130, 299])],
    }


# ---- Maps of networks, SPEC.md, sections 14 to 19 and 28


def network_file():
    cases = []
    L = networks.Layers

    def add(s, x=X3, **more):
        values = {}
        if np.any(x):
            values = {"u": hex32(networks.unit(np.asarray(x, np.float32))), "l": hex32(networks.whole_length(x))}
        cases.append(map_entry(s, x, **values, **more))

    def layered(s, x=X3):
        r, trace = models.resolve(s), []
        networks.layers(r, x, trace)
        seeds = [long_word(networks.layer_seed(r, n)) for n in (0, 1, 2, 3)]
        add(s, x, seeds_of_layer_0=seeds, layers=[{k: _traced(v) for k, v in layer.items()} for layer in trace])

    layered(L(3, 10, 1, False, rows="dense", orders=0, seed=5))
    layered(L(3, 24, 2, False, rows="hadamard", orders=1, seed=5))
    layered(L(3, 30, 2, False, rows="unit", orders=2, seed=5))
    layered(L(3, 10, 2, False, rows="gibbs", orders=0, sweeps=2, seed=5))
    layered(L(3, 30, 1, True, rows="dense", orders=0, seed=6))
    layered(L(3, 30, 2, True, sketch="count", rows="hadamard", orders=0, seed=6))
    layered(L(3, 40, 1, True, rows="unit", orders=1, seed=6))
    layered(L(3, 45, 2, True, sketch="count", rows="dense", orders=1, seed=6))
    layered(L(3, 60, 3, True, rows="hadamard", orders=2, seed=6))
    layered(L(3, 52, 2, True, sketch="count", rows="unit", orders=2, seed=6))
    layered(L(3, 40, 2, True, sketch="none", rows="dense", orders=0, seed=6))
    layered(L(3, 60, 2, True, seed=7), sample(3, 4))
    layered(L(20, 100, 2, True, seed=7), plain(20, 3))
    layered(L(3, 30, 1, False, seed=7), np.array([0, -0.0, 0], np.float32))
    # The FFT takes fewer numbers than the share of the sketch: the relu features get the rest, and m0 follows the less.
    add(L(17, 108, 1, True, sketch="count", orders=0, seed=6), plain(17, 3))
    S = networks.NtkSketch
    add(S(3, 12, 2, 2, 2, 8, 8, 8, 8, True, "srht", "hadamard", 0, 8))
    add(S(3, 12, 2, 2, 2, 8, 8, 8, 8, False, "osnap", "dense", 0, 8))
    add(S(3, 45, 2, 2, 2, 0, 0, 16, 8, True, "srht", "hadamard", 1, 8))
    add(S(3, 60, 2, 2, 2, base="osnap", seed=8), sample(3, 6))
    add(S(3, 8, 8, 2, 2, 8, 8, 8, 8, False, "srht", "hadamard", 0, 4), status="overflow")
    for depth, degree, rest, rows_, orders in (
        (1, 4, "spread", "dense", 0),
        (2, 32, "spread", "hadamard", 1),
        (3, 9, "last", "dense", 2),
    ):
        c = networks.ntk_poly_coefficients(depth, degree, rest)
        s = networks.NtkPoly(3, 20, depth, degree, rest, rows_, orders, c, 9)
        add(s)
    c = networks.ntk_poly_coefficients(2, 4, "last")
    add(networks.NtkPoly(3, 20, 2, 4, "last", "dense", 0, c, 9), sample(3, 2))
    for s, x in registered("networks"):
        add(s, x)
    coefficients = [
        {
            "depth": depth,
            "degree": degree,
            "rest": rest,
            "coefficients": hex32(np.array(networks.ntk_poly_coefficients(depth, degree, rest), np.float32)),
            **({"series": hex64(networks.ntk_series(depth, degree))} if rest == "last" else {}),
        }
        for depth, degree in ((1, 2), (1, 8), (2, 32), (5, 7))
        for rest in ("spread", "last")
    ]
    roots = []
    for relu in (True, False):
        for fix in (True, False):
            powers, c = networks.series_coefficients(3, relu, fix)
            rounded = np.sqrt(np.array(c, np.float32))
            kind = {"relu": relu, "fix_diagonal": fix, "powers": powers}
            roots.append({**kind, "values": hex64(c), "roots": hex32(rounded)})
    return {
        "what": "SPEC.md, sections 14 to 19: features of one sample of the maps of networks. u is x brought to"
        " length 1, l its length. `layers`: for each layer the vector phi of length 1 that its rows see, its residues or"
        " features r, s and q, and with orders=1 and 2 the weights after it. `seeds_of_layer_0`: keys of parts"
        " 0 to 3. `ntk_poly`: coefficients of ntk-poly, and the power series that they are made of in"
        " binary64. `series`: powers and coefficients of ntk-sketch's series of order 3, and the roots of the"
        " rounded coefficients. `status` is what the call returns, ok where it is not there.",
        "cases": cases,
        "ntk_poly": coefficients,
        "series": roots,
    }


def _traced(v):
    return hex32(np.asarray(v, np.float32))


# ---- Sealed models, SPEC.md, section 20


# Models of later maps stand behind those with words for the application, those of the latest ones at the end: a model's
# weights depend on its place, and what the file had stays. They are in the order in which they came.
FIRST_MAPS, LATER_MAPS, LATEST_MAPS = 10, (12, 11), (13, 14)


def small_models(wanted=lambda number: True):
    """A few of each map with different kinds of everything."""
    return [model for m in registry.all_maps() if wanted(m.number) for model in m.models()]


def build_model(
    spec,
    index,
    type="float32",
    outputs=2,
    labels=None,
    kept=None,
    scaling=None,
    x=None,
    application=None,
    probability_scale=0.0,
):
    """A model with weights made of words."""
    spec = models.resolve(spec)
    count = len(models.features(spec, X3, kept))
    values = plain(outputs * count, 500 + index).reshape(outputs, count)
    weights = {"float32": values, "float16": values.astype(np.float16), "int8": np.floor(values * 31)}[type]
    if type == "float16":
        weights[0, :3] = np.array([6e-8, -0.0, 65504], np.float16)
    if type == "int8":
        weights[0, :2] = (-128, 127)
    bias = plain(outputs, 600 + index)
    scales = np.abs(plain(outputs, 700 + index)) if type == "int8" else None
    return models.Model(spec, weights, bias, type, scales, outputs > 1, kept, scaling, labels, application, probability_scale)


def model_file():
    cases = []
    first = small_models(lambda n: n <= FIRST_MAPS)
    later, latest = (
        [model for number in numbers for model in small_models(lambda n: n == number)] for numbers in (LATER_MAPS, LATEST_MAPS)
    )
    spec, options = first[0]
    applications = [
        (7, 0, 0.0, 0.0, b""),
        (0, 9, 0.0, 0.0, b"units: mV"),
        (0, 0, -0.25, 0.5, b""),
        (2**32 - 1, 2**32 - 1, 0.75, 2.0**-20, bytes(range(256))),
    ]
    with_words = [(spec, {**options, "application": words}) for words in applications]
    scales = [("float32", 2, 1.0), ("int8", 3, 0.0625), ("float16", 10, 2.0**-140), ("float32", 3, 3e38)]
    with_scale = [
        (spec, {**options, "type": type, "outputs": outputs, "labels": None, "probability_scale": F(scale)})
        for type, outputs, scale in scales
    ]
    for index, (spec, options) in enumerate(first + with_words + later + with_scale + latest):
        m = build_model(spec, index, **options)
        data = models.write(m)
        entry = {"spec": spec_entry(m.spec), "bytes": data.hex(), "features_id": word(models.features_id(data))}
        entry["labels"] = m.labels or []
        if m.application is not None:
            version, layout, mean, spread, words = m.application
            confidence = hex32(np.array([mean, spread], np.float32))
            entry["application"] = {"version": version, "input_layout": layout, "confidence": confidence, "data": words.hex()}
        if m.probability_scale:
            entry["probability_scale"] = hex32(np.array([m.probability_scale], np.float32))[0]
        samples = []
        for x in (options.get("x", X3), np.array([-3, 0.75, 1e-20], np.float32), np.zeros(3, np.float32)):
            scaled = models.scale_input(m.scaling, x)
            s = models.scores(m, x)
            samples.append({"x": hex32(x), "scaled": hex32(scaled), "scores": hex32(s), "best": models.best(s)})
            if m.probability_scale:
                samples[-1]["probabilities"] = hex32(models.probabilities(s, m.probability_scale))
        first = models.features(m.spec, models.scale_input(m.scaling, X3), m.kept)
        samples_entry = {"samples": samples, "weights_of_output_0": hex32(stored_weights(m)[:3]), "bias": hex32(m.bias)}
        cases.append({**entry, **samples_entry, **_long("features_of_1_-0.5_0.25", first, 24)})
    return {
        "what": "SPEC.md, section 20: whole sealed models, a few of each map, as bytes; their features' id; for"
        " samples x, as they come, what the scaling makes of them, the scores, and the first largest."
        " `weights_of_output_0`: the first weights as numbers, times the scale of int8. Features are those of"
        " the sample (1, -0.5, 0.25). `application`: what the model says to the application; nothing where it is missing."
        " `probabilities`: of models with a `probability_scale`.",
        "cases": cases,
    }


def stored_weights(m):
    """The first output's weights as numbers: what the readout adds for a feature that is 1, so that -0 is 0."""
    w = F(0) + np.asarray(m.weights)[0].astype(np.float32)
    return w * m.scales[0] if m.type == "int8" else w


# ---- Learners and checkpoints, SPEC.md, sections 21 to 23


def training(n, count):
    """Features and labels of a few samples, of length about 1."""
    return [(plain(n, 800 + i) * F(0.25), (2 * i) % 3) for i in range(count)]


def learner_cases():
    """Kinds, the fields of their specs, and learners; the last ones have more features than a sum has chains."""
    for n, k in (5, 1), (5, 3):
        for loss in ("squared", "logistic", "hinge"):
            for step, average in (("constant", False), ("inverse_root", True), ("adagrad", False), ("adagrad", True)):
                fields = dict(loss=loss, step=step, rate=0.25, ridge=0.0078125, average=average)
                if loss == "squared" or (step, average) in (("constant", False), ("adagrad", True)):
                    yield "sgd", fields, learners.Sgd(n, k, **fields), k
        for forget, prior in ((1.0, 0.5), (0.875, 0.001)):
            fields = dict(forget=forget, prior=prior)
            yield "rls", fields, learners.Rls(n, k, **fields), k
        yield "gram", {}, learners.Gram(n, k), k
    fields = dict(loss="logistic", step="adagrad", rate=0.25, ridge=0.0078125, average=True)
    yield "sgd", fields, learners.Sgd(70, 2, **fields), 2
    fields = dict(forget=0.9375, prior=0.25)
    yield "rls", fields, learners.Rls(19, 1, **fields), 1
    yield "gram", {}, learners.Gram(19, 1), 1
    for loss, average in (("squared", False), ("logistic", True), ("hinge", False)):
        fields = dict(loss=loss, step="normalised", rate=0.25, ridge=0.0078125, average=average)
        yield "sgd", fields, learners.Sgd(5, 3, **fields), 3
    for block in 1, 4, 20:
        fields = dict(forget=0.9375, prior=0.25, block=block)
        yield "rls", fields, learners.Rls(19, 3, **fields), 3


# Of the samples of the cases that have weights.
WEIGHTS = (1.0, 0.25, 3.0, 1.0, 64.0, 0.5, 2.0)


def weighted_cases():
    fields = dict(loss="squared", step="normalised", rate=0.25, ridge=0.0, average=False)
    yield "sgd", fields, learners.Sgd(5, 3, **fields), 3
    fields = dict(loss="logistic", step="adagrad", rate=0.25, ridge=0.0, average=False)
    yield "sgd", fields, learners.Sgd(5, 3, **fields), 3
    for block in 0, 4:
        fields = dict(forget=0.9375, prior=0.25, **({"block": block} if block else {}))
        yield "rls", fields, learners.Rls(5, 3, **fields), 3
    yield "gram", {}, learners.Gram(5, 3), 3


def grown_states():
    entries = []
    for kind, fields, learner in (
        ("sgd", dict(loss="logistic", step="adagrad", rate=0.25, ridge=0.0, average=True), learners.Sgd),
        ("rls", dict(forget=0.9375, prior=0.25), learners.Rls),
        ("rls", dict(forget=0.9375, prior=0.25, block=3), learners.Rls),
        ("gram", {}, learners.Gram),
    ):
        one = learner(5, 2, **fields)
        for z, label in training(5, 4):
            one.add_class(z, label % 2) if kind == "gram" else one.learn_class(z, label % 2)
        entry = {"learner": kind, "features": 5, "outputs": 4}
        entry.update({name: hex32(F(v)) if isinstance(v, float) else v for name, v in fields.items()})
        entry["state"] = one.state().hex()
        one.grow(4)
        entry["grown"] = one.state().hex()
        entries.append(entry)
    return entries


def drift_entry():
    drift = learners.Drift(0.5, 0.25, 10.0)
    values = [*plain(20, 870), F(1e30), F(-3e38)]
    for value in values:
        drift.watch(value)
    return {"mean": hex32(F(0.5)), "spread": hex32(F(0.25)), "window": hex32(F(10)), "values": hex32(np.array(values, np.float32)),
            "shift": hex32(drift.shift()), "spread_after": hex32(drift.spread())}


def learner_file():
    cases = []
    all_cases = [(c, (1.0,) * 7) for c in learner_cases()] + [(c, WEIGHTS) for c in weighted_cases()]
    for (kind, fields, learner, k), weights in all_cases:
        entry = {"learner": kind, "features": learner.n, "outputs": k}
        entry.update({name: hex32(F(v)) if isinstance(v, float) else v for name, v in fields.items()})
        steps = []
        for i, (z, label) in enumerate(training(learner.n, 7)):
            label = label % max(k, 2)
            targets = plain(k, 850 + i)
            with_targets = i % 2 == 1 and fields.get("loss", "squared") == "squared"
            if kind == "gram":
                learner.add(z, targets, weights[i]) if with_targets else learner.add_class(z, label, weights[i])
            else:
                learner.learn(z, targets, weights[i]) if with_targets else learner.learn_class(z, label, weights[i])
            step = {"z": hex32(z)}
            step.update({"targets": hex32(targets)} if with_targets else {"label": label})
            step.update({} if weights is not WEIGHTS else {"weight": hex32(F(weights[i]))})
            steps.append(step)
        z = training(learner.n, 9)[8][0]
        entry["samples"] = steps
        entry["state"] = learner.state().hex()
        if kind == "gram":
            entry["ridge"] = hex32(F(0.0625))
            learner.solve(0.0625)
            entry["solved"] = learner.state().hex()
        entry["scores_of"] = hex32(z)
        entry["scores"] = hex32(learner.scores(z))
        cases.append(entry)
    index, (spec, options) = next((i, m) for i, m in enumerate(small_models()) if isinstance(m[0], sketch_maps.Dot))
    model = build_model(spec, index, **options)
    data = models.write(model)
    started = learners.Sgd(20, 2, step="constant", rate=0.25, average=True)
    started.start(model, data)
    before = started.state().hex()
    z = training(20, 1)[0][0]
    started.learn_class(z, 1)
    start = {"model": data.hex(), "state": before, "z": hex32(z), "label": 1, "after_it": started.state().hex()}
    a, b = learners.Gram(2, 1), learners.Gram(2, 1)
    a.add(np.array([1, 2], np.float32), [3])
    b.add(np.array([0.1, -2], np.float32), [0.3])
    before = a.state().hex(), b.state().hex()
    a.merge(b)
    return {
        "what": "SPEC.md, sections 21 and 22: learners after seven samples, each with a class or with targets: the bytes of the whole"
        " state (of Gram also after solving with a ridge), and the scores of one more sample. `start`: an Sgd"
        " with a constant rate of 0.25 and averaging that starts from a sealed model, and is then given z of"
        " class `label`. `grow`: states of two outputs, and what they are with four. `merge`: the states of two"
        " Gram of 2 features and what the first is after it took in the second; its scratch is its own. `drift`:"
        " the shift and the spread after all values.",
        "cases": cases,
        "start": start,
        "grow": grown_states(),
        "drift": drift_entry(),
        "merge": {"first": before[0], "second": before[1], "merged": a.state().hex()},
    }


def checkpoint_file():
    states = [bytes((37 * i + 11 * n) % 251 for i in range(45)) for n in range(4)]
    slots, steps = [b"\xff" * 96, b"\xff" * 96], []
    for state in states:
        where = checkpoints.save(slots, state)
        steps.append({"state": state.hex(), "slot": where, "bytes": slots[where].hex()})
    wrapped = [checkpoints.slot(states[0], 0xFFFFFFFF), checkpoints.slot(states[1], 0)]
    torn = [checkpoints.slot(states[0], 7), checkpoints.slot(states[1], 8)[:-40] + b"\xff" * 40]
    starts = []
    for pair in stored_models():
        slots_then = list(pair)
        used, trial = checkpoints.start(slots_then)
        entry = {"slots": [s.hex() for s in pair], "used": used, "trial": trial is not None}
        if trial is not None:
            entry["slot_then"] = slots_then[used].hex()
        starts.append(entry)
    return {
        "what": "SPEC.md, section 23. `saves`: states that are saved one after the other into two empty slots of"
        " 96 bytes, the slot each goes into, and the bytes that the slot has then. `loads`: two slots, and the"
        " state that is found: the newer of two whole ones, also where sequence numbers wrap, and the older"
        " where the newer is torn. `starts`: two slots of the store of models, which of them is used, whether that"
        " begins a trial, and the slot's bytes then.",
        "saves": steps,
        "loads": [
            {"slots": [s.hex() for s in pair], "state": checkpoints.read_slot(pair[checkpoints.newest(pair)])[1].hex()}
            for pair in (slots, wrapped, wrapped[::-1], torn)
        ],
        "starts": starts,
    }


def stored_models():
    """Pairs of slots of the store of models, of 256 bytes each."""
    images = [bytes((29 * i + 7 * n) % 253 for i in range(50)) for n in range(2)]
    c = checkpoints

    def pair(first, second, sequences=(3, 4)):
        marks = first, second
        return [c.model_slot(images[n], sequences[n], marks[n], 256) for n in range(2)]

    empty = b"\xff" * 256
    confirmed = (c.TRIED, c.CONFIRMED)
    half = c.mark(c.TRIED, 4)[:9] + b"\xff" * 23
    yield [empty, empty]
    yield [c.model_slot(images[0], 1, (), 256), empty]
    yield [empty, c.model_slot(images[1], 1, (c.TRIED,), 256)]
    yield pair(confirmed, ())
    yield pair(confirmed, (c.TRIED,))
    yield pair(confirmed, confirmed)
    yield pair((), confirmed)
    yield pair(confirmed, (*confirmed, c.REJECTED))
    yield pair(confirmed, (), (0xFFFFFFFF, 0))
    yield pair((), confirmed, (0x80000001, 0x7FFFFFFF))
    torn = pair(confirmed, ())
    yield [torn[0], torn[1][:32] + half + torn[1][64:]]
    torn = pair(confirmed, (c.TRIED_AGAIN,))
    yield [torn[0], torn[1][:32] + half + torn[1][64:]]
    whole = pair(confirmed, confirmed)
    yield [whole[0], whole[1][:170] + b"\x00" + whole[1][171:]]


FILES = {
    "streams": stream_file,
    "functions": function_file,
    "transforms": transform_file,
    "rows": rows_file,
    "maps": map_file,
    "kernels": kernel_file,
    "skeletons": skeleton_file,
    "sketches": sketch_file,
    "sketch_maps": sketch_map_file,
    "networks": network_file,
    "local": local_file,
    "models": model_file,
    "learners": learner_file,
    "checkpoints": checkpoint_file,
}
