"""The program in a real browser: a folder of photos, a trash and a server of their own for each test."""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from small_photos import fill, pictures
from waiting import settle


class SiftCase(unittest.TestCase):
    names = []
    has_touch = False
    made = []

    @classmethod
    def setUpClass(cls):
        cls.play = sync_playwright().start()
        cls.browser = cls.play.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.play.stop()

    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="sift-test-"))
        self.photos = self.root / "Pictures"
        self.photos.mkdir()
        self.make_photos()
        self.port = 0
        self.process = None
        self.start()
        self.context = self.browser.new_context(viewport={"width": 1280, "height": 800}, has_touch=self.has_touch)
        self.page = self.context.new_page()
        self.faults = []
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", lambda message: self.faults.append(message.text) if "Security" in message.text else None)
        self.page.goto(self.link)
        self.page.get_by_role("button", name="Start sorting").click()
        self.page.locator("body[data-page=deck][data-live]").wait_for()

    def tearDown(self):
        self.context.close()
        self.stop()
        shutil.rmtree(self.root)
        self.assertEqual(self.faults, [])

    def make_photos(self):
        if not SiftCase.made:
            SiftCase.made = pictures()
        # The order is the order of time.
        self.names = fill(self.photos, 12, SiftCase.made)

    def start(self, *folders):
        self.process = subprocess.Popen(
            [os.environ["SIFT"], "serve", "--data-dir", str(self.root / "data"), "--trash", str(self.root / "Trash"),
             "--port", str(self.port), *(str(folder) for folder in folders or [self.photos])],
            stdout=subprocess.PIPE, text=True, env=os.environ | {"XDG_CACHE_HOME": str(self.root / "cache")})
        line = self.process.stdout.readline()
        self.link = re.search(r"http://\S+", line).group()
        self.port = int(re.search(r":(\d+)/", self.link).group(1))

    def stop(self, how=signal.SIGTERM):
        if self.process is None:
            return None
        self.process.send_signal(how)
        code = self.process.wait(timeout=60)
        self.process.stdout.close()
        self.process = None
        return code

    def go(self, path):
        """Opens a page of this Sift, and waits until it stands still."""
        self.page.goto(f"http://127.0.0.1:{self.port}{path}")
        settle(self.page)

    def shown(self):
        return self.page.locator(".caption-name").inner_text()

    def expect_shown(self, name, page=None):
        expect((page or self.page).locator(".caption-name")).to_have_text(name)

    def trashed(self):
        folder = self.root / "Trash" / "files"
        return sorted(file.name for file in folder.iterdir()) if folder.exists() else []

    def expect_trashed(self, names):
        for _ in range(400):
            if self.trashed() == names:
                return
            self.page.wait_for_timeout(50)
        self.assertEqual(self.trashed(), names)
