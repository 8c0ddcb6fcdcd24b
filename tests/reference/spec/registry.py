"""The maps: a module of this package registers each, with everything that other files ask of it."""
import dataclasses
import importlib
import pkgutil
import struct

from .numbers import F, bits, from_bits

_MAPS = {}


def kept_rows(_, kept):
    """§20.4: the section of the map data of maps of rows."""
    return b"" if kept is None else struct.pack(f"<II{len(kept)}H", 1, len(kept), *kept)


def read_kept_rows(spec, section):
    return spec, list(struct.unpack_from(f"<{(len(section) - 8) // 2}H", section, 8))


@dataclasses.dataclass
class Map:
    """`holds`: whether a spec is this map's. `spec_bytes`: the bytes from offset 12 on of a resolved spec. `read`: a spec
    of (inputs, features, SpecBytes). `blocks`: the features of (spec, x, kept), block after block. `hidden`: members of the
    spec's class that are no fields of the map; `later`: fields that vectors leave out where they have their default,
    because the first vectors did not know them. `selftest`: its cases of the self-test, by name. `vectors`: its file of
    tests/vectors and what gives (spec, x) for it, x None for the usual one. `models`: (spec, options) of sealed models.
    `data`: the section of the map data of (spec, kept); `read_data`: spec and kept of (spec, section)."""

    number: int
    name: str
    spec: type
    spec_bytes: object
    read: object
    blocks: object
    resolve: object = lambda spec: spec
    holds: object = lambda spec: True
    hidden: tuple = ()
    later: tuple = ()
    selftest: object = lambda: {}
    vectors: tuple = None
    models: object = lambda: []
    data: object = kept_rows
    read_data: object = read_kept_rows


def register(**fields):
    made = Map(**fields)
    assert made.number not in _MAPS and (not made.vectors or made.vectors[0] in ("maps", "sketch_maps", "networks", "local"))
    _MAPS[made.number] = made


def all_maps():
    """Every map, by its number."""
    for module in pkgutil.iter_modules(importlib.import_module(__package__).__path__):
        importlib.import_module(__package__ + "." + module.name)
    return [_MAPS[number] for number in sorted(_MAPS)]


def map_of(spec):
    return next(m for m in all_maps() if isinstance(spec, m.spec) and m.holds(spec))


# ---- Bytes of specs

KERNELS = {"gaussian": 0, "laplacian": 1, "cauchy": 2}
FORMS = {"pair": 0, "phase": 1}
SKETCHES = {"srht": 0, "count": 1, "none": 2}
BASES = {"srht": 0, "osnap": 1}
RESTS = {"spread": 0, "last": 1, "fit": 2}


def small(*numbers):
    return bytes(int(n) for n in numbers)


def real(v):
    return struct.pack("<I", int(bits(F(v))))


def whole(*numbers):
    return struct.pack("<%dI" % len(numbers), *numbers)


def seed(v):
    return struct.pack("<Q", v)


def coefficients(c):
    return b"".join(real(v) for v in list(c) + [0] * (33 - len(c)))


class SpecBytes:
    """The fields of a spec in its bytes, by their offsets."""

    def __init__(self, data):
        self.data = data

    def small(self, at):
        return self.data[at]

    def name(self, table, at):
        return next(name for name, n in table.items() if n == self.data[at])

    def whole(self, at):
        return struct.unpack_from("<I", self.data, at)[0]

    def real(self, at):
        return from_bits(self.whole(at))

    def seed(self, at):
        return struct.unpack_from("<Q", self.data, at)[0]

    def coefficients(self, count_at, at=32):
        return [self.real(at + 4 * j) for j in range(self.data[count_at])]
