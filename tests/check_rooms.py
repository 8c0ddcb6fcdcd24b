#!/usr/bin/env python3
"""The ladder of rooms: a room of the core may include only rooms below it, and the desk only what a user may.

    python3 tests/check_rooms.py [ROOT]

Reads the includes of include/samara, src and ports. Prints every one that goes up or sideways, and exits with 1 if
there is one. DESIGN.md says what lives in which room.
"""

import pathlib
import re
import sys

ROOMS = ["status", "memory", "simd", "stream", "transform", "project", "sketch", "kernel", "skeleton", "map", "readout", "signal",
         "learn", "model", "fixed", "c"]
# Headers that are not called like their room. samara.hpp is everything.
HEADERS = {"version": "status", "predictor": "model", "checkpoint": "model", "model_store": "model",
           "samara": "c", "c_face": "c"}
EVERYTHING = "include/samara/samara.hpp"
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]', re.MULTILINE)


def room_of_header(path):
    """The room of a public header's path below include/samara."""
    first = path.split("/")[0]
    if "/" in path:
        return first
    stem = first.split(".")[0]
    return HEADERS.get(stem, stem)


def included_room(name):
    """The room that an include names, or None for what is not ours."""
    if name.startswith("samara/"):
        return room_of_header(name.removeprefix("samara/"))
    first = name.split("/")[0]
    return first if "/" in name and first in ROOMS else None


def folder_of_map(path):
    """The map that a file of the room `map` belongs to: None for what several share."""
    parts = path.split("/")
    if "map" not in parts[:-1]:
        return None
    below = parts[parts.index("map") + 1:]
    name = below[0].removesuffix(".hpp")
    return None if name in {"engine", "map", "fields", "bytes", "data", "kinds"} else name


def core_errors(root):
    files = sorted([*root.glob("include/samara/**/*.h*"), *root.glob("src/**/*.[ch]pp")])
    for file in files:
        path = file.relative_to(root).as_posix()
        if path == EVERYTHING:
            continue
        public = path.startswith("include/")
        room = room_of_header(path.removeprefix("include/samara/")) if public else path.split("/")[1]
        if room not in ROOMS:
            yield f"{path}: '{room}' is no room"
            continue
        for name in INCLUDE.findall(file.read_text(encoding="utf-8")):
            other = included_room(name)
            if other is None:
                continue
            if other not in ROOMS:
                yield f"{path}: includes {name}, which is in no room"
            elif ROOMS.index(other) > ROOMS.index(room):
                yield f"{path}: room {room} includes {name} of room {other}, which is above it"
            elif public and not name.startswith("samara/"):
                yield f"{path}: a public header includes {name}, which is not public"
            else:
                mine, theirs = folder_of_map(path), folder_of_map(name)
                if mine and theirs and mine != theirs:
                    yield f"{path}: the map {mine} includes {name} of another map"


def port_errors(root):
    inside = ("ports/selftest/", "ports/host/bench/")  # these look inside on purpose
    for file in sorted(root.glob("ports/**/*.[ch]pp")):
        path = file.relative_to(root).as_posix()
        text = file.read_text(encoding="utf-8")
        if "detail::" in text:
            yield f"{path}: names detail::, which is not for users"
        for name in INCLUDE.findall(text):
            if included_room(name) and not name.startswith("samara/") and not path.startswith(inside):
                yield f"{path}: includes {name}, which is inside the core"


def source_errors(root):
    """Two sources of one name end up in one object file in many build systems."""
    seen = {}
    for file in sorted(root.glob("src/**/*.cpp")):
        path = file.relative_to(root).as_posix()
        if file.name in seen:
            yield f"{path}: called as {seen[file.name]} is"
        seen.setdefault(file.name, path)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)
    errors = [*core_errors(root), *port_errors(root), *source_errors(root)]
    for error in errors:
        print(error)
    files = len([*root.glob("include/samara/**/*.h*"), *root.glob("src/**/*.[ch]pp"), *root.glob("ports/**/*.[ch]pp")])
    print(f"{files} files, {len(errors)} errors")
    sys.exit(1 if errors or files < 100 else 0)


if __name__ == "__main__":
    main()
