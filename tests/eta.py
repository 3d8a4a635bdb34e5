#!/usr/bin/env python3
"""eta.py ARGUMENT... - how well the bar of `build` or `count` foretells its end.

Runs the command on a terminal and reads what it draws: how long it stood still at most, whether it ever went
back, and, from a tenth of the time on, by which factors the time left was too short and too long.  Times with
less than two seconds left are passed over, or, of builds of less than twenty seconds, with less than a tenth;
the bar counts in seconds, so half of one is forgiven.  With CPUTIME=FILE.so in the environment
(tests/cputime.c) all is in CPU time.  ETA_SEEN=1 prints all.  `make eta` runs some builds.
"""
import os
import pty
import re
import sys
import time

BAR = re.compile(rb"\[[#-]{20}\] +(\d+) %.*?(?:(\d+):)?(\d+):(\d\d) left")


def clock_of(pid):
    """The clock by which a command is watched."""
    if not os.environ.get("CPUTIME"):
        began = time.monotonic()
        return lambda: time.monotonic() - began
    return lambda: time.clock_gettime(~pid << 3 | 2)


def watch(command):
    """What it took, how long nothing was drawn, and what was drawn: (seconds, per cent, seconds left)."""
    pid, fd = pty.fork()
    if pid == 0:
        if os.environ.get("CPUTIME"):
            os.environ["LD_PRELOAD"] = os.environ["CPUTIME"]
        os.execvp(command[0], command)
    clock, drawn, rest, now, still, last = clock_of(pid), [], b"", 0, 0, time.monotonic()
    while True:
        try:
            data = os.read(fd, 65536)
        except OSError:
            data = b""
        if not data:
            break
        try:
            now = clock()
        except OSError:  # it has ended
            pass
        still, last = max(still, time.monotonic() - last), time.monotonic()
        *lines, rest = re.split(rb"\x1b\[K", rest + data)
        for line in lines:
            m = BAR.search(line)
            if m:
                hours, minutes, seconds = (int(n or 0) for n in m.groups()[1:])
                drawn.append((now, int(m[1]), 3600 * hours + 60 * minutes + seconds))
    if os.waitpid(pid, 0)[1]:
        sys.exit("eta: the command failed: " + rest.decode(errors="replace"))
    return now, still, drawn


def main():
    took, still, drawn = watch(sys.argv[1:])
    back = sum(b[1] < a[1] for a, b in zip(drawn, drawn[1:]))
    short = long = 1.0
    for now, share, left in drawn:
        truth = took - now
        if now < took / 10 or truth < min(2, took / 10):
            continue
        low, high = truth / (left + 0.5), (left - 0.5) / truth
        short, long = max(short, low), max(long, high)
        if os.environ.get("ETA_SEEN"):
            print(f"{now:8.2f} {share:3d} % {left:5d} left, in truth {truth:6.2f}: {left / truth:5.2f}")
    print(f"{took:7.1f} s, {len(drawn)} drawn, at most {still:.1f} s apart, {back} back, "
          f"too short by {short:.2f}, too long by {long:.2f}: {' '.join(sys.argv[2:])}", flush=True)
    return back or still > 1


if __name__ == "__main__":
    sys.exit(main())
