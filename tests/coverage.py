"""coverage.py BUILD [--missing]: a table of the lines that ran, by rooms, from what gcov says of a build's counters."""
import collections
import json
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
CORE = ("src", "include")
LEAST = 95.0


def counted(build):
    """File name -> line -> how often it ran, over all objects that the line was compiled into."""
    files = collections.defaultdict(lambda: collections.defaultdict(int))
    counters = sorted(str(path.resolve()) for path in pathlib.Path(build).rglob("*.gcno"))
    for first in range(0, len(counters), 20):
        said = subprocess.run(["gcov", "--json-format", "--stdout", *counters[first:first + 20]], cwd=build,
                              capture_output=True, text=True, check=False).stdout
        for line in said.splitlines():
            if not line.startswith("{"):
                continue
            report = json.loads(line)
            for file in report["files"]:
                name = os.path.normpath(os.path.join(report["current_working_directory"], file["file"]))
                name = os.path.relpath(name, ROOT)
                if name.startswith(("src/", "include/", "ports/")):
                    lines = files[name]
                    for entry in file["lines"]:
                        lines[entry["line_number"]] += entry["count"]
    return files


def room_of(name):
    parts = pathlib.PurePath(name).parts
    if parts[0] == "include":
        return "include"
    return "/".join(parts[:3] if parts[:2] == ("ports", "host") and len(parts) > 3 else parts[:2])


def main():
    files = counted(sys.argv[1])
    rooms = collections.defaultdict(lambda: [0, 0])
    for name, lines in files.items():
        ran = sum(count > 0 for count in lines.values())
        for room in {room_of(name), "core" if name.startswith(CORE) else "ports"}:
            rooms[room][0] += ran
            rooms[room][1] += len(lines)
    share = {room: 100.0 * ran / max(1, lines) for room, (ran, lines) in rooms.items()}
    print(f"{'room':20} {'lines':>7} {'ran':>7}       %")
    for room in sorted(set(rooms) - {"core", "ports"}) + ["core", "ports"]:
        print(f"{room:20} {rooms[room][1]:7,} {rooms[room][0]:7,} {share.get(room, 0.0):7.2f}")
    if "--missing" in sys.argv:
        for name in sorted(files):
            missing = sorted(line for line, count in files[name].items() if count == 0)
            if missing:
                print(f"{name}: {' '.join(map(str, missing))}")
    if share.get("core", 0.0) < LEAST:
        print(f"the core is below {LEAST} %")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
