"""What acts in front of maps: learned metrics, and factors taken out."""

from __future__ import annotations

from sidelight.registry.entry import Entry

METRICS: tuple[Entry, ...] = (
    Entry(
        "EquivalenceMetric",
        "metric",
        "a metric from pairs that belong together or do not",
        "sidelight.metric.equivalence",
        "equivalence",
        understands=("Pairs", "Relation"),
        gives=("new points", "way back"),
    ),
    Entry(
        "MultiAttributeMetric",
        "metric",
        "a metric for several distinctions at once",
        "sidelight.metric.multi_attribute",
        "attributes",
        understands=("Attributes", "Pairs", "Relation"),
        gives=("new points", "way back"),
    ),
    Entry(
        "DistanceMetric",
        "metric",
        "a metric from known distances",
        "sidelight.metric.distance",
        "distances",
        understands=("Distances",),
        gives=("new points", "way back"),
    ),
    Entry(
        "FactorRemoval",
        "metric",
        "a known factor taken out of the features",
        "sidelight.metric.factor_removal",
        "removal",
        understands=("Condition",),
        gives=("new points", "way back"),
    ),
    Entry(
        "DistanceSelection",
        "metric",
        "columns that keep distances, of all rows or known ones",
        "sidelight.metric.distance_selection",
        "columns",
        understands=("Distances",),
        gives=("new points", "way back"),
    ),
)
