"""
Maximum entropy unfolding: a mattress of springs
================================================

The widest density in which neighbours are, in expectation, as far apart as in the data. Every
feature is a draw from it; the springs are fitted by likelihood, and the map is its kernel PCA.
"""

from sidelight import MaximumEntropyUnfolding
from sidelight.datasets import digits
from sidelight.plot import comparison

data = digits()
chosen = data.labels < 4
X, y = data.X[chosen][:400], data.labels[chosen][:400]

models = {
    "12 neighbours": MaximumEntropyUnfolding(2, n_neighbors=12).fit(X),
    "springs at a price": MaximumEntropyUnfolding(2, n_neighbors=12, penalty=0.5).fit(X),
}
for name, model in models.items():
    pulling = int((model.springs_ > 0).sum())
    print(f"{name}: {pulling} springs, log likelihood {model.log_likelihood_:.4g}")
comparison({n: m.embedding_ for n, m in models.items()}, labels=y, key_title="digit")
