#!/bin/sh
# docs.sh BUILD - what the pages say of names, against what there is: links and sections lead somewhere,
# commands exist and take the options that are shown with them, `make X` is a target, files are there; and
# nothing is without a word: every command, target, variable of the environment, key of a game's file, room of
# the source.  Last line: what was looked at.
set -eu
build=$(realpath "${1:?usage: docs.sh BUILD}")
. "$(dirname "$0")/scratch.sh"
cd "$(dirname "$0")/.."
LC_ALL=C
export LC_ALL
pages="README.md CHANGELOG.md CONTRIBUTING.md probe/python/README.md $(echo docs/*.md)"
wrong=0 looked=0
wrong() {
    echo "docs: $*"
    wrong=$((wrong + 1))
}

# == Links == of pages, to files and their headings; `NAME.md N`, anywhere: a numbered section
# what a heading is called in a link: as GitHub has it
anchors() {
    sed -n 's/.*<a id="\([^"]*\)">.*/\1/p; /^##* /{ s/^##* //; s/[^A-Za-z0-9_ -]//g; s/ /-/g; y/ABCDEFGHIJKLMNOPQRSTUVWXYZ/abcdefghijklmnopqrstuvwxyz/; p; }' "$1"
}
for page in $pages; do
    # shellcheck disable=SC2016
    grep -o '\[[^]]*\]([^)]*)' "$page" | sed 's/.*(\(.*\))/\1/' >"$tmp/links" || true
    while read -r link; do
        looked=$((looked + 1))
        case $link in http*) continue ;; esac
        file=${link%%#*} at=${link#"${link%%#*}"}
        [ -z "$file" ] && file=$page || file=$(dirname "$page")/$file
        [ -e "$file" ] || wrong "$page: no $link"
        [ -z "$at" ] || anchors "$file" | grep -qx -e "${at#?}" || wrong "$page: $link: no such heading"
    done <"$tmp/links"
done
find README.md CHANGELOG.md docs Makefile src tb probe tests -type f \( -name '*.md' -o -name '*.[ch]' -o -name '*.sh' -o \
    -name '*.ini' -o -name '*.mk' -o -name '*.awk' -o -name Makefile \) ! -path '*/golden/*' >"$tmp/texts"
xargs grep -oHE '[A-Za-z-]+\.md\)? [0-9]+|docs/[A-Za-z-]+\.md#[a-z0-9-]+' <"$tmp/texts" | tr -d ')' >"$tmp/sections"
while IFS=: read -r file text; do
    looked=$((looked + 1))
    page=docs/${text%%.md*}.md
    case $text in
    docs/*) anchors "${text%%#*}" | grep -qx -e "${text#*#}" || wrong "$file: $text" ;;
    *) grep -q "^## ${text##* }\. " "$page" 2>/dev/null || wrong "$file: $text: no such section" ;;
    esac
done <"$tmp/sections"

# == Commands == in code: lines that are set in, and spans
"$build/bareking" help | sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' >"$tmp/commands"
for command in $(grep -vx help "$tmp/commands"); do
    "$build/bareking" "$command" --help | sed -n 's/^ .*\(--[a-z-]*\).*/\1/p' >"$tmp/takes.$command"
    # shellcheck disable=SC2016
    grep -q "^| \`$command[ \`]" README.md || wrong "README.md has no $command"
done
# shellcheck disable=SC2016,SC2086
{
    grep -HE '^    ' $pages
    grep -oHE '`[^`]*`' $pages | sed 's/:`\(.*\)`$/:\1/'
} | grep -E '[:/ ]bareking(-mpi)? +[a-z]|bareking(-mpi)? -' | sed 's/  *#.*//; s/ | .*//' >"$tmp/shown"
while IFS= read -r line; do
    page=${line%%:*} line=${line#*:}
    command=$(echo "$line" | sed -nE 's/^(.*[/ $])?bareking(-mpi)? +([a-z][a-z-]*).*/\3/p')
    case $command in '') continue ;; esac
    looked=$((looked + 1))
    case $line in *import\ bareking* | *.sh\ build/bareking* | *-lbareking* | *bareking.h* | *egtpath*) continue ;; esac
    if ! grep -qx -e "$command" "$tmp/commands"; then
        wrong "$page: no command '$command': $line"
        continue
    fi
    for option in $(echo "${line#*bareking}" | grep -oE -e ' --[a-z][a-z-]*'); do
        [ "$command" = help ] || grep -qx -e "$option" "$tmp/takes.$command" || wrong "$page: $command takes no $option: $line"
    done
