"""Threads, closing among them, and processes."""

import multiprocessing
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import bareking
import pytest
from bareking import Tablebase
from test_tablebase import LOST, MISSING, WON

FENS = [WON, LOST] * 2000


def test_threads_ask_one_tablebase(tables):
    with Tablebase("chess", tables) as tb:
        one = [a.dtw for a in tb.probe_many(FENS)]
        with ThreadPoolExecutor(4) as pool:
            for many in pool.map(tb.probe_many, [FENS] * 8):
                assert [a.dtw for a in many] == one


def test_errors_belong_to_their_threads(tables):
    with Tablebase("chess", tables) as tb:
        def ask(fen):
            try:
                return tb.probe_wdl(fen)
            except bareking.BarekingError as error:
                return str(error)

        with ThreadPoolExecutor(4) as pool:
            said = set(zip([WON, MISSING, "x"] * 2000, pool.map(ask, [WON, MISSING, "x"] * 2000)))
        assert len(said) == 3


def test_others_run_meanwhile(tables):
    """A batch in C does not stop the other threads of Python."""
    with Tablebase("chess", tables) as tb:
        asked = [bareking.Position(tb.game, WON)] * 100000
        worker = threading.Thread(target=tb.probe_many, args=(asked,))
        counted = 0
        worker.start()
        while worker.is_alive():
            counted += 1
        assert counted > 1000


def test_close_among_threads(tables):
    for _ in range(30):
        tb = Tablebase("chess", tables)
        wrong = []
        begun = threading.Barrier(4)

        def ask(tb=tb, wrong=wrong, begun=begun):
            begun.wait()
            try:
                while True:
                    if tb.probe_many(FENS[:200])[0].dtw != 27:
                        wrong.append("value")
            except bareking.ClosedError:
                pass
            except BaseException as error:  # noqa: B902
                wrong.append(error)

        threads = [threading.Thread(target=ask) for _ in range(3)]
        for thread in threads:
            thread.start()
        begun.wait()
        time.sleep(0.002)
        tb.close()
        for thread in threads:
            thread.join(20)
            assert not thread.is_alive()
        assert not wrong


def child_says(work):
    """The exit status of work() in a child: 0 if it returns true, 9 if it hangs."""
    pid = os.fork()
    if not pid:
        status = 1
        try:
            status = 0 if work() else 2
        finally:
            os._exit(status)
    for _ in range(2000):
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        time.sleep(0.01)
    os.kill(pid, signal.SIGKILL)
    return os.waitpid(pid, 0)[1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork_keeps_what_was_read(tables):
    with Tablebase("chess", tables) as tb:
        tb.probe(WON)

        def work():
            same = tb.probe(WON, cache_only=True).dtw == 27 and tb.probe_wdl(LOST) == -1
            tb.close()
            return same

        assert child_says(work) == 0
        assert tb.probe(WON).dtw == 27


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_fork_while_others_ask(tables, golden):
    """Locks that another thread holds at the fork are held for ever in the child."""
    first = Tablebase("chess", tables, memory=1 << 20)
    second = Tablebase("sultan", golden / "normal", share=first)
    closed = Tablebase("chess", tables)
    closed.close()
    stop = threading.Event()

    def ask():
        while not stop.is_set():
            first.refresh()
            first.probe_many(FENS[:500])

    threads = [threading.Thread(target=ask) for _ in range(3)]
    for thread in threads:
        thread.start()
    try:
        for _ in range(10):
            def work():
                first.refresh()
                again = first.probe(WON).dtw == 27 and second.memory == first.memory
                second.close()
                first.close()
                return again and first.closed and closed.closed

            assert child_says(work) == 0
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert first.probe(WON).dtw == 27


def in_process(folder):
    with Tablebase("chess", folder) as tb:
        return tb.probe(bareking.Position("chess", WON)).dtw


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_processes_that_begin_anew(tables):
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        assert pool.map(in_process, [str(tables)]) == [27]
