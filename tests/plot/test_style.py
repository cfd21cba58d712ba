"""Colours that everybody can tell apart, and nothing loaded too early."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from sidelight.plot.style import PALETTE

# simulation of full colour blindness in linear light: Machado, Oliveira, Fernandes (2009)
_SIGHT = {
    "normal": np.eye(3),
    "no red": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "no green": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "no blue": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}


def _lab(colour, sight):
    """CIE L*a*b* of a hexadecimal colour as it is seen."""
    srgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.asarray(sight) @ linear, 0, 1)
    to_xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
    x, y, z = np.asarray(to_xyz) @ seen / [0.9505, 1.0, 1.089]
    fx, fy, fz = (np.cbrt(v) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return np.array([116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)])


@pytest.mark.parametrize("sight", _SIGHT)
def test_the_palette_stays_apart_in_every_kind_of_sight(sight):
    seen = np.array([_lab(colour, _SIGHT[sight]) for colour in PALETTE])
    apart = np.linalg.norm(seen[:, None] - seen[None], axis=2)
    assert apart[np.triu_indices(len(PALETTE), 1)].min() > 15


def test_importing_the_plots_does_not_load_matplotlib():
    code = "import sys, sidelight.plot; print('matplotlib' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"


def test_without_matplotlib_the_extra_is_named(monkeypatch):
    from sidelight.core.errors import MissingExtraError
    from sidelight.plot import scatter

    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(MissingExtraError, match=r"plot\.scatter needs .*matplotlib.*\[plot\]"):
        scatter([[0.0, 1.0]])