done <"$tmp/shown"

# == Targets ==
sed -n '/^\.PHONY:/,/[^\\]$/p' Makefile probe/packaging/packaging.mk | sed '/^\.SECONDARY/d; s/^\.PHONY://' | tr -s ' \\' '\n\n' | grep . >"$tmp/targets"
# shellcheck disable=SC2086
grep -oHE '(^    |[`;&] *|[a-z]: )make( +[A-Z_]+=[^ `]*)*( +[a-z][a-z-]*)+' $pages | sed 's/  *#.*//' >"$tmp/made"
while IFS= read -r line; do
    looked=$((looked + 1))
    for word in ${line#*make}; do
        case $word in *=*) continue ;; esac
        grep -qx -e "$word" "$tmp/targets" || wrong "no target '$word': $line"
    done
done <"$tmp/made"
for target in $(cat "$tmp/targets"); do
    looked=$((looked + 1))
    # shellcheck disable=SC2086
    grep -qE "make( +[A-Za-z_]+=[^ ]*)*( +[a-z-]+)* +$target\b" README.md CONTRIBUTING.md docs/*.md probe/python/README.md || wrong "no page says what \`make $target\` does"
done

# == Variables of the environment ==
grep -rhoE 'getenv\("[A-Z_0-9]+"|environ\.get\("[A-Z_0-9]+"' src tb probe tests --include='*.[ch]' --include='*.py' |
    sed 's/.*"\(.*\)"/\1/' | sort -u | grep -vxE 'TMPDIR|HOST|BAREKING_COMMAND|BAREKING_GOLDEN|BAREKING_POSITIONS|BAREKING_FUZZ_MPI|INJECT_COUNT' >"$tmp/variables"
for variable in $(cat "$tmp/variables"); do
    looked=$((looked + 1))
    grep -qw "$variable" README.md CONTRIBUTING.md docs/*.md probe/python/README.md || wrong "no page says what $variable does"
done

# == Keys of games' files ==
for key in $(sed -n 's/^    { "\([a-z-]*\)", .*key_.*/\1/p' src/core/read.c); do
    looked=$((looked + 1))
    # shellcheck disable=SC2016
    grep -q "^| \`$key\` |" docs/variant-files.md || wrong "variant-files.md has no key $key"
done
for key in $(sed -n 's/^    { "\([A-Za-z]*\)", BK_FAIRY_.*/\1/p' src/core/fairy_file.c); do
    looked=$((looked + 1))
    grep -qE "(^|[^A-Za-z])$key([^a-z]|\$)" docs/fairy-stockfish.md || wrong "fairy-stockfish.md has no key $key"
done

# == What goes wrong == codes of the API
for code in $(grep -ohE 'EX_[A-Z_]+, "[a-z-]+"|[45][0-9][0-9], "[a-z-]+"' src/explore/*.c | sed 's/.*"\(.*\)"/\1/' | sort -u); do
    looked=$((looked + 1))
    # shellcheck disable=SC2016
    grep -q "^| [45].*\`$code\`" docs/explore.md || wrong "explore.md has no code $code"
done

# == Files == that pages name are there, and of rooms that are there the map has each
# shellcheck disable=SC2016,SC2086
grep -ohE '`(src|tb|probe|tests|docs)/[A-Za-z0-9_./-]+`' $pages | tr -d '`' | sort -u >"$tmp/named"
while read -r file; do
    looked=$((looked + 1))
    [ -e "$file" ] || [ -e "$file.c" ] || [ -e "$file.h" ] || wrong "$file is named, and not there"
done <"$tmp/named"
for room in $(find src tb probe -name '*.[ch]' ! -path '*/page/*' -exec dirname {} + | sort -u); do
    looked=$((looked + 1))
    grep -qF "$room" docs/ARCHITECTURE.md || wrong "ARCHITECTURE.md does not know $room"
done

[ $wrong -eq 0 ] || fail "$wrong things"
[ $looked -gt 700 ] || fail "only $looked things were looked at"
echo "$looked names, links and commands of the pages are as they say"
