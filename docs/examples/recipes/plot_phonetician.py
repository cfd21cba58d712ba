"""
A phonetician: vowels, whoever speaks
=====================================

Six people say five vowels, and people differ more than vowels do. The speaker is a known factor,
and is left out of the map.

.. code-block:: text

    sidelight embed vowels.csv --condition-column speaker --color-by vowel --picture vowels.png
"""

import numpy as np

import sidelight
from sidelight.plot import comparison
from sidelight.side import Condition

rng = np.random.default_rng(2)
vowel, speaker = rng.integers(5, size=300), rng.integers(6, size=300)
formants = 3 * rng.normal(size=(5, 4))[vowel] + 0.6 * rng.normal(size=(300, 4))
formants += 6 * rng.normal(size=(6, 4))[speaker]
who, said = np.array(list("ABCDEF"))[speaker], np.array(list("aeiou"))[vowel]

maps = {
    "as it came": sidelight.embed(formants).points,
    "the speaker left out": sidelight.embed(formants, side=Condition(who)).points,
}
comparison(maps, labels=said, key_title="vowel")
