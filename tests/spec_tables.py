#!/usr/bin/env python3
"""The tables of SPEC.md that the code can say itself: where each field of a map's spec lies, and the enumerators' numbers.

    spec_tables.py SAMARA SPEC.md --check    compares; exit code 1, and what differs, if one does
    spec_tables.py SAMARA SPEC.md --write    puts what `SAMARA maps NAME --bytes` prints into every region

A region begins with the line `<!-- table: spec of NAME -->` and ends with `<!-- end of table -->`. Every map has one. The
tables of the maps and of the enumerators, which have more in them than the code knows, are compared and never written.
"""
import difflib
import pathlib
import re
import subprocess
import sys

REGION = re.compile(r"^<!-- table: spec of (\S+) -->\n.*?^<!-- end of table -->\n", re.MULTILINE | re.DOTALL)
NUMBER = re.compile(r"`([^`]+)` (\d+)")
MAPS = "| number | name |"
ENUMERATORS = "| field | numbers |"


def printed(samara, *words):
    run = subprocess.run([samara, "maps", *words], capture_output=True, encoding="utf-8", check=True)
    return run.stdout


def map_names(samara):
    """Names are what is not indented; bare sketches have no spec in a model."""
    lines = printed(samara).splitlines()
    return [line for line in lines if line and not line[0].isspace() and not line.startswith("sketch-")]


def cells(line):
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def rows_below(text, header):
    """The rows of the table whose header begins like this."""
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith(header):
            next(lines)
            break
    else:
        return None
    rows = []
    for line in lines:
        if not line.startswith("|"):
            break
        rows.append(cells(line))
    return rows


def wrong_regions(text, tables):
    """The text with every region as the code has it, and what was wrong with them."""
    wrong = []
    found = [match.group(1) for match in REGION.finditer(text)]
    for name in tables:
        if found.count(name) != 1:
            wrong.append(f"there are {found.count(name)} regions `<!-- table: spec of {name} -->`, expected 1")
    wrong += [f"a region of {name}, which is no map" for name in found if name not in tables]
    if text.count("<!-- table: ") != len(found) or text.count("<!-- end of table -->") != len(found):
        wrong.append("a region that does not begin or end as it should")

    def mended(match):
        whole, name = match.group(0), match.group(1)
        return whole if name not in tables else f"{whole.splitlines()[0]}\n{tables[name]}<!-- end of table -->\n"

    new = REGION.sub(mended, text)
    return new, wrong


def wrong_maps(text, tables):
    """The table of maps: numbers, names and how long a spec is."""
    rows = rows_below(text, MAPS)
    if rows is None:
        return [f"no table begins with {MAPS}"]
    expected = {}
    for name, table in tables.items():
        of_map = [cells(line) for line in table.splitlines()[2:]]
        expected[name] = (of_map[0][3], str(int(of_map[-1][0]) + int(of_map[-1][1])))
    found = {row[1]: (row[0], row[-1]) for row in rows}
    return [
        f"table of maps: {name} is number {a[0]} with {a[1]} bytes in the code, {found.get(name, 'not there')} here"
        for name, a in expected.items()
        if found.get(name) != a
    ] + [f"table of maps: there is no map {name}" for name in found if name not in expected]


def wrong_enumerators(text, tables):
    """The table of enumerators: a field's words with their numbers, of all maps or of those in parentheses."""
    rows = rows_below(text, ENUMERATORS)
    if rows is None:
        return [f"no table begins with {ENUMERATORS}"]
    in_code = {}
    for name, table in tables.items():
        for row in (cells(line) for line in table.splitlines()[2:]):
            numbers = dict(NUMBER.findall(row[3]))
            if numbers:
                in_code[(name, row[2])] = numbers
    wrong, seen = [], set()
    for row in rows:
        field, _, maps = row[0].partition(" (")
        maps = maps.rstrip(")").split(", ") if maps else list(tables)
        known = {}
        for name in maps:
            if (name, field) in in_code:
                seen.add((name, field))
                known.update(in_code[(name, field)])
        here = dict(NUMBER.findall(row[1]))
        if here != known:
            wrong.append(f"enumerators of {row[0]}: {here} here, {known} in the code")
    wrong += [f"enumerators of {field} of {name} are not there" for name, field in in_code if (name, field) not in seen]
    return wrong


def main(arguments):
    if len(arguments) != 3 or arguments[2] not in ("--check", "--write"):
        print(__doc__)
        return 2
    samara, path = arguments[0], pathlib.Path(arguments[1])
    text = path.read_text(encoding="utf-8")
    tables = {name: printed(samara, name, "--bytes") for name in map_names(samara)}
    new, wrong = wrong_regions(text, tables)
    if arguments[2] == "--write":
        path.write_text(new, encoding="utf-8")
    elif new != text:
        lines = difflib.unified_diff(text.splitlines(), new.splitlines(), path.name, "the code", lineterm="")
        wrong += ["\n".join(lines)]
    wrong += wrong_maps(text, tables) + wrong_enumerators(text, tables)
    print("\n".join(wrong) if wrong else f"{len(tables)} tables of specs, that of maps and that of enumerators agree")
    return 1 if wrong or not tables else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
