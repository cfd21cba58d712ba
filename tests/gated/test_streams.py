"""Batches one after another: where they come from, and what is left when one of them fails."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="the gated models stand on torch")

import torch
from torch.utils.data import DataLoader, TensorDataset

from sidelight.gated import GatedBoltzmannMachine
from sidelight.progress import listening
from tests.gated.turning import turned

X, Y, _ = turned(50, 0)
PAIRS = [turned(50, seed)[:2] for seed in range(4)]


def weights_of(model):
    return {name: w.copy() for name, w in model._machine.weights.items()}


def assert_same(model, other):
    """In what was learned, and in what the next step goes on from."""
    for mine, others in (
        (model._machine.weights, other._machine.weights),
        (model._moments.first, other._moments.first),
    ):
        for name in others:
            np.testing.assert_array_equal(mine[name], others[name])
    assert model.n_iter_ == other.n_iter_ == model._moments.n_steps
    np.testing.assert_array_equal(model.history_, other.history_)


def broken_generator():
    yield from PAIRS[:3]
    raise OSError("the disk is gone")


@pytest.mark.parametrize(
    ("stream", "kind", "match"),
    [
        (broken_generator, OSError, "the disk is gone"),
        (
            lambda: iter([*PAIRS[:3], (X, Y[:, :3]), *PAIRS]),
            ValueError,
            r"cannot take batch 4 \(what was learned from the 3 before is kept\).*10 columns",
        ),
        (lambda: [*PAIRS[:3], (X, Y, Y)], ValueError, "cannot take batch 4.* tuple of 3"),
        (lambda: iter([*PAIRS[:3], (X, Y * np.nan)]), ValueError, "cannot take batch 4.* NaN"),
    ],
)
def test_what_was_learned_before_a_batch_that_fails_is_kept(stream, kind, match):
    model = GatedBoltzmannMachine(3)
    with pytest.raises(kind, match=match) as failed:
        model.partial_fit(stream())
    if kind is OSError:
        assert "batch 4" in failed.value.__notes__[0]
    assert_same(model, GatedBoltzmannMachine(3).partial_fit(iter(PAIRS[:3])))
    assert model.partial_fit(X, Y).n_iter_ == 4


@pytest.mark.parametrize("given", [iter([(X, Y[:7])]), [(X, Y[:7]), (X, Y)]])
def test_a_first_batch_that_fails_leaves_nothing_behind(given):
    model = GatedBoltzmannMachine(3)
    before = dict(vars(model))
    with pytest.raises(ValueError, match="cannot take batch 1: .*a row for each of the 50 rows"):
        model.partial_fit(given)
    assert vars(model) == before


def test_what_fails_while_it_learns_changes_nothing():
    model = GatedBoltzmannMachine(3).partial_fit(iter(PAIRS))
    same = GatedBoltzmannMachine(3).partial_fit(iter(PAIRS))

    def fail(progress):
        if progress.done == 25:
            raise OSError("no one listens")

    with listening(fail), pytest.raises(OSError, match="no one listens"):
        model.partial_fit(iter(PAIRS * 10))
    assert_same(model, same)


def test_batches_come_from_lists_and_loaders_as_from_iterators():
    by_iterator = GatedBoltzmannMachine(3).partial_fit(iter(PAIRS))
    assert_same(GatedBoltzmannMachine(3).partial_fit(PAIRS), by_iterator)
    rows = torch.tensor(np.concatenate([x for x, _ in PAIRS]))
    became = torch.tensor(np.concatenate([y for _, y in PAIRS]))
    loader = DataLoader(TensorDataset(rows, became), batch_size=50)  # gives lists of two
    assert_same(GatedBoltzmannMachine(3).partial_fit(loader), by_iterator)
    alone = [x for x, _ in PAIRS]
    by_iterator = GatedBoltzmannMachine(3).partial_fit(iter(alone))
    assert_same(GatedBoltzmannMachine(3).partial_fit(alone), by_iterator)
    loader = DataLoader(TensorDataset(rows), batch_size=50)  # gives lists of one
    assert_same(GatedBoltzmannMachine(3).partial_fit(loader), by_iterator)


def test_an_empty_list_is_a_stream_without_batches():
    """It was read as a table of dimension one, and advice was given on its shape."""
    for nothing in ([], iter([])):
        with pytest.raises(ValueError, match="gives no batch. Give at least one pair"):
            GatedBoltzmannMachine(3).partial_fit(nothing)


def test_a_list_of_rows_is_a_table():
    as_list = GatedBoltzmannMachine(3).partial_fit(X.tolist())
    assert_same(as_list, GatedBoltzmannMachine(3).partial_fit(X))
    as_tuples = GatedBoltzmannMachine(3).partial_fit([tuple(row) for row in X], Y.tolist())
    assert_same(as_tuples, GatedBoltzmannMachine(3).partial_fit(X, Y))


def test_batches_are_not_read_as_a_table():
    with pytest.raises(TypeError, match="Got batches in a list. Batches .* go to partial_fit"):
        GatedBoltzmannMachine().fit(PAIRS)
    with pytest.raises(TypeError, match="Got batches in a DataLoader"):
        GatedBoltzmannMachine().fit(DataLoader(TensorDataset(torch.tensor(X))))
    with pytest.raises(ValueError, match="which bring their Y, and Y beside. Leave Y out"):
        GatedBoltzmannMachine().partial_fit(PAIRS, Y)
