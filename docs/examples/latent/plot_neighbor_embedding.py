"""
Neighbour embedding: the map by default
=======================================

t-SNE and its kin. One number trades what is near against the large shape, another makes clusters
contract, and the map has the same bits on every processor.
"""

from sidelight import NeighborEmbedding
from sidelight.datasets import digits
from sidelight.plot import comparison

data = digits()
X, y = data.X[:800], data.labels[:800]
maps = {
    "as it comes": NeighborEmbedding().fit(X).embedding_,
    "perplexity 5 and 100": NeighborEmbedding(perplexity=[5, 100]).fit(X).embedding_,
    "exaggeration 4": NeighborEmbedding(exaggeration=4).fit(X).embedding_,
}
comparison(maps, labels=y, key_title="digit")
