"""pull_soak.py BAREKING SOURCE N [SEED] - N pulls from a server that errs, some of them killed.

SOURCE has the tables and their list.  Each pull goes on in the folder of one before, or begins anew; a third are
killed (SIGKILL) at some moment, and now and then two pull at once.  After each, every file under a final name has the
bytes of the source's.  In the end a pull from a good server makes each folder whole, and leaves nothing else.
"""
import collections
import concurrent.futures
import filecmp
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import pull_server

WORKERS = 4


class Soak:
    def __init__(self, bareking, source, n, seed):
        self.bareking, self.source, self.seed = bareking, pathlib.Path(source), seed
        self.server = pull_server.Server(source, seed)
        self.files = sorted(p.relative_to(source) for p in self.source.rglob("*.bk?"))
        self.left, self.lock, self.ended = n, threading.Lock(), collections.Counter()
        self.wrong = []

    def pull(self, folder, how):
        return subprocess.Popen(
            [self.bareking, "pull", f"http://127.0.0.1:{self.server.port}/{how}", "shatranj", "KPvKP", "KRvKN", "--dir",
             str(folder), "--quiet"],
            env={**os.environ, "BAREKING_PATIENCE": "0.1", "no_proxy": "*"}, stderr=subprocess.PIPE, text=True)

    def look(self, folder, what):
        """What is under a final name is whole and right."""
        for path in folder.rglob("*"):
            name = path.relative_to(folder)
            if name in self.files:
                if not filecmp.cmp(path, self.source / name, shallow=False):
                    self.wrong.append(f"{what}: {name} is not as it should be")
            elif path.is_file() and not name.name.endswith((".part", ".lock")):
                self.wrong.append(f"{what}: {name}")
        self.wrong += [f"{what}: {path} outside" for path in folder.parent.iterdir() if path != folder]

    def one(self, chance, folder):
        """One pull, or two at once; kills some."""
        how = f"random:{chance.choice((10, 30, 60, 90))}"
        running = [self.pull(folder, how) for _ in range(2 if chance.random() < 0.05 else 1)]
        for process in running:
            killed = chance.random() < 1 / 3
            try:
                process.wait(chance.uniform(0, 0.25) if killed else 120)
            except subprocess.TimeoutExpired:
                process.kill()
                if not killed:
                    self.wrong.append(f"{how}: hangs")
            said = process.communicate()[1].splitlines()
            with self.lock:
                self.ended["killed" if process.returncode == -9 else f"status {process.returncode}"] += 1
            if process.returncode not in (-9, 0, 1, 3, 4) or any(not line.startswith("bareking: ") for line in said) or \
                    (process.returncode != -9 and (process.returncode != 0) != bool(said)):
                self.wrong.append(f"{how}: status {process.returncode}: {said}")
        self.look(folder, how)
        return len(running)

    def work(self, nth, top):
        chance, folder = random.Random(f"{self.seed} {nth}"), pathlib.Path(top) / str(nth) / "t"
        while True:
            with self.lock:
                if self.left <= 0 or self.wrong:
                    break
                self.left -= 1
            if chance.random() < 0.4 or not folder.parent.exists():
                folder.parent.mkdir(exist_ok=True)
                shutil.rmtree(folder, ignore_errors=True)
            more = self.one(chance, folder) - 1
            with self.lock:
                self.left -= more
        last = self.pull(folder, "good")
        said = last.communicate()[1]
        there = sorted(p.relative_to(folder) for p in folder.rglob("*") if p.is_file())
        if last.returncode or said or there != self.files:
            self.wrong.append(f"a good pull in the end: {last.returncode} {said} {there}")
        self.look(folder, "in the end")

    def run(self):
        started = time.time()
        with tempfile.TemporaryDirectory() as top:
            with concurrent.futures.ThreadPoolExecutor(WORKERS) as workers:
                for _ in workers.map(self.work, range(WORKERS), [top] * WORKERS):
                    pass  # what one of them met is met here
        met = sum(n for fault, n in self.server.met.items() if fault)
        for line in self.wrong[:10]:
            print(line)
        ended = ", ".join(f"{n} {how}" for how, n in sorted(self.ended.items()))
        print(f"{sum(self.ended.values())} pulls ({ended}) met {met} faults of {len(self.server.met) - 1} kinds "
              f"in {time.time() - started:.0f} s")
        return bool(self.wrong)


if __name__ == "__main__":
    sys.exit(Soak(sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4] if len(sys.argv) > 4 else "1").run())
