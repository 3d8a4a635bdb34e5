"""A table file (docs/format.md; sections by number), and what it says of a number."""

from __future__ import annotations

import os
import stat
import threading
from bisect import bisect_right
from collections import OrderedDict
from itertools import accumulate
from typing import Any, Callable, List, NamedTuple, Optional, Tuple

from . import material as materials
from .facts import Facts
from .fault import (CORRUPT, NEWER, NO_TABLE, NOT_IN_MEMORY, OVER_BUDGET, SYSTEM, Fault,
                    system_fault)
from .game import Variant, homes_name
from .hashes import M64, ZstdMissing, unpack_zstd, xxh3
from .index import Index
from .material import Material

WDL, DTW = 0, 1
_ENDING = "bkw", "bkd"

# == What is kept of files that have been read ==


class Store:
    """Things that were read, least recently used first; all tablebases that share it have part in its
    budget.  Bytes are estimates."""

    def __init__(self, budget: int) -> None:
        self.budget = budget
        self.used = 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[Any, Tuple[Any, int]] = OrderedDict()

    def get(self, key: Any, only: bool, make: Callable[[], Tuple[Any, int]]) -> Any:
        """What is kept, else what make() returns, with its bytes.  only: nothing is made."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][0]
        if only:
            raise Fault(NOT_IN_MEMORY, "not in memory")
        made, size = make()
        with self._lock:
            if size > self.budget:
                raise Fault(OVER_BUDGET, f"{size} bytes are needed, and {self.budget} allowed")
            self.used += size - self._kept.pop(key, (None, 0))[1]
            self._kept[key] = made, size
        self.set_budget(self.budget)
        return made

    def set_budget(self, budget: int) -> None:
        with self._lock:
            self.budget = budget
            while self.used > budget:
                self.used -= self._kept.popitem(last=False)[1][1]

    def forget(self, owner: int) -> None:
        """All whose key begins with `owner`."""
        with self._lock:
            for key in [key for key in self._kept if key[0] == owner]:
                self.used -= self._kept.pop(key)[1]


# == Numbers: 1 ==


class _Bytes:
    def __init__(self, data: bytes, at: int, end: int, path: str) -> None:
        self.data, self.at, self.end, self.path = data, at, end, path

    def take(self, n: int) -> bytes:
        if n > self.end - self.at:
            raise _damaged(self.path, "the head")
        self.at += n
        return self.data[self.at - n:self.at]

    def fixed(self, n: int) -> int:
        return int.from_bytes(self.take(n), "little")

    def varint(self, most: int = M64) -> int:
        x = shift = 0
        while True:
            byte = self.fixed(1)
            x |= (byte & 127) << shift
            if byte < 128:
                break
            shift += 7
        if x > most or shift > 63 or (shift and not byte):
            raise _damaged(self.path, "the head")
        return x

    def name(self, most: int) -> str:
        raw = self.take(self.fixed(1))
        if len(raw) > most or any(not 32 < c < 127 for c in raw):
            raise _damaged(self.path, "the head")
        return raw.decode()


def _damaged(path: str, what: str) -> Fault:
    return Fault(CORRUPT, f"{path}: damaged: {what}")


# == The head: 2 to 5 ==

_MAGIC, _BEFORE = b"\x89BKE\r\n\x1a\n", b"\x89BKT\r\n\x1a\n"


class Unit(NamedTuple):
    """side, and numbers from first to end; where its parts lie in the file."""

    side: int
    first: int
    end: int
    model_at: int
    model: int
    shards: int
    shards_at: int
    shard_bytes: int
    sum: int


class Head:
    """What the head says; nothing of a game is asked."""

    def __init__(self, data: bytes, path: str) -> None:
        n = len(data)
        if int.from_bytes(data[-8:], "little") != xxh3(data[:-8]):
            raise _damaged(path, "checksum of the head")
        for value, known, what in ((data[8], 1, "format version"), (data[9], 1, "kind"),
                                   (data[10], 1, "facts of version"), (data[11], 7, "flags")):
            if value > known:
                raise Fault(NEWER, f"{path}: needs a newer bareking ({what} {value})")
        if data[8] != 1 or data[10] != 1:
            raise _damaged(path, "version")
        self.kind, flags = data[9], data[11]
        self.standalone, self.one_side = bool(flags & 1), bool(flags & 2)
        self.distances = bool(flags & 4)
        self.rules = int.from_bytes(data[16:24], "little")
        b = _Bytes(data, 24, n - 8, path)
        self.positions = b.varint()
        self.order = list(b.take(b.fixed(1)))
        self.material, self.game = b.name(95), b.name(63)
        self.summary = [[b.varint() for _ in range(10)] for _ in range(1 if self.one_side else 2)]
        units = b.varint(4096)
        self.units = [(b.varint(0xFFFFFFFF), b.varint(1 << 26), b.varint(0xFFFFFFFF), b.varint(M64 >> 8),
                       b.fixed(4)) for _ in range(units)]
        for _ in range(b.varint(255)):
            tag = b.fixed(1)
            b.take(b.varint(1 << 20))
            if tag & 1:
                raise Fault(NEWER, f"{path}: needs a newer bareking (section {tag})")
        if b.at != b.end or not units or not all(u[0] and u[1] for u in self.units):
            raise _damaged(path, "the head")

    def summary_holds(self) -> bool:
        """3, 10.7"""
        def longest(plies: int, number: int, found: int, won: int) -> bool:
            if not plies:
                return not found or not self.distances
            return bool(found) and number < self.positions and (plies - 1) % 2 == won

        return all(sum(s[:3]) <= self.positions
                   and all(n <= every <= 8 * n for n, every in zip(s[:3], s[3:6]))
                   and longest(s[6], s[7], s[0], 1) and longest(s[8], s[9], s[2], 0)
                   for s in self.summary)


# == Models: 6 ==


def _frame_size(frame: bytes) -> int:
    """The size of what a zstd frame holds, which it must tell; nothing is behind it.  ValueError."""
    if len(frame) < 6 or frame[:4] != b"\x28\xb5\x2f\xfd":
        raise ValueError
    flags = frame[4]
    single = flags >> 5 & 1
    at = 5 + (not single) + (0, 1, 2, 4)[flags & 3]
    width = (1 if single else 0, 2, 4, 8)[flags >> 6]
    size = int.from_bytes(frame[at:at + width], "little") + (256 if width == 2 else 0)
    at, last = at + width, 0
    while not last and at < len(frame):
        block = int.from_bytes(frame[at:at + 3], "little")
        last = block & 1
        at += 3 + (1 if block >> 1 & 3 == 1 else block >> 3)
    if not width or size > 1 << 28 or not last or at + 4 * (flags >> 2 & 1) != len(frame):
        raise ValueError
    return size


class Model:
    """The tree: `fact` by node (-1: a leaf), `no` the node if the answer is no, or the leaf's code.
    Codes: `value` by entry (-1: a question), `other` the entry if it is an exception, `nth` which
    question it is.  Yes, and the likely answer, come next."""

    def __init__(self, raw: bytes, numbers: int, facts: int, values: int) -> None:
        nodes, codes, questions, large = (int.from_bytes(raw[i:i + 4], "little") for i in (0, 4, 8, 12))
        if (len(raw) != 16 + nodes + codes + 2 * questions + 2 * large or nodes % 2 == 0
                or (nodes + 1) // 2 + questions > numbers // 4 + 65536):
            raise ValueError
        at = 16 + nodes + codes
        self.rc, self.rp = raw[at:at + questions], raw[at + questions:at + 2 * questions]
        if any(r > 20 for r in self.rc) or any(r > 14 for r in self.rp):
            raise ValueError
        big = iter(range(at + 2 * questions, len(raw), 2))
        all_ = [x if x < 255 else int.from_bytes(raw[i:i + 2], "little") for x, i in
                ((x, next(big, 0) if x == 255 else 0) for x in raw[16:at])]
        if next(big, None) is not None:
            raise ValueError
        self.fact, self.no = self._tree(all_[:nodes], facts)
        self._codes(all_[nodes:], (nodes + 1) // 2, questions, values)

    @staticmethod
    def _tree(numbers: List[int], facts: int) -> Tuple[List[int], List[int]]:
        fact, no, leaves = [x - 1 for x in numbers], [0] * len(numbers), 0
        open_: List[int] = []
        for node, x in enumerate(fact):
            if x >= facts or (node and not open_):
                raise ValueError
            if node and fact[node - 1] < 0:
                no[open_.pop()] = node
            if x < 0:
                no[node], leaves = leaves, leaves + 1
            else:
                open_.append(node)
        if open_ or fact[-1] >= 0:
            raise ValueError
        return fact, no

    def _codes(self, numbers: List[int], leaves: int, questions: int, values: int) -> None:
        self.value = [x - 1 for x in numbers]
        self.other, self.nth, roots = [0] * len(numbers), [0] * len(numbers), []  # type: Any, Any, List[int]
        open_: List[int] = []
        asked = 0
        for entry, x in enumerate(self.value):
            if entry and self.value[entry - 1] >= 0 and open_:
                self.other[open_.pop()] = entry
            elif not entry or self.value[entry - 1] >= 0:
                roots.append(entry)
            if x >= values:
                raise ValueError
            if x < 0:
                open_.append(entry)
                self.nth[entry], asked = asked, asked + 1
        if open_ or asked != questions or len(roots) != leaves or self.value[-1:] < [0]:
            raise ValueError
        for node, x in enumerate(self.fact):
            if x < 0:
                self.no[node] = roots[self.no[node]]

    def code_of(self, fact: Callable[[int], bool]) -> int:
        """The entry where the code of a position's leaf begins."""
        node = 0
        while self.fact[node] >= 0:
            node = node + 1 if fact(self.fact[node]) else self.no[node]
        return self.no[node]


