#!/bin/sh
# install.sh BUILD - installs under DESTDIR and uses what lies there, as somebody would who has never seen
# this tree: pkg-config and CMake find it, the example compiles with each, shared and static, and answers;
# only bk_ is exported; pages and completions are sound; uninstall leaves nothing.
#
# As root the programs run in a chroot that has them, what they need of the system, and tables; else
# where they are.  Tools that are missing are named, and what needs them is left out.
set -eu
build=$(realpath "${1:?usage: install.sh BUILD}")
tests=$(dirname "$(realpath "$0")")
case ${TMPDIR-} in *' '*) unset TMPDIR ;; esac # lists of options are made of folders here
. "$tests/scratch.sh"
has() { # tool: or a word that it is missing
    command -v "$1" >/dev/null && return 0
    leave_out "$1"
    return 1
}

# == Install == with folders that are not the defaults
root=$tmp/root
make_it() { env -u MAKEFLAGS make -s -C "$tests/.." BUILD="$build" PREFIX=/opt/bk LIBDIR=/opt/bk/lib64/deep DESTDIR="$root" "$@" >"$tmp/log" 2>&1 || fail "$(cat "$tmp/log")"; }
(umask 077 && make_it install)
prefix=$root/opt/bk
lib=$prefix/lib64/deep
version=$("$prefix/bin/bareking" --version | sed 's/bareking //')

secret=$(find "$root" ! -type l ! -perm -go=r)
[ -z "$secret" ] || fail "not everybody may read $secret"

# == Exports ==
others=$(nm -D --defined-only "$lib/libbareking.so" | awk '$3 !~ /^bk_/ { print $3 }')
[ -z "$others" ] || fail "libbareking.so exports $others"
# all that the header declares, and nothing else
declared=$(tr '\n' ' ' <"$prefix/include/bareking.h" | grep -o 'BK_API [^;()]*bk_[a-z0-9_]*(' |
    sed 's/.*[ *]\(bk_[a-z0-9_]*\)($/\1/' | sort -u)
exported=$(nm -D --defined-only "$lib/libbareking.so" | awk '{ print $3 }' | sort)
[ "$declared" = "$exported" ] || fail "header and library differ: $declared / $exported"
[ "$(objdump -p "$lib/libbareking.so" | awk '/SONAME/ { print $2 }')" = "libbareking.so.${version%%.*}" ] || fail soname
readelf -S "$prefix/bin/bareking" | grep -q '\.debug_info' && fail "the command is not stripped"
others=$(nm -g --defined-only "$lib/libbareking.a" 2>/dev/null | awk 'NF == 3 && $3 !~ /^bk_/ { print $3 }')
[ -z "$others" ] || fail "libbareking.a defines $others"

# == Programs == compiled where only the installation is known
mkdir "$tmp/app"
cd "$tmp/app"
cp "$prefix/share/doc/bareking/examples/example.c" .
sed -i 's/"bareking\.h"/<bareking.h>/' example.c
cc example.c -I"$prefix/include" -L"$lib" -lbareking -o by_hand || fail "by hand"
programs=by_hand
if has pkg-config; then
    export PKG_CONFIG_PATH="$lib/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$root"
    [ "$(pkg-config --modversion bareking)" = "$version" ] || fail "bareking.pc has another version"
    # shellcheck disable=SC2046
    cc example.c $(pkg-config --cflags --libs bareking) -o by_pkg_config || fail pkg-config
    # shellcheck disable=SC2046
    cc example.c $(pkg-config --cflags bareking) -Wl,-Bstatic -L"$lib" -lbareking -Wl,-Bdynamic \
        $(pkg-config --static --libs-only-l bareking | sed 's/-lbareking//') -o by_pkg_config_static || fail "pkg-config --static"
    unset PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
    programs="$programs by_pkg_config by_pkg_config_static"
fi
if has cmake; then
    cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.13)
project(app C)
find_package(bareking ${ASK} REQUIRED CONFIG)
add_executable(by_cmake example.c)
target_link_libraries(by_cmake bareking::bareking)
add_executable(by_cmake_static example.c)
target_link_libraries(by_cmake_static bareking::static)
END
    cmake -S . -B out -DASK="${version%.*}" -DCMAKE_PREFIX_PATH="$lib/cmake/bareking" >"$tmp/log" 2>&1 &&
        cmake --build out >>"$tmp/log" 2>&1 || fail "$(tail -n 20 "$tmp/log")"
    cmake -S . -B old -DASK=99.0 -DCMAKE_PREFIX_PATH="$lib/cmake/bareking" >"$tmp/log" 2>&1 &&
        fail "CMake takes version $version for 99.0"
    cp out/by_cmake out/by_cmake_static .
    programs="$programs by_cmake by_cmake_static"
fi
# blanks in a prefix, which bareking.pc must say so that a shell reads them again
if has pkg-config; then
    blank="$tmp/a prefix"
    make_it stage STAGE="$tmp/staged" PREFIX="$blank" LIBDIR="$blank/lib"
    mv "$tmp/staged$blank" "$blank"
    eval "cc example.c $(PKG_CONFIG_PATH=$blank/lib/pkgconfig pkg-config --cflags --libs bareking) -o blank" || fail "a prefix with blanks"
fi
if has g++; then
    echo '#include <bareking.h>' >header.cc
    g++ -Wall -Wextra -Wpedantic -I"$prefix/include" -c header.cc || fail "bareking.h in C++"
fi
for program in $programs; do
    case $program in
    *static) ldd "$program" | grep -q libbareking && fail "$program asks for libbareking.so" ;;
    *) ldd "$program" | grep -q libbareking || fail "$program does not ask for libbareking.so" ;;
    esac
