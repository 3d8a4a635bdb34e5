#!/bin/sh
# complete.sh BAREKING OUT - writes completions for bash (OUT/bareking) and zsh (OUT/_bareking), from what
# the command says of itself: its commands, their options, the games built in.
set -eu
bareking=$1 out=$2
here=$(dirname "$0")
mkdir -p "$out"

# One line each, fields with tabs between:
#     command NAME WHAT              game NAME TITLE
#     arguments NAME FIRST LATER     each VARIANT, FILE, DIR or nothing that could be completed
#     option NAME --X VALUE TEXT
describe() {
    "$bareking" help | sed -n 's/^  \([a-z][a-z-]*\)  */\1\t/p' | while IFS="$(printf '\t')" read -r name what; do
        printf 'command\t%s\t%s\n' "$name" "$what"
        [ "$name" != help ] || continue
        "$bareking" "$name" --help | awk -v name="$name" '
            function kind(word) {
                gsub(/[][]|[.][.][.]|[|]-|[.]ini/, "", word)
                return word == "MANIFEST" ? "FILE" : word == "URL|DIR" ? "DIR" : word ~ /^(VARIANT|FILE|DIR)$/ ? word : ""
            }
            /^usage: / {
                print "arguments\t" name "\t" kind($4) "\t" kind($4 ~ /[.][.][.]/ ? $4 : $5)
            }
            /^ +(-[a-z], )?--/ {
                sub(/^ +(-[a-z], )?/, "")
                option = $1
                sub(/^[^ ]+ /, "")
                value = ""
                if (/^[A-Z]+ /) {
                    value = $1
                    sub(/^[A-Z]+ /, "")
                }
                sub(/^ +/, "")
                print "option\t" name "\t" option "\t" value "\t" $0
            }'
    done
    "$bareking" variants | awk '$2 ~ /^[0-9]+x/ { name = $1; sub(/^[^ ]+ +/, ""); print "game\t" name "\t" $0 }'
}

describe >"$out/described"
awk -f "$here/complete_bash.awk" "$out/described" >"$out/bareking"
awk -f "$here/complete_zsh.awk" "$out/described" >"$out/_bareking"
rm "$out/described"