# == Shards: 7, 8 ==

_M, _K = 0xD6E8FEB86659FD93, 0xD1342543DE82EF95


class Shard(NamedTuple):
    at: int
    words: Tuple[int, int]
    seeds: Tuple[int, int]
    sum: int


def _mix(x: int) -> int:
    x = (x ^ x >> 32) * _M & M64
    x = (x ^ x >> 32) * _M & M64
    return x ^ x >> 32


def _key(row: int, question: int, square: int) -> int:
    x = (row + (256 * question + square) * _K) & M64
    x = (x ^ x >> 32) * _M & M64
    return x ^ x >> 32


class Ribbon:
    def __init__(self, data: bytes, seed: int) -> None:
        self.data = data
        self.by = _mix(seed + 0x632BE59BD9B4E019) | 1

    def bit(self, key: int) -> int:
        x = key * self.by & M64
        c = x ^ x >> 29
        n = len(self.data)
        start = min(max(((x >> 32) * (n + 1) >> 32) - 8, 0), n - 16)
        mask = (c * 0x9FB21C651E98DF25 & M64) | (c * _K & M64) >> 1 << 64
        window = int.from_bytes(self.data[start:start + 16], "little")
        return bin(window & mask).count("1") & 1

    def maybe(self, key: int, r: int) -> bool:
        if r and not self.data:
            return False
        asked = key
        for j in range(r):
            if self.bit(asked) != key >> j & 1:
                return False
            asked = asked * 0xF1357AEA2E62A9C5 & M64
        return True

    def holds(self, key: int) -> bool:
        return bool(self.data) and bool(self.bit((key << 32 | key >> 32) & M64))


