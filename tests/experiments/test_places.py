"""From a place in a text to the experiment that repeats it."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from experiments.places import find_places, speaks_of
from experiments.texts import NUMBERS, TEXTS
from sidelight.cli.application import application


@pytest.mark.parametrize(
    ("where", "number", "is_there"),
    [
        ("figure 1.1", "1.1", True),
        ("figure 1.1", "1.10", False),
        ("figures 3.9, 3.10, A.9, A.10", "3.10", True),
        ("figures 3.9, 3.10, A.9, A.10", "A.9", True),
        ("figures 2.3 to 2.9", "2.5", True),
        ("figures 2.3 to 2.9", "2.10", False),
        ("figures 2.3 to 2.12", "2.10", True),
        ("equations 2.24 to 2.27", "equation 2.26", True),
        ("section 3.1, bandwidth", "3.1", True),
        ("The Gaussian Egg, Where is the Mass?", "egg", True),
        ("Kernels", "egg", False),
    ],
)
def test_a_place_speaks_of_what_it_is_lists_or_spans(where, number, is_there):
    assert speaks_of(where, number) == is_there


def test_every_text_has_a_number_and_places():
    assert set(NUMBERS.values()) == set(TEXTS)
    for number, name in NUMBERS.items():
        assert find_places(number) == find_places(name)
        assert find_places(number)


def test_a_figure_is_found_with_its_experiment():
    (found,) = find_places("000", "2.5")
    assert found.experiment == "shifted_digits"
    assert "TC-LEM" in found.ours


def test_from_the_command_line():
    def run(*arguments):
        return CliRunner().invoke(application, ["reproduce", *arguments])

    done = run("--text", "000", "--figure", "2.5")
    assert done.exit_code == 0
    assert "sidelight reproduce shifted_digits" in done.stderr
    assert "There is no text '7'. There are: 000" in run("--text", "7").stderr
    assert "no place '99.9'" in run("--text", "000", "--figure", "99.9").stderr
    assert "give --text too" in run("--figure", "2.5").stderr
