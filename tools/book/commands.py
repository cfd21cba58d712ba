"""The command line with its options, as the program itself knows them."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from tools.book.markdown import table


def described(name: str, command: Any) -> str:
    """A command: what it does, and its options."""
    about = (command.help or "").strip().partition("\n\n")[0]
    rows = []
    for parameter in command.params:
        if parameter.name in ("help", "quiet"):
            continue
        names = parameter.opts if parameter.param_type_name == "option" else [parameter.name]
        said = " ".join((getattr(parameter, "help", "") or "").split())
        rows.append([", ".join(f"`{one}`" for one in names), said])
    return f"## sidelight {name}\n\n{about}\n\n{table(['', ''], rows)}\n"


class Commands(SphinxDirective):
    """All commands."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        """Ask the program."""
        import typer

        from sidelight.cli.application import application

        commands = typer.main.get_command(application).commands
        text = "\n".join(described(name, command) for name, command in commands.items())
        return self.parse_text_to_nodes(text, allow_section_headings=True)
