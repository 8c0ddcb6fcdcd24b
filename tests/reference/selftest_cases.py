"""The cases of the self-test (ports/selftest/*_cases.cpp): a name, and a function that gives the arrays whose bytes the
line's CRC-32 covers, one after the other."""
import numpy as np

from spec import functions, kernels, local, maps, models, registry, skeleton_map, skeletons, sketch_maps, sketches
from spec import streams, transforms
from spec import whole
from spec.inputs import SAMPLES, SEED, plain, sample, samples
from spec.numbers import F, bits, fma, from_bits, round_even


def stream_cases():
    k = streams.key(7, streams.USER, 3)

    def indices():
        draw = streams.Below(k)
        words = [draw(3 * i + 1) for i in range(500)]
        words += list(streams.permutation(k, 256)) + list(streams.permutation(k, 244))
        return [np.array(words, dtype=np.uint32)]

    return {
        "stream/words": lambda: [streams.wide_words(k, 1000)],
        "stream/signs": lambda: [streams.narrow_words(k, 97)],
        "stream/uniforms": lambda: [streams.uniform(streams.wide_words(k, 1003))],
        "stream/normals": lambda: [streams.fill_normals(k, 1003)],
        "stream/cauchy": lambda: [streams.cauchy(streams.wide_words(k, 1003))],
        "stream/laplace": lambda: [streams.laplace(streams.wide_words(k, 1003))],
        "stream/chi-64": lambda: [streams.fill_chi(k, 64, 1003)],
        "stream/chi-1024": lambda: [streams.fill_chi(k, 1024, 1003)],
        "stream/indices": indices,
    }


FUNCTIONS = {
    "sine": functions.sine_turns,
    "cosine": functions.cosine_turns,
    "log": functions.log,
    "exp": functions.exp,
    "sqrt": np.sqrt,
    "round": round_even,
    "inverse-normal": lambda x: functions.inverse_normal(bits(x)),
}


def function_inputs(which):
    """All exponents and both signs where the function takes them, and the values where branches change."""
    u = streams.narrow_words(streams.key(11, 98, which), 1021).astype(np.int64)
    if which == 2:  # positive and normal
        u = 0x00800000 + u % 0x7F000000
    elif which == 4:  # not negative, finite
        u = u % 0x7F800000
    elif which != 6:  # finite
        u = np.where((u & 0x7F800000) == 0x7F800000, u ^ 0x40000000, u)
    if which not in (2, 4):
        u[:12] = [
            0x00000000, 0x80000000, 0x3E800000, 0xBE800000, 0x3F000000, 0xBF000000,
            0x3F7FFFFF, 0x4AFFFFFF, 0x4B000000, 0xCB000000, 0x42B16666, 0xC2CFFFFE,
        ]
    return from_bits(u.astype(np.uint32))


def fma_inputs():
    """Halfway cases: a product that ends in the tie of the sum's last place, and a nudge below or above it."""
    h = lambda text: F(float.fromhex(text))
    triples = []
    for b in (h("0x1.001p0"), h("0x1.003p0")):
        for c in (F(0), h("0x1p-60"), h("-0x1p-60"), h("0x1p-149"), h("-0x1p-149")):
            triples += [(h("0x1.001p0"), b, c), (h("-0x1.001p0"), b, c)]
        triples.append((h("0x1.001p-70"), b * h("0x1p-70"), h("0x1p-149")))
        triples.append((h("0x1.001p-63"), b * h("0x1p-63"), h("-0x1p-149")))
    words = iter([int(w) for w in streams.narrow_words(streams.key(11, 98, 7), 4000)])
    number = lambda sign, exponent, fraction: from_bits((sign << 31) | (exponent << 23) | (fraction & 0x7FFFFF))
    while len(triples) < 1000:
        a, b, c, choice = next(words), next(words), next(words), next(words) % 4
        ea, eb = 60 + (a >> 8) % 130, 60 + (b >> 8) % 130
        near = ea + eb - 127 if 127 + 27 < ea + eb < 127 + 250 else 100
        if choice == 0:
            t = number(a & 1, ea, 1 << 11), number(b & 1, eb, 1 << 11), number(c & 1, near, c >> 9)
        elif choice == 1:
            t = number(a & 1, ea, a >> 9), number(b & 1, eb, b >> 9), number(c & 1, near - 26 + c % 52, c >> 9)
        elif choice == 2:
            t = number(a & 1, ea, a >> 9), number(b & 1, eb, 0), number(c & 1, near - c % 25, 1 << (c % 23))
        else:
            t = (
                number(a & 1, 1 + ea % 70, a >> 9),
                number(b & 1, 60 + eb % 60, b >> 9),
                number(c & 1, c % 3, c >> 9),
            )
        triples.append(t)
    v = np.array(triples, dtype=np.float32).T
    return np.where((bits(v) & np.uint32(0x7F800000)) == 0x7F800000, F(1), v)


