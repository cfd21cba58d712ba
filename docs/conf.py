"""How the book is built: ``make book`` writes it into ``output/book``."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
os.environ.setdefault("MPLBACKEND", "Agg")
warnings.filterwarnings("ignore", message=".*is non-interactive, and thus cannot be shown")

import sidelight  # noqa: E402

project = "sidelight"
author = "The sidelight developers"
copyright = f"{author}, BSD-3-Clause"
version = release = sidelight.__version__

extensions = [
    "sphinx.ext.autodoc",
    "numpydoc",
    "myst_parser",
    "sphinx_gallery.gen_gallery",
    "tools.book",
]
root_doc = "index"
exclude_patterns = ["examples", "gallery/**/*.md5", "**/sg_execution_times*"]

myst_enable_extensions = ["dollarmath", "amsmath", "colon_fence", "deflist"]
myst_heading_anchors = 4

numpydoc_show_class_members = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
add_module_names = False
nitpicky = False

sphinx_gallery_conf = {
    "examples_dirs": ["examples"],
    "gallery_dirs": ["gallery"],
    "filename_pattern": r"/plot_",
    "doc_module": ("sidelight",),
    "backreferences_dir": None,
    "subsection_order": [
        "examples/known",
        "examples/recipes",
        "examples/spectral",
        "examples/unfolding",
        "examples/latent",
        "examples/gated",
        "examples/judging",
    ],
    "within_subsection_order": "FileNameSortKey",
    "reset_modules": ("matplotlib", "tools.book.crisp_figures", "tools.book.stopwatch"),
    "reset_modules_order": "both",
    "image_scrapers": ("matplotlib",),
    "image_srcset": [],
    "thumbnail_size": (400, 280),
    "ignore_repr_types": r"matplotlib.*",
    "remove_config_comments": True,
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
    "abort_on_example_error": False,
    "only_warn_on_example_error": False,
    "min_reported_time": 5,
    "plot_gallery": "True",
}

highlight_language = "none"
html_theme = "furo"
html_title = "sidelight"
html_static_path = ["_static"]
html_css_files = ["book.css"]
html_show_sphinx = False
html_copy_source = False
html_theme_options = {
    "light_css_variables": {
        "color-brand-primary": "#1b5a7a",
        "color-brand-content": "#1b5a7a",
        "font-stack": "Inter, system-ui, -apple-system, 'Segoe UI', 'Helvetica Neue', sans-serif",
    },
    "dark_css_variables": {
        "color-brand-primary": "#8cc4e0",
        "color-brand-content": "#8cc4e0",
    },
}
html_math_renderer = "mathml"
