"""Lectern in a real browser: a program and data of its own for each class of tests."""

import atexit
import functools
import os
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from playwright.sync_api import sync_playwright

LECTERN = os.environ.get("LECTERN", "")


@functools.cache
def imported():
    """Returns a data directory with both Bibles: TEXTS, or one that is imported once for all classes of tests."""
    if texts := os.environ.get("TEXTS"):
        return Path(texts)
    folder = Path(tempfile.mkdtemp(prefix="lectern-texts-"))
    atexit.register(shutil.rmtree, folder)
    data = folder / "data"
    subprocess.run([LECTERN, "import", "--data-dir", data, "kjv", "web"], check=True, stdout=subprocess.DEVNULL)
    return data


class LecternCase(unittest.TestCase):
    width, height = 1280, 900
    scripts = True
    faults = []

    @classmethod
    def setUpClass(cls):
        cls.root = Path(tempfile.mkdtemp(prefix="lectern-test-"))
        cls.data = cls.root / "data"
        shutil.copytree(imported(), cls.data)
        cls.process = None
        cls.port = 0
        cls.start()
        cls.play = sync_playwright().start()
        cls.browser = cls.play.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox", "--autoplay-policy=no-user-gesture-required"])

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.play.stop()
        cls.stop()
        shutil.rmtree(cls.root)

    @classmethod
    def start(cls):
        cls.process = subprocess.Popen(
            [LECTERN, "serve", "--data-dir", cls.data, "--port", str(cls.port), "--no-open"],
            stdout=subprocess.PIPE, text=True)
        cls.link = cls.process.stdout.readline().strip()
        cls.origin = cls.link.split("/start")[0]
        cls.port = int(cls.origin.rsplit(":", 1)[1])

    @classmethod
    def stop(cls):
        cls.process.send_signal(signal.SIGTERM)
        assert cls.process.wait(timeout=60) == 0
        cls.process.stdout.close()

    def setUp(self):
        self.context = self.browser.new_context(
            viewport={"width": self.width, "height": self.height}, java_script_enabled=self.scripts)
        self.page = self.context.new_page()
        self.faults = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on(
            "console", lambda message: self.faults.append(message.text) if "Security" in message.text else None)
        self.page.goto(self.link)

    def tearDown(self):
        self.context.close()
        self.assertEqual(self.faults, [])

    def open(self, path):
        self.page.goto(self.origin + path)
        if self.scripts:
            self.page.locator("body[data-live]").wait_for()

    def tap(self, verse):
        """Clicks into the first line of a verse, which may begin in the middle of a line."""
        fragment = self.page.locator(f"#v{verse}")
        fragment.scroll_into_view_if_needed()
        x, y = fragment.evaluate("""(each) => {
            each.scrollIntoView({block: 'center'});
            const lines = [...each.getClientRects()];
            const line = lines.find(({width}) => width > 80) ?? lines[0];
            return [line.left + line.width * 0.6, line.top + line.height / 2];
        }""")
        self.page.mouse.click(x, y)
