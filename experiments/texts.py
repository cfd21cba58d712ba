"""The texts: what they contain, what of it shows no result, and what is not repeated here yet."""

from __future__ import annotations

from dataclasses import dataclass

TEXTS = {
    "tutorial": "Tutorial on spectral methods (A. Ghodsi)",
    "informed": "Thesis on informed embedding (A. Ghodsi)",
    "tangent": "Report on local tangent space embedding",
    "latent": "Thesis on latent factors (R. Memisevic)",
    "slides": "Slides on the probabilistic view of spectral methods (N. Lawrence)",
}

#: How the texts are numbered.
NUMBERS = {"000": "informed", "001": "latent", "002": "tangent", "003": "slides", "004": "tutorial"}

ILLUSTRATION = "illustration; nothing to repeat"
METHOD = "method; nothing is measured"
WORDS = "words; nothing to repeat"


@dataclass(frozen=True)
class Unmeasured:
    """A place that shows no result: an illustration, a derivation or an algorithm, or words.

    ``here`` names what the library has of it, as ``module.name`` below ``sidelight``.
    """

    place: str
    says: str
    why: str
    here: tuple[str, ...] = ()


def _chapter_one(of: str) -> list[Unmeasured]:
    """What tutorial and thesis have in common."""
    return [
        Unmeasured("section 1.1.1", f"dual PCA{of}", METHOD, ("PCA",)),
        Unmeasured("section 1.2.1", f"centring a kernel{of}", METHOD, ("KernelPCA",)),
        Unmeasured("tables 1.1, 1.2", f"algorithms of PCA and dual PCA{of}", METHOD, ("PCA",)),
        Unmeasured("table 1.3", f"algorithm of SDE{of}", METHOD, ("SemidefiniteEmbedding",)),
    ]