# == The file ==


def path_of(folder: str, v: Variant, m: Material, kind: int) -> str:
    wings = m.rights & 3 | m.rights >> 2
    return f"{folder}/{homes_name(v, wings)}/{materials.name(v, m)}.{_ENDING[kind]}"


class TableFile:
    """A file of a game, opened for a material; its head is read, the rest when it is asked.  It is not
    held open: each read makes sure that it is still the same."""

    def __init__(self, path: str, v: Variant, wanted: Material, kind: int, store: Store, owner: int,
                 twin: Optional[TableFile] = None) -> None:
        self.path, self.v, self.store, self.owner = path, v, store, owner
        self._stamp: Any = None
        self.head = self._read_head()
        m = self._check_meaning(wanted, kind)
        try:
            same = twin is not None and twin.head.order == self.head.order
            self.index: Index = twin.index if twin and same else Index(v, m, self.head.order)
        except Fault as fault:
            raise _damaged(path, fault.text) from None
        if self.index.positions != self.head.positions:
            raise _damaged(path, "number of positions")
        self.units = self._place_units()
        men = [(v.royal, 0), (v.royal, 1), *((s.kind, s.colour) for s in self.index.slots)]
        self.facts: Facts = twin.facts if twin else Facts(v, tuple(men))

    @property
    def size(self) -> int:
        """What it takes in memory, about."""
        return 4096 + 200 * len(self.facts.list) + 400 * len(self.index.blocks)

    # == Reading ==

    def read(self, at: int, n: int) -> bytes:
        """10: what is cut short is damaged."""
        try:
            fd = os.open(self.path, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0)
                         | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        except (FileNotFoundError, NotADirectoryError) as error:
            if self._stamp is None:
                raise Fault(NO_TABLE, f"{self.path}: {error.strerror}") from None
            raise Fault(SYSTEM, f"{self.path}: has gone since it was opened") from None
        except OSError as error:
            raise system_fault(error, self.path) from None
        try:
            with open(fd, "rb", buffering=0) as file:
                info = os.fstat(fd)
                if not stat.S_ISREG(info.st_mode):
                    raise Fault(CORRUPT, f"{self.path}: not a regular file")
                stamp = info.st_dev, info.st_ino, info.st_size, info.st_mtime_ns
                if self._stamp not in (None, stamp):
                    raise Fault(SYSTEM, f"{self.path}: has changed since it was opened")
                self._stamp = stamp
                file.seek(at)
                data = b""
                while len(data) < n:
                    more = file.read(n - len(data))
                    if not more:
                        raise _damaged(self.path, "cut short")
                    data += more
                return data
        except OSError as error:
            raise system_fault(error, self.path) from None

    def _read_head(self) -> Head:
        first = self.read(0, 16)
        size: int = self._stamp[2]
        if first[:8] == _BEFORE:
            raise Fault(CORRUPT, f"{self.path}: made by an older bareking: build it again")
        if first[:8] != _MAGIC:
            raise Fault(CORRUPT, f"{self.path}: not a bareking table")
        n = int.from_bytes(first[12:], "little")
        if not 32 < n <= min(size, 1 << 20):
            raise _damaged(self.path, "size of the head")
        head = Head(self.read(0, n), self.path)
        says = n + sum(u[1] + 14 * u[2] + u[3] for u in head.units)
        if says != size:
            raise _damaged(self.path, f"{size} bytes, its head says {says}")
        self._head_bytes = n
        return head

    def _check_meaning(self, wanted: Material, kind: int) -> Material:
        """10.6, 10.7"""
        v, head = self.v, self.head
        if head.rules not in v.wings_id:
            self._check_rules(v.rules_id)
        try:
            m = materials.parse(v, head.material)
        except Fault as fault:
            raise _damaged(self.path, fault.text) from None
        self._check_rules(v.wings_id[m.rights & 3 | m.rights >> 2])
        if sorted(head.order) != [*range(m.men - 2), 255]:
            raise _damaged(self.path, "order of the men")
        if head.one_side and not one_side(v, m):
            raise _damaged(self.path, "one side of a table that has two")
        if m != wanted or head.kind != kind:
            raise Fault(CORRUPT, f"{self.path}: holds another table than {materials.name(v, wanted)}")
        if materials.name(v, m) != head.material:
            raise _damaged(self.path, "name of its material")
        if not head.summary_holds():
            raise _damaged(self.path, "what it adds up to")
        return m

    def _check_rules(self, rules: int) -> None:
        if self.head.rules != rules:
            raise Fault(CORRUPT, f"{self.path}: made for {self.head.game} with other rules "
                                 f"({self.head.rules:016x}, not {rules:016x})")

    def _place_units(self) -> List[Unit]:
        """4"""
        units, blocks, block, side = [], self.index.blocks, 0, 0
        sides = 1 if self.head.one_side else 2
        front = self._head_bytes
        shards_at = front + sum(u[1] + 14 * u[2] for u in self.head.units)
        for n, model, shards, shard_bytes, check in self.head.units:
            if block == len(blocks):
                block, side = 0, side + 1
            if side == sides or n > len(blocks) - block:
                raise _damaged(self.path, "blocks of its units")
            first, last = blocks[block].first, blocks[block + n - 1]
            end = last.first + last.size
            if shards > end - first:
                raise _damaged(self.path, "size of a unit")
            units.append(Unit(side, first, end, front, model, shards, shards_at, shard_bytes, check))
            front, shards_at, block = front + model + 14 * shards, shards_at + shard_bytes, block + n
        if block != len(blocks) or side != sides - 1:
            raise _damaged(self.path, "blocks of its units")
        return units

    # == Units and shards ==

    def _open_unit(self, nth: int) -> Tuple[Tuple[Model, List[int], List[Shard]], int]:
        """10.8: the model; the first number of each shard, and where the last ends; the shards."""
        u = self.units[nth]
        data = self.read(u.model_at, u.model + 14 * u.shards)
        if xxh3(data, nth) & 0xFFFFFFFF != u.sum:
            raise _damaged(self.path, f"checksum of unit {nth}")
        frame = data[:u.model]
        values = 3 if self.head.kind == WDL else 0xFFFF
        try:
            size = _frame_size(frame)
            if size > 16 + 9 * ((u.end - u.first) // 4 + 65536):
                raise ValueError
            raw = unpack_zstd(frame, size)
            model = Model(raw, u.end - u.first, len(self.facts.list), values)
        except ZstdMissing:
            raise Fault(SYSTEM, f"{self.path}: to read it without libbareking Python needs zstd: Python 3.14,"
                                " the module zstandard (python3-zstandard), or libzstd") from None
        except ValueError as error:
            raise _damaged(self.path, f"model: {error}".rstrip(": ")) from None
        shards, at = [], u.shards_at
        counts = []
        for i in range(u.model, len(data), 14):
            n, a, b = (int.from_bytes(data[i + x:i + y], "little") for x, y in ((0, 4), (4, 6), (6, 8)))
            shards.append(Shard(at, (a, b), (data[i + 8], data[i + 9]),
                                int.from_bytes(data[i + 10:i + 14], "little")))
            counts.append(n)
            at += 8 * (a + b)
            if not n or a == 1 or b == 1:
                raise _damaged(self.path, "directory")
        firsts = list(accumulate(counts, initial=u.first))
        if firsts[-1] != u.end or at != u.shards_at + u.shard_bytes:
            raise _damaged(self.path, "directory: its shards do not add up to the table")
        return (model, firsts, shards), 1024 + 32 * len(raw) + 200 * len(shards)

    def _open_shard(self, shard: Shard, nth: int) -> Tuple[Tuple[Ribbon, Ribbon], int]:
        """10.9"""
        a, b = (8 * n for n in shard.words)
        data = self.read(shard.at, a + b) if a + b else b""
        if xxh3(data, nth) & 0xFFFFFFFF != shard.sum:
            raise _damaged(self.path, f"checksum of shard {nth}")
        return (Ribbon(data[:a], shard.seeds[0]), Ribbon(data[a:], shard.seeds[1])), 500 + a + b

    def value(self, side: int, number: int, row: int, at: Tuple[int, ...], fact: Callable[[int], bool],
              only: bool) -> int:
        """8: what the file says.  at, row: as Index.rank() has them; fact: the facts of `at`; only: in
        memory."""
        nth = next(i for i, u in enumerate(self.units) if u.side == side and number < u.end)
        model, firsts, shards = self.store.get((self.owner, self.path, nth), only,
                                               lambda: self._open_unit(nth))
        entry = model.code_of(fact)
        value: int = model.value[entry]
        if value >= 0:
            return value
        which = bisect_right(firsts, number) - 1
        a, b = self.store.get((self.owner, self.path, nth, which), only,
                              lambda: self._open_shard(shards[which], which))
        mixed = _mix(row + 0x9E3779B97F4A7C15 & M64)
        inner = at[self.index.inner]
        while value < 0:
            q = model.nth[entry]
            key = _key(mixed, q, inner)
            other = (a.maybe(_key(mixed, q, 255), model.rc[q]) and a.maybe(key, model.rp[q])
                     and b.holds(key))
            entry = model.other[entry] if other else entry + 1
            value = model.value[entry]
        return value

    def read_all(self) -> None:
        """Into the store, as far as it goes."""
        for nth in range(len(self.units)):
            _, _, shards = self.store.get((self.owner, self.path, nth), False, lambda: self._open_unit(nth))
            for which, shard in enumerate(shards):
                self.store.get((self.owner, self.path, nth, which), False,
                               lambda: self._open_shard(shard, which))


def one_side(v: Variant, m: Material) -> bool:
    """2, flags: is Black to move the same as White to move with colours exchanged?"""
    return m == materials.exchanged(m) and materials.swap_of(v, m) is not None
