#!/usr/bin/env python3
"""check_security.py ROOT: every file that SECURITY.md names is there, and every promise names one."""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
text = (root / "SECURITY.md").read_text(encoding="utf-8")
wrong = [f"SECURITY.md: no file '{name}'" for name in re.findall(r"`((?:tests|src|include|ports|examples)/[^`]*)`", text)
         if not (root / name).is_file()]
promises = re.split(r"^\d+\. ", text.partition("## What is promised")[2].partition("\n## ")[0], flags=re.MULTILINE)[1:]
wrong += [f"SECURITY.md: promise {number} names no test" for number, promise in enumerate(promises, 1)
          if "*Tests:* `tests/" not in " ".join(promise.split())]
if not promises:
    wrong.append("SECURITY.md: no promises")
for name in ("README.md", "CONTRIBUTING.md"):
    if "(SECURITY.md)" not in (root / name).read_text(encoding="utf-8"):
        wrong.append(f"{name}: no link to SECURITY.md")
print("\n".join(wrong) or f"{len(promises)} promises")
sys.exit(1 if wrong else 0)
