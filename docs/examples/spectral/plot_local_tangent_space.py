"""
Local tangent space embedding: neighbours that may move
=======================================================

A digit slides along a canvas. Its pictures share few pixels with one another, but a small filter
turns each into the next: neighbours are compared after they have been transformed.
"""

from sidelight import LocallyLinearEmbedding, LocalTangentSpaceEmbedding
from sidelight.datasets import shifted_digits
from sidelight.plot import comparison
from sidelight.transforms import LocalFilter

data = shifted_digits(3, canvas=(8, 24), random_state=0)
shift = data.truth[:, -1]

told = LocalTangentSpaceEmbedding(2, transformation=LocalFilter(), image_shape=data.image_shape)
maps = {
    "LLE": LocallyLinearEmbedding(2, n_neighbors=5).fit(data.X).embedding_,
    "filters forgiven": told.fit(data.X).embedding_,
}
comparison(maps, color=shift, key_title="shift in pixels")
