#!/bin/sh
# job.sh LIMIT JOBS NAME - runs one test program for run.sh, and judges it.  JOBS/NAME is its folder: `command` there says
# what is run, `kind` how it tells what became of it:
#
#   cmocka   by its lines of results
#   counted  its last line is `N passed, N failed`, and may go on: `; left out: WHAT`
#   said     it is one test; its last line says what was tried, and may end so
#
# Status 77: nothing was tried, and the last line says why; that is no test passed.  A program that ends well and says
# nothing, or counts nothing, has failed, and so has one that takes more than LIMIT seconds.
#
# `result` is then PASSED FAILED SECONDS CPU-SECONDS, `line` a word for people, `left` what was left out, a line each.
# What job.sh itself prints is NAME, when all of that is there.
set -u
limit=$1 job=$2/$3
begin=$(date +%s)
# what must end with it is its group, whose number is in `group`
# shellcheck disable=SC2016
sh -c 'echo $$ >"$1/group"; exec timeout -k 10 "$0" sh "$1/command"' "$limit" "$job" >"$job/log" 2>&1 </dev/null
status=$?
times >"$job/times" # not in a pipeline, which would be another process
rm -f "$job/group"
took=$(($(date +%s) - begin))
cpu=$(sed -n 's/[ms]/ /g; 2p' "$job/times" | awk '{ printf "%.1f", 60 * $1 + $2 + 60 * $3 + $4 }')
last=$(tail -n 1 "$job/log")
: >"$job/left"
good=0 bad=0 line=

count_cmocka() { # sets good and bad; a name that failed is told again at the end
    awk -v left="$job/left" '
        /^\[       OK \] / { good++ }
        /^left out: / { why = substr($0, 11) }
        /^\[ RUN      \] / { why = "" }
        /^\[  SKIPPED \] [A-Za-z_0-9]+$/ && !seen[$NF]++ { print $NF (why == "" ? "" : ": " why) >left }
        /^\[  (FAILED|ERROR) +\] [A-Za-z_0-9]+$/ && !seen[$NF]++ { bad++ }
        END { print good + 0, bad + 0 }' "$job/log" >"$job/counts"
    read -r good bad <"$job/counts"
    line="$good passed, $bad failed"
}

# `...; left out: WHAT` of the last line, or that alone
note_left_out() {
    case "; $last" in *'; left out: '*) printf '%s\n' "; $last" | sed 's/.*; left out: //' >"$job/left" ;; esac
}

kind=$(cat "$job/kind")
case $kind in
cmocka) count_cmocka ;;
counted)
    counts=$(printf '%s\n' "$last" | sed -n 's/^\([0-9][0-9]*\) passed, \([0-9][0-9]*\) failed\(; left out: .*\)*$/\1 \2/p')
    good=${counts% *} bad=${counts#* } line=$last
    note_left_out
    ;;
*)
    [ -z "$last" ] || [ "$status" -ne 0 ] || good=1
    line=$last
    note_left_out
    ;;
esac
good=${good:-0} bad=${bad:-0}

case $kind:$status in
*:0)
    if [ "$bad" -gt 0 ]; then
        line="$line; yet its status is 0"
    elif [ "$good" -eq 0 ] && [ -s "$job/left" ]; then
        line='nothing tried'
    elif [ "$good" -eq 0 ]; then
        bad=1 line='failed: it tested nothing'
    fi
    ;;
said:77 | counted:77)
    line="left out: ${last#not tried: }"
    printf '%s\n' "${last#not tried: }" >"$job/left"
    ;;
*:124 | *:137) bad=$((bad + (bad == 0))) line="failed: not done after $took s" ;;
*)
    if [ "$bad" -eq 0 ]; then
        bad=1 line="failed: status $status"
        [ $status -le 128 ] || line="failed: ended by signal $((status - 128))"
    fi
    ;;
esac
echo "$good $bad $took $cpu" >"$job/result"
printf '%s\n' "$line" >"$job/line"
echo "$3"
