"""Tables in, models and maps out: plain files, nothing that runs when it is opened."""

from __future__ import annotations

from sidelight.io.atomic import replacing as replacing
from sidelight.io.atomic import require_writable as require_writable
from sidelight.io.finding import received as received
from sidelight.io.finding import require_file as require_file
from sidelight.io.images import PICTURES as PICTURES
from sidelight.io.images import is_transparent as is_transparent
from sidelight.io.images import pictures_in as pictures_in
from sidelight.io.images import read_images
from sidelight.io.images import read_pictures as read_pictures
from sidelight.io.images import write_picture as write_picture
from sidelight.io.model import ModelFile, load, read_model, save
from sidelight.io.opening import holds_pictures as holds_pictures
from sidelight.io.opening import open_rows as open_rows
from sidelight.io.table import Table, read_table, write_table

#: For users; what is imported "as" itself is for other rooms alone.
__all__ = [
    "ModelFile",
    "Table",
    "load",
    "read_images",
    "read_model",
    "read_table",
    "save",
    "write_table",
]
