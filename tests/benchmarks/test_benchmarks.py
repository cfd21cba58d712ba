"""The arithmetic of the benchmarks and their checks of agreement; nothing here is timed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from benchmarks import agreement
from benchmarks.judgement import Runs, disagreements, judge
from benchmarks.measure import measure
from benchmarks.report import HEADER, Result, aligned, as_json, cells, is_of_today, measured_before
from benchmarks.row import OURS, Contender, Goal, Limit, Problem, Row
from benchmarks.rows import ROWS, choose_rows
from benchmarks.runner import Runner, run_worker
from benchmarks.table import markdown

NO_DATA = Problem(np.zeros((1, 1)))


def runs_of(seconds, *, megabytes=10.0, difference=0.0, must_agree=True):
    return Runs(
        seconds=list(seconds),
        megabytes=[megabytes] * len(seconds),
        difference=difference,
        tolerance=1e-3,
        must_agree=must_agree,
    )


def written(row, size, folder, draw=0):
    path = folder / "problem.npz"
    row.problem(size, draw).write(path)
    return path


class TestJudgement:
    def test_ratio_is_that_of_medians_to_the_best_peer(self):
        runs = {
            OURS: runs_of([1.0, 9.0, 2.0], megabytes=5.0),
            "slow": runs_of([30.0]),
            "fast": runs_of([8.0, 8.0, 100.0]),
        }
        (verdict,) = judge(runs, [Goal(4, memory=0.5)])
        assert (verdict.over, verdict.ratio, verdict.memory_ratio) == ("fast", 4.0, 0.5)
        assert verdict.met

    @pytest.mark.parametrize("goal", [Goal(4.1), Goal(4, memory=0.49)])
    def test_a_goal_is_missed_by_time_or_by_memory(self, goal):
        runs = {OURS: runs_of([1.0], megabytes=5.0), "peer": runs_of([4.0])}
        assert judge(runs, [goal])[0].met is False

    def test_a_goal_over_some_peers_looks_at_the_best_of_those(self):
        runs = {
            OURS: runs_of([1.0]),
            "sklearn arpack": runs_of([6.0]),
            "sklearn dense": runs_of([7.0]),
            "tapkee": runs_of([2.0]),
        }
        first, second = judge(runs, [Goal(5, over="sklearn"), Goal(3, over="tapkee")])
        assert (first.over, first.met) == ("sklearn arpack", True)
        assert (second.over, second.met) == ("tapkee", False)

    @pytest.mark.parametrize("difference", [0.1, np.nan])
    def test_a_peer_with_another_answer_does_not_count(self, difference):
        runs = {
            OURS: runs_of([1.0]),
            "exact": runs_of([6.0]),
            "sloppy": runs_of([0.1], difference=difference, must_agree=False),
        }
        assert judge(runs, [])[0].over == "exact"
        assert disagreements(runs) == []
        runs["sloppy"].must_agree = True
        assert len(disagreements(runs)) == 1

    def test_our_own_failure_fails_the_row(self):
        runs = {OURS: Runs(failure="ValueError"), "peer": runs_of([1.0], difference=None)}
        assert judge(runs, [Goal(1)]) == []
        assert disagreements(runs) == [f"{OURS} failed: ValueError"]

    @pytest.mark.parametrize(
        ("limit", "kept"),
        [
            (Limit(seconds=2.0, worst=9.0, megabytes=10.0), True),
            (Limit(), True),
            (Limit(seconds=1.9), False),  # the median is 2
            (Limit(seconds=2.0, worst=8.9), False),
            (Limit(megabytes=9.9), False),
        ],
    )
    def test_work_without_peers_is_held_to_its_limit(self, limit, kept):
        runs = runs_of([1.0, 9.0, 2.0], difference=1e-3)
        assert runs.within(limit) is kept

    def test_an_answer_that_is_not_certified_is_no_answer(self):
        runs = runs_of([1.0], difference=2e-3)
        assert not runs.within(Limit(seconds=5.0))
        assert "proven to be within 0.002" in disagreements({OURS: runs})[0]
        assert disagreements({OURS: runs_of([1.0], difference=1e-3)}) == []


class TestAgreement:
    def test_signs_of_axes_are_free_and_their_order_is_not(self):
        rng = np.random.default_rng(0)
        Z = rng.standard_normal((50, 2)) * [5.0, 1.0]
        turned = Z * [1.0, -1.0] + 3.0
        assert agreement.map_difference(NO_DATA, turned, Z) < 1e-12
        assert agreement.map_difference(NO_DATA, turned[:, ::-1], Z) > 0.5

    def test_maps_differ_by_the_noise_between_them(self):
        rng = np.random.default_rng(0)
        Z = rng.standard_normal((4000, 2))
        noisy = Z + 0.01 * rng.standard_normal(Z.shape)
        assert agreement.map_difference(NO_DATA, noisy, Z) == pytest.approx(0.01, rel=0.1)

    def test_subspaces_are_compared_up_to_scale_and_rotation(self):
        t = np.linspace(-1, 1, 101)
        Z = np.column_stack([t, t**3 - 0.6 * t])
        mixed = Z @ [[2.0, 1.0], [0.0, 7.0]]
        assert agreement.subspace_difference(NO_DATA, mixed, Z) < 1e-12
        # one direction shared, the other orthogonal to all of Z
        other = np.column_stack([t, t**2])
        assert agreement.subspace_difference(NO_DATA, other, Z) == pytest.approx(1.0)

    def test_residual_ratio_compares_distances_from_the_truth(self):
        rng = np.random.default_rng(0)
        truth = rng.standard_normal((2000, 2))
        noise = rng.standard_normal(truth.shape)
        ours, theirs = truth + 0.02 * noise, 3 * (truth + 0.01 * noise)
        ratio = agreement.residual_ratio(Problem(truth, truth=truth), ours, theirs)
        assert ratio == pytest.approx(2.0, rel=0.01)

    def test_a_straightened_line_leaves_less_unexplained_than_a_bent_one(self):
        angle = np.linspace(0, 3, 400)
        bent = np.column_stack([np.cos(angle), np.sin(angle)])
        straight = np.column_stack([angle + 0.01 * np.sin(40 * angle), np.zeros_like(angle)])
        ratio = agreement.residual_variance_ratio(Problem(bent), straight, bent, 4)
        assert ratio < 0.1

    def test_quotients_of_a_path_are_its_eigenvalues(self):
        n = 12
        W = sp.csr_array(sp.diags_array([np.ones(n - 1), np.ones(n - 1)], offsets=[-1, 1]))
        frequency = np.pi * np.array([1, 2]) / (n - 1)
        Y = np.cos(np.outer(np.arange(n), frequency))
        values, residual = agreement.rayleigh_quotients(W, Y)
        np.testing.assert_allclose(values, 1 - np.cos(frequency), atol=1e-12)
        assert residual < 1e-12
        Y[3] += 0.1
        assert agreement.rayleigh_quotients(W, Y)[1] > 1e-3

    def test_values_are_compared_relative_to_ours(self):
        ours, theirs = np.array([4.0, 4.1]), np.array([5.0])
        assert agreement.value_difference(NO_DATA, ours, theirs) == 0.25

    def test_a_map_is_worse_by_what_a_better_one_has_more(self):
        rng = np.random.default_rng(0)
        X = rng.standard_normal((300, 2))
        problem = Problem(X, labels=(X[:, 0] > 0).astype(int))
        mixed = X[rng.permutation(300)]
        assert agreement.worse_map(problem, X, X) == 0.0
        assert agreement.worse_area(problem, mixed, X) == pytest.approx(1.0, abs=0.1)
        assert agreement.worse_area(problem, X, mixed) == pytest.approx(-1.0, abs=0.1)
        assert agreement.worse_classes(problem, mixed, X) == pytest.approx(0.47, abs=0.1)
        # a map of the classes alone keeps them, and few neighbours
        classes = 9.0 * problem.labels[:, None] + rng.standard_normal((300, 2))
        assert agreement.worse_classes(problem, classes, X) <= 0
        assert agreement.worse_map(problem, classes, X) > 0.5

    def test_new_rows_are_judged_by_the_old_ones_that_stay_near_them(self):
        X = np.random.default_rng(0).standard_normal((200, 2))
        lost = X.copy()
        lost[-20:-10] = 50.0  # half of the new rows are far from everything
        more = agreement.fewer_kept(Problem(X), lost, X, n_new=20)
        assert more == pytest.approx(0.5, abs=0.1)

    def test_neighbors_of_a_sample_are_those_of_others(self):
        X = np.array([[0.0], [1.0], [3.0], [3.0]])
        found = np.array([[1], [0], [3], [2]])
        assert agreement.missed_of_sample(Problem(X), found) == 0.0
        wrong = np.array([[2], [0], [3], [2]])
        assert agreement.missed_of_sample(Problem(X), wrong) == 0.25
        # a peer is held to its own share, however many we found
        assert agreement.missed_by_peer(Problem(X), wrong, found) == 0.0
        assert agreement.missed_by_peer(Problem(X), found, wrong) == 0.25

    def test_share_of_missed_neighbors(self):
        ours, theirs = np.array([[1, 2], [5, 3]]), np.array([[2, 1], [3, 4]])
        assert agreement.missed_neighbors(NO_DATA, ours, theirs) == 0.25


def toy_row(peer):
    """Make a row whose answers need no library."""
    return Row(
        name="toy/numbers",
        work="Nothing much",
        data=lambda n: Problem(np.arange(2.0 * n).reshape(n, 2)),
        size=20,
        small=10,
        contenders={
            OURS: Contender(lambda problem: problem.X),
            "peer": Contender(peer),
            "absent": Contender(peer, package="no_such_package_at_all"),
        },
        compare=agreement.map_difference,
        tolerance=1e-6,
        goals=(Goal(1),),
    )


class TestRunner:
    def test_equal_answers_give_a_ratio_and_a_table(self):
        row = toy_row(lambda problem: -problem.X)
        runs = Runner(small=True)(row)
        assert runs["peer"].agrees
        assert disagreements(runs) == []
        assert "not installed" in runs["absent"].failure
        runs[OURS].seconds, runs["peer"].seconds = [0.5], [2.0]
        result = Result(row, 10, runs, judge(runs, row.goals))
        text = aligned([HEADER, *cells(result, judged=True)])
        assert "4.00× peer" in text
        report = json.loads(json.dumps(as_json([result], small=False, repeats=1)))
        assert report["rows"][0]["contenders"]["peer"]["seconds"] == [2.0]
        assert "| 0.5 s | peer 2 s | **4** | ≥ 1 ✓ |  |" in markdown(report)

    def test_a_row_whose_answers_differ_is_shown_as_missed_and_not_left_out(self):
        row = toy_row(lambda problem: 1.5 * problem.X)
        runs = Runner(small=True)(row)
        runs[OURS].seconds, runs["peer"].seconds = [0.5], [2.0]
        result = Result(row, 10, runs, judge(runs, row.goals))
        assert result.verdicts == []
        report = json.loads(json.dumps(as_json([result], small=False, repeats=1)))
        line = r"\| 0\.5 s \| peer 2 s \| 4 \| answers differ by [\d.]+, \S+ allowed ✗ \|"
        assert re.search(line, markdown(report))

    def test_rows_that_were_measured_before_are_kept_in_their_order(self, tmp_path):
        runs = {OURS: runs_of([0.5])}
        before, now = (Result(ROWS[place], 10, runs, []) for place in (3, 1))
        path = tmp_path / "report.json"
        assert measured_before(path) == {}
        path.write_text(json.dumps(as_json([before], small=False, repeats=1)))
        kept = measured_before(path)
        assert list(kept) == [ROWS[3].name]
        assert measured_before(path, small=True) == {}
        both = as_json([now], kept, small=False, repeats=1)
        assert [row["name"] for row in both["rows"]] == [ROWS[1].name, ROWS[3].name]

    def test_a_row_of_another_processor_or_version_is_measured_again(self):
        (row,) = as_json([Result(ROWS[3], 10, {OURS: runs_of([0.5])}, [])], small=False, repeats=1)[
            "rows"
        ]
        assert is_of_today(row)
        measured = row["measured"]
        assert not is_of_today({"measured": measured | {"processor": "another"}})
        assert not is_of_today({"measured": measured | {"versions": {"sidelight": "0.0.1"}}})

    def test_every_row_says_of_which_version_it_is(self):
        row = toy_row(lambda problem: -problem.X)
        runs = Runner(small=True)(row)
        result = Result(row, 10, runs, judge(runs, row.goals))
        report = as_json([result], small=False, repeats=2)
        older = json.loads(json.dumps(report["rows"][0]))
        older["measured"] |= {"versions": {"sidelight": "0.0.1"}, "date": "2001-02-03"}
        text = markdown({"small": False, "rows": [report["rows"][0], older]})
        lines = text.splitlines()
        assert lines[3].endswith("| 0.0.1 |")
        assert not lines[2].endswith("| 0.0.1 |")
        newest, oldest = text.index(report["rows"][0]["measured"]["date"]), text.index("2001-02-03")
        assert newest < oldest

    def test_what_is_prepared_is_handed_over_and_not_measured(self):
        prepared = []
        contender = Contender(
            lambda problem, ready: problem.X + len(ready),
            prepare=lambda problem: prepared.append(problem) or prepared,
        )
        call = contender.ready(Problem(np.zeros((2, 2))))
        assert len(prepared) == 1
        assert measure(call).answer[0, 0] == 1
        assert len(prepared) == 1

    def test_few_rows_may_agree_less(self):
        row = replace(toy_row(lambda problem: 1.1 * problem.X), small_tolerance=0.2)
        assert disagreements(Runner(small=True)(row)) == []
        assert row.tolerance_for("peer") == 1e-6

    def test_other_answers_are_complained_of(self):
        runs = Runner(small=True)(toy_row(lambda problem: problem.X**2))
        assert "peer differs" in disagreements(runs)[0]

    def test_a_failing_peer_is_complained_of_by_its_message(self):
        def fail(problem):
            raise RuntimeError("out of luck")

        runs = Runner(small=True)(toy_row(fail))
        assert disagreements(runs) == ["peer failed: RuntimeError: out of luck"]

    def test_work_without_peers_is_shown_with_its_gap_and_its_memory(self):
        row = Row(
            name="toy/bounds",
            work="Nothing much",
            data=lambda n, draw=0: Problem(np.full((n, 1), 1.0 + draw)),
            size=20,
            small=10,
            contenders={OURS: Contender(lambda problem: problem.X[:2, 0] * [1.0, 1.25])},
            compare=agreement.value_difference,
            tolerance=0.0,
            limit=Limit(seconds=5, worst=10),
            certificate=lambda problem, answer: float(answer[1] / answer[0] - 1),
            certified=0.3,
            draws=2,
        )
        assert row.problem(3, 1).X.max() == 2.0
        runs = Runner(small=True)(row)
        assert runs[OURS].difference == 0.25
        runs[OURS].seconds, runs[OURS].megabytes = [0.5, 1.5], [3.0, 4.0]
        result = Result(row, 20, runs, judge(runs, row.goals))
        text = aligned([HEADER, *cells(result, judged=True)])
        assert "≤ 5 s, each ≤ 10 s  yes  4 MB    proven gap 2.5e-01" in text
        report = json.loads(json.dumps(as_json([result], small=False, repeats=1)))
        line = "| 1 s (worst of 2 draws 1.5 s) |  |  | ≤ 5 s, each ≤ 10 s ✓ | 4 MB |"
        assert line in markdown(report)

    def test_a_problem_is_read_as_it_was_written(self, tmp_path):
        X = np.asfortranarray(np.arange(6, dtype=np.float32).reshape(3, 2))
        problem = Problem(X, gamma=0.3, labels=np.array(["a", "b", "a"]))
        problem.write(tmp_path / "problem.npz")
        again = Problem.read(tmp_path / "problem.npz")
        np.testing.assert_array_equal(again.X, X)
        np.testing.assert_array_equal(again.labels, problem.labels)
        assert (again.X.dtype, again.X.flags.f_contiguous) == (np.float32, True)
        assert (again.gamma, again.truth) == (0.3, None)

    def test_a_worker_gives_the_answer_that_a_call_here_gives(self, tmp_path):
        row = choose_rows(["classical-mds-5000/swiss_roll"])[0]
        apart = run_worker(row.name, OURS, written(row, 40, tmp_path), 0)
        here = row.contenders[OURS].run(row.data(40))
        np.testing.assert_allclose(apart.answer, here, rtol=0, atol=1e-9)

    def test_time_on_the_wall_is_that_of_the_default_number_of_threads(self, tmp_path, monkeypatch):
        seen = []
        monkeypatch.setenv("OMP_NUM_THREADS", "1")
        real = subprocess.run
        monkeypatch.setattr(
            "benchmarks.runner.subprocess.run",
            lambda command, **options: seen.append(options["env"]) or real(command, **options),
        )
        row = choose_rows(["classical-mds-5000/swiss_roll"])[0]
        problem = written(row, 40, tmp_path)
        one = run_worker(row.name, OURS, problem, 0)
        everyone = run_worker(row.name, OURS, problem, 0, all_threads=True)
        np.testing.assert_allclose(everyone.answer, one.answer, rtol=0, atol=1e-9)
        assert everyone.seconds > 0
        assert [env.get("OMP_NUM_THREADS") for env in seen] == ["1", None]

    def test_a_worker_solves_the_draw_that_it_is_given(self, tmp_path):
        (row,) = choose_rows(["unfolding-1000"])
        apart = run_worker(row.name, OURS, written(row, 30, tmp_path, draw=1), 0)
        first, second = (row.contenders[OURS].run(row.problem(30, draw)) for draw in (0, 1))
        np.testing.assert_allclose(apart.answer, second, rtol=1e-6)
        assert abs(first[0] / second[0] - 1) > 1e-2

    def test_measured_memory_is_that_of_the_call(self):
        """In a process of its own: what others let go of meanwhile is not counted against it."""
        program = (
            "import numpy as np; from benchmarks.measure import measure; "
            "found = measure(lambda: float(np.ones(30_000_000).sum())); "
            "print(found.answer, found.megabytes)"
        )
        said = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
        answer, megabytes = map(float, said.stdout.split())
        assert answer == 30_000_000
        assert 200 < megabytes < 400


def test_rows_are_chosen_by_name_or_pattern():
    assert len({row.name for row in ROWS}) == len(ROWS)
    assert {row.name for row in choose_rows(["lle-5000"])} == {"lle-5000/mnist_30"}
    assert {row.data_name for row in choose_rows(["isomap-5*"])} == {"swiss_roll", "mnist_30"}
    with pytest.raises(ValueError, match="No row is named 'tsne'"):
        choose_rows(["tsne"])


def test_what_a_user_waits_for_is_measured_on_the_wall_beside_its_limit():
    waits = {row.name: row for row in ROWS if row.clock == "wall" and row.limit is not None}
    limits = {name: row.limit.seconds for name, row in waits.items()}
    assert limits["import/-"] == 0.06
    assert limits["help/-"] == 0.3
    assert limits["first-picture-warm/groups"] == 4.5
    assert limits["first-picture-cold/groups"] == 12.0
    runs = Runner(small=True)(waits["help/-"])
    assert not runs[OURS].failure
    assert runs[OURS].seconds[0] > 0
    results = [Result(row, 1, {OURS: runs_of([0.2])}, []) for row in waits.values()]
    report = json.loads(json.dumps(as_json(results, small=False, repeats=1)))
    for row in waits.values():  # which the line on how it was measured says
        note = markdown(report).splitlines()[-1]
        assert row.work in note or "on the wall" in row.work
