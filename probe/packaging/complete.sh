#!/bin/sh
# complete.sh BAREKING OUT - writes completions for bash (OUT/bareking) and zsh (OUT/_bareking), from what
# the command says of itself: its commands, their options, the games built in.
set -eu
bareking=$1 out=$2
here=$(dirname "$0")
mkdir -p "$out"

# One line each, fields with tabs between:
#     command NAME WHAT        first NAME VARIANT|FILE       (its first argument)
#     option NAME --X VALUE TEXT                              game NAME TITLE
describe() {
    "$bareking" help | sed -n 's/^  \([a-z][a-z-]*\)  */\1\t/p' | while IFS="$(printf '\t')" read -r name what; do
        printf 'command\t%s\t%s\n' "$name" "$what"
        [ "$name" != help ] || continue
        "$bareking" "$name" --help | awk -v name="$name" '
            /^usage: / { print "first\t" name "\t" $4 }
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
    "$bareking" variants | awk '{ name = $1; sub(/^[^ ]+ +/, ""); print "game\t" name "\t" $0 }'
}

describe >"$out/described"
awk -f "$here/complete_bash.awk" "$out/described" >"$out/bareking"
awk -f "$here/complete_zsh.awk" "$out/described" >"$out/_bareking"
rm "$out/described"
