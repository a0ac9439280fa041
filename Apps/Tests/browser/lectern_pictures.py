"""Takes pictures of Lectern's pages to look at: python lectern_pictures.py FOLDER [WIDTH…]. LECTERN names the program."""

import sys
from pathlib import Path

from lectern_case import LecternCase

PATHS = {
    "front": "/", "books": "/web", "chapters": "/web/john", "john": "/web/john/3", "psalm": "/web/ps/23",
    "kjv": "/kjv/gen/1", "parallel": "/web/john/1?with=kjv", "search": "/search?q=grace+truth&in=kjv",
    "marks": "/marks", "mark": "/mark?in=web&at=John.3.16", "plans": "/plans", "settings": "/settings",
}


class Pictures(LecternCase):
    def runTest(self):
        folder = Path(sys.argv[1])
        folder.mkdir(parents=True, exist_ok=True)
        for colour, verse in [("yellow", 16), ("blue", 17)]:
            self.open("/web/john/3")
            self.tap(verse)
            self.page.locator(f".tools [data-colour={colour}]").click()
            self.page.locator(f"#v{verse} mark").first.wait_for()
        for width in map(int, sys.argv[2:] or ["390", "1440"]):
            self.page.set_viewport_size({"width": width, "height": 844 if width < 600 else 900})
            for name, path in PATHS.items():
                self.open(path)
                themes = ["light", "sepia", "dark", "black"] if name in ("john", "psalm") else ["light"]
                for theme in themes:
                    self.page.evaluate("(theme) => document.documentElement.dataset.theme = theme", theme)
                    self.page.screenshot(path=folder / f"{name}-{theme}-{width}.png")
            self.open("/web/john/3")
            self.tap(3)
            self.page.screenshot(path=folder / f"tools-light-{width}.png")


if __name__ == "__main__":
    Pictures.setUpClass()
    case = Pictures()
    try:
        case.setUp()
        case.runTest()
        case.tearDown()
    finally:
        Pictures.tearDownClass()
