#!/bin/sh
# runner.sh - run.sh itself, with a list of made-up programs in the place of its own: what is counted as passed, as
# failed and as left out, and that nothing is lost or mixed up.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/scratch.sh"
mkdir "$tmp/tests" "$tmp/build" "$tmp/build/tests" "$tmp/fake"
cp "$here/job.sh" "$here/scratch.sh" "$tmp/tests"
fake() { # name: a program, from stdin
    { echo '#!/bin/sh'; cat; } >"$tmp/fake/$1"
    chmod +x "$tmp/fake/$1"
}
# What run.sh says of a list, from stdin, in $tmp/said; its status in $status.
runs() { # options of env
    sed '/^# == What is run/,$d' "$here/run.sh" >"$tmp/tests/run.sh"
    sed "s|FAKE|$tmp/fake|g" >>"$tmp/tests/run.sh"
    sed -n '/^# == Running/,$p' "$here/run.sh" >>"$tmp/tests/run.sh"
    status=0
    env -u ONLY "$@" sh "$tmp/tests/run.sh" "$tmp/build" ${all-} >"$tmp/said" 2>&1 || status=$?
}
ends() { # last line, status
    [ "$(tail -n 1 "$tmp/said")" = "$1" ] || fail "$case: not '$1': $(cat "$tmp/said")"
    [ "$status" -eq "$2" ] || fail "$case: status $status, not $2"
    looked=$((looked + 1))
}
says() { grep -q -e "$1" "$tmp/said" || fail "$case: no '$1': $(cat "$tmp/said")"; }
looked=0

fake passes <<'END'
echo 'all well'
END
fake fails <<'END'
echo 'this is wrong'
exit 1
END
fake tries_nothing <<'END'
echo 'not tried: no such tool'
exit 77
END
fake tries_a_part <<'END'
echo 'one half; left out: the other half (no tool)'
END
fake is_mute <<'END'
END
fake crashes <<'END'
echo 'before it crashes'
kill -SEGV $$
END
fake hangs <<'END'
echo 'waiting'
(sleep 2 && echo late >"$0.late") &
wait
END
fake counts <<'END'
echo '7 passed, 2 failed'
exit 1
END
fake counts_all <<'END'
echo '9 passed, 0 failed; left out: what a terminal shows'
END
fake counts_wrong <<'END'
echo '7 passed, 2 failed'
END
fake counts_none <<'END'
echo '0 passed, 0 failed'
END
fake ends_early <<'END'
echo 'on the way'
END
fake cmocka <<'END'
echo '[==========] Running 4 test(s).'
echo '[ RUN      ] one'
echo '[       OK ] one'
echo '[ RUN      ] two'
echo '[       OK ] two'
echo '[ RUN      ] three'
echo 'left out: it takes long'
echo '[  SKIPPED ] three'
if [ -z "$1" ]; then exit; fi
echo '[ RUN      ] four'
echo '[  FAILED  ] four'
echo '[  FAILED  ] 1 test(s), listed below:'
echo '[  FAILED  ] four'
exit 1
END
fake cmocka_skips <<'END'
echo '[ RUN      ] three'
echo '[  SKIPPED ] three'
END
fake ends_with_77 <<'END'
echo '[ RUN      ] one'
echo '[  FAILED  ] one'
exit 77
END

case='a program that passes is one test'
runs <<'END'
script passes FAKE/passes
END
ends '1 passed, 0 failed' 0
says '^passes .* s  all well$'

case='a program that fails is one test, and what it said is shown'
runs <<'END'
script passes FAKE/passes
script fails FAKE/fails
END
ends '1 passed, 1 failed' 1
says '^    this is wrong$'
says '^failed: fails$'

case='a program that tried nothing has not passed, and why is said'
runs <<'END'
script passes FAKE/passes
script tries_nothing FAKE/tries_nothing
END
ends '1 passed, 0 failed' 0
says '^    tries_nothing: no such tool$'

case='what a program leaves out of its work is said'
runs <<'END'
script tries_a_part FAKE/tries_a_part
END
ends '1 passed, 0 failed' 0
says '^    tries_a_part: the other half (no tool)$'

