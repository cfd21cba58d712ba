"""
A linguist: documents by their words
====================================

Counts of words in documents of very different length. Raw counts put long documents beside long
ones; the hint says what to type.

.. code-block:: text

    sidelight embed documents.npz --metric cosine --picture documents.png
"""

import numpy as np

import sidelight
from sidelight.plot import comparison

rng = np.random.default_rng(1)
topic = rng.integers(3, size=200)
words = rng.dirichlet(np.full(120, 0.1), 3)
lengths = rng.integers(10, 400, size=200)
counts = np.array([rng.multinomial(m, words[t]) for m, t in zip(lengths, topic, strict=True)])

plain = sidelight.embed(counts)
print(*plain.hints, sep="\n")

# %%
cosine = sidelight.embed(counts, metric="cosine")
names = np.array(["law", "sport", "weather"])[topic]
comparison({"counts": plain.points, "by cosine": cosine.points}, labels=names)
