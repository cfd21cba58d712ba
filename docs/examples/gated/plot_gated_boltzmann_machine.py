"""
Gated Boltzmann machine: what becomes of what
=============================================

Pictures that were shifted by a pixel, up, down, left or right, and nothing said which. The machine
learns from the pairs how one becomes the other, infers it from a single pair, and does the same to
another picture.
"""

import numpy as np

from sidelight.gated import GatedBoltzmannMachine
from sidelight.plot import analogies, basis_flow_fields, filters, flow_field

rng = np.random.default_rng(0)
side, ways = 6, [(-1, 0), (1, 0), (0, -1), (0, 1)]


def shifted(pictures, chosen):
    """Each by the way chosen for it; what leaves at an edge comes in at the other."""
    square = pictures.reshape(-1, side, side)
    moved = [np.roll(one, ways[way], axis=(0, 1)) for one, way in zip(square, chosen, strict=True)]
    return np.reshape(moved, (len(square), -1))


before = (rng.random((4000, side**2)) < 0.2) * 1.0
after = shifted(before, rng.integers(4, size=4000))
machine = GatedBoltzmannMachine(8, max_iter=1500).fit(before, after)

# %%
# The change of a pair, done to a picture that never changed.

example = before[:4]
became = shifted(example, range(4))
how = machine.infer(example, became)
other = np.tile(before[7], (4, 1))
same = machine.apply(how, other)
shown = {"a picture": example, "became": became, "another": other, "becomes": same}
analogies(shown, (side, side))

# %%
# How often the change is carried over rightly, for fresh pairs.

fresh, another = ((rng.random((300, side**2)) < 0.2) * 1.0 for _ in range(2))
chosen = rng.integers(4, size=300)
carried = machine.apply(machine.infer(fresh, shifted(fresh, chosen)), another)
off = [((carried - shifted(another, [way] * 300)) ** 2).sum(axis=1) for way in range(4)]
print("shifts carried over:", float((np.argmin(off, axis=0) == chosen).mean()))

# %%
# Where every pixel goes, as the machine infers it from the third pair, a shift to the left: pixels
# of the first column come in at the right.

flow_field(machine.flow(example, became)[2], (side, side), title="to the left")

# %%
# What each mapping unit does by itself, its strongest connections from a pixel to another; the
# units share the work, and several of them make a shift.

basis_flow_fields(machine.basis_flow(), (side, side), title="mapping units")

# %%
# The weights that a picture makes: each unit looks, in the output, for where the pixels of this
# input would go.

filters(machine.filters(example)[0], (side, side), title="filters of the first picture")
