"""One file a command."""

from __future__ import annotations

from sidelight.cli.commands.analogy import analogy
from sidelight.cli.commands.compare import compare
from sidelight.cli.commands.datasets import datasets
from sidelight.cli.commands.decode import decode
from sidelight.cli.commands.embed import embed
from sidelight.cli.commands.methods import methods
from sidelight.cli.commands.reproduce import reproduce
from sidelight.cli.commands.score import score
from sidelight.cli.commands.transform import transform

#: In the order in which the help lists them.
COMMANDS = (embed, compare, transform, decode, score, analogy, datasets, methods, reproduce)

__all__ = ["COMMANDS"]
