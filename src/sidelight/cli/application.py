"""All commands under one name, and one way to fail: a clear line, no traceback."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

import sidelight
from sidelight.cli.commands import COMMANDS
from sidelight.cli.console import errors

USER_ERROR = 2
INTERRUPTED = 130


class OneCommand(TyperCommand):
    """A command whose options are each given once, where they take one value."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse an option given twice: the last would win, and the first be forgotten."""
        options = {flag: option for option in self.params for flag in option.opts}
        given: dict[str, list[str]] = {}
        words = iter(args)
        for word in words:
            if word == "--":
                break
            flag, equals, value = word.partition("=") if word.startswith("--") else (word, "", "")
            if not word.startswith("--") and word[:2] in options and len(word) > 2:
                flag, equals, value = word[:2], "=", word[2:]  # -omap.csv
            option = options.get(flag)
            if option is None or getattr(option, "is_flag", False):
                continue
            value = value if equals else next(words, "")
            if not option.multiple:
                given.setdefault(str(option.opts[0]), []).append(value)
        for name, values in given.items():
            if len(values) > 1:
                said = " and ".join(repr(value) for value in values)
                raise ValueError(f"{name} takes one value and was given {len(values)}: {said}.")
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed


class Commands(TyperGroup):
    """The commands; what a user can put right is told in one line, with exit code 2."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Take ``--debug`` wherever it stands."""
        if "--debug" in args:
            args = ["--debug", *(argument for argument in args if argument != "--debug")]
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            errors().print("Stopped.", style="yellow")
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:  # whoever read the output has seen enough: typer ends quietly
            raise
        except (ValueError, OSError, MemoryError, ImportError) as error:
            if ctx.params.get("debug"):
                raise
            show_error(error)
            raise typer.Exit(USER_ERROR) from None


def show_error(error: BaseException) -> None:
    """Say what went wrong: in a frame on a screen, in a line in a file."""
    from rich.panel import Panel
    from rich.text import Text

    message = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, OSError) and error.filename is not None:
        message = f"{error.filename}: {error.strerror}."
    console = errors()
    if console.is_terminal:
        frame = Panel(Text(message), title="Error", title_align="left", border_style="red")
        console.print(frame)
    else:
        console.print(f"Error: {message}", soft_wrap=True)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"sidelight {sidelight.__version__}")
        raise typer.Exit


application = typer.Typer(
    cls=Commands,
    name="sidelight",
    help="Dimensionality reduction that listens to what you know.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for command in COMMANDS:
    application.command(cls=OneCommand)(command)


@application.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the whole traceback of an error.")
    ] = False,
) -> None:
    pass
