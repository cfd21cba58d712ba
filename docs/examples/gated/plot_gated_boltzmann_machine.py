"""
Gated Boltzmann machine: what becomes of what
=============================================

Rows that were shifted left or right, and nothing said which. The machine learns from the pairs how
one becomes the other, infers it from a single pair, and does the same to another row.
"""

import numpy as np

from sidelight.gated import GatedBoltzmannMachine
from sidelight.plot import analogies

rng = np.random.default_rng(0)
before = (rng.random((2000, 12)) < 0.3) * 1.0
right = rng.random((2000, 1)) < 0.5
after = np.where(right, np.roll(before, 1, axis=1), np.roll(before, -1, axis=1))
machine = GatedBoltzmannMachine(6, max_iter=1200).fit(before, after)

# %%
# The change of a pair, applied to rows that never changed.

example = [int(np.argmax(right)), int(np.argmin(right))]
how = machine.infer(before[example], after[example])
other = (np.arange(12) == 6)[None].repeat(2, axis=0) * 1.0
same = machine.apply(how, other)
shown = {"a row": before[example], "became": after[example], "another": other, "becomes": same}
analogies(shown, (1, 12))

# %%
# How often the change is carried over rightly, for fresh pairs.

fresh = (rng.random((200, 12)) < 0.3) * 1.0
moved = np.roll(fresh, 1, axis=1)
carried = machine.apply(machine.infer(fresh, moved), np.tile(other[:1], (200, 1)))
print("right shifts carried over:", float((carried.argmax(axis=1) == 7).mean()))
