#!/usr/bin/env python3
"""eta.py BAREKING ARGUMENT... - how well the bar of `build` or `count` foretells its end.

Runs the command on a terminal and reads what it draws: how long it stood still at most, whether it ever went
back, and, from a tenth of the time on, by which factors the time left was too short and too long.  Times below
a second are passed over, for the bar counts in seconds.  Measures; `make eta` runs some builds.
"""
import os
import pty
import re
import sys
import time

BAR = re.compile(rb"\[[#-]{20}\] +(\d+) %.*?(?:(\d+):)?(\d+):(\d\d) left")


def watch(command):
    """The moments at which something was drawn, and what: (seconds, per cent, seconds left)."""
    pid, fd = pty.fork()
    if pid == 0:
        os.execvp(command[0], command)
    began, drawn, moments, rest = time.monotonic(), [], [], b""
    while True:
        try:
            data = os.read(fd, 65536)
        except OSError:
            data = b""
        if not data:
            break
        now = time.monotonic() - began
        moments.append(now)
        *lines, rest = re.split(rb"\x1b\[K", rest + data)
        for line in lines:
            m = BAR.search(line)
            if m:
                hours, minutes, seconds = (int(n or 0) for n in m.groups()[1:])
                drawn.append((now, int(m[1]), 3600 * hours + 60 * minutes + seconds))
    if os.waitpid(pid, 0)[1]:
        sys.exit("eta: the command failed: " + rest.decode(errors="replace"))
    return time.monotonic() - began, moments, drawn


def main():
    took, moments, drawn = watch(sys.argv[1:])
    still = max((b - a for a, b in zip(moments, moments[1:])), default=took)
    back = sum(b[1] < a[1] for a, b in zip(drawn, drawn[1:]))
    short = long = 1.0
    for now, _, left in drawn:
        truth = took - now
        if now < took / 10 or truth < 1 or left < 1:
            continue
        short, long = max(short, truth / left), max(long, left / truth)
    print(f"{took:7.1f} s, {len(drawn)} drawn, at most {still:.1f} s apart, {back} back, "
          f"too short by {short:.2f}, too long by {long:.2f}: {' '.join(sys.argv[2:])}", flush=True)
    return back or still > 1


if __name__ == "__main__":
    sys.exit(main())
