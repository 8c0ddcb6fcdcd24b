#!/usr/bin/env python3
"""tidy.py BUILD WORK [FILE...]: clang-tidy over all sources of src and ports, a few at a time.

BUILD has compile_commands.json; WORK is a directory for what this writes. Most of the time goes into headers, so files of
one directory that are compiled alike are looked at as one source that includes them. Where such a source does not
compile, because two files have a name in common, each of them is looked at alone. The exit status is 1 if anything was
found. FILE: only files whose path has it.
"""
import json
import os
import shlex
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

TOGETHER = 4
TIDY = ("clang-tidy", "--quiet", "--extra-arg=-Wno-unknown-warning-option")
# What differs between two files that are compiled alike, and has a value behind it.
OWN = ("-o", "-MF", "-MQ")


def entries(build):
    """A file that is compiled once for each back end is looked at once: they differ only in one header."""
    once = {}
    with open(os.path.join(build, "compile_commands.json"), encoding="utf-8") as file:
        for entry in json.load(file):
            path = os.path.relpath(os.path.join(entry["directory"], entry["file"]))
            if path.startswith(("src/", "ports/")) and (path not in once or "-DSAMARA_ARCH=scalar" in entry["command"]):
                once[path] = entry
    return once


def compiled_alike(path, entry):
    """What must be equal for two files to be looked at together."""
    words = iter(shlex.split(entry["command"]))
    shared = []
    for word in words:
        if word in OWN:
            next(words)
        elif not word.endswith(".cpp"):
            shared.append(word)
    return os.path.dirname(path), tuple(shared)


def groups(once):
    alike = {}
    for path, entry in once.items():
        alike.setdefault(compiled_alike(path, entry), []).append(path)
    for paths in alike.values():
        # Evenly, so that no file is left for a group of its own.
        count = -(-len(paths) // TOGETHER)
        for i in range(count):
            yield paths[i::count]


def main():
    build, work = sys.argv[1:3]
    once = {path: entry for path, entry in entries(build).items()
            if len(sys.argv) == 3 or any(word in path for word in sys.argv[3:])}
    os.makedirs(work, exist_ok=True)
    commands, tasks = list(once.values()), []
    for number, paths in enumerate(groups(once)):
        if len(paths) == 1:
            tasks.append((paths[0], paths))
            continue
        together = os.path.abspath(os.path.join(work, "together_%d.cpp" % number))
        with open(together, "w", encoding="utf-8") as file:
            file.writelines('#include "%s" // NOLINT(bugprone-suspicious-include)\n' % os.path.abspath(path) for path in paths)
        entry = dict(once[paths[0]])
        commands.append(dict(entry, file=together, command=entry["command"].replace(entry["file"], together)))
        tasks.append((together, paths))
    with open(os.path.join(work, "compile_commands.json"), "w", encoding="utf-8") as file:
        json.dump(commands, file)

    def look_at(path):
        return subprocess.run([*TIDY, "-p", work, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              check=False)

    def task(what):
        together, paths = what
        result = look_at(together)
        # A finding is looked for once more, where it is, so that nothing is found only because files are together.
        results = [look_at(path) for path in paths] if result.returncode != 0 and len(paths) > 1 else [result]
        return paths, results

    found = 0
    with ThreadPoolExecutor(2) as pool:
        for paths, results in pool.map(task, tasks):
            print(" ".join(paths), "(each alone)" if len(results) > 1 else "")
            for result in results:
                if result.returncode != 0:
                    found += 1
                    print(result.stdout)
    print(len(once), "files,", found, "with findings")
    return found != 0


if __name__ == "__main__":
    sys.exit(main())