def function_cases():
    cases = {}
    for which, (name, function) in enumerate(FUNCTIONS.items()):
        cases["simd/" + name] = lambda which=which, function=function: [function(function_inputs(which))]
    cases["simd/fma"] = lambda: [fma(*fma_inputs())]
    return cases


FFT_SIZES = (4, 6, 8, 10, 16, 60, 64, 100, 128, 240, 256, 486, 512, 1000, 1024)


def transform_cases():
    def ffts():
        for n in FFT_SIZES:
            z = transforms.real_fft(plain(n, n))
            yield np.stack([z.r, z.i], axis=1)
            yield transforms.real_fft_backward(z, n)

    return {
        "transform/hadamard": lambda: [transforms.hadamard(plain(1 << k, k)) for k in range(13)],
        "transform/fft": ffts,
    }


def kernel_cases():
    def exact():
        values = []
        for i in range(SAMPLES):
            for j in range(SAMPLES):
                x, y = sample(17, i), sample(17, j)
                values += [
                    kernels.gaussian(x, y, 3.0),
                    kernels.laplacian(x, y, 5.0),
                    kernels.cauchy(x, y, 2.0),
                    kernels.arccos(x, y, 0),
                    kernels.arccos(x, y, 1),
                ]
        return [np.array(values, dtype=np.float64)]

    return {"kernel/exact": exact}


def readout_cases():
    def softmax():
        for scale in (0.5, 1, 37, 3e38):
            for n in (1, 2, 3, 10, 64, 1000):
                yield models.probabilities(plain(n, n), scale)
            yield models.probabilities(np.array([-3e38, 0, -0.0, 1e-40, 3e38, 3e38], np.float32), scale)

    return {"readout/softmax": softmax}


def sketch_cases():
    cases = {}

    def vector(name, n, of):
        cases["sketch/" + name] = lambda: samples(n, of)

    vector("count/130", 130, lambda x: sketches.count_sketch(x, 61, SEED))
    vector("osnap/130", 130, lambda x: sketches.osnap(x, 75, 3, SEED))
    indices = streams.narrow_words(streams.key(2026, 99, 77), 500)
    values = lambda: np.concatenate([plain(1, 1000 + i) for i in range(500)])
    cases["sketch/count/stream"] = lambda: [sketches.count_sketch(values(), 61, SEED, indices)]
    cases["sketch/osnap/stream"] = lambda: [sketches.osnap(values(), 75, 3, SEED, indices)]

    for n, m in (3, 4), (300, 290), (17, 100):
        vector(f"srht/{n}/{m}", n, lambda x, m=m: sketches.srht(x, m, SEED))
    vector("srht/with/300/600", 300, lambda x: sketches.srht(x, 600, SEED, True))

    def tensor(name, a, b, m, replacement):
        of = lambda kind: sketches.tensor_srht(sample(a, kind), plain(b, 50 + kind), m, SEED, replacement)
        cases["sketch/tensor-srht/" + name] = lambda: [sketches.refused(of(kind)) for kind in range(SAMPLES)]

    tensor("3x5/7", 3, 5, 7, False)
    tensor("130x17/512", 130, 17, 512, False)
    tensor("17x300/1000", 17, 300, 1000, False)
    tensor("with/130x17/700", 130, 17, 700, True)

    for m in 60, 1024:
        vector(f"tensor/{m}", 130, lambda x, m=m: sketches.tensor_sketch([x] * 2, m, SEED))
    vector("tensor/prefixes/100x5", 130, lambda x: sketches.tensor_sketch_prefixes([x] * 5, 100, SEED))

    def poly(name, n, p, m, base="srht"):
        vector("poly/" + name, n, lambda x: sketches.PolySketch(m, base, SEED).prefixes(x, p))

    poly("3/5/4", 3, 5, 4)
    poly("130/7/150", 130, 7, 150)
    poly("64/8/64", 64, 8, 64)
    poly("17/3/300", 17, 3, 300)
    poly("130/2/512", 130, 2, 512)
    poly("osnap/300/7/150", 300, 7, 150, "osnap")
    vector("poly/power/130/5/777", 130, lambda x: sketches.PolySketch(777, "srht", SEED).of([x] * 5))
    return cases


