#!/usr/bin/env python3
"""make_corpus.py SAMARA: writes the files that the fuzzers start from into corpus/, beside what they have found since.

Small, valid examples of every format, and a few that are almost valid; the sealed models come from the tool.
"""
import gzip
import io
import itertools
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

PLACE = pathlib.Path(__file__).resolve().parent / "corpus"
SAMARA = str(pathlib.Path(sys.argv[1]).resolve())


def write(kind, name, content):
    (PLACE / kind).mkdir(parents=True, exist_ok=True)
    (PLACE / kind / name.replace(" ", "-")).write_bytes(content if isinstance(content, bytes) else content.encode())


ROWS = [[(i * 7 % 11) / 4 - 1, (i * i % 13) / 8, i % 3 - 1.5] for i in range(12)]
PLAIN = "".join(",".join(map(repr, row)) + "\n" for row in ROWS)
LABELLED = "a,b,label\n" + "".join(f"{x!r},{y!r},{'yes' if x > 0 else 'no'}\n" for x, y, _ in ROWS)
NUMBERED = "".join(f"{x!r},{y!r},{int(x > 0)}\n" for x, y, _ in ROWS)


SKELETONS = {
    "image": "circle pixels height=9 width=8 channels=2 period=3 # comment\n"
             "windows a of=pixels patch=3x2 stride=2x1 dual=exp(0.25)\n"
             "windows b of=a patch=2 dual=relu\nnode c of=b,pixels[3],pixels[1..2] dual=step\n",
    "series": "node d of=b dual=series(0.5;0;0.5)\nwindows b of=x patch=5 stride=2 dual=identity\n"
              "sphere x channels=2 length=20 columns=3 column=7\n",
    "bases": "binary a count=3\ncategorical b values=4\ngaussian c columns=5 bandwidth=0.5\n"
             "sphere-uniform d columns=2\nnode e of=a,b,c,d dual=relu\n",
    "cycle": "circle a\nnode b of=c dual=relu\nnode c of=b,a dual=relu\n",
}


def npy(header, data, version=(1, 0)):
    length = "<H" if version[0] == 1 else "<I"
    text = header.ljust(-len(header) % 16 + len(header) + 5) + "\n"
    return b"\x93NUMPY" + bytes(version) + struct.pack(length, len(text)) + text.encode() + data


def idx(code, sizes, data):
    return struct.pack(">HBB", 0, code, len(sizes)) + b"".join(struct.pack(">I", n) for n in sizes) + data


def header(descr, shape, order=False):
    return f"{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}, }}"


NPY = npy(header("<f4", "(12, 3)"), struct.pack("<36f", *itertools.chain(*ROWS)))
IDX = idx(8, (12, 3), bytes(i * 37 % 256 for i in range(36)))


