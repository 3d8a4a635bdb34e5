"""A handle of libbareking that may be closed, shared among threads and taken through fork().

The library wants a handle for itself while it is closed, and no other thread asking at a fork().
Python can promise neither, so calls are counted: `asking` has an item for each that is under way.

    close()     the last call that is under way frees the handle; at once if there is none
    fork()      if calls of other threads were under way, their locks are held for ever in the
                child: there all handles are opened anew, and the old ones left alone
"""

from __future__ import annotations

import ctypes
import itertools
import os
import weakref
from typing import Any, Callable, Dict, List, Optional

from ._errors import BarekingError, ClosedError, error_of
from ._library import Options, lib


class Budget:
    """What the tables of one or more handles may take together (struct bk_options)."""

    def __init__(self, memory: Optional[int] = None, open_files: Optional[int] = None) -> None:
        self.memory = memory
        self.open_files = open_files


_all: "weakref.WeakSet[Handle]" = weakref.WeakSet()
_count = itertools.count()


class Handle:
    """struct bk_lib.  `variant` and `paths` as of bk_open_with(); `share` gives its budget."""

    def __init__(self, variant: bytes, paths: bytes, budget: Optional[Budget] = None,
                 share: Optional[Handle] = None) -> None:
        self.variant = variant
        self.paths = paths
        self.budget: Budget = share.budget if share else budget or Budget()
        self.closed = False
        self._nth = next(_count)
        self._asking: List[None] = []
        if share:
            share.call(self._open)
        else:
            self._open(None)
        _all.add(self)

    def _open(self, share: Optional[int]) -> None:
        options = Options(struct_size=ctypes.sizeof(Options), paths=self.paths,
                          memory_bytes=self.budget.memory or 0,
                          open_files=self.budget.open_files or 0, share=share)
        pointer = ctypes.c_void_p()
        code = lib.bk_open_with(ctypes.byref(pointer), self.variant, ctypes.byref(options))
        if code:
            error = error_of(code, self._why(pointer.value))
            lib.bk_close(pointer)
            raise error
        self._pointer: int = pointer.value or 0
        self.remark = self._why(pointer.value)  # what is odd about its folders, or ""
        self._free = weakref.finalize(self, lib.bk_close, self._pointer)
        self._free.atexit = False  # other threads may still be asking; the system takes it back

    @staticmethod
    def _why(pointer: Optional[int]) -> str:
        text: bytes = lib.bk_error(pointer)
        return text.decode("utf-8", "backslashreplace")

    # One item in, one item out: each is atomic, and `closed` is looked at after the one and before
    # the other.  So either close() sees the call, or the call sees that it is closed.
    def call(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """What function(handle, *arguments) returns."""
        asking = self._asking
        asking.append(None)
        try:
            if self.closed:
                raise ClosedError("asked after it was closed")
            return function(self._pointer, *arguments)
        finally:
            asking.pop()
            if self.closed and not asking:
                self._free()

    def ask(self, function: Callable[..., int], *arguments: Any) -> None:
        """Calls a function that returns an enum bk_lib_err; raises what it says."""
        error = self.call(self._ask, function, *arguments)
        if error:
            raise error

    # Why a call has failed is asked while it counts as under way: then the handle is still there.
    def _ask(self, pointer: int, function: Callable[..., int],
             *arguments: Any) -> Optional[BarekingError]:
        code = function(pointer, *arguments)
        return error_of(code, self._why(pointer)) if code else None

    def close(self) -> None:
        """Frees the handle once nobody is asking."""
        self.closed = True
        if not self._asking:
            self._free()

    def _open_again(self, share: Optional[int]) -> None:
        self._free.detach()
        self._asking = []
        try:
            self._open(share)
        except Exception:  # its file is gone, or there is no memory: as if it were closed
            self.closed = True


def _after_fork() -> None:
    """In the child.  The thread that forked is not asking, so who is asking is another."""
    handles = sorted((h for h in _all if not h.closed), key=lambda h: h._nth)
    if not any(h._asking for h in handles):
        return
    first: Dict[int, int] = {}
    for handle in handles:
        handle._open_again(first.get(id(handle.budget)))
        if not handle.closed:
            first.setdefault(id(handle.budget), handle._pointer)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
