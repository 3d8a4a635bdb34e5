#!/bin/sh
# makefile.sh - what `make` says and does elsewhere than at home: in a tree without .git, in a folder with
# blanks in its name, read only, on a system that is no Debian, without mpicc.  Nothing is compiled.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
case ${TMPDIR-} in *' '*) unset TMPDIR ;; esac # BUILD has none
. "$here/scratch.sh"
cd "$here/.."
unset MAKEFLAGS MAKELEVEL MFLAGS

# == A tree from an archive ==
tree="$tmp/from an archive"
mkdir "$tree"
cp -R Makefile README.md CHANGELOG.md CONTRIBUTING.md LICENSE .clang-format src tb probe tests docs "$tree"
sources=$(find src tb probe tests -name '*.[ch]' | wc -l)
for target in format-check format; do
    said=$(GIT_CEILING_DIRECTORIES=$tmp make -n -C "$tree" $target PACKAGES= 2>&1) || fail "$target without .git: $said"
    n=$(echo "$said" | tr ' ' '\n' | grep -c '\.[ch]$') || true
    [ "$n" -eq "$sources" ] || fail "$target without .git looks at $n of $sources files: $(echo "$said" | cut -c 1-200)"
done
chmod -R a-w "$tree"
said=$(make -n -C "$tree" PACKAGES= BUILD="$tmp/elsewhere" all 2>&1) || fail "read only: $said"
echo "$said" | grep -q "/elsewhere/src/core/err\.o" || fail "read only: nothing is made"
chmod -R u+w "$tree"

# == What make cannot do, and says ==
said=$(make -n BUILD='a b' all 2>&1) && fail "a BUILD with blanks: $said"
[ "$(echo "$said" | wc -l)" -eq 1 ] && echo "$said" | grep -q 'have no blanks' || fail "a BUILD with blanks: $said"

# == What would be done == of the tests, too, and none is
said=$(make -n PACKAGES= BUILD="$tmp/elsewhere" test 2>&1) || fail "make -n test: $said"
echo "$said" | grep -q 'sh tests/run\.sh' || fail "make -n test does not say what it would run: $said"
if echo "$said" | grep -q ' passed, '; then fail "make -n test runs tests: $said"; fi

# == One of the Python packages == PACK=1 makes no sdist, so none is listed
said=$(make -n PACKAGES= BUILD="$tmp/elsewhere" PACK=1 python) || fail "make python PACK=1: $said"
[ "$(echo "$said" | grep -c '\.whl *$')" -eq 1 ] || fail "make python PACK=1: $said"

# == Packages are asked for by what needs them ==
asked() { make -n BUILD="$tmp/elsewhere" "$1" | sed -n 's/^sh tests.packages.sh//p' | tr '\n' ' '; }
for target in all demo; do
    said=$(asked $target)
    # gcc only recommends libc6-dev
    case $said in *libc6-dev*libzstd-dev*) ;; *) fail "$target: asks for no libc6-dev and libzstd-dev, but for:$said" ;; esac
    case $said in *cmocka* | *time* | *clang-format* | *python*) fail "$target asks for what tests need:$said" ;; esac
done
for target in "$tmp/elsewhere/tests/test_index.o" format-check; do
    said=$(asked "$target")
    case $said in *libzstd-dev*libcmocka-dev*clang-format*) ;; *) fail "${target##*/} asks for:$said" ;; esac
done
case $(asked "$tmp/elsewhere/more-packages") in *libzstd-dev*libcmocka-dev*' -o '*numpy*) ;; *) fail 'NumPy is asked for first' ;; esac

# == Fewer tools ==
mkdir "$tmp/bin"
for tool in sh make sed find stat nproc mkdir touch dirname grep head cc gcc ld as; do
    path=$(command -v $tool) && ln -s "$path" "$tmp/bin/$tool"
done
mute=$(PATH=$tmp/bin sh tests/packages.sh no-such-package 2>&1) || fail "no Debian: status $?: $mute"
[ -z "$mute" ] || fail "no Debian: $mute"
said=$(PATH=$tmp/bin make -s CC=: BUILD="$tmp/elsewhere" PACKAGES= "$tmp/elsewhere/tb/transport_mpi.o" 2>&1) && fail 'MPI without mpicc'
[ "$(echo "$said" | grep -vc '^make: \*\*\*')" -eq 1 ] && echo "$said" | grep -q '^make mpi: no mpicc' || fail "make mpi without mpicc: $said"

# == A bare Debian == the compiler comes with the other packages, and nothing that these recommend
said=$(make -n CC=no-such-compiler PACKAGES= BUILD="$tmp/elsewhere" all 2>&1) || fail "no compiler yet: $said"
if echo "$said" | grep -q 'no-such-compiler: '; then fail "the compiler is asked before it is there: $said"; fi
[ "$(uname -m)" != x86_64 ] || echo "$said" | grep -q 'kernel_avx2_64\.o' || fail 'no AVX2 where the compiler is still to come'
printf '#!/bin/sh\necho 0\n' >"$tmp/bin/id"
printf '#!/bin/sh\nexit 1\n' >"$tmp/bin/dpkg-query"
printf '#!/bin/sh\necho "$*" >>"%s/apt"\n' "$tmp" >"$tmp/bin/apt-get"
chmod +x "$tmp"/bin/id "$tmp"/bin/dpkg-query "$tmp"/bin/apt-get
PATH=$tmp/bin sh tests/packages.sh some-package >"$tmp/said" 2>&1 || fail "a bare Debian: $(cat "$tmp/said")"
grep -q '^install .*--no-install-recommends some-package$' "$tmp/apt" || fail "a bare Debian: $(cat "$tmp/apt")"
echo "from an archive, read only, no Debian, a bare one, no mpicc: make goes on, or says in a line why not"
