"""
GP-LVM: every feature a smooth function of the map
==================================================

Where PCA has straight functions of the map, this has smooth random ones. The likelihood tells which
map explains the pictures, and says how sure it is where there are no points.
"""

from sidelight import GPLVM, PCA
from sidelight.datasets import digits
from sidelight.plot import analogies, comparison
from sidelight.quality import gplvm_score

data = digits()
chosen = data.labels < 4
X, y = data.X[chosen][:200], data.labels[chosen][:200]

model = GPLVM(2, max_iter=200).fit(X)
maps = {"PCA": PCA(2).fit_transform(X), "GP-LVM": model.embedding_}
scores = {name: f"{gplvm_score(X, Z):.0f} nats" for name, Z in maps.items()}
comparison(maps, labels=y, scores=scores, key_title="digit")

# %%
# Pictures between the pictures: half way from each digit to the next one like it.

Z = model.embedding_
first = [list(y).index(digit) for digit in range(4)]
near = [((Z - Z[i]) ** 2).sum(axis=1).argsort()[12] for i in first]
between = model.inverse_transform((Z[first] + Z[near]) / 2)
analogies({"from": X[first], "between": between, "to": X[near]}, data.image_shape)
