"""
A linguist: documents by their words
====================================

Letters of very different length, in a column of texts. Rows are compared by the words of their
texts, rare words counting more, whatever the length. Where somebody has counted the words already,
raw counts put long letters beside long ones; the hint says what to type.

.. code-block:: text

    sidelight embed letters.csv --text body --color-by topic --picture letters.png
    sidelight embed counts.npz --metric cosine --picture counts.png
"""

import numpy as np
import pandas as pd

import sidelight
from sidelight.plot import comparison

rng = np.random.default_rng(1)
topic = rng.integers(3, size=200)
starts = ["ba", "de", "fi", "go", "lu", "ma", "ne", "pi", "ro", "su"]
vocabulary = [start + end for start in starts for end in "bdfgklmnprst"]
words = rng.dirichlet(np.full(120, 0.1), 3)
lengths = rng.integers(10, 400, size=200)
counts = np.array([rng.multinomial(m, words[t]) for m, t in zip(lengths, topic, strict=True)])
letters = pd.DataFrame(
    {
        "topic": np.array(["law", "sport", "weather"])[topic],
        "body": [" ".join(np.repeat(vocabulary, row)) for row in counts],
    }
)

result = sidelight.embed(letters, text="body")
print(result.why)
result.plot(labels="topic")

# %%
plain = sidelight.embed(counts)
print(*plain.hints, sep="\n")

# %%
cosine = sidelight.embed(counts, metric="cosine")
comparison({"counts": plain.points, "by cosine": cosine.points}, labels=letters["topic"])
