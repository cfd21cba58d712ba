"""
An animator: frames in order
============================

Noisy frames of a motion that goes round twice. They follow one another, and it helps to say so.

.. code-block:: text

    sidelight embed motion.csv --sequence-column time --picture motion.png
"""

import numpy as np

from sidelight import Isomap
from sidelight.plot import comparison
from sidelight.side import Sequence

rng = np.random.default_rng(6)
angle = np.linspace(0, 4 * np.pi, 160)
curve = np.column_stack([np.cos(angle), np.sin(angle)])
frames = curve @ rng.normal(size=(2, 12)) + 1.0 * rng.normal(size=(160, 12))

maps = {
    "nothing known": Isomap(2).fit(frames).embedding_,
    "frames in order": Isomap(2).fit(frames, side=Sequence()).embedding_,
}
comparison(maps, color=np.degrees(angle) % 360, period=360, key_title="where in the round")