UNMEASURED: dict[str, list[Unmeasured]] = {
    "tutorial": _chapter_one(""),
    "informed": [
        *_chapter_one(", as in the tutorial"),
        Unmeasured("section 1.9", "contributions", WORDS),
        Unmeasured("sections 2.1, 2.8", "introduction and conclusions", WORDS),
        Unmeasured("section 2.2", "combined embedding", METHOD, ("HybridEmbedding",)),
        Unmeasured(
            "figures 2.3 to 2.5; section 2.4.1",
            "local pixel transformations, tangents along a manifold and their alignment",
            ILLUSTRATION,
            ("transforms.LocalFilter", "transforms.Shift", "transforms.Rotation"),
        ),
        Unmeasured("figure 2.10", "the digits and the teapot", ILLUSTRATION),
        Unmeasured("section 3.1", "introduction", WORDS),
        Unmeasured(
            "sections 3.2, 3.2.1", "a metric from class equivalence", METHOD, ("EquivalenceMetric",)
        ),
        Unmeasured("section 3.3", "several attributes", METHOD, ("MultiAttributeMetric",)),
        Unmeasured("section 3.4", "the metric with a kernel", METHOD, ("EquivalenceMetric",)),
        Unmeasured("section 3.5", "a metric from distances", METHOD, ("DistanceMetric",)),
        Unmeasured("section 4.1", "introduction", WORDS),
        Unmeasured(
            "sections 4.2, 4.2.1 to 4.2.3",
            "neighbourhoods from actions, actions as constraints, prediction",
            METHOD,
            ("ActionRespectingEmbedding", "side.Actions"),
        ),
        Unmeasured(
            "table 4.1",
            "algorithm of action respecting embedding",
            METHOD,
            ("ActionRespectingEmbedding",),
        ),
        Unmeasured("figure 4.1", "neighbourhoods from actions", ILLUSTRATION),
        Unmeasured(
            "figures 4.2 to 4.4; sections 4.3, 4.3.1",
            "the robot's picture and two of its walks",
            ILLUSTRATION,
            ("datasets.image_walk",),
        ),
        Unmeasured("chapter 5", "conclusion", WORDS),
    ],
    "tangent": [
        Unmeasured("section 1", "introduction", WORDS),
        Unmeasured("figures 1, 2; section 2", "algorithms of PCA and dual PCA", METHOD, ("PCA",)),
        Unmeasured("section 3", "kernel PCA", METHOD, ("KernelPCA",)),
        Unmeasured(
            "sections 4, 4.1", "LLE, and as kernel PCA", METHOD, ("LocallyLinearEmbedding",)
        ),
        Unmeasured("section 5", "multidimensional scaling", METHOD, ("ClassicalMDS",)),
        Unmeasured("section 6", "Isomap", METHOD, ("Isomap",)),
        Unmeasured(
            "figure 4", "a local filter of pixels", ILLUSTRATION, ("transforms.LocalFilter",)
        ),
        Unmeasured(
            "sections 7.2, 7.3",
            "local tangent spaces and the embedding by them",
            METHOD,
            ("LocalTangentSpaceEmbedding",),
        ),
    ],
    "latent": [
        Unmeasured("sections 1.1 to 1.3", "introduction", WORDS),
        Unmeasured("figure 2.1; section 2.1", "dimensionality reduction", ILLUSTRATION),
        Unmeasured("figure 2.2", "a matrix as a product of two", ILLUSTRATION, ("PCA",)),
        Unmeasured("figure 2.3; section 2.2.3", "a network of two layers", ILLUSTRATION),
        Unmeasured(
            "figure 2.4; section 2.2.1",
            "an auto-encoder",
            ILLUSTRATION,
            ("gated.BiasedAutoencoder", "gated.GatedAutoencoder"),
        ),
        Unmeasured(
            "figure 2.5; section 2.3.1",
            "similarities of data and of the map, and their mismatch",
            ILLUSTRATION,
            ("StochasticNeighborEmbedding", "SammonMapping"),
        ),
        Unmeasured("section 2.4", "kinds of embedding", WORDS),
        Unmeasured("section 2.5", "side information", WORDS),
        Unmeasured("sections 2.6, 2.6.1 to 2.6.3", "structured prediction", WORDS),
        Unmeasured(
            "sections 3.1.1, 3.1.3, 3.1.4",
            "kernel information embedding, its mappings, its kin",
            METHOD,
            ("KernelInformationEmbedding", "UnsupervisedKernelRegression"),
        ),
        Unmeasured(
            "section 3.2",
            "conditional embedding",
            METHOD,
            ("ConditionalEmbedding", "side.Condition"),
        ),
        Unmeasured("figure 3.7", "the cars of COIL", ILLUSTRATION),
        Unmeasured("section 3.3", "discussion", WORDS),
        Unmeasured(
            "figure 4.1; sections 4.1, 4.2.1",
            "several relations in one map, also of a part of the rows",
            ILLUSTRATION,
            ("MultipleRelationalEmbedding", "side.Relation"),
        ),
        Unmeasured("section 4.4", "discussion", WORDS),
        Unmeasured("sections 5.1, 5.1.1, 5.1.2", "motivation and related work", WORDS),
        Unmeasured(
            "figure 5.1; sections 5.2, 5.2.1 to 5.2.3, 5.2.5",
            "two views of a gated Boltzmann machine",
            ILLUSTRATION,
            ("gated.GatedBoltzmannMachine",),
        ),
        Unmeasured("section 5.3.1", "fields of gated experts", METHOD, ("gated.GatedExpertField",)),
        Unmeasured(
            "sections 5.3, 5.3.2",
            "networks before the gates",
            METHOD,
            ("gated.GatedBoltzmannMachine",),
        ),
        Unmeasured("section 5.5", "conclusions", WORDS),
        Unmeasured("sections 6.1, 6.1.1", "structure prediction", WORDS),
        Unmeasured(
            "figures 6.1, 6.2; sections 6.2, 6.2.1 to 6.2.3",
            "gated and biased auto-encoders, and many of them over a sequence",
            ILLUSTRATION,
            ("gated.GatedAutoencoder", "gated.BiasedAutoencoder", "gated.Manifield"),
        ),
        Unmeasured("section 6.4", "discussion", WORDS),
        Unmeasured("sections 7.1, 7.2", "summary and discussion", WORDS),
    ],
    "slides": [
        Unmeasured(
            "Mixtures of Gaussians; Thinking in High Dimensions", "motivation", ILLUSTRATION
        ),
        Unmeasured(
            "What is the density of probability mass?; Looking at Gaussian Samples; Central Limit "
            "Theorem and Non-Gaussian Case",
            "the squared distance from the mean has a gamma density",
            METHOD,
        ),
        Unmeasured(
            "Motivation for Non-Linear Dimensionality Reduction; Simple Model of Digit; MATLAB "
            "Demo; Pure Rotation is too Simple; Data Representation",
            "a six that is turned",
            ILLUSTRATION,
            ("datasets.rotated_image",),
        ),
        Unmeasured(
            "Multidimensional Scaling; Principal Component Analysis; Principal Coordinates "
            "Analysis; Equivalent Eigenvalue Problems; Centering and Squared Distances; The "
            "Covariance Interpretation; Distance to Similarity; Standard Transformation",
            "principal components and coordinates, distances and similarities",
            METHOD,
            ("PCA", "ClassicalMDS"),
        ),
        Unmeasured(
            "Other Distance Similarity Measures; Nonlinear Dimensionality Reduction; Kernel PCA: A "
            "Class of Similarities for Vector Data; Implied Distance Matrix",
            "kernels as similarities",
            METHOD,
            ("KernelPCA",),
        ),
        Unmeasured(
            "Spectral Dimensionality Reduction in Machine Learning; Classical Multidimensional "
            "Scaling Perspective",
            "spectral methods as classical scaling",
            WORDS,
        ),
        Unmeasured(
            "Isomap Neighborhood; Data Neighborhood",
            "ways along a graph, and what becomes of them where the graph is bad",
            ILLUSTRATION,
        ),
        Unmeasured("Isomap Algorithm; MDS on Shortest Path", "Isomap", METHOD, ("Isomap",)),
        Unmeasured(
            "Laplacian Eigenmaps I; Parameterization in Laplacian Eigenmaps; Laplacian Eigenmaps: "
            "Summary",
            "Laplacian eigenmaps",
            METHOD,
            ("LaplacianEigenmaps",),
        ),
        Unmeasured(
            "Locally Linear Embedding I; Determining the Embedding in LLE; Locally Linear "
            "Embedding: Summary",
            "LLE",
            METHOD,
            ("LocallyLinearEmbedding",),
        ),
        Unmeasured(
            "Maximum Variance Unfolding",
            "a kernel of the largest variance",
            METHOD,
            ("SemidefiniteEmbedding",),
        ),
        Unmeasured(
            "Maximum Entropy Unfolding; Details: Moving to the Laplacian; Gaussian Random Field; "
            "Data Feature Independence; Inverse Covariance; Conditional Independence; Where Do the "
            "Spring Constants Come From?",
            "the density of the largest entropy",
            METHOD,
            ("MaximumEntropyUnfolding",),
        ),
        Unmeasured(
            "Mattress Model; Spring Energy; Physical Analogy; Energy Minimization",
            "springs between points",
            ILLUSTRATION,
        ),
        Unmeasured(
            "Relationship to Laplacian Eigenmaps; Smallest Eigenvalues of Laplacian; Isomap and "
            "MEU",
            "other methods as approximations of MEU",
            METHOD,
        ),
        Unmeasured(
            "Point One; Second Point; Conditionals; LLE Approximates MEU; Acyclic Locally Linear "
            "Embedding",
            "LLE as the pseudolikelihood of the field",
            METHOD,
            ("LocallyLinearEmbedding", "AcyclicLocallyLinearEmbedding"),
        ),
        Unmeasured("Simple Experiments", "two data sets, seven methods", WORDS),
        Unmeasured(
            "Linear Latent Variable Model; Computation of the Marginal Likelihood; Dual "
            "Probabilistic PCA; Equivalence of Formulations",
            "probabilistic PCA and its dual",
            METHOD,
            ("ProbabilisticPCA",),
        ),
        Unmeasured(
            "Exponentiated Quadratic Basis Functions; Matrix Notation; Expected Square Distance; "
            "Expected Squared Distances; Number and Location of Basis; Problems for Data from "
            "Outside Basis; Extending the Basis; An Infinite Basis; Infinite Basis Functions; "
            "Random Functions with Infinite Basis",
            "kernels from random, finite and infinite bases",
            METHOD,
            (
                "similarity.BasisKernel",
                "similarity.RandomBasisKernel",
                "similarity.InfiniteBasisKernel",
            ),
        ),
        Unmeasured(
            "Feature Selection: Motivation",
            "features selected by an L1 error of distances",
            METHOD,
            ("metric.DistanceSelection",),
        ),
        Unmeasured(
            "Stages of Spectral Dimensionality Reduction; Our Perspective; Advantages of Existing "
            "Approaches; Summary: Spectral Approaches",
            "discussion",
            WORDS,
        ),
    ],
}

MISSING: dict[str, dict[str, str]] = {
    "slides": {
        "Grid Corpus Vowels; Isomap, Laplacian Eigenmaps, LLE, MVU on Grid Vowels": "variance of "
        "squared distances 0.07, and maps (the data are not public)",
    },
}
