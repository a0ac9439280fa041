"""Small photos for the tests with many files. Needs ImageMagick's `convert` for a few pictures; the rest are copies with
another comment, so that no two files have the same content."""

import os
import subprocess
import tempfile
from pathlib import Path


def pictures(count=12, size="1200x800"):
    """Returns the bytes of some JPEG pictures that look different."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for index in range(count):
            path = Path(folder) / f"{index}.jpg"
            hue = (index * 29) % 200
            subprocess.run(["convert", "-seed", str(index + 1), "-size", size, "plasma:grey30-grey80", "-modulate",
                            f"100,180,{hue}", "-fill", f"hsl({hue * 1.8:.0f},60%,40%)", "-colorize", "45", "-gravity", "center",
                            "-fill", "white", "-pointsize", "160", "-annotate", "0", str(index), "-quality", "82", str(path)],
                           check=True)
            found.append(path.read_bytes())
    return found


def with_comment(picture, text):
    """Returns a JPEG with a comment behind its first marker."""
    comment = text.encode()
    return picture[:2] + b"\xff\xfe" + (len(comment) + 2).to_bytes(2, "big") + comment + picture[2:]


def fill(folder, count, sources, first=1_600_000_000, gap=60):
    """Writes photos whose order of names is the order of time. Returns their names."""
    folder = Path(folder)
    names = [f"IMG_{index:05}.jpg" for index in range(count)]
    for index, name in enumerate(names):
        path = folder / name
        path.write_bytes(with_comment(sources[index % len(sources)], name))
        os.utime(path, (first + index * gap,) * 2)
    return names
