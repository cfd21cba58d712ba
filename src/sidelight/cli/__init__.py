"""The command line: ``sidelight embed | compare | transform | decode | score | …``.

Every command is a file of its own, and imports what it works with when it is run, so that
``sidelight --help`` answers at once.
"""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run the command line."""
    # that of pyarrow's own choice takes a gigabyte of addresses at once, and is ended, where
    # ``ulimit -v`` leaves no more than that, before a word can be said
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    try:
        import rich
        import typer
    except ImportError as error:
        sys.exit(
            f"The command line needs the package {error.name!r}, which is not installed. "
            'Install it with: pip install "sidelight[cli]"'
        )
    from sidelight.cli.application import application
    from sidelight.cli.console import write_plainly

    write_plainly()
    application()
