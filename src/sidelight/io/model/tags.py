"""The name that every value has in model files: it stays when its class moves or is renamed.

A tag is never used again for something else.  A field that is added needs a default; a field that
is renamed or taken away needs a migration (:mod:`sidelight.io.model.versions`).
"""

from __future__ import annotations

from dataclasses import Field, fields
from importlib import import_module
from typing import Any

#: Tag to module and class.
TAGS: dict[str, str] = {
    # maps, and what they are made of
    "map": "estimator.map:Map",
    "points/features": "estimator.points.features:Features",
    "points/distances": "estimator.points.distances:Distances",
    "points/bare": "estimator.points.distances:Bare",
    "points/graph": "estimator.points.graph:Graph",
    "points/invariant": "estimator.points.invariant:Invariant",
    "invariant distance": "transforms.distances.measure:InvariantDistance",
    "learned distance": "transforms.distances.learned:LearnedDistance",
    "brought": "estimator.behind:Brought",
    "brought/similarity": "mapping.warp:Similarity",
    "brought/warp": "mapping.warp:Warp",
    "brought/pull": "mapping.warp:Pull",
    "distinct rows": "neighbors.duplicates:DistinctRows",
    "weighted metric": "neighbors.metrics:Weighted",
    "reach": "estimator.neighborhood:Reach",
    "heard": "estimator.listening:Heard",
    "unfinished": "estimator.resuming:Unfinished",
    "pause": "solvers.descent.restarts:Pause",
    "blocks seen": "spectral.pca:Seen",
    # how new points are placed
    "place/of rows": "estimator.placing:OfRows",
    "place/in pieces": "estimator.pieces:InPieces",
    "place/along graph": "estimator.pieces:AlongGraph",
    "place/distances": "estimator.placing:ByDistances",
    "place/barycentre": "estimator.placing:Barycentric",
    "place/kernel": "mapping.by_kernel:ByKernel",
    "place/projection": "mapping.linear:Projection",
    "place/geodesics": "spectral.isomap:ByGeodesics",
    "place/landmarks": "spectral.isomap:ByLandmarks",
    "place/pulled and held": "spectral.hybrid.placing:PulledAndHeld",
    "place/coordinates": "spectral.hybrid.inner_products:ByCoordinates",
    "place/steps": "spectral.hybrid.tangent_map:BySteps",
    "steps": "spectral.hybrid.steps:Stepping",
    "tangled": "spectral.hybrid.tangent_map:Tangled",
    "kernel/tangled": "spectral.hybrid.tangent_map:TangledKernel",
    "place/basis": "spectral.backward.bases:ByBasis",
    "basis/regression": "spectral.backward.bases:RegressionBasis",
    "basis/kernel": "spectral.backward.bases:KernelBasis",
    "basis/process": "spectral.backward.bases:ProcessBasis",
    "basis/own": "spectral.backward.bases:OwnBasis",
    "basis/given": "spectral.backward.bases:GivenBasis",
    "kernel/backward": "spectral.backward.bases:BackwardKernel",
    "place/harmonic": "spectral.laplacian_eigenmaps:Harmonic",
    "place/posterior mean": "spectral.probabilistic_pca:PosteriorMean",
    "place/among placed": "latent.descending.by_distances:AmongPlaced",
    "place/neighbours": "latent.neighbor_embedding.placing:ByNeighbors",
    "moving": "latent.neighbor_embedding.descent:Moving",
    "place/choices": "latent.neighbors.stochastic_neighbor_embedding:ByChoices",
    "place/similarity": "latent.relational.placing:BySimilarity",
    "place/mixture": "latent.relational.placing:ByMixture",
    "place/strain": "latent.relational.placing:ByStrain",
    "place/stress": "latent.sammon_mapping:ByStress",
    "place/density": "latent.density.mappings:ByDensity",
    "place/linear regression": "latent.regression.mappings:LinearProjection",
    "place/onto regression": "latent.regression.mappings:OntoRegression",
    # kernels of maps
    "kernel/of rows": "estimator.map:KernelOfRows",
    "kernel/stiffness": "estimator.map:StiffnessKernel",
    "kernel/centred": "mapping.by_kernel:CentredKernel",
    "kernel/gram": "mapping.linear:GramKernel",
    "kernel/distances": "spectral.classical_mds:DistanceKernel",
    "kernel/half": "spectral.classical_mds:HalfKernel",
    "kernel/geodesics": "spectral.isomap:GeodesicKernel",
    "kernel/landmarks": "spectral.isomap:LandmarkKernel",
    "kernel/hybrid": "spectral.hybrid.placing:HybridKernel",
    "kernel/field": "unfolding.entropy.maximum_entropy_unfolding:FieldKernel",
    "kernel/chain": "unfolding.acyclic.acyclic_locally_linear_embedding:ChainKernel",
    "chain": "unfolding.acyclic.acyclic_locally_linear_embedding:Chain",
    "kernel/factor": "unfolding.semidefinite.unfolding:FactorKernel",
    # walks
    "motions": "unfolding.actions.moving.motions:Motions",
    "rigid actions": "unfolding.actions.moving.rigid_motions:RigidActions",
    "place/frames": "unfolding.actions.walk:OfNewFrames",
    # ways back
    "back/smooth": "estimator.map:SmoothBack",
    "back/linear": "mapping.linear:LinearBack",
    "back/preimage": "mapping.by_kernel:Preimage",
    "back/behind front": "estimator.listening:BehindFront",
    "back/scaled": "latent.relational.placing:ScaledBack",
    "back/linear regression": "latent.regression.mappings:LinearRegression",
    "back/gaussian regression": "latent.regression.mappings:GaussianRegression",
    "frame": "latent.regression.mappings:Frame",
    "neighbour choices": "latent.neighbors.choices:NeighborChoices",
    # similarities
    "nystrom": "mapping.nystrom:Nystrom",
    "centring": "similarity.centring:Centring",
    "compared rows": "mapping.by_kernel:ComparedRows",
    "kernel table": "mapping.by_kernel:KernelTable",
    "similarity/linear": "similarity.kernels:LinearKernel",
    "similarity/basis": "similarity.bases:BasisKernel",
    "similarity/infinite basis": "similarity.bases:InfiniteBasisKernel",
    "similarity/random basis": "similarity.bases:RandomBasisKernel",
    "similarity/gaussian": "similarity.kernels:GaussianKernel",
    "similarity/polynomial": "similarity.kernels:PolynomialKernel",
    "similarity/cosine": "similarity.kernels:CosineKernel",
    "similarity/polynomial afar": "similarity.afar:PolynomialAfar",
    "similarity/cosine afar": "similarity.afar:CosineAfar",
    "linear gaussian": "spectral.probabilistic_pca:LinearGaussian",
    # what is forgiven
    "transformation/shift": "transforms.plane:Shift",
    "transformation/rotation": "transforms.plane:Rotation",
    "transformation/scaling": "transforms.plane:Scaling",
    "transformation/affine": "transforms.plane:Affine",
    "transformation/time shift": "transforms.plane:TimeShift",
    "transformation/time scaling": "transforms.plane:TimeScaling",
    "transformation/local filter": "transforms.local_filter:LocalFilter",
    "transformation/baseline": "transforms.signals:Baseline",
    "transformation/gain": "transforms.signals:Gain",
    "transformation/tangents": "transforms.own:Tangents",
    "transformation/several": "transforms.own:Several",
    "transformation/step": "transforms.own:Step",
    "transformation/custom": "transforms.own:Custom",
    # learned metrics
    "metric/from pairs": "metric.learning.from_pairs:LearnedFromPairs",
    "metric/inner": "metric.learning.safe_pairs:InnerMetric",
    "metric/feature space": "metric.learning.space:FeatureSpace",
    "metric/spanned space": "metric.learning.space:SpannedSpace",
    "metric/kernel space": "metric.learning.space:KernelSpace",
    # factors taken out
    "removal": "metric.factor.removal:Removal",
    "removal/basis": "metric.factor.basis:Basis",
    "removal/shifts": "metric.factor.shifts:Shifts",
    "contradiction": "side.contradictions:Contradiction",
    # Gaussian processes
    "covariance/exponentiated quadratic": "gaussian_process.covariance:ExponentiatedQuadratic",
    "covariance/linear": "gaussian_process.covariance:LinearCovariance",
    "process": "latent.gplvm.process:LatentProcess",
    "process/table": "latent.gplvm.table:StandardTable",
    "process/state": "latent.gplvm.objective:State",
    "process/back constraint": "latent.gplvm.back_constraint:BackConstraint",
    # densities of data and latent points
    "density": "latent.density.joint:JointDensity",
    "density/gaussian": "latent.density.kernels:GaussianKernel",
    "density/quartic": "latent.density.kernels:QuarticKernel",
    "density/discrete": "latent.density.kernels:DiscreteKernel",
    "density/table": "latent.density.table:TableKernel",
    "known factor": "latent.density.known_factor:KnownFactor",
    "known factors": "latent.density.known_factor:KnownFactors",
    "path": "latent.information.path:Path",
    "path/onset": "latent.information.path:Onset",
    # models of change
    "gated/machine": "gated.boltzmann.machine:Machine",
    "gated/network": "gated.autoencoding.network:Network",
    "gated/scale": "gated.rows.scale:Scale",
    "gated/moments": "gated.optimiser:Moments",
    "units/binary": "gated.units:Binary",
    "units/gaussian": "gated.units:Gaussian",
    "units/multinomial": "gated.units:Multinomial",
    "units/poisson": "gated.units:Poisson",
    # what the user knows
    "side/actions": "side.actions:Actions",
    "side/anchors": "side.anchors:Anchors",
    "side/attributes": "side.attributes:Attributes",
    "side/condition": "side.condition:Condition",
    "side/distances": "side.distances:Distances",
    "side/sequence": "side.sequence:Sequence",
    "side/invariance": "side.invariance:Invariance",
    "side/pairs": "side.pairs:Pairs",
    "side/relation": "side.relation:Relation",
}
_TAG_OF = {home: tag for tag, home in TAGS.items()}


def tag_of(kind: type) -> str | None:
    """The tag of a class; None where it has none."""
    return _TAG_OF.get(f"{kind.__module__.removeprefix('sidelight.')}:{kind.__name__}")


def class_of(tag: str) -> type[Any] | None:
    """The class that a tag stands for; None for an unknown one."""
    if tag not in TAGS:
        return None
    module, _, name = TAGS[tag].partition(":")
    found: type[Any] = getattr(import_module(f"sidelight.{module}"), name)
    return found


def saved_fields(kind: type[Any]) -> list[Field[Any]]:
    """The fields of a value that a model file holds: all but those that say they are not saved."""
    return [field for field in fields(kind) if field.metadata.get("saved", True)]
