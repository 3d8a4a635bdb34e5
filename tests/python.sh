#!/bin/sh
# python.sh BUILD - the Python package: makes wheel and sdist, installs the wheel in an environment of its
# own, runs its tests there, those of tables without libbareking, too.  FULL=1: more positions, all tests; without NumPy; a wheel with the library in it;
# types (mypy); every Python there is that has pytest.
#
# Without pytest nothing is tested, without `build` or `venv` what lies in the tree; it is said.
set -eu
build=$(realpath "${1:?usage: python.sh BUILD}")
tests=$(dirname "$(realpath "$0")")
package=$(realpath "$tests/../probe/python")
. "$tests/scratch.sh"
export PYTHONDONTWRITEBYTECODE=1 BAREKING_COMMAND="$build/bareking" BAREKING_GOLDEN="$tests/golden"
cd "$tmp"

has() { # python, module...
    with=$1
    shift
    for module; do "$with" -c "import $module" 2>/dev/null || return 1; done
}
python=
for each in "${PYTHON:-python3}" /usr/bin/python3; do
    if [ -z "$python" ] && has "$each" pytest; then python=$each; fi
done
[ -n "$python" ] || not_tried 'no python3 that has pytest (python3-pytest)'

passed=
run() { # python, options of pytest: where `bareking` is that python's to find
    "$@" -q -p no:cacheprovider --basetemp="$tmp/scratch" "$package/tests" >"$tmp/log" 2>&1 || {
        tail -n 60 "$tmp/log"
        exit 1
    }
    passed="$passed${passed:+; }$(tail -n 1 "$tmp/log" | sed 's/=//g; s/ in [0-9.]*s.*//; s/^ *//')"
}
without_numpy='import sys; sys.modules["numpy"] = None; import pytest; sys.exit(pytest.main(sys.argv[1:]))'

install() { # wheel: into an environment that has nothing else of ours
    rm -rf "$tmp/venv"
    "$python" -m venv --system-site-packages "$tmp/venv"
    "$tmp/venv/bin/python" -m pip install -q --no-index --no-deps "$1"
    found=$("$tmp/venv/bin/python" -c 'import bareking; print(bareking.__file__)')
    case $found in "$tmp/venv/"*) ;; *) echo "FAILED: bareking is $found" && exit 1 ;; esac
}

export BAREKING_LIBRARY="$build/libbareking.so"
if has "$python" build setuptools wheel venv ensurepip; then
    rm -rf "$build/python"
    (cd "$tests/.." && umask 077 && PYTHON=$python SOURCE_DATE_EPOCH=1700000000 sh probe/packaging/python.sh "$build")
    "$python" - "$build" <<'END'
import glob, sys, tarfile, zipfile
# nothing of the day, the user or the mask of who made them
for path in glob.glob(sys.argv[1] + "/python/bareking-*.whl"):
    for each in zipfile.ZipFile(path).infolist():
        assert each.date_time == (2023, 11, 14, 22, 13, 20), (path, each)
        assert each.external_attr >> 16 & 0o44 == 0o44, (path, each)
for path in glob.glob(sys.argv[1] + "/python/bareking-*.tar.gz"):
    assert open(path, "rb").read(8)[4:] == bytes(4), path
    for each in tarfile.open(path):
        assert (each.mtime, each.uid, each.gid) == (1700000000, 0, 0), (path, each.name)
        assert each.mode & 0o44 == 0o44, (path, each.name)
END
    for needed in LICENSE tests/test_equal.py bareking/py.typed bareking/_pure/settle.py bareking/variants/chess.ini; do
        tar -tzf "$build"/python/bareking-*.tar.gz | grep -q "/$needed\$" || {
            echo "FAILED: no $needed in the sdist"
            exit 1
        }
    done
    install "$build"/python/bareking-*-py3-none-any.whl
    inside=$tmp/venv/bin/python
else
    leave_out 'wheel and sdist (python3-build, python3-setuptools, python3-wheel, python3-venv)'
    inside=$python
    export PYTHONPATH="$package"
fi
BAREKING_POSITIONS=${FULL:+2000} run "$inside" -m pytest
# the same answers, errors and names by Python alone; threads ask it in `make test-all`, and what takes long by itself is left to FULL=1
some='(equal or tablebase) and not test_threads'
[ -z "${TEST_ALL-}" ] || some='equal or tablebase'
BAREKING_LIBRARY=none BAREKING_POSITIONS=${FULL:+100} run "$inside" -W ignore::UserWarning -m pytest \
    -k "$([ -z "${FULL-}" ] && echo "$some" || echo 'not run_meanwhile and not test_threads')"
for each in $(BAREKING_LIBRARY=none "$inside" -W ignore -c '
import bareking
for name in bareking.variants():
    try:
        bareking.Game(name)
    except bareking.UsageError:
        print(name)'); do
    leave_out "$each by Python alone (a key that it does not know)"
done
unset PYTHONPATH
has "$python" numpy || leave_out 'arrays (python3-numpy)'

if [ -n "${FULL-}" ]; then
    export PYTHONPATH="$package"
    run "$python" -c "$without_numpy"
    for each in python3.9 python3.10 python3.11 python3.12 python3.13; do
        if command -v $each >/dev/null && has $each pytest; then run $each -m pytest; fi
    done
    unset PYTHONPATH
    if command -v mypy >/dev/null; then
        mypy --strict --python-version 3.9 --cache-dir "$tmp/mypy" "$package/bareking"
    else
        leave_out 'types (mypy)'
    fi
    if [ -z "$without" ]; then
        (cd "$tests/.." && PYTHON=$python sh probe/packaging/python.sh "$build" "$build/libbareking.so")
        unset BAREKING_LIBRARY
        install "$(ls "$build"/python/bareking-*-py3-none-linux_*.whl)"
        run "$tmp/venv/bin/python" -m pytest
    fi
fi
echo "$passed${without:+; left out: $without}"
