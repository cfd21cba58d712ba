"""Stage 2: from data or a graph to a kernel K, or to a stiffness matrix whose inverse is one."""

from __future__ import annotations

from sidelight.similarity.afar import seen_from_centre
from sidelight.similarity.barycentre import (
    barycentre_errors,
    barycentre_weights,
    local_gram_from_distances,
    local_gram_from_features,
    local_gram_from_graph,
    solve_barycentres,
    solve_convex_barycentres,
)
from sidelight.similarity.bases import BasisKernel, InfiniteBasisKernel, RandomBasisKernel
from sidelight.similarity.centring import Centring, centre_kernel, kernel_from_distances
from sidelight.similarity.gaussian import gaussian_shares, gaussian_similarity, half_squares
from sidelight.similarity.geodesic import geodesic_distances, geodesic_distances_of_new
from sidelight.similarity.kernels import (
    KERNEL_NAMES,
    GaussianKernel,
    Kernel,
    LinearKernel,
    check_kernel_table,
    kernel_matrix,
    kernel_panels,
    refuse_unused_kernel_parameters,
    require_finite_kernel,
    resolve_kernel,
)
from sidelight.similarity.laplacian import (
    affinity_from_graph,
    edge_weights,
    heat_width,
    laplacian_of,
)
from sidelight.similarity.neighbor_choice import (
    WIDE,
    choice_probabilities,
    normalise_rows,
    perplexity_bandwidths,
    wide_bandwidth,
)
from sidelight.similarity.panels import SymmetricPanels
from sidelight.similarity.scatter import (
    column_mean,
    gram_matrix,
    mean_and_scatter,
    scatter_operator,
    total_scatter,
)
from sidelight.similarity.sequences import sequence_kernel
from sidelight.similarity.stiffness import pseudo_inverse

__all__ = [
    "KERNEL_NAMES",
    "WIDE",
    "BasisKernel",
    "Centring",
    "GaussianKernel",
    "InfiniteBasisKernel",
    "Kernel",
    "LinearKernel",
    "RandomBasisKernel",
    "SymmetricPanels",
    "affinity_from_graph",
    "barycentre_errors",
    "barycentre_weights",
    "centre_kernel",
    "check_kernel_table",
    "choice_probabilities",
    "column_mean",
    "edge_weights",
    "gaussian_shares",
    "gaussian_similarity",
    "geodesic_distances",
    "geodesic_distances_of_new",
    "gram_matrix",
    "half_squares",
    "heat_width",
    "kernel_from_distances",
    "kernel_matrix",
    "kernel_panels",
    "laplacian_of",
    "local_gram_from_distances",
    "local_gram_from_features",
    "local_gram_from_graph",
    "mean_and_scatter",
    "normalise_rows",
    "perplexity_bandwidths",
    "pseudo_inverse",
    "refuse_unused_kernel_parameters",
    "require_finite_kernel",
    "resolve_kernel",
    "scatter_operator",
    "seen_from_centre",
    "sequence_kernel",
    "solve_barycentres",
    "solve_convex_barycentres",
    "total_scatter",
    "wide_bandwidth",
]