def skeleton_cases():
    data = skeleton_map.awkward_skeleton()

    def features(x):
        found = [skeletons.feature(data, SEED, 1000 + i, x) for i in range(60)]
        return np.array([f[0] for f in found] + [f[1] for f in found], np.float32)

    def exact():
        return [np.array([skeletons.kernel(data, sample(55, 0), sample(55, kind)) for kind in range(SAMPLES)])]

    return {"skeleton/features": lambda: samples(55, features), "skeleton/kernel": exact}


def whole_case(stored, chosen, form=None, powers=None, filters=None, runs=0):
    """Scores of int8, uint8 and int16 inputs, of a model whose numbers come from one stream."""
    inputs, rows, outputs = 70, 300, 5
    words = iter(streams.narrow_words(streams.key(22, 97, 0), 2000).astype(np.int64))
    weights = np.array([next(words) >> 24 | 1 for _ in range(outputs * rows)])
    biases, multipliers = zip(*[(next(words) >> 4, 1 + next(words) % 4095) for _ in range(outputs)])
    lines = [(next(words) >> 20, (next(words) % 8, 10 + next(words) % 8)) for _ in range(inputs)]
    total = 100 if form == "pair" else powers.features if powers else rows
    kept = list(range(2, 300, 3)) if chosen else list(range(total))
    n = len(kept) * (2 if form == "pair" else 1)
    stride = whole.row_bytes(stored, n)
    q = np.array([whole.weights_of(stored, weights[o * stride : (o + 1) * stride], n) for o in range(outputs)])
    scaling = [(np.int16(np.uint16(c)), (e << 3) | m) for c, (m, e) in lines] if chosen or powers else None
    found = []
    for kind in (np.int8, np.uint8, np.int16):
        for k in range(4):
            x = (streams.narrow_words(streams.key(23, 97, k), inputs) >> np.uint32(11)).astype(kind).astype(np.int64)
            if powers:
                z = sketch_maps.whole_features(powers, whole.scale(scaling, x))[kept]
            elif filters:
                v = whole.scale(scaling[:runs] if runs else scaling, x, runs > 0)
                z = local.whole_features(filters, v, kept)
            elif form:
                spec = maps.Rff(inputs, n if form == "pair" else rows, "gaussian", form, "hadamard", 0, 300.0, 42, 1)
                z = np.concatenate(maps.rff(spec, whole.scale(scaling, x), kept))
            else:
                spec = maps.ArcCos(inputs, rows, rows="hadamard", orders=3 if chosen else 0, seed=42, numbers=1)
                z = maps.whole_features(spec, whole.scale(scaling, x))[kept]
            found.append(np.array(whole.scores(stored, q, biases, multipliers, z), np.int32))
    return found


def whole_cases():
    cases = {
        f"whole/{stored}/{'chosen' if chosen else 'all'}": lambda stored=stored, chosen=chosen: whole_case(stored, chosen)
        for stored in (8, 4)
        for chosen in (False, True)
    }
    cases["whole/8/phase"] = lambda: whole_case(8, True, "phase")
    cases["whole/4/pair"] = lambda: whole_case(4, False, "pair")

    def powers(name, stored, features, degree, sketch, chosen=False):
        spec = sketch_maps.Polynomial(70, features, degree, sketch, 0, 1.0, 5000.0, 42, 1)
        cases["whole/" + name] = lambda: whole_case(stored, chosen, powers=spec)

    powers("8/linear", 8, 100, 1, "srht")
    powers("4/square", 4, 300, 2, "srht")
    powers("8/square/chosen", 8, 300, 2, "srht", True)
    powers("8/count", 8, 64, 1, "count")

    image = local.Local(70, 300, height=7, pairs=4, gain=6, seed=42)
    series = local.Local(70, 300, channels=2, pairs=3, gain=7, seed=43)
    cases["whole/8/local"] = lambda: whole_case(8, False, filters=image)
    cases["whole/4/local"] = lambda: whole_case(4, True, filters=series)
    cases["whole/8/local/runs"] = lambda: whole_case(8, True, filters=series, runs=2)
    return cases


def all_cases():
    cases = {}
    for group in (
        stream_cases,
        function_cases,
        transform_cases,
        kernel_cases,
        readout_cases,
        sketch_cases,
        *(m.selftest for m in registry.all_maps()),
        skeleton_cases,
        whole_cases,
    ):
        cases.update(group())
    return cases
