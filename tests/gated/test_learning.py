"""Steps against those of torch itself, and chains that go on from their last end."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="the gated models stand on torch")

import torch

from sidelight.gated.boltzmann.learning import divergence, shuffled_batches
from sidelight.gated.boltzmann.machine import first_machine
from sidelight.gated.optimiser import Course, Judge, Moments, Running, Watch, descend
from sidelight.gated.rows.scale import Scale
from sidelight.gated.training import rows_in_turn
from sidelight.gated.units import Binary, Gaussian


def test_steps_are_those_of_adam_with_decay():
    ours, theirs = (torch.tensor([1.0, -2.0, 3.0], requires_grad=True) for _ in range(2))
    running, course = Running.of(Moments(), {"w": ours}), Course(0.1, 0.8, 0.5)
    other = torch.optim.AdamW([theirs], lr=0.1, betas=(0.8, 0.999), weight_decay=0.5)
    for _ in range(20):
        for w in (ours, theirs):
            w.grad = None
            (w**4).sum().backward()
        running.step({"w": ours}, 0.1, {"w": 1.0}, course)
        other.step()
    torch.testing.assert_close(ours, theirs)


def test_all_weights_lose_the_same_share_and_no_step_takes_more_than_all():
    """However far each goes: decay is the share that a step of length one takes away."""
    for length, decay, left in ((0.1, 0.5, 0.95), (0.1, 50.0, 0.0), (3.0, 0.5, 0.0)):
        weights = {name: torch.tensor([2.0, -4.0], requires_grad=True) for name in ("far", "near")}
        running = Running.of(Moments(), weights)
        for w in weights.values():
            w.grad = torch.zeros(2)
        running.step(weights, length, {"far": 7.0, "near": 0.1}, Course(length, 0.9, decay))
        for w in weights.values():
            np.testing.assert_allclose(w.detach(), [2.0 * left, -4.0 * left], rtol=1e-6)


@pytest.mark.parametrize(("n", "size"), [(101, 100), (7, 3), (6, 3), (5, 5)])
def test_batches_are_full_and_hold_no_row_twice(n, size):
    """What is left of an order goes into the next: a step of one pair had the full length."""
    rng = np.random.default_rng(0)
    batches = list(rows_in_turn(n, size, 4 * n, rng, torch.device("cpu")))
    assert len(batches) == 4 * n
    assert {len(rows) for rows in batches} == {size}
    assert all(len(set(rows.tolist())) == size for rows in batches)
    seen = np.bincount(torch.cat(batches), minlength=n)
    assert seen.max() - seen.min() <= 1 + (n % size > 0)


def test_fewer_rows_than_a_batch_come_all_at_once():
    batches = list(rows_in_turn(3, 10, 5, np.random.default_rng(0), torch.device("cpu")))
    assert [sorted(rows.tolist()) for rows in batches] == [[0, 1, 2]] * 5


class Noted:
    """A contrast that notes where chains begin, and ends them one further."""

    units = Gaussian()

    def __init__(self):
        self.begins = []

    def __call__(self, weights, x, y, begin=None):
        self.begins.append(begin)
        return sum((w**2).sum() for w in weights.values()), begin + 1.0

    def error(self, weights, x, y):
        return 1.0


def test_chains_go_on_from_their_last_end():
    X = Y = np.zeros((6, 4))
    rng = np.random.default_rng(0)
    machine = first_machine(X, Y, Binary(), 2, rng, input_units=Binary())
    noted, chains = Noted(), torch.zeros(6, 4)
    batches = shuffled_batches(machine, X, Y, 3, 6, rng)
    objective = divergence(noted, chains)
    descend(
        objective.loss,
        objective.error,
        machine.tensors(),
        batches,
        Course(0.1, 0.9, 0.0),
        moments=Moments(),
        rates=machine.rates(),
        stage="",
    )
    assert [float(begin.mean()) for begin in noted.begins] == [0, 0, 1, 1, 2, 2]
    assert (chains == 3).all()


@pytest.mark.parametrize("turns_at", [30, 90, 10_000])
def test_the_judge_takes_the_best_and_ends(turns_at):
    """A weight that goes up by steps of 0.1, judged by how far it is from a place."""
    judge = Judge(lambda weights: abs(float(weights["w"].detach()) - 0.1 * turns_at), patience=20)
    moments = Moments()
    found = descend(
        lambda weights, batch: -weights["w"],
        lambda weights, batch: 1.0,
        {"w": torch.tensor(0.0)},
        iter(range(100)),
        Course(0.1, 0.0, 0.0),
        moments=moments,
        rates={"w": 1.0},
        stage="",
        judge=judge,
        watch=Watch(every=10),
    )
    assert found.enough == (turns_at == 30)
    assert found.n_batches == min(turns_at + 20, 100)
    assert float(found.weights["w"]) == pytest.approx(0.1 * min(turns_at, 100), abs=1e-3)
    # the moments that the best weights had, from which a next descent goes on
    assert moments.n_steps == min(turns_at, 100)


def climbing(turns_at, *, harder=0.0, rate=0.1, n=300, moments=None):
    """A weight that goes up by steps of its rate; the error grows once it is beyond a place."""
    return descend(
        lambda weights, batch: -weights["w"],
        lambda weights, batch: (
            2.0 + harder * batch + max(0.0, float(weights["w"].detach()) - turns_at)
        ),
        {"w": torch.tensor(0.0)},
        iter(range(n)),
        Course(rate, 0.0, 0.0),
        moments=Moments() if moments is None else moments,
        rates={"w": 1.0},
        stage="",
        watch=Watch(every=10),
    )


def test_errors_that_stay_above_the_first_are_divergence_though_they_do_not_grow_tenfold():
    moments = Moments()
    found = climbing(1.0, moments=moments)  # 2 at first, and from batch 10 on one more each look
    assert found.diverged
    assert found.n_batches == 50  # four looks in a row: 20, 30, 40, 50
    assert found.errors == pytest.approx([2, 2, 3, 4, 5, 6], abs=1e-3)
    # the best weights, and the moments that they had
    assert float(found.weights["w"]) == 0.0
    assert moments.n_steps == 0
    assert not climbing(1000.0).diverged


def test_rows_that_are_harder_than_the_first_ones_are_no_divergence():
    """The same rows are asked of the weights that it began with."""
    assert not climbing(1000.0, harder=0.05).diverged


def test_the_end_of_a_short_descent_is_looked_at():
    assert climbing(0.0, n=8, rate=1.0).diverged
    assert not climbing(7.9, n=8, rate=1.0).diverged


def test_a_batch_that_is_a_surprise_look_after_look_is_divergence_whatever_its_error():
    def course(surprise):
        return descend(
            lambda weights, batch: -weights["w"],
            lambda weights, batch: 2.0 - 0.001 * float(weights["w"].detach()),  # ever better
            {"w": torch.tensor(0.0)},
            iter(range(100)),
            Course(0.1, 0.0, 0.0),
            moments=Moments(),
            rates={"w": 1.0},
            stage="",
            surprise=surprise,
            watch=Watch(every=10),
        )

    startled = course(lambda weights, batch: 3.0 + 5.0 * float(weights["w"].detach()))
    assert startled.diverged
    assert startled.n_batches == 40  # 8, 13, 18 and 23 after 10, 20, 30 and 40: more than twice 3
    assert float(startled.weights["w"]) == 0.0
    told = course(lambda weights, batch: 3.0 + 0.2 * float(weights["w"].detach()))
    assert not told.diverged
    assert told.n_batches == 100
    assert not course(None).diverged


def test_columns_of_one_value_are_in_the_middle_whatever_a_sum_rounds():
    """Their mean was off by its last bit, which was taken for their size."""
    for value in (0.1, 127 / 255, 1e9 / 3):
        scale = Scale.of(np.full((1000, 3), value), centred=True, scaled=True)
        assert (scale.centre == value).all()
        assert (scale.size, scale.length) == (1.0, 1.0)
    rows = np.random.default_rng(0).standard_normal((1000, 3))
    rows[:, 1] = 0.1
    scale = Scale.of(rows, centred=True, scaled=True)
    np.testing.assert_allclose(scale.centre, rows.mean(axis=0), rtol=1e-12)
    assert scale.size == pytest.approx(np.sqrt(rows.var(axis=0).mean()))