def formats():
    write("csv", "plain", PLAIN)
    write("csv", "labelled", LABELLED)
    write("csv", "semicolons", PLAIN.replace(",", ";"))
    write("csv", "counts under names", "a,b,c\n0,1,2\n5,1,7\n8,3,1\n")
    write("csv", "tabs", PLAIN.replace(",", "\t").replace("\n", "\r\n"))
    write("csv", "quoted", 'name,"a, b","say ""x"""\n"one\ntwo",1,2\n')
    write("csv", "numbers", "1e390,-0,nan\n-inf,0x10,1e-45\n16777217,.5,+3\n4.,1E+2,1_0\n")
    write("csv", "bad cell", "NA,1\n2,3\n3%,4\n")
    write("csv", "short row", "1,2,3\n4,5\n")
    write("csv", "blank", "\ufeffa,b\n\n1,\n,2\n")

    write("npy", "float32", NPY)
    write("npy", "float64 by columns", npy(header(">f8", "(2, 3)", True), struct.pack(">6d", *range(6))))
    write("npy", "half", npy(header("<f2", "(5,)"), struct.pack("<5e", 0, 1, -2, 65504, 1e-7), (2, 0)))
    write("npy", "bool", npy(header("|b1", "(3, 1)"), b"\0\1\1", (3, 0)))
    write("npy", "int64", npy(header("<i8", "(2, 2)"), struct.pack("<4q", -1, 2**53, 0, 7)))
    write("npy", "three dimensions", npy(header("|u1", "(2, 2, 2)"), bytes(8)))
    write("npy", "text", npy(header("<U2", "(2,)"), "ab01".encode("utf-32-le")))
    write("npy", "empty", npy(header("<f4", "(0, 3)"), b""))
    write("npy", "huge", npy(header("<f4", "(4294967296, 4294967296)"), b"1234"))

    write("idx", "bytes", IDX)
    write("idx", "labels", idx(8, (12,), bytes(12)))
    for code, letter in ((9, "b"), (11, "h"), (12, "i"), (13, "f"), (14, "d")):
        write("idx", f"type {code}", idx(code, (2, 1, 2), struct.pack(f">4{letter}", 1, 2, 3, 4)))
    write("idx", "huge", idx(14, (2**32 - 1,) * 4, b"1234"))

    packed = gzip.compress(PLAIN.encode(), mtime=0)
    for piece in (0, 255):
        write("gzip", f"whole {piece}", bytes([piece]) + packed)
    write("gzip", "members and zeros", b"\7" + packed + gzip.compress(b"more", mtime=0) + bytes(20))
    write("gzip", "stored", b"\2" + gzip.compress(b"ab" * 40, 0, mtime=0))
    write("gzip", "empty member", b"\0" + gzip.compress(b"", mtime=0))
    write("gzip", "cut", b"\1" + packed[:-9])
    write("gzip", "bomb", b"\xff" + gzip.compress(bytes(300000), mtime=0))

    maps = subprocess.run([SAMARA, "maps"], check=True, capture_output=True, text=True).stdout
    names = [line.split()[0] for line in maps.splitlines() if line[:1].isalpha()]
    texts = [f"{name}:features=64" for name in names if name.replace("-", "").isalnum() and name.islower()]
    texts += ["rff:kernel=laplacian,bandwidth=auto,rows=quasi,features=30", "rff:gamma=.5,form=phase",
              "arccos:order=0,rows=unit,seed=9", "arccos:orders=2,features=300", "dot:coefficients=0.5;0.25;0.1,features=130",
              "ntk:depth=3,sketch=count,features=131", "ntk-poly:rest=fit,degree=9,depth=3", "nngp:rows=gibbs,sweeps=2",
              "ntk-sketch:relu-powers=32,depth=2,orders=none", "rff:features=0", "rff:bandwidth=1e39", "rff:,", "nosuch:a=b",
              "local:height=8,channels=3,kinds=max,gain=3", "local:length=24,reach=5,largest=7"]
    for number, text in enumerate(texts):
        write("map_text", f"{number:02}", bytes([number % 12]) + text.encode())


def programs():
    """Sequences of calls: what their first bytes mean is in the fuzzers."""
    some = bytes((i * 73 + 11) % 250 for i in range(200))
    for kind in range(3):
        for spec in (b"\5\2", b"\13\0"):
            fields = {0: b"\0\0\1", 1: b"\0", 2: b""}[kind]
            steps = b"".join(bytes([step]) + some[9 * i:9 * i + 20] for i, step in enumerate((0, 2, 3, 1, 6, 3, 7)))
            write("learner", f"{kind} {spec[0]}", bytes([kind]) + spec + fields + steps)
        write("learner", f"{kind} extremes", bytes([kind]) + b"\1\1" + bytes([0, 0, 200, 255]) + (b"\0" + b"\xff\xff\xff\x7f\x7f" * 5) * 6)
    for unit in range(6):
        saves = b"".join(bytes([what]) + some[7 * i:7 * i + 40] for i, what in enumerate((0, 2, 0, 2, 1, 2)))
        write("checkpoint", f"unit {unit}", bytes([40, 1, unit]) + saves)
    write("checkpoint", "flips", bytes([16, 1, 3, 0]) + some[:16] + b"\3\5\0\x80\2\x83\1\0\1\2\0" + some[20:36] + b"\2")
    for number in range(18):
        write("batch", f"{number:02}", bytes([number, 3 + 5 * number % 40, 20 + 11 * number % 180, number, 0, 1 + number % 9]) + some + some)
        if number < 9:
            write("batch", f"{number:02} changed", bytes([number, 17, 60, number, 2, 13, 1, 14, 1, 4]) + some)


