"""How far work has come: a line now and then in a pipe, and how long it may still take."""

from __future__ import annotations

import pytest

from sidelight.cli import fitting
from sidelight.cli.fitting import Pace
from sidelight.core.progress import Progress, report


class Clock:
    """Time that goes on when it is told to."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def test_the_time_left_is_that_of_the_stage_at_its_own_pace() -> None:
    clock = Clock()
    pace = Pace(clock)
    assert pace.left(Progress("paths", 0, 100)) == ""
    clock.now += 30
    assert pace.left(Progress("paths", 25, 100)) == "about 2 min left"
    clock.now += 30
    assert pace.left(Progress("paths", 75, 100)) == "about 20 s left"
    # the next stage has a pace of its own, from its first report on
    assert pace.left(Progress("descent", 10, 20)) == ""
    clock.now += 4
    assert pace.left(Progress("descent", 12, 20)) == "about 16 s left"
    assert pace.left(Progress("descent", 12, None)) == ""
    # and so has one that begins again
    assert pace.left(Progress("descent", 1, 20)) == ""


def test_a_pipe_gets_a_line_now_and_then(capsys: pytest.CaptureFixture[str]) -> None:
    clock = Clock()
    with fitting._lines("Isomap", clock):
        for done in range(1, 41):
            clock.now += 1
            report("shortest paths", done, 60)
    said = capsys.readouterr().err.splitlines()
    assert [line.split("Isomap: ")[1] for line in said] == [
        "shortest paths 10 of 60, about 50 s left",
        "shortest paths 20 of 60, about 40 s left",
        "shortest paths 30 of 60, about 30 s left",
        "shortest paths 40 of 60, about 20 s left",
    ]


def test_work_that_is_soon_done_says_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with fitting.shown("PCA"):
        report("reading", 1, 2)
    assert capsys.readouterr().err == ""
    with fitting._lines("PCA", Clock()), fitting.shown("PCA", quiet=True):
        report("reading", 1, 2)
    assert capsys.readouterr().err == ""
