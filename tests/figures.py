"""figures.py - what a reader meets: files, headers, exported functions, lengths; by room.

`make figures` runs it in the tree; needs universal-ctags.  A header has one user if a single module (X.c with its X.h),
its own apart, includes it.  An exported function has one user if a single file but its own calls it.
"""

import collections
import json
import pathlib
import re
import statistics
import subprocess

ROOMS = ["src/core", "src/core/facts", "src/table", "tb", "tb/memory", "tb/kernel", "tb/solve", "tb/encode",
         "tb/make" if pathlib.Path("tb/make").exists() else "tb/build",
         "probe", "src/study", "src/explore", "src/engine", "src/cli"]


def plain(text):
    """Code without comments and texts."""
    text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
    return re.sub(r'"(\\.|[^"\\])*"', '""', re.sub(r"//[^\n]*", " ", text))


def functions(files):
    """(path, name, is private, lines) of each function."""
    said = subprocess.run(["ctags", "--output-format=json", "--fields=+ne", "--languages=C", "--langmap=C:.c.h",
                           "--kinds-C=f", "-f", "-", *map(str, files)], capture_output=True, text=True, check=True)
    for line in said.stdout.splitlines():
        tag = json.loads(line)
        if tag.get("_type") != "tag" or "end" not in tag:
            continue
        head = text[tag["path"]].split("\n")[max(0, tag["line"] - 2):tag["line"]]
        yield tag["path"], tag["name"], bool(re.search(r"\bstatic\b|\bINLINE\b", " ".join(head))), tag["end"] - tag["line"] + 1


files = [f for room in ROOMS for f in sorted(pathlib.Path(room).glob("*.[ch]"))]
text = {str(f): f.read_text() for f in files}
words = {name: collections.Counter(re.findall(r"[A-Za-z_]\w*", plain(body))) for name, body in text.items()}
users = collections.defaultdict(set)
for name, body in text.items():
    for include in re.findall(r'^#include "([^"]+)"', body, re.M):
        for place in (include, "src/" + include):
            if place in text and name[:-2] != place[:-2]:
                users[place].add(name[:-2])
declared = re.compile(r"\b(\w+)\s*\([^;{]*\)\s*(?:__attribute__\s*\(\(.*?\)\)\s*)?;", re.S)
only_declares = {name: set(declared.findall(plain(body))) for name, body in text.items() if name.endswith(".h")}

found = list(functions(files))
exports = [(path, name) for path, name, private, _ in found if path.endswith(".c") and not private]
one_user = [
    (path, name) for path, name in exports
    if len({other for other in text if other[:-2] != path[:-2] and words[other][name]
            and not (name in only_declares.get(other, ()) and words[other][name] == 1)}) == 1 and not path.startswith("probe")]
lengths = sorted(length for *_, length in found)
lines = {name: sum(1 for line in body.split("\n") if line.strip()) for name, body in text.items()}
headers = [name for name in text if name.endswith(".h")]
lonely = [name for name in headers if len(users[name]) == 1]

print(f"files {len(files)}, median lines {statistics.median_low(lines.values())}, largest {max(lines.values())}"
      f" ({max(lines, key=lines.get)}); lines in all {sum(lines.values())}")
print(f"headers {len(headers)}, with one user {len(lonely)}")
print(f"exported functions {len(exports)}, used by one file {len(one_user)}")
print(f"functions {len(lengths)}, median lines {statistics.median_low(lengths)}, p95 {lengths[int(.95 * len(lengths))]},"
      f" longest {lengths[-1]}")
for room in ROOMS:
    here = [name for name in text if str(pathlib.Path(name).parent) == room]
    print(f"  {room:16}{len(here):4} files{sum(name in headers for name in here):4} headers"
          f"{sum(lines[name] for name in here):7} lines")
