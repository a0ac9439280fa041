#!/usr/bin/env python3
"""Recomputes hashes.json with PyPI's ImageHash, or with --check says whether it is still equal. Run it in this folder.

`recompute-hashes.py --compare FILE…` prints name, dhash(8) and dhash(16) of other pictures, to compare a library.
"""
import glob
import json
import sys

import imagehash
from PIL import Image


def hashes(path):
    with Image.open(path) as image:
        return {"hash64": str(imagehash.dhash(image, 8)), "hash256": str(imagehash.dhash(image, 16))}


if sys.argv[1:2] == ["--compare"]:
    for path in sys.argv[2:]:
        both = hashes(path)
        print(path, both["hash64"], both["hash256"])
    sys.exit()
computed = {path: hashes(path) for path in sorted(glob.glob("hash-*.png"))}
if sys.argv[1:2] == ["--check"]:
    with open("hashes.json", encoding="utf-8") as file:
        sys.exit("hashes.json differs" if json.load(file) != computed else 0)
with open("hashes.json", "w", encoding="utf-8") as file:
    json.dump(computed, file, indent=2)
    file.write("\n")
