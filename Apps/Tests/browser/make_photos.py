"""Makes a small photo library from the wallpapers of Debian's packages: `make_photos.py FOLDER`. Where there are fewer
than 24, generated pictures take their place."""

import json
import subprocess
import sys
from pathlib import Path

from small_photos import pictures

ROOTS = ["/usr/share/backgrounds/mate/nature", "/usr/share/wallpapers", "/usr/share/backgrounds"]


def pick(limit):
    seen, found = set(), []
    for root in ROOTS:
        for file in sorted(Path(root).rglob("*.jpg")):
            key = file.parents[2].name if file.parent.name.startswith("images") else file.stem
            if file.name == "screenshot.jpg" or key in seen or file.stat().st_size < 150_000:
                continue
            seen.add(key)
            found.append(file)
    return found[:limit]


def main(folder):
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    photos = []
    files = pick(24)
    for index, picture in enumerate(pictures(24 - len(files), "3000x2000") if len(files) < 24 else []):
        path = folder / f"generated-{index}.jpg"
        path.write_bytes(picture)
        files.append(path)
    # A burst of four, upright photos, and names that are hard to show.
    files = [files[3]] * 4 + files
    for index, file in enumerate(files):
        name = "A name that is far longer than any camera writes, so that lines must break somewhere – 2024.jpg" \
            if index == 6 else f"DSCF{4021 + index}.JPG"
        paths = {}
        for kind, edge in (("thumbnail", 256), ("screen", 1600), ("full", 3000)):
            path = folder / f"{index}-{kind}.jpg"
            blur = ["-blur", "0x3"] if index in (1, 3) and kind != "thumbnail" else []
            turn = ["-gravity", "center", "-crop", "52%x100%+0+0", "+repage"] if index in (5, 9) else []
            subprocess.run(["convert", str(file), *turn, *blur, "-resize", f"{edge}x{edge}>", "-strip", "-quality", "85", str(path)],
                           check=True)
            paths[kind] = str(path)
        size = subprocess.run(["identify", "-format", "%w %h", paths["full"]], capture_output=True, text=True, check=True)
        photos.append({"name": name, "files": paths, "size": [int(part) for part in size.stdout.split()]})
    (folder / "photos.json").write_text(json.dumps(photos))


if __name__ == "__main__":
    main(sys.argv[1])
