"""Steps against those of torch itself, and chains that go on from their last end."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="the gated models stand on torch")

import torch

from sidelight.gated.boltzmann.learning import divergence, shuffled_batches
from sidelight.gated.boltzmann.machine import first_machine
from sidelight.gated.optimiser import Course, Judge, Moments, Running, Watch, descend
from sidelight.gated.units import Binary


def test_steps_are_those_of_adam_with_decay():
    ours, theirs = (torch.tensor([1.0, -2.0, 3.0], requires_grad=True) for _ in range(2))
    running, course = Running.of(Moments(), {"w": ours}), Course(0.1, 0.8, 0.5)
    other = torch.optim.AdamW([theirs], lr=0.1, betas=(0.8, 0.999), weight_decay=0.5)
    for _ in range(20):
        for w in (ours, theirs):
            w.grad = None
            (w**4).sum().backward()
        running.step({"w": ours}, {"w": 0.1}, course)
        other.step()
    torch.testing.assert_close(ours, theirs)


class Noted:
    """A contrast that notes where chains begin, and ends them one further."""

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
    machine = first_machine(X, Y, Binary(), 2, rng, real=False)
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
    found = descend(
        lambda weights, batch: -weights["w"],
        lambda weights, batch: 1.0,
        {"w": torch.tensor(0.0)},
        iter(range(100)),
        Course(0.1, 0.0, 0.0),
        moments=Moments(),
        rates={"w": 1.0},
        stage="",
        judge=judge,
        watch=Watch(every=10),
    )
    assert found.enough == (turns_at == 30)
    assert found.n_batches == min(turns_at + 20, 100)
    assert float(found.weights["w"]) == pytest.approx(0.1 * min(turns_at, 100), abs=1e-3)
