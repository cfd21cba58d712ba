"""
Field of gated experts: an analogy of pictures
==============================================

A picture and its negative with soft edges; another picture. One patch machine at every site learns
what was done to the first, and does it to the other.
"""

import numpy as np
from scipy.ndimage import gaussian_filter

from sidelight.datasets import texture
from sidelight.gated import GatedExpertField
from sidelight.plot import analogies


def developed(picture):
    """The negative, a little out of focus."""
    return 1 - gaussian_filter(picture, 1.0)


before, other = texture((48, 48), random_state=0), texture((48, 48), random_state=1)
field = GatedExpertField(4, patch_size=3, max_iter=300).fit(before, developed(before))
found = field.predict(other)

shown = {"before": before, "after": developed(before), "another": other}
shown |= {"the same done": found, "as it should be": developed(other)}
analogies({name: picture.reshape(1, -1) for name, picture in shown.items()}, (48, 48))

# %%
right = np.corrcoef(found.ravel(), developed(other).ravel())[0, 1]
print(f"correlation with what it should be: {right:.2f}")
