"""Takes pictures of every page: `pictures.py PHOTOS OUT [PAGE …]`. They are for looking at, not for comparing.

`pictures.py PHOTOS Apps/docs --readme` takes those of the README instead, and writes them as WebP.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from sample import Sample, SampleServer, load_photos

PAGES = [
    ("deck", "/", "full"), ("broken", "/", "broken"), ("error", "/", "error"), ("readonly", "/", "readonly"),
    ("empty", "/", "empty"), ("gone", "/", "gone"), ("finished", "/", "finished"), ("welcome", "/welcome", "full"),
    ("compare", "/compare?photos=p0,p2", "full"), ("compare4", "/compare?photos=p0,p1,p2,p3", "full"),
    ("review", "/review", "review"), ("history", "/history", "full"), ("settings", "/settings", "full"),
    ("photo", "/photo/p0", "full"), ("library", "/library", "full"), ("nomatch", "/library", "empty"),
    ("alike", "/alike", "full"), ("noalike", "/alike", "empty"), ("libraries", "/libraries", "several"),
    ("selection", "/", "selection"),
]
README = [("deck", "wide", "dark", 1200), ("deck", "phone", "light", 390), ("library", "wide", "light", 1200),
          ("alike", "wide", "dark", 1200), ("compare", "wide", "dark", 1200)]
SIZES = {"wide": (1440, 900), "phone": (390, 844)}


def main(photos, out, only):
    if "--readme" in only:
        with tempfile.TemporaryDirectory() as folder:
            main(photos, folder, {name for name, *_ in README})
            Path(out).mkdir(parents=True, exist_ok=True)
            for name, size, scheme, width in README:
                subprocess.run(["convert", f"{folder}/{name}-{size}-{scheme}.png", "-resize", f"{width}x", "-quality", "82",
                                f"{out}/{name}-{size}.webp"], check=True)
        return
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    sample = Sample(load_photos(photos))
    server = SampleServer(sample)
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])
        for size, (width, height) in SIZES.items():
            for scheme in ("dark", "light"):
                context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme,
                                              has_touch=size == "phone")
                page = context.new_page()
                page.on("console", lambda message: print("console:", message.text))
                page.on("pageerror", lambda error: print("error:", error))
                for name, path, scenario in PAGES:
                    if only and name not in only:
                        continue
                    sample.reset(scenario if scenario not in ("review", "several", "selection") else "full")
                    if scenario in ("several", "selection"):
                        sample.libraries = ["Pictures", "Scans of slides"]
                    if scenario == "selection":
                        sample.selection = "stars=3"
                    if scenario == "review":
                        for index, action in enumerate(["trash", "keep", "favourite", "trash", "trash", "keep", "trash"]):
                            sample.command("decide", {"id": str(index), "photo": f"p{index}", "action": action})
                    elif name == "deck":
                        sample.command("decide", {"id": "x", "photo": "p1", "action": "trash"})
                    page.goto(server.url + path)
                    page.wait_for_timeout(350)
                    page.screenshot(path=str(out / f"{name}-{size}-{scheme}.png"))
                context.close()
        browser.close()
    server.stop()


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], set(sys.argv[3:]))
