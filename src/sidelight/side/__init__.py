"""What the user knows about the rows of X, as small frozen values.

A value is normalised and frozen when it is made and checked once, when it meets X.  Where it acts
is stated by the estimator that takes it: ``estimator.fit(X, side=Pairs(similar=[(0, 3)]))``.
"""

from __future__ import annotations

from sidelight.side.actions import Actions
from sidelight.side.aligning import aligned
from sidelight.side.aligning import by_number as by_number
from sidelight.side.aligning import condition_by_number as condition_by_number
from sidelight.side.anchors import Anchors
from sidelight.side.anchors import places_of_map as places_of_map
from sidelight.side.attributes import Attributes
from sidelight.side.condition import Condition
from sidelight.side.contradictions import Contradiction
from sidelight.side.distances import Distances
from sidelight.side.distances import describe as describe
from sidelight.side.invariance import Invariance
from sidelight.side.invariance import of_images as of_images
from sidelight.side.pairs import Pairs
from sidelight.side.relation import Relation
from sidelight.side.rows import RowNames as RowNames
from sidelight.side.rows import SideInformation
from sidelight.side.rows import days_since_1970 as days_since_1970
from sidelight.side.rows import is_moment as is_moment
from sidelight.side.rows import labels_of_index as labels_of_index
from sidelight.side.rows import list_numbers as list_numbers
from sidelight.side.rows import listed_labels as listed_labels
from sidelight.side.rows import name_rows as name_rows
from sidelight.side.rows import rows_called as rows_called
from sidelight.side.rows import rows_called_within as rows_called_within
from sidelight.side.sequence import Sequence
from sidelight.side.understanding import gather_side
from sidelight.side.understanding import meeting_side as meeting_side
from sidelight.side.understanding import side_values as side_values

#: For users; what is imported "as" itself is for other rooms alone.
__all__ = [
    "Actions",
    "Anchors",
    "Attributes",
    "Condition",
    "Contradiction",
    "Distances",
    "Invariance",
    "Pairs",
    "Relation",
    "Sequence",
    "SideInformation",
    "aligned",
    "gather_side",
]
