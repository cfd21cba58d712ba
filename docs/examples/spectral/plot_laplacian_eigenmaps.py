"""
Laplacian eigenmaps: the smoothest functions
============================================

The slowest vibrations of a net of springs between neighbours. On a closed chain of pictures they
are a sine and a cosine: a turning digit becomes a circle.
"""

from sidelight import LaplacianEigenmaps
from sidelight.datasets import digits, rotated_digits
from sidelight.plot import comparison, scatter

turned = rotated_digits(6, n_rotations=72, random_state=0)
model = LaplacianEigenmaps(2, n_neighbors=4).fit(turned.X)
scatter(model.embedding_, images=turned.X, image_shape=turned.image_shape)

# %%
# On data with clusters the first functions are nearly constant on each of them.

data = digits()
chosen = data.labels < 4
maps = {
    "weights of one": LaplacianEigenmaps(2).fit(data.X[chosen]).embedding_,
    "heat weights": LaplacianEigenmaps(2, weights="heat").fit(data.X[chosen]).embedding_,
}
comparison(maps, labels=data.labels[chosen], key_title="digit")
