"""Draw what a command prints on a terminal: ``docs/screenshots/terminal.png`` and its like.

``python tools/terminal_picture.py OUT.png -- sidelight embed digits.csv …`` runs the command in the
folder that it is called in, on a terminal of 110 columns, and draws its output under it.  What goes
beside the output, hints and progress, is not drawn.
"""

from __future__ import annotations

import argparse
import os
import pty
import shlex
import subprocess
from pathlib import Path
from typing import Any

COLUMNS, FONT_SIZE, MARGIN = 110, 13, 18
GROUND, INK = (12, 12, 12), (221, 221, 221)
#: The colours that the command line uses, by their numbers, on a dark ground.
COLOURS = {1: (230, 90, 90), 2: (120, 210, 110), 3: (220, 190, 90), 6: (97, 214, 214)}
DIM = 0.5


def printed_by(command: list[str]) -> str:
    """Run a command whose output is a terminal, and give what it wrote to it."""
    reader, writer = pty.openpty()
    wide = {**os.environ, "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
    wide.pop("NO_COLOR", None)
    parts = []
    with subprocess.Popen(command, stdout=writer, stderr=subprocess.DEVNULL, env=wide) as running:
        os.close(writer)
        while True:
            try:
                part = os.read(reader, 65536)
            except OSError:  # the terminal is gone, as the command is
                break
            if not part:
                break
            parts.append(part)
    os.close(reader)
    if running.returncode:
        raise SystemExit(f"{shlex.join(command)} ended with {running.returncode}.")
    return b"".join(parts).decode("utf-8").replace("\r\n", "\n")


def draw(lines: list[Any], path: Path) -> None:
    """Draw lines of rich's text, each character in a cell of its own."""
    from matplotlib.font_manager import FontProperties, findfont
    from PIL import Image, ImageDraw, ImageFont

    fonts = {
        bold: ImageFont.truetype(
            findfont(
                FontProperties(family="DejaVu Sans Mono", weight="bold" if bold else "normal")
            ),
            FONT_SIZE,
        )
        for bold in (False, True)
    }
    width, height = fonts[False].getlength("m"), round(1.35 * FONT_SIZE)
    columns = max(len(line.plain) for line in lines)
    size = (round(2 * MARGIN + width * columns), 2 * MARGIN + height * len(lines))
    picture = Image.new("RGB", size, GROUND)
    pen = ImageDraw.Draw(picture)
    for row, line in enumerate(lines):
        for column, character in enumerate(line.plain):
            style = _style_at(line, column)
            place = (MARGIN + width * column, MARGIN + height * row)
            pen.text(place, character, font=fonts[bool(style.bold)], fill=_colour(style))
    picture.quantize(64).save(path, optimize=True)


def _style_at(line: Any, column: int) -> Any:
    from rich.style import Style

    found = Style()
    for span in line.spans:
        if span.start <= column < span.end:
            found += span.style if isinstance(span.style, Style) else Style.parse(span.style)
    return found


def _colour(style: Any) -> tuple[int, ...]:
    colour = INK if style.color is None else COLOURS.get(style.color.number, INK)
    return tuple(round(DIM * part) for part in colour) if style.dim else colour


def main() -> None:
    """Run a command and draw it."""
    from rich.text import Text

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path", type=Path)
    parser.add_argument("command", nargs="+", help="after --")
    options = parser.parse_args()
    text = printed_by(options.command).strip()
    lines = [Text.from_ansi(line) for line in text.split("\n")]
    draw([Text(f"$ {shlex.join(options.command)}"), Text(""), *lines], options.path)


if __name__ == "__main__":
    main()