def desk():
    def session(what, digits, data, second=b"", third=b""):
        bits, scale = 0, 1
        for digit, base in digits:
            bits, scale = bits + digit * scale, scale * base
        data, second, third = (part if isinstance(part, bytes) else part.encode() for part in (data, second, third))
        return struct.pack("<BIHH", what, bits, len(data), len(second)) + data + second + third

    csv, array, pixels, packed, sparse, archive = 0, 1, 2, 3, 6, 7
    numbers = "".join(f"{row[2]!r}\n" for row in ROWS)
    for number in range(8):
        tail = [(number % 5, 5), (number % 6, 6), (number % 3, 3), (0, 4), (number % 2, 2)]
        write("desk", f"train {number}", session(0, [(csv, 8), (number, 8), (0, 4), *tail], NUMBERED))
    write("desk", "train labels", session(0, [(csv, 8), (0, 8), (2, 4), (1, 5), (1, 6), (2, 3)], LABELLED))
    write("desk", "train arrays", session(0, [(array, 8), (2, 8), (3, 4), (csv, 8), (2, 5), (0, 6)], NPY, numbers))
    write("desk", "train pixels", session(0, [(pixels, 8), (0, 8), (3, 4), (pixels, 8), (0, 5), (0, 6)], IDX,
                                          idx(8, (12,), bytes(i % 3 for i in range(12)))))
    write("desk", "train packed", session(0, [(packed, 8), (0, 8), (0, 4), (0, 5), (2, 6)], gzip.compress(NUMBERED.encode(), mtime=0)))
    write("desk", "train sparse", session(0, [(sparse, 8), (0, 8), (0, 4), (0, 5), (0, 6)],
                                          "".join(f"{i % 2} 1:{x!r} 3:{y!r}\n" for i, (x, y, _) in enumerate(ROWS))))
    arrays = io.BytesIO()
    with zipfile.ZipFile(arrays, "w") as file:
        for name, array in (("format", npy(header("|S3", "()"), b"csr")), ("shape", npy(header("<i8", "(2,)"), struct.pack("<2q", 2, 3))),
                            ("data", npy(header("<f4", "(3,)"), struct.pack("<3f", 1, -2, 0.5))),
                            ("indices", npy(header("<i4", "(3,)"), struct.pack("<3i", 0, 2, 1))),
                            ("indptr", npy(header("<i4", "(3,)"), struct.pack("<3i", 0, 2, 3)))):
            file.writestr(zipfile.ZipInfo(name + ".npy"), array)
    write("desk", "features archive", session(7, [(archive, 8), (0, 8)], arrays.getvalue()))
    with tempfile.TemporaryDirectory() as place:
        place = pathlib.Path(place)
        (place / "x.csv").write_text(PLAIN, encoding="ascii")
        (place / "y.csv").write_text(numbers, encoding="ascii")
        for name, spec, more in (("rff", "rff:features=8", []), ("arccos", "arccos:features=6,orders=none", ["--readout", "int8"]),
                                 ("ntk", "ntk:features=16", ["--scale", "standardise"])):
            subprocess.run([SAMARA, "train", spec, "--in", "x.csv", "--target", "y.csv", "--task", "regress", "--ridge", ".01",
                            "--out", "m", *more], cwd=place, check=True, capture_output=True)
            model = (place / "m").read_bytes()
            for what in (2, 4, 5):
                write("desk", f"{name} {what}", session(what, [(csv, 8), (1, 3)], PLAIN, model))
            write("desk", f"{name} evaluate", session(3, [(csv, 8), (csv, 8), (1, 2)], PLAIN, model, numbers))
            inputs, outputs = struct.unpack_from("<I", model, 32)[0], struct.unpack_from("<I", model, 56)[0]
            features = struct.unpack_from("<I", model, outputs + 8)[0]
            digest = zlib.crc32(struct.pack("<2I", features, 1)) & 0x7FFFFFFF
            sums = [0.0] + [1.0] * (features + 1)
            for row in range(features + 1):
                sums += [0.25] * row + [3.0]
            state = struct.pack("<4sIIIIQI", b"SSML", 3, features, 1, zlib.crc32(model[inputs:outputs]), 9, digest)
            write("desk", f"{name} merge", session(6, [(csv, 8), (2, 4)], PLAIN, model, state + struct.pack(f"<{len(sums)}f", *sums)))
    for what in (7, 8, 8):
        for kind in (0, 2, 5):
            write("desk", f"{what} of {kind}", session(what, [(csv, 8), (kind, 8)], PLAIN))
    write("desk", "kernel", session(8, [(csv, 8), (1, 8)], PLAIN))


def skeletons():
    answers = json.loads((PLACE.parents[1] / "vectors" / "skeletons.json").read_text(encoding="utf-8"))
    for case in answers["cases"]:
        write("skeleton", case["name"], bytes.fromhex(case["bytes"]))
    for name, text in SKELETONS.items():
        write("skeleton_text", name, text)


formats()
programs()
desk()
skeletons()