for case in is_mute crashes ends_early counts_none counts_wrong; do
    kind=script
    case $case in ends_early | counts*) kind=counted ;; esac
    echo "$kind fake FAKE/$case" >"$tmp/list"
    runs <"$tmp/list"
    case $case in counts_wrong) ends '7 passed, 2 failed' 1 ;; *) ends '0 passed, 1 failed' 1 ;; esac
done
case='a signal that ended a program is said'
runs <<'END'
script crashes FAKE/crashes
END
says 'ended by signal 11'

case='a program that hangs has failed, and is ended with all that it started'
runs LIMIT=1 <<'END'
script hangs FAKE/hangs
script passes FAKE/passes
END
ends '1 passed, 1 failed' 1
says 'not done after'
sleep 1.5
[ ! -e "$tmp/fake/hangs.late" ] || fail "$case: something still runs"

case='what is left out is named, whatever else the last line says'
fake tells_that_alone <<'END'
echo 'left out: Python'
END
runs <<'END'
script alone FAKE/tells_that_alone
script part FAKE/tries_a_part
END
ends '2 passed, 0 failed' 0
says '^    alone: Python$'
says '^    part: the other half (no tool)$'

case='counts are added up'
runs <<'END'
counted counts FAKE/counts
counted counts_all FAKE/counts_all
script passes FAKE/passes
END
ends '17 passed, 2 failed' 1
says '^    counts_all: what a terminal shows$'

case='a cmocka program counts each test once, and names those that are left out'
runs <<'END'
program cmocka good FAKE/cmocka ''
program cmocka bad FAKE/cmocka x
END
ends '4 passed, 1 failed' 1
says '^    good: three: it takes long$'

case='a cmocka program of which all is left out has neither passed nor failed'
runs <<'END'
program cmocka skips FAKE/cmocka_skips
program cmocka good FAKE/cmocka ''
END
ends '2 passed, 0 failed' 0
says '^    skips: three$'

case='a cmocka program that says nothing has failed'
runs <<'END'
program cmocka is_mute FAKE/is_mute
END
ends '0 passed, 1 failed' 1

case='77 failed tests are failures'
runs <<'END'
program cmocka many FAKE/ends_with_77
END
ends '0 passed, 1 failed' 1

case='no program that is not there has passed'
runs <<'END'
script missing FAKE/missing
END
ends '0 passed, 1 failed' 1

case='words of a command stay as they are'
runs <<'END'
script words sh -c 'test "$1 $#" = "a  b'"'"'; c 2" && echo "$@"' sh "a  b'; c" ''
END
ends '1 passed, 0 failed' 0

case='what two programs say is not mixed up'
fake loud <<'END'
for i in $(seq 60); do echo "$1 $i"; done
echo "$1 FAILED"
exit 1
END
runs JOBS=4 <<'END'
script a FAKE/loud a
script b FAKE/loud b
script c FAKE/loud c
script d FAKE/loud d
END
ends '0 passed, 4 failed' 1
sed -n 's/^    \([a-d]\) [0-9F].*/\1/p' "$tmp/said" | uniq | sort | uniq -d >"$tmp/mixed"
[ ! -s "$tmp/mixed" ] || fail "$case: $(cat "$tmp/said")"

case='a program that runs alone runs when no other does'
fake marks <<'END'
mkdir "$0.$1"
sleep 0.3
ls -d "$0".*
rmdir "$0.$1"
END
runs JOBS=2 <<'END'
alone script first FAKE/marks first
script second FAKE/marks second
script third FAKE/marks third
END
ends '3 passed, 0 failed' 0
says '^first .*/marks\.first$'

case='what belongs to all is run with all'
cat >"$tmp/list" <<'END'
script passes FAKE/passes
in_all script passes_too FAKE/passes
in_all alone script passes_alone FAKE/passes
END
runs <"$tmp/list"
ends '1 passed, 0 failed' 0
all=all
runs <"$tmp/list"
ends '3 passed, 0 failed' 0
all=

case='no name twice'
runs <<'END'
script passes FAKE/passes
script passes FAKE/fails
END
[ "$status" -ne 0 ] || fail "$case: $(cat "$tmp/said")"
echo "run.sh counts what passes, fails and is left out: $looked lists of made-up programs"
