"""XXH64 and XXH3 (64 bits) of XXH's specification, and zstd from wherever it is there."""

from __future__ import annotations

import ctypes
import ctypes.util
from typing import Any, Callable, List

M64 = (1 << 64) - 1
_P32 = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D
_P64 = (0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9, 0x85EBCA77C2B2AE63,
        0x27D4EB2F165667C5)
_MX1, _MX2 = 0x165667919E3779F9, 0x9FB21C651E98DF25
_SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671fcb79e64eccc0e578825ad07dccff7221"
    "b8084674f743248ee03590e6813a264c3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8"
    "a8fa763fe39c343ff9dcbbc7c70b4f1d8a51e04bcdb45931c89f7ec9d9787364eac5ac8334d3ebc3c581a0fffa1363eb"
    "170ddd51b7f0da49d316552629d4689e2b16be587d47a1fc8ff8b8d17ad031ce45cb3a8f95160428afd7fbcabb4b407e")


def _le(data: bytes, at: int, n: int) -> int:
    return int.from_bytes(data[at:at + n], "little")


def _rol(x: int, n: int) -> int:
    return (x << n | x >> 64 - n) & M64


def _swap(x: int, n: int = 8) -> int:
    return int.from_bytes(x.to_bytes(n, "little"), "big")


def _fold(a: int, b: int) -> int:
    product = a * b
    return product & M64 ^ product >> 64


def _avalanche64(h: int) -> int:
    h = (h ^ h >> 33) * _P64[1] & M64
    h = (h ^ h >> 29) * _P64[2] & M64
    return h ^ h >> 32


def _avalanche3(h: int) -> int:
    h = (h ^ h >> 37) * _MX1 & M64
    return h ^ h >> 32


def _round(acc: int, lane: int) -> int:
    return _rol((acc + lane * _P64[1]) & M64, 31) * _P64[0] & M64


def xxh64(data: bytes, seed: int) -> int:
    n, at = len(data), 0
    if n >= 32:
        acc = [(seed + _P64[0] + _P64[1]) & M64, (seed + _P64[1]) & M64, seed, (seed - _P64[0]) & M64]
        for at in range(0, n - 31, 32):
            acc = [_round(a, _le(data, at + 8 * i, 8)) for i, a in enumerate(acc)]
        at += 32
        h = sum(_rol(a, r) for a, r in zip(acc, (1, 7, 12, 18))) & M64
        for a in acc:
            h = ((h ^ _round(0, a)) * _P64[0] + _P64[3]) & M64
    else:
        h = (seed + _P64[4]) & M64
    h = (h + n) & M64
    for at in range(at, n - 7, 8):
        h = (_rol(h ^ _round(0, _le(data, at, 8)), 27) * _P64[0] + _P64[3]) & M64
    at = n - n % 8
    if n % 8 >= 4:
        h = (_rol(h ^ _le(data, at, 4) * _P64[0] & M64, 23) * _P64[1] + _P64[2]) & M64
        at += 4
    for byte in data[at:]:
        h = _rol(h ^ byte * _P64[4] & M64, 11) * _P64[0] & M64
    return _avalanche64(h)


# == XXH3 ==


def _mix16(data: bytes, at: int, secret: int, seed: int) -> int:
    return _fold(_le(data, at, 8) ^ (_le(_SECRET, secret, 8) + seed) & M64,
                 _le(data, at + 8, 8) ^ (_le(_SECRET, secret + 8, 8) - seed) & M64)


def _short(data: bytes, seed: int) -> int:
    """Of at most 16 bytes."""
    n = len(data)
    if n > 8:
        low = _le(data, 0, 8) ^ ((_le(_SECRET, 24, 8) ^ _le(_SECRET, 32, 8)) + seed) & M64
        high = _le(data, n - 8, 8) ^ ((_le(_SECRET, 40, 8) ^ _le(_SECRET, 48, 8)) - seed) & M64
        return _avalanche3((n + _swap(low) + high + _fold(low, high)) & M64)
    if n >= 4:
        seed ^= _swap(seed & 0xFFFFFFFF, 4) << 32
        both = _le(data, n - 4, 4) + (_le(data, 0, 4) << 32)
        h = both ^ ((_le(_SECRET, 8, 8) ^ _le(_SECRET, 16, 8)) - seed) & M64
        h ^= _rol(h, 49) ^ _rol(h, 24)
        h = h * _MX2 & M64
        h = (h ^ (h >> 35) + n) * _MX2 & M64
        return h ^ h >> 28
    if n:
        word = data[0] << 16 | data[n >> 1] << 24 | data[-1] | n << 8
        return _avalanche64(word ^ ((_le(_SECRET, 0, 4) ^ _le(_SECRET, 4, 4)) + seed) & M64)
    return _avalanche64(seed ^ _le(_SECRET, 56, 8) ^ _le(_SECRET, 64, 8))


