#!/bin/sh
# wasm.sh BUILD FILE.c... - the prober for pages without a server: FILE.c... and what they need of
# zstd and jansson as BUILD/wasm/bareking.wasm, by Debian's emscripten.  The sources of the two are
# those of the Debian packages, checked by apt, fetched once (WASM_SOURCES=DIR: unpacked there
# already, as zstd-* and jansson-*).  Settings are those of docs/explore.md.
set -eu
build=${1:?usage: wasm.sh BUILD FILE.c...}
shift
wasm=$build/wasm
command -v emcc >/dev/null || { echo "wasm: no emcc; apt-get install emscripten" >&2; exit 1; }
export NODE_PATH=/usr/share/nodejs # where Debian has what emcc needs of node
unset EM_CACHE                     # emcc finds its system libraries without
mkdir -p "$wasm/include"

sources=${WASM_SOURCES:-$wasm/sources}
if ! ls -d "$sources"/zstd-*/lib "$sources"/jansson-*/src >/dev/null 2>&1; then
    echo "  GET sources of zstd and jansson (apt)"
    apt=$PWD/$wasm/apt
    case $wasm in /*) apt=$wasm/apt ;; esac
    mkdir -p "$apt/lists/partial" "$apt/cache/archives/partial" "$sources"
    # the suites of this machine, as sources, whether they are enabled or not
    cat /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources /etc/apt/sources.list.d/*.list \
        2>/dev/null | awk '
        $1 == "deb" && /debian/ { $1 = "deb-src"; print }
        $1 == "Types:" || $1 == "Suites:" || $1 == "URIs:" || $1 == "Components:" { at[$1] = $0 }
        $1 == "Components:" {
            sub(/^[^ ]* /, "", at["URIs:"]); sub(/^[^ ]* /, "", at["Suites:"])
            n = split(at["Suites:"], suite, " ")
            for (i = 1; i <= n; i++) print "deb-src", at["URIs:"], suite[i], "main"
        }' | sort -u >"$apt/sources.list"
    set_apt() {
        apt-get -qq -o Dir::Etc::SourceList="$apt/sources.list" -o Dir::Etc::SourceParts=/dev/null \
            -o Dir::State::Lists="$apt/lists" -o Dir::Cache="$apt/cache" \
            -o APT::Sandbox::User="$(id -un)" "$@"
    }
    set_apt update
    (cd "$sources" && set_apt source --download-only libzstd jansson)
    for each in "$sources"/*.orig.tar.*; do
        case $each in *.asc) ;; *) tar -C "$sources" -xf "$each" ;; esac
    done
fi
zstd=$(ls -d "$sources"/zstd-*/lib | tail -n 1)
jansson=$(ls -d "$sources"/jansson-*/src | tail -n 1)

# xxhash is a header; nothing else of this machine's is looked at
cp /usr/include/xxhash.h "$wasm/include/"
sed -e 's/@json_inline@/inline/; s/@json_have_long_long@/1/; s/@json_have_localeconv@/0/
        s/@json_have_atomic_builtins@/0/; s/@json_have_sync_builtins@/0/' \
    "$jansson/jansson_config.h.in" >"$wasm/include/jansson_config.h"
cat >"$wasm/include/jansson_private_config.h" <<'END'
#define HAVE_STDINT_H 1
#define INITIAL_HASHTABLE_ORDER 3
END

flags="-std=gnu11 -D_GNU_SOURCE -Os -DNDEBUG -flto -Wno-experimental"
include="-Isrc -I. -I$wasm/include -I$zstd -I$jansson"
ours="-DXXH_INLINE_ALL -Wno-macro-redefined"
objects=
compile() { # object, file, flags...
    object=$wasm/$1
    file=$2
    shift 2
    objects="$objects $object"
    if [ ! -f "$object" ] || [ -n "$(find src probe "$build/embedded.c" "$0" -newer "$object" -name '*.[chs]*' | head -n 1)" ]; then
        mkdir -p "$(dirname "$object")"
        emcc $flags $include "$@" -c "$file" -o "$object"
    fi
}
echo "  EMCC $wasm/bareking.wasm"
for file; do compile "$(echo "$file" | tr / _).o" "$file" $ours; done
for width in 64 128 256; do
    compile "width_$width.o" src/core/facts/width.c $ours \
        -DBK_SET_BITS=$width -DBK_FACT_WIDTH=bk_fact_width_$width
done
for file in "$zstd"/common/*.c "$zstd"/decompress/*.c; do
    compile "zstd/$(basename "$file").o" "$file" -DZSTD_DISABLE_ASM -DXXH_NAMESPACE=ZSTD_ -DZSTD_LEGACY_SUPPORT=0
done
# the one function that readers want of the compressor: a formula of zstd.h
printf '#include <zstd.h>\nsize_t ZSTD_compressBound(size_t n) { return ZSTD_COMPRESSBOUND(n); }\n' \
    >"$wasm/bound.c"
compile zstd/bound.o "$wasm/bound.c"
for file in "$jansson"/*.c; do
    compile "jansson/$(basename "$file").o" "$file" -DHAVE_CONFIG_H
done
emcc $flags $objects -o "$wasm/new.wasm" --no-entry -sSTANDALONE_WASM -sALLOW_MEMORY_GROWTH=1 \
    -sTOTAL_STACK=1MB -sINITIAL_MEMORY=16MB -sMAXIMUM_MEMORY=2GB \
    -sEXPORTED_FUNCTIONS=_ex_far_room,_ex_far_file,_ex_far_bring,_ex_far_ask,_ex_far_forget
mv "$wasm/new.wasm" "$wasm/bareking.wasm"
ls -l "$wasm/bareking.wasm" | awk '{ print "  " $5 " bytes" }'
