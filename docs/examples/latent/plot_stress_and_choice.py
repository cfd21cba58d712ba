"""
Sammon mapping and SNE: distances or neighbours
===============================================

The Sammon mapping keeps all distances and the short ones more carefully; stochastic neighbour
embedding asks that every item picks the same neighbours. The Shepard diagram shows the difference.
"""

from sklearn.datasets import load_iris

from sidelight import SammonMapping, StochasticNeighborEmbedding
from sidelight.plot import comparison, shepard_diagram

iris = load_iris()
names = iris.target_names[iris.target]
maps = {
    "Sammon mapping": SammonMapping(2).fit(iris.data).embedding_,
    "stochastic neighbour embedding": StochasticNeighborEmbedding(2).fit(iris.data).embedding_,
}
comparison(maps, labels=names)

# %%
shepard_diagram(iris.data, maps["Sammon mapping"], title="Sammon mapping")

# %%
shepard_diagram(iris.data, maps["stochastic neighbour embedding"], title="SNE")