def _middle(data: bytes, seed: int) -> int:
    """Of 17 to 240 bytes."""
    n = len(data)
    acc = n * _P64[0]
    if n <= 128:
        for i in range((n - 1) // 32, -1, -1):
            acc += _mix16(data, 16 * i, 32 * i, seed) + _mix16(data, n - 16 * i - 16, 32 * i + 16, seed)
        return _avalanche3(acc & M64)
    for i in range(8):
        acc += _mix16(data, 16 * i, 16 * i, seed)
    acc = _avalanche3(acc & M64)
    for i in range(8, n // 16):
        acc += _mix16(data, 16 * i, 16 * (i - 8) + 3, seed)
    return _avalanche3((acc + _mix16(data, n - 16, 136 - 17, seed)) & M64)


def _words(data: bytes, at: int) -> List[int]:
    return [_le(data, at + i, 8) for i in range(0, 64, 8)]


def _accumulate(acc: List[int], words: List[int], key: List[int]) -> List[int]:
    keyed = [w ^ k for w, k in zip(words, key)]
    return [acc[i] + words[i ^ 1] + (keyed[i] & 0xFFFFFFFF) * (keyed[i] >> 32) & M64 for i in range(8)]


def _long(data: bytes, seed: int) -> int:
    n = len(data)
    secret = b"".join(((_le(_SECRET, i, 8) + (-seed if i & 8 else seed)) & M64).to_bytes(8, "little")
                      for i in range(0, 192, 8))
    keys = [_words(secret, 8 * i) for i in range(16)]
    scramble = _words(secret, 128)
    acc = [_P32[2], *_P64[:4], _P32[1], _P64[4], _P32[0]]
    last = (n - 1) // 1024  # blocks of 16 stripes before the last
    for block in range(last):
        for i in range(16):
            acc = _accumulate(acc, _words(data, 1024 * block + 64 * i), keys[i])
        acc = [(a ^ a >> 47 ^ k) * _P32[0] & M64 for a, k in zip(acc, scramble)]
    for i in range((n - 1 - 1024 * last) // 64):
        acc = _accumulate(acc, _words(data, 1024 * last + 64 * i), keys[i])
    acc = _accumulate(acc, _words(data, n - 64), _words(secret, 192 - 64 - 7))
    key = _words(secret, 11)
    return _avalanche3((n * _P64[0] + sum(_fold(acc[i] ^ key[i], acc[i + 1] ^ key[i + 1])
                                          for i in range(0, 8, 2))) & M64)


def _xxh3(data: bytes, seed: int = 0) -> int:
    return (_short if len(data) <= 16 else _middle if len(data) <= 240 else _long)(data, seed)


def _find_xxh3() -> Callable[..., int]:
    """That of the module xxhash (python3-xxhash) where it is there: of a megabyte 0.2 s less."""
    try:
        import xxhash  # type: ignore[import]
    except ImportError:
        return _xxh3
    return xxhash.xxh3_64_intdigest  # type: ignore[no-any-return]


xxh3 = _find_xxh3()

# == zstd ==


class ZstdMissing(Exception):
    """No zstd anywhere."""


def _by_library() -> Callable[[bytes, int], bytes]:
    name = ctypes.util.find_library("zstd")
    if not name:
        raise ZstdMissing
    library = ctypes.CDLL(name)
    decompress = library.ZSTD_decompress
    decompress.restype = ctypes.c_size_t
    decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]

    def unpack(frame: bytes, size: int) -> bytes:
        out = ctypes.create_string_buffer(size + 1)
        if decompress(out, size, frame, len(frame)) != size:
            raise ValueError
        return out.raw[:size]

    return unpack


def _find_zstd() -> Callable[[bytes, int], bytes]:
    try:
        from compression import zstd  # type: ignore[import]  # Python 3.14
        return lambda frame, size: bytes(zstd.decompress(frame))
    except ImportError:
        pass
    try:
        import zstandard  # type: ignore[import]
        return lambda frame, size: bytes(
            zstandard.ZstdDecompressor().decompress(frame, max_output_size=size))
    except ImportError:
        return _by_library()


_unpack: Any = None


def unpack_zstd(frame: bytes, size: int) -> bytes:
    """The `size` bytes of a frame.  ValueError: it is damaged.  ZstdMissing."""
    global _unpack
    if _unpack is None:
        _unpack = _find_zstd()
    try:
        out: bytes = _unpack(frame, size)
    except ZstdMissing:
        raise
    except Exception as error:
        raise ValueError(str(error)) from None
    if len(out) != size:
        raise ValueError("another size than it tells")
    return out
