"""Which files answer a position (docs/format.md 9), and what is missing to answer it."""

from __future__ import annotations

import itertools
import os
import threading
from typing import Dict, Iterator, List, NamedTuple, Optional, Tuple

from . import material as materials
from .fault import CORRUPT, NEWER, NO_TABLE, Fault
from .file import DTW, WDL, Head, Store, TableFile, path_of
from .game import MEN_MAX, Variant, homes_name
from .material import Material
from .position import Pos
from .settle import Table

HAS_WDL, HAS_DTW, LOST_DTW = 1, 2, 4
_NEEDS_MOST = 1000
_TEXT = 511  # letters of a message, as the library has them
_serials = itertools.count(1)


class Listed(NamedTuple):
    material: str
    men: int
    has: int
    bytes: int


class Catalog:
    """The tables of a game in some folders; what was looked for is remembered."""

    def __init__(self, v: Variant, paths: str, store: Store) -> None:
        self.v, self.paths, self.store = v, paths, store
        self.folders = [folder for folder in paths.split(":") if folder]
        self.serial = next(_serials)
        self._found: Dict[Material, Optional[Tuple[str, Optional[str]]]] = {}
        self._bad: Dict[Material, Fault] = {}
        self._missing: Dict[Material, str] = {}
        self._lock = threading.Lock()

    # == Finding ==

    def _is_there(self, m: Material, kind: int) -> Optional[str]:
        """The first folder's path of a file."""
        paths = (path_of(folder, self.v, m, kind) for folder in self.folders)
        return next((path for path in paths if os.path.lexists(path)), None)

    def _find(self, m: Material) -> Optional[Tuple[str, Optional[str]]]:
        """The paths of the files of the first folder that has both; else each in the first that has
        it; None: there is no table."""
        for folder in self.folders:
            both = path_of(folder, self.v, m, WDL), path_of(folder, self.v, m, DTW)
            if all(map(os.path.lexists, both)):
                return both
        wdl = self._is_there(m, WDL)
        return None if wdl is None else (wdl, self._is_there(m, DTW))

    def _open(self, m: Material) -> Tuple[Table, int]:
        if m not in self._found:
            self._found[m] = self._find(m)
        paths = self._found[m]
        if paths is None:
            raise Fault(NO_TABLE, "no table")
        own = self.store, self.serial
        wdl = TableFile(paths[0], self.v, m, WDL, *own)
        dtw = damaged = None
        try:
            dtw = paths[1] and TableFile(paths[1], self.v, m, DTW, *own, wdl)
        except Fault as fault:
            if fault.code not in (CORRUPT, NEWER):
                raise
            damaged = fault
        table = Table(self.v, m, wdl, dtw or None, damaged, materials.swap_of(self.v, m))
        return table, wdl.size + (1024 if dtw else 0)

    def table(self, m: Material, only: bool) -> Table:
        """Of a canonical material.  Fault: NO_TABLE, CORRUPT, ..."""
        if m in self._bad:
            raise self._bad[m]
        if m in self._found and self._found[m] is None:
            raise Fault(NO_TABLE, "no table")
        try:
            return self.store.get((self.serial, m), only, lambda: self._open(m))  # type: ignore[no-any-return]
        except Fault as fault:
            if fault.code in (CORRUPT, NEWER):
                self._bad[m] = fault
            raise

    def find(self, p: Pos, only: bool) -> Tuple[Table, bool]:
        """The table of a position, and are the colours exchanged there?"""
        if len(p.men) > MEN_MAX:
            raise Fault(NO_TABLE, "too many men")
        m, swapped = materials.canonical(self.v, materials.material_of(self.v, p))
        return self.table(m, only), swapped

    # == What is there, and what is missing ==

    def has(self, m: Material) -> int:
        if not self._is_there(m, WDL):
            return 0
        return HAS_WDL | (HAS_DTW if self._is_there(m, DTW) else 0)

    def _needs(self, m: Material) -> Tuple[List[Material], bool]:
        """The tables that its positions may need, not too many; are there more?"""
        some = list(itertools.islice(materials.needed(self.v, m), _NEEDS_MOST + 1))
        return some[:_NEEDS_MOST], len(some) > _NEEDS_MOST

    def missing(self, p: Pos) -> Fault:
        """NO_TABLE, with the names of all that is missing, as many as the text holds."""
        if len(p.men) > MEN_MAX:
            return Fault(NO_TABLE, f"no table of {self.v.name} for {len(p.men)} men: {MEN_MAX} at most")
        m = materials.canonical(self.v, materials.material_of(self.v, p))[0]
        if m not in self._missing:
            self._missing[m] = self._name_missing(m)
        return Fault(NO_TABLE, self._missing[m])

    def _name_missing(self, m: Material) -> str:
        needs, more = self._needs(m)
        late = m in self._found and self._found[m] is None
        name = materials.name(self.v, m)
        game = homes_name(self.v, m.rights & 3 | m.rights >> 2)
        for kind in (WDL,) if late else (WDL, DTW):
            lacking = [n for n in needs if not self._is_there(n, kind)]
            if lacking:
                return self._name_all(lacking, kind, more)
        if more and not late:
            return f"a table that {name} of {game} leads to is not in {self.paths}: bk_list_missing()"
        return f"tables of {name} of {game} came to {self.paths} after they were looked for: bk_refresh()"

    def _name_all(self, lacking: List[Material], kind: int, more: bool) -> str:
        names = [materials.name(self.v, m) + ("" if kind == WDL else " (distances)") for m in lacking]
        game = homes_name(self.v, lacking[0].rights & 3 | lacking[0].rights >> 2)
        odd = odd_folders(self.v, self.paths)
        text = (f"no {'table' if kind == WDL else 'distances of'} "
                f"{materials.name(self.v, lacking[0])} of {game}"
                + (f" in {self.paths}" if self.folders else ": no folder given")
                + (f" ({odd})" if odd else ""))
        n = 1
        for name in names[1:]:
            item = ("; also missing: " if n == 1 else ", ") + name
            if len(text) + len(item) + len("; and 1000000 more") > _TEXT:
                break
            text, n = text + item, n + 1
        mark = ";" if n == 1 else ","
        return text + (f"{mark} and more" if more else
                       f"{mark} and {len(names) - n} more" if n < len(names) else "")

    def lacks_distances(self, p: Pos) -> bool:
        """Are all results there that its positions may need, but not all distances?"""
        m = materials.canonical(self.v, materials.material_of(self.v, p))[0]
        if len(p.men) > MEN_MAX or (m in self._found and self._found[m] is None):
            return False
        needs, _ = self._needs(m)
        return (all(self._is_there(n, WDL) for n in needs)
                and not all(self._is_there(n, DTW) for n in needs))

    def list_missing(self, m: Material) -> List[Listed]:
        return [Listed(materials.name(self.v, n), n.men, self.has(n), 0)
                for n in materials.needed(self.v, m) if not self.has(n) & HAS_DTW]

    def listing(self) -> List[Listed]:
        """All tables in the folders, by men, then name."""
        found: Dict[Material, Tuple[str, str]] = {}
        for folder in self.folders:
            for path, name, m in self._names_in(folder):
                before = found.get(m)
                beside = [os.path.isfile(p[:-1] + "d") for p in (path, before[0] if before else "x")]
                if before is None or beside == [True, False]:
                    found[m] = path, name
        out = []
        for m, (path, name) in found.items():
            bkd = path[:-1] + "d"
            distances = bkd if os.path.isfile(bkd) else self._is_there(m, DTW)
            has = HAS_WDL | (HAS_DTW if distances else LOST_DTW * _promises(path))
            out.append(Listed(name, m.men, has, os.path.getsize(path) + (
                os.path.getsize(distances) if distances else 0)))
        return sorted(out, key=lambda t: (t.men, t.material))

    def _names_in(self, folder: str) -> Iterator[Tuple[str, str, Material]]:
        for game in dict.fromkeys(homes_name(self.v, wings) for wings in range(4)):
            try:
                names = os.listdir(os.path.join(folder, game))
            except (FileNotFoundError, NotADirectoryError):
                continue
            for name in names:
                path = f"{folder}/{game}/{name}"
                if name.endswith(".bkw") and os.path.isfile(path):
                    try:
                        m = materials.parse(self.v, name[:-4])
                    except Fault:
                        continue
                    canonical = not materials.canonical(self.v, m)[1]
                    if canonical and path_of(folder, self.v, m, WDL) == path:
                        yield path, name[:-4], m

    def read_ahead(self, m: Material, wdl_only: bool) -> None:
        """All that a material may lead to, until the budget is full; what is missing is passed over."""
        for kind in (WDL,) if wdl_only else (WDL, DTW):
            for n in materials.needed(self.v, m):
                try:
                    table = self.table(n, False)
                except Fault as fault:
                    if fault.code == NO_TABLE:
                        continue
                    raise
                file = table.wdl if kind == WDL else table.dtw
                if self.store.used > self.store.budget - self.store.budget // 8:
                    return
                if file:
                    file.read_all()


def _promises(path: str) -> bool:
    """Does its head say that distances belong to it?"""
    try:
        with open(path, "rb") as file:
            first = file.read(16)
            n = int.from_bytes(first[12:16], "little")
            return Head(first + file.read(min(n, 1 << 20) - 16), path).distances
    except (Fault, OSError):
        return False


# == Folders that were meant otherwise ==


def _has_game(folder: str, v: Variant) -> bool:
    return any(os.path.isdir(f"{folder}/{homes_name(v, wings)}") for wings in range(4))


def odd_folders(v: Variant, paths: str) -> str:
    """What is odd about them, or ""."""
    said = []
    for folder in paths.split(":"):
        if not folder or _has_game(folder, v):
            continue
        try:
            names = os.listdir(folder)
        except OSError:
            said.append(f"{folder}: no such folder")
            continue
        inner = [name for name in names if name[0] != "." and _has_game(f"{folder}/{name}", v)]
        if any(name.endswith(".bkw") for name in names):
            said.append(f"{folder} is a game's own folder: say the one above it")
        elif inner:
            said.append(f"tables of {v.name} are in {folder}/{inner[0]}: say that")
    return "; ".join(said)
