"""Formulas as MathML, which browsers draw themselves: no script, nothing from elsewhere."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml


def formula(writer: Any, node: nodes.math) -> None:
    """Write a formula within a line."""
    writer.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def block_formula(writer: Any, node: nodes.math_block) -> None:
    """Write a formula on lines of its own."""
    written = tex2mathml(node.astext(), as_block=True)
    writer.body.append(f'<div class="math">{written}</div>\n')
    raise nodes.SkipNode
