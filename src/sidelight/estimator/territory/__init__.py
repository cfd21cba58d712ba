"""What pairs say about rows that they do not name: the territories of groups in a graph."""

from __future__ import annotations

from sidelight.estimator.territory.differences import weaken_between
from sidelight.estimator.territory.groups import Groups, groups_of, pairs_of_points
from sidelight.estimator.territory.in_front import (
    metric_for_map,
    pairs_of_territories,
    plain_map,
)
from sidelight.estimator.territory.in_graph import (
    NO_GAIN,
    STRETCH,
    Territories,
    map_in_territories,
    surely_different,
)
from sidelight.estimator.territory.judge import (
    foretells_more,
    gathers_territories,
    is_worth,
    share_kept,
    walks_along,
    walks_in,
    walks_nearby,
)
from sidelight.estimator.territory.memberships import (
    WALKS,
    Memberships,
    WalkSettings,
    foretold,
    held_out,
    memberships,
    read_and_foretold,
)
from sidelight.estimator.territory.told_apart import worth_in_map

__all__ = [
    "NO_GAIN",
    "STRETCH",
    "WALKS",
    "Groups",
    "Memberships",
    "Territories",
    "WalkSettings",
    "foretells_more",
    "foretold",
    "gathers_territories",
    "groups_of",
    "held_out",
    "is_worth",
    "map_in_territories",
    "memberships",
    "metric_for_map",
    "pairs_of_points",
    "pairs_of_territories",
    "plain_map",
    "read_and_foretold",
    "share_kept",
    "surely_different",
    "walks_along",
    "walks_in",
    "walks_nearby",
    "weaken_between",
    "worth_in_map",
]
