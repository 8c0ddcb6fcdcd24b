"""Models as programs of a board: writes build/rivals/image/rival.h for tests/link/rival.cpp, builds it, and counts.

The image holds sixteen test rows, which do not count, and fails unless it says of each what the desk said.
"""

import contextlib
import copy
import fcntl
import pathlib
import sys

import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from sizes import ROOT, measured, run  # noqa: E402

WORK = ROOT / "build" / "rivals"
HEADER = WORK / "image" / "rival.h"
CORES = ("cortex-m4f", "cortex-m0plus")
ROWS = 16
MOST_INLINE_NODES = 40000  # a compiler takes minutes for more, and few boards have the flash
MOST_LOADABLE_INPUTS = 127
MOST_CODE = 3_900_000  # the boards' memory, less what else there is


def numbers(values):
    return ", ".join(f"{v:.8e}f" if isinstance(v, (float, np.floating)) else str(int(v)) for v in np.asarray(values).ravel())


def array(type_in_c, name, values):
    return f"const {type_in_c} {name}[] = {{{numbers(values)}}};\n"


def image(code, ram, type_in_c, rows, predicted):
    """What tests/link/rival.cpp includes: rows of inputs, what is expected of them, and rival_predict()."""
    inputs = rows.shape[1]
    return (f"// Written by tests/bench/rivals.py.\n#include <stddef.h>\n#include <stdint.h>\n\n{code}\n"
            f"using RivalNumber = {type_in_c};\nconstexpr unsigned rival_inputs = {inputs}, rival_rows = {len(rows)};\n"
            f"alignas(4) constexpr RivalNumber rival_inputs_of_rows[] = {{{numbers(rows)}}};\n"
            f"constexpr unsigned rival_expected[] = {{{numbers(predicted)}}};\n"
            f"constexpr size_t rival_ram = {ram};\n")


# ---- Networks.


def network_code(network, type_in_c):
    """A plain loop: int8 weights, 32-bit sums, one scale a layer."""
    codes, text, body, ram = network.codes, "", "", 0
    inputs = network.layers[0][0].shape[0]
    if codes.bytes:
        body += f"    for (int i = 0; i < {inputs}; ++i)\n        codes[i] = static_cast<int8_t>(x[i] - 128);\n"
    else:
        text += array("int32_t", "factors", codes.factor) + array("int32_t", "offsets", codes.offset)
        at = "i" if len(codes.factor) > 1 else "0"
        body += (f"    for (int i = 0; i < {inputs}; ++i) {{\n        const int v = (x[i] * factors[{at}] + offsets[{at}]) >> 15;\n"
                 "        codes[i] = static_cast<int8_t>(v < -127 ? -127 : v > 127 ? 127 : v);\n    }\n")
    text += f"int8_t codes[{inputs}];\n"
    ram += inputs
    source = "codes"
    for n, (weights, bias, before, multiplier, after) in enumerate(network.layers):
        rows, columns = weights.shape
        text += array("int8_t", f"weights_{n}", weights.T) + array("int32_t", f"biases_{n}", bias)
        loop = (f"        int32_t sum = biases_{n}[j];\n        const int8_t* w = weights_{n} + j * {rows};\n"
                f"        for (int i = 0; i < {rows}; ++i)\n            sum += {source}[i] * w[i];\n")
        if n + 1 < len(network.layers):
            text += f"uint8_t hidden_{n}[{columns}];\n"
            ram += columns
            body += (f"    for (int j = 0; j < {columns}; ++j) {{\n{loop}        sum = sum < 0 ? 0 : sum >> {before};\n"
                     f"        sum = sum > 65535 ? 65535 : sum;\n        sum = sum * {multiplier} >> {after};\n"
                     f"        hidden_{n}[j] = static_cast<uint8_t>(sum > 255 ? 255 : sum);\n    }}\n")
            source = f"hidden_{n}"
        else:
            body += (f"    unsigned best = 0;\n    int32_t most = 0;\n    for (int j = 0; j < {columns}; ++j) {{\n{loop}"
                     "        if (j == 0 || sum > most) {\n            most = sum;\n            best = static_cast<unsigned>(j);\n        }\n    }\n"
                     "    return best;\n")
    return f"{text}inline unsigned rival_predict(const {type_in_c}* x)\n{{\n{body}}}\n", ram


# ---- Forests, as emlearn writes them.


def forest_code(forest, form):
    """The code and where its headers are; or None, and why."""
    try:
        import emlearn
    except ImportError:
        return None, "what a forest takes, because emlearn is not installed"
    nodes = sum(tree.tree_.node_count for tree in forest.estimators_)
    if form == "inline" and nodes > MOST_INLINE_NODES:
        return None, f"a forest of more than {MOST_INLINE_NODES:,} nodes as code, which takes a compiler many minutes"
    if form == "loadable" and forest.n_features_in_ > MOST_LOADABLE_INPUTS:
        return None, f"a forest of more than {MOST_LOADABLE_INPUTS} inputs as tables, for which emlearn has no form"
    if form == "loadable" and 4 * nodes > MOST_CODE:
        return None, f"a forest of more than {MOST_CODE:,} bytes, the memory of the emulated boards"
    # emlearn asks x < threshold of the threshold cut to a whole number, where trees ask x <= threshold.
    forest = copy.deepcopy(forest)
    for tree in forest.estimators_:
        tree.tree_.threshold[:] = np.floor(tree.tree_.threshold) + 1
    text = emlearn.convert(forest, method=form, dtype="int16_t").save(name="forest", format="c", include_proba=False)
    return (f"#pragma GCC system_header\n{text}\ninline unsigned rival_predict(const int16_t* x)\n"
            f"{{\n    return static_cast<unsigned>(forest_predict(x, {forest.n_features_in_}));\n}}\n"), emlearn.includedir


# ---- samara.


def samara_code(model, number):
    """The model's bytes and a predictor of what `number` the inputs are; of floats where it is None."""
    exported = WORK / "image" / "rival_model.h"
    run([SAMARA, "export", model, "--c-header", "--name", "rival_model", "--out", exported])
    kind, number = ("FixedWholePredictor", number) if number else ("FixedPredictor", "float")
    return ('#include "rival_model.h"\n#include "samara/fixed.hpp"\n'
            f"samara::{kind}<rival_model> predictor;\ninline unsigned rival_predict(const {number}* x)\n{{\n"
            "    uint32_t best = 0;\n"
            f"    const auto status = predictor.predict(std::span<const {number}, predictor.inputs>(x, predictor.inputs), best);\n"
            "    return status == samara::Status::ok ? best : ~0u;\n}\n")


SAMARA = ROOT / "build" / "native" / "ports" / "host" / "samara"


@contextlib.contextmanager
def one_at_a_time():
    """Several rivals.py may run at once, but there is one place for images."""
    HEADER.parent.mkdir(parents=True, exist_ok=True)
    with (WORK / "image.lock").open("w", encoding="ascii") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def counted(text, row_bytes, include=None, cores=CORES):
    """Flash, RAM, stack and instructions of a prediction, on each core."""
    HEADER.write_text(text, encoding="ascii")
    # The headers of another library, by a name that builds know from the start.
    link = HEADER.parent / "include"
    link.unlink(missing_ok=True)
    if include:
        link.symlink_to(include)
    found = {}
    for core in cores:
        build = WORK / core
        flash, ram, stack, instructions = measured("link_rival", core, build, HEADER.parent)
        found[core] = {"flash": flash - row_bytes, "RAM": ram + stack, "instructions": instructions // (ROWS // 4)}
    return found
