"""
Condition: a known factor left out
==================================

Four digits, each turned through the full circle. Know the digit, and what is left is the angle: a
ring. Know the angle, and what is left is the digit: one point for each.
"""

from sidelight import ConditionalEmbedding, KernelInformationEmbedding
from sidelight.datasets import rotated_digits
from sidelight.plot import analogies, comparison
from sidelight.side import Condition

data = rotated_digits([2, 4, 5, 7], n_rotations=24, random_state=0)
angle, digit = data.truth[:, 0], data.extras["example"].astype(str)

plain = KernelInformationEmbedding(2).fit(data.X)
ring = ConditionalEmbedding(2).fit(data.X, side=Condition(digit))
points = ConditionalEmbedding(2).fit(data.X, side=Condition(angle, period=360))
maps = {
    "nothing known": plain.embedding_,
    "the digit known": ring.embedding_,
    "the angle known": points.embedding_,
}

# %%
# The same maps, coloured by the angle, then by the digit.

comparison(maps, color=angle, period=360, key_title="angle")

# %%
comparison(maps, labels=digit, key_title="digit")

# %%
# Items can be shown at other values of the factor: the first picture of each digit, a quarter and
# half a turn on.

first = data.X[angle == angle[0]]
shown = {
    "as it is": first,
    "at 90°": points.render(first, condition=90.0),
    "at 180°": points.render(first, condition=180.0),
}
analogies(shown, data.image_shape)
