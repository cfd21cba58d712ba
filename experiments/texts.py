"""The texts, and what they show that no experiment repeats yet."""

from __future__ import annotations

TEXTS = {
    "tutorial": "Tutorial on spectral methods (A. Ghodsi)",
    "informed": "Thesis on informed embedding (A. Ghodsi)",
    "tangent": "Report on local tangent space embedding",
    "latent": "Thesis on latent factors (R. Memisevic)",
    "slides": "Slides on the probabilistic view of spectral methods (N. Lawrence)",
}

#: How the texts are numbered.
NUMBERS = {"000": "informed", "001": "latent", "002": "tangent", "003": "slides", "004": "tutorial"}

MISSING: dict[str, dict[str, str]] = {
    "tutorial": {
        "figure 1.8": "SDE (k = 5) on the 698 faces",
    },
    "informed": {
        "figure 1.8": "SDE (k = 5) on the 698 faces",
        "figures 3.9, 3.10, A.9, A.10": "SDE informed by pairs",
        "figures 3.16, A.14, A.19": "SDE informed by distances and by two attributes",
    },
    "tangent": {
        "figures 3 to 5": "reconstruction by neighbours and by filtered neighbours",
    },
    "latent": {
        "figures 2.1 to 2.5": "illustrations, parametric models (auto-encoder, RBM)",
        "figure 3.6": "a walk unfolding step by step",
        "figure 3.9": "nearest neighbours across objects: informed, plain, raw data",
        "figure 4.2": "rotated objects: SNE beside multiple relational embedding",
        "figures 5.4 to 5.6": "transformation fields of digits and video",
        "figures 5.11 to 5.13": "image analogies",
        "figures 6.4 to 6.6": "super-resolution by gated auto-encoders",
    },
    "slides": {
        "Grid corpus vowels": "variance of squared distances 0.07 (the data are not public)",
        "Kernels": "from random, finite and infinite bases",
        "Learning the structure": "L1 feature selection",
    },
}
