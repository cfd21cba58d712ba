"""One line on each data set."""

from __future__ import annotations

DESCRIPTIONS = {
    "swiss_roll": "a rolled-up sheet in three dimensions",
    "s_curve": "a sheet bent into an S in three dimensions",
    "noisy_s": "noisy points around a letter S in the plane",
    "image_walk": "frames seen by a robot that moves over a picture, and its actions",
    "digits": "handwritten digits of 8 × 8 pixels",
    "shifted_digits": "digits at every position of a larger canvas",
    "rotated_digits": "digits turned through the full circle",
    "oil_flow": "12 measurements of three-phase oil flow, 3 classes",
    "isomap_faces": "synthetic faces, two pose angles and one light",
    "olivetti_faces": "40 people, 10 photographs each; glasses and beards",
    "mnist_t10k": "handwritten digits of 28 × 28 pixels",
    "cmu35_walk": "motion capture of a walk, without the walker's position",
    "stick_run1": "motion capture of a run, 34 markers; non-commercial licence",
    "robot_wireless": "wireless signal strengths along a corridor, a loop",
    "spellman_yeast": "gene expression in the yeast cell cycle; NaN = missing",
    "europe_roads": "road distances in km between 48 European cities",
    "eurodist": "road distances in km between 21 European cities",
    "six": "360 rotations of one handwritten six",
    "pbmc68k_reduced": "single blood cells, 10 types; cell cycle, counts",
}
