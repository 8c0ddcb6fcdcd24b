#!/usr/bin/env python3
"""Known answers as data: writes tests/vectors/*.json from the Python reference.

    make_vectors.py            writes the files
    make_vectors.py --check    makes them anew and compares; exit code 1 if one differs

Words and floats are hexadecimal bit patterns, eight digits of binary32 and of words, sixteen of binary64 and of 64-bit
words; sizes and counts are plain numbers. Bytes are hexadecimal, first byte first.
"""
import json
import pathlib
import sys
import textwrap

import vectors

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "vectors"
WIDTH = 118


def formatted(value, indent=0):
    """JSON with short values on one line and long lists of numbers filled to the width."""
    whole = json.dumps(value, ensure_ascii=False)
    if len(whole) + indent <= WIDTH - 20 or not isinstance(value, (dict, list)):
        return whole
    pad = " " * (indent + 1)
    if isinstance(value, dict):
        items = [f"{pad}{json.dumps(k)}: {formatted(v, indent + 1)}" for k, v in value.items()]
        return "{\n" + ",\n".join(items) + "\n" + " " * indent + "}"
    if any(isinstance(v, (dict, list)) for v in value):
        return "[\n" + ",\n".join(pad + formatted(v, indent + 1) for v in value) + "\n" + " " * indent + "]"
    lines, line = [], ""
    for v in value:
        text = json.dumps(v, ensure_ascii=False)
        if line and len(pad) + len(line) + len(text) + 3 > WIDTH:
            lines.append(line)
            line = ""
        line += (", " if line else "") + text
    return "[\n" + ",\n".join(pad + l for l in lines + [line]) + "\n" + " " * indent + "]"


def main(arguments):
    if arguments not in ([], ["--check"]):
        print(__doc__)
        return 2
    different = 0
    for name, make in vectors.FILES.items():
        content = make()
        content["what"] = textwrap.wrap(content["what"], WIDTH - 8)
        path, text = FOLDER / (name + ".json"), formatted(content) + "\n"
        if not arguments:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path.name}: differs from what the reference makes")
            different += 1
    print(f"{len(vectors.FILES) - different} of {len(vectors.FILES)} files {'equal' if arguments else 'written'}")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
