"""
Acyclic LLE: a chain of conditional densities
=============================================

Points are put in an order, and each is a mixture of neighbours that came before it: a likelihood,
where LLE has none. The order matters, and the likelihood chooses it.
"""

from sidelight import AcyclicLocallyLinearEmbedding
from sidelight.datasets import digits
from sidelight.plot import comparison

data = digits()
chosen = data.labels < 4
X, y = data.X[chosen][:400], data.labels[chosen][:400]

maps, scores = {}, {}
for order in ("principal", "outward", "auto"):
    model = AcyclicLocallyLinearEmbedding(2, order=order).fit(X)
    maps[f"order: {order}"] = model.embedding_
    scores[f"order: {order}"] = f"log likelihood {model.log_likelihood_:.0f}"
comparison(maps, labels=y, scores=scores, key_title="digit")