done

# == Run == in a folder that is the whole world, if that can be had
mkdir -p "$root/tables" "$root/app"
cp -a "$tests/golden/normal/chess" "$root/tables"
cp $programs "$root/app"
can_chroot() {
    [ "$(id -u)" = 0 ] || return 1
    chroot "$root" /nothing 2>/dev/null
    [ $? = 127 ] # entered, and found nothing there
}
if can_chroot; then
    world="chroot $root /usr/bin/env LD_LIBRARY_PATH=/opt/bk/lib64/deep"
    for file in /usr/bin/env $programs "$prefix/bin/bareking"; do
        LD_LIBRARY_PATH=$lib ldd "$file" | sed -n 's/^.*[ \t]\(\/[^ ]*\) (0x.*/\1/p'
    done | sort -u | grep -v "^$root" | while read -r needed; do
        mkdir -p "$root$(dirname "$needed")"
        cp -L "$needed" "$root$needed"
    done
    mkdir -p "$root/usr/bin"
    cp -L /usr/bin/env "$root/usr/bin"
    app=/app tables=/tables command=/opt/bk/bin/bareking
else
    world="env LD_LIBRARY_PATH=$lib"
    app=$root/app tables=$root/tables command=$prefix/bin/bareking
fi
fen='8/8/8/3k4/8/8/4Q3/4K3 w - - 0 1'
expected=$("$build/example" chess "$tests/golden/normal" "$fen")
echo "$expected" | grep -q '^White wins in [0-9]* plies$' || fail "$expected"
for program in $programs; do
    said=$($world "$app/$program" chess "$tables" "$fen") || fail "$program"
    [ "$said" = "$expected" ] || fail "$program: $said"
done
$world "$command" check chess --dir "$tables" --quiet || fail "bareking check"
rm -rf "$root/app" "$root/tables"

# == Pages and completions ==
pages=$(find "$prefix/share/man" -type f)
[ "$(echo "$pages" | wc -l)" -gt 60 ] || fail "pages: $pages"
grep -q '^== ' "$prefix/share/man/man3/libbareking.3" && fail "libbareking(3): a heading as text"
for command in $("$prefix/bin/bareking" help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' | grep -vx help); do
    [ -s "$prefix/share/man/man1/bareking-$command.1" ] || fail "no page of $command"
done
for name in $declared; do
    grep -q "$name" "$prefix/share/man/man3/libbareking.3" || fail "libbareking(3) does not know $name"
    [ -s "$prefix/share/man/man3/$name.3" ] || fail "no page $name(3)"
done
for page in $pages; do
    [ "$(cut -c 1-4 "$page" | head -n 1)" != '.so ' ] || continue # another name of a page
    if has man; then
        said=$(LC_ALL=C.UTF-8 MANWIDTH=120 MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 -Z "$page" 2>&1 >/dev/null)
        [ -z "$said" ] || fail "$page: $said"
    fi
    if has mandoc; then
        said=$(mandoc -T lint "$page") || fail "$page: $said"
        [ -z "$said" ] || fail "$page: $said"
    fi
done
completion=$prefix/share/bash-completion/completions/bareking
if has bash; then
    offered() { # word...: what bash offers for the last one
        bash -c '. "$0"; COMP_WORDS=(bareking "$@"); COMP_CWORD=$#; _bareking 2>/dev/null; printf "%s\n" "${COMPREPLY[@]}"' "$completion" "$@"
    }
    [ "$(offered bui)" = build ] || fail "bash: bui"
    [ "$(offered build shatr)" = shatranj ] || fail "bash: build shatr"
    [ "$(offered build --dir /tmp --wdl shatr)" = shatranj ] || fail "bash: build --dir /tmp --wdl shatr"
    [ "$(offered verify --sa)" = --sample ] || fail "bash: verify --sa"
    [ "$(offered build --effort be)" = best ] || fail "bash: --effort be"
    [ "$(offered variants --explain puzzle-m | sort)" = "$("$prefix/bin/bareking" variants | awk '/^puzzle-m/ { print $1 }' | sort)" ] ||
        fail "bash: --explain puzzle-m"
    for command in doctor manifest site; do
        [ "$(offered $command "$prefix/share/bash-comp")" = "$prefix/share/bash-completion" ] || fail "bash: $command FOLDER"
    done
    [ "$(offered annotate shatranj "${completion%ing}")" = "$completion" ] || fail "bash: annotate shatranj FILE"
    [ "$(offered site "$prefix" shatr)" = shatranj ] || fail "bash: site FOLDER shatr"
    mkdir "$tmp/two words"
    touch "$tmp/two words/my game.ini"
    for asked in "doctor $tmp/two" "build --dir $tmp/two"; do
        # words; none of $tmp has blanks, or it is left to the others
        # shellcheck disable=SC2086
        [ "$(offered $asked)" = "$tmp/two words" ] || fail "bash: $asked: a name of two words is two names"
    done
    [ "$(offered build "$tmp/two words/my")" = "$tmp/two words/my game.ini" ] || fail "bash: a game's file of two words"
fi
if has zsh; then
    zsh -n "$prefix/share/zsh/site-functions/_bareking" || fail "zsh: _bareking"
fi

# == Uninstall ==
mkdir -p "$root/opt/bk/bin"
touch "$root/opt/bk/bin/of_another"
make_it uninstall
left=$(cd "$root/opt" && find . ! -type d)
[ "$left" = ./bk/bin/of_another ] || fail "left after uninstall: $left"
echo "installed, found, run ${world:+in ${world%% *}} and removed${without:+; left out: $without}"
