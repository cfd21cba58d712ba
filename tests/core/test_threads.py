"""Threads: counted, shared, stopped; how many there are does not show."""

from __future__ import annotations

import multiprocessing
import threading
import time
import warnings

import numpy as np
import pytest

from sidelight.core.arrays import shares
from sidelight.core.threads import Threads, count_threads, one_blas_thread, over_bands


def test_results_come_in_the_order_of_the_calls():
    def late(number):
        time.sleep(0.02 * (3 - number))
        return number

    for n_threads in (1, 2, 5):
        done = []
        with Threads(n_threads) as threads:
            results = threads.run([(late, (number,)) for number in range(4)], done.append)
        assert results == [0, 1, 2, 3]
        assert done == [1, 2, 3, 4]


def test_progress_is_told_in_the_calling_thread():
    told = set()
    with Threads(3) as threads:
        threads.run([(abs, (i,)) for i in range(9)], lambda _: told.add(threading.get_ident()))
    assert told == {threading.get_ident()}


def test_what_waits_is_given_up_when_the_user_has_had_enough():
    made = []

    def work(number):
        made.append(number)
        time.sleep(0.02)

    def stop(n_done):
        raise KeyboardInterrupt

    def fit():
        with Threads(2) as threads:
            threads.run([(work, (number,)) for number in range(100)], stop)

    with pytest.raises(KeyboardInterrupt):
        fit()
    assert len(made) < 20


def test_an_error_in_a_thread_is_the_callers():
    with pytest.raises(ZeroDivisionError), Threads(2) as threads:
        threads.run([(divmod, (1, 1)), (divmod, (1, 0))])


@pytest.mark.parametrize("n", [1, 255, 511, 512, 700, 1024])
def test_bands_cover_every_row_once(n):
    seen = np.zeros(n, dtype=int)

    def work(first, last):
        seen[first:last] += 1

    over_bands(work, n)
    assert (seen == 1).all()


@pytest.mark.parametrize(("n", "k"), [(1, 4), (7, 3), (12, 4), (100, 7)])
def test_shares_cover_every_row_once(n, k):
    cut = shares(n, k)
    assert len(cut) <= k
    assert [i for share in cut for i in range(share.start, share.stop)] == list(range(n))


def test_how_many_threads():
    everything = count_threads(None, who="test")
    assert everything == count_threads(-1, who="test") >= 1
    assert count_threads(3, who="test") == 3
    assert count_threads(-1000, who="test") == 1
    for bad in (0, 1.5, "2", True):
        with pytest.raises(ValueError, match="'n_jobs' parameter of test must be None or an int"):
            count_threads(bad, who="test")


def blas_threads():
    import scipy.linalg  # noqa: F401  (it brings a library of its own)
    from threadpoolctl import threadpool_info

    return [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]


def test_blas_works_in_one_thread_inside_and_in_as_many_as_before_outside():
    from threadpoolctl import threadpool_limits

    blas_threads()
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with one_blas_thread(), one_blas_thread():
            assert set(blas_threads()) == {1}
        assert blas_threads() == before


def test_two_fits_side_by_side_leave_blas_as_it_was():
    from threadpoolctl import threadpool_limits

    blas_threads()
    with threadpool_limits(2, user_api="blas"):
        before, first, second = blas_threads(), one_blas_thread(), one_blas_thread()
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert set(blas_threads()) == {1}
        second.__exit__(None, None, None)
        assert blas_threads() == before


def test_a_worker_of_a_pool_counts_its_threads_without_a_warning(monkeypatch):
    alone = count_threads(None, who="test")
    monkeypatch.setitem(multiprocessing.current_process()._config, "daemon", True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert count_threads(None, who="test") == alone
        assert count_threads(3, who="test") == 3


def test_a_fit_to_few_rows_uses_one_thread_of_blas_and_one_to_many_all(monkeypatch):
    """Spinning threads made a fit fifty times slower where another process had a core."""
    from threadpoolctl import threadpool_limits

    from sidelight import PCA

    seen = []
    checked = PCA._check_input
    monkeypatch.setattr(
        PCA, "_check_input", lambda *a, **k: seen.append(set(blas_threads())) or checked(*a, **k)
    )
    blas_threads()
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        for shape in ((2000, 3), (2001, 3), (9, 1001)):
            PCA(1).fit(np.random.default_rng(0).normal(size=shape))
        PCA(1).fit([[1.0, 2.0], [3.0, 5.0], [0.0, 1.0]])
        images = np.random.default_rng(1).random((5, 3, 2))
        with pytest.warns(UserWarning, match="Images of 3 × 2"):  # more threads, other last bits
            PCA(1).fit(images)
        with pytest.warns(UserWarning, match="Images of 3 × 2"):
            PCA(1).fit(list(images))
        with pytest.raises(ValueError, match="NaN"):
            PCA(1).fit(np.full((5, 2), np.nan))
        assert blas_threads() == before
    assert seen == [{1}, set(before), set(before), {1}, {1}, {1}, {1}]


def test_what_a_loaded_model_makes_anew_is_made_in_as_many_threads_as_in_the_fit(
    monkeypatch, tmp_path
):
    """A model that is loaded placed rows elsewhere by 1e-8 where BLAS had two threads."""
    from threadpoolctl import threadpool_limits

    import sidelight
    from sidelight.latent.gplvm import process
    from sidelight.mapping import KernelSmoother, by_kernel

    seen = []

    def watched(kind):
        fit = kind.fit.__func__

        def told(cls, *given, **named):
            seen.append((kind.__name__, max(blas_threads())))
            return fit(cls, *given, **named)

        monkeypatch.setattr(kind, "fit", classmethod(told))

    for kind in (process.Prediction, KernelSmoother, by_kernel.RidgePreimage):
        watched(kind)
    X = np.random.default_rng(0).standard_normal((30, 4)).cumsum(axis=0)
    ways = {
        "Prediction": sidelight.GPLVM(2, max_iter=5),
        "KernelSmoother": sidelight.Isomap(2, n_neighbors=5),
        "RidgePreimage": sidelight.KernelPCA(2, kernel="rbf", preimage="ridge"),
    }
    blas_threads()
    with threadpool_limits(2, user_api="blas"), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # five steps are not enough, and need not be
        for name, model in ways.items():
            path = sidelight.save(model.fit(X), tmp_path / f"{name}.sidelight")
            loaded = sidelight.load(path)
            seen.clear()
            loaded.inverse_transform(loaded.embedding_[:3])
            assert (name, 1) in seen
            assert {n_threads for _, n_threads in seen} == {1}


def test_the_calling_thread_works_too_and_no_more_work_than_are_asked_for():
    working, most = set(), []

    def work(_):
        working.add(threading.get_ident())
        most.append(len(working))
        time.sleep(0.01)
        working.discard(threading.get_ident())
        return threading.get_ident()

    with Threads(2) as threads:
        who = threads.run([(work, (i,)) for i in range(12)])
    assert threading.get_ident() in who
    assert max(most) <= 2
