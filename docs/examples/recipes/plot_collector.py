"""
A collector of pictures: a folder as a map
==========================================

Images come as they are, (n, height, width), or as a folder on the command line. The page can be
given away: one file, no server.

.. code-block:: text

    sidelight embed pictures/ --picture map.png --page map.html
"""

import tempfile
from pathlib import Path

from sklearn.datasets import load_digits

import sidelight

pictures = load_digits()
result = sidelight.embed(pictures.images[:400])
result.plot(images=pictures.data[:400], image_shape=(8, 8), labels=pictures.target[:400])

# %%
with tempfile.TemporaryDirectory() as folder:
    page = result.to_html(Path(folder) / "map.html")
    print(f"a page of {page.stat().st_size // 1000} kB")
