"""
A surveyor: a messy table
=========================

Gaps, a column that only counts the rows, incomes in thousands beside ages in years, a town as text.
Nothing is filled in or left out unless you say so; the hints say what to type.

.. code-block:: text

    sidelight embed survey.csv --missing mean --standardize --ignore number --color-by town
"""

import numpy as np
import pandas as pd

import sidelight

rng = np.random.default_rng(5)
group = rng.integers(3, size=200)
survey = pd.DataFrame(
    {
        "number": np.arange(1, 201),
        "income": 2e4 * rng.lognormal(size=200),
        "age": 40 + 15 * group + rng.normal(size=200),
        "mood": 4 * group + rng.normal(size=200),
        "town": np.array(["Ash", "Elm", "Oak"])[group],
    }
)
survey.loc[[3, 50], "age"] = np.nan

first = sidelight.embed(survey, missing="mean")
print(*first.hints, sep="\n")

# %%
columns = ["income", "age", "mood"]
scaled = (survey[columns] - survey[columns].mean()) / survey[columns].std()
result = sidelight.embed(scaled.assign(town=survey["town"]), missing="mean")
result.plot(labels="town")
