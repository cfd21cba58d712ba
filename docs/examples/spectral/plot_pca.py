"""
PCA: the directions of largest variance
=======================================

The first picture to draw of any table. Handwritten digits in two of 64 dimensions, and how much of
their variance each direction holds.
"""

from sidelight import PCA
from sidelight.datasets import digits
from sidelight.plot import analogies, eigenvalues, scatter

data = digits()
model = PCA(2).fit(data.X)
scatter(model.embedding_, labels=data.labels, key_title="digit")

# %%
# ``n_components="auto"`` keeps what stands out of white noise.

every = PCA("auto").fit(data.X)
print(every.n_components_, "directions stand out")
eigenvalues(every.eigenvalues_, n_kept=2)

# %%
# The way back: five digits as they are, and rebuilt from 2, 10 and all directions that stand out.

shown = {"as it is": data.X[:5]}
for m in (2, 10, every.n_components_):
    some = PCA(m).fit(data.X)
    shown[f"of {m}"] = some.inverse_transform(some.transform(data.X[:5]))
analogies(shown, data.image_shape)
