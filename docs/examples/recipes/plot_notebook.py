"""
A notebook: from a frame to a picture
=====================================

A frame goes in as it is. Columns that are no numbers are set aside, and can be named when the map
is drawn.
"""

from sklearn.datasets import load_iris

import sidelight

iris = load_iris(as_frame=True)
frame = iris.data.assign(species=iris.target_names[iris.target])

result = sidelight.embed(frame)
result

# %%
result.plot(labels="species")

# %%
# The map as a frame, with the names of the rows and the columns that were set aside.

result.to_frame().head()
