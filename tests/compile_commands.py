"""Reads what `make -nB V=1` would do, writes compile_commands.json: for editors (clangd)."""

import json
import os
import re
import sys

here = os.getcwd()
commands = []
for line in sys.stdin:
    for part in re.split(r"[;&]+ ", line.strip()):
        found = re.search(r" -c (\S+\.c) -o (\S+)$", part)
        if found:
            commands.append({"directory": here, "command": part, "file": found[1], "output": found[2]})
json.dump(commands, sys.stdout, indent=1)
