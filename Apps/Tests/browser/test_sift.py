"""Sift itself in a real browser: real files, the real trash, crashes. Run: `python -m unittest test_sift` here.

Needs SIFT, the program, and ImageMagick's `convert`. Photos are made from PHOTOS (see make_photos.py).
"""

import os
import re
import shutil
import signal
import subprocess
import tempfile
import unittest
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from sample import load_photos


class SiftCase(unittest.TestCase):
    names = [f"IMG_{index:04}.jpg" for index in range(12)]

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
        self.context = self.browser.new_context(viewport={"width": 1280, "height": 800})
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
        sources = load_photos(os.environ["PHOTOS"])
        for index, name in enumerate(self.names):
            shutil.copy(sources[(index + 4) % len(sources)]["files"]["screen"], self.photos / name)
            # The order is the order of time.
            os.utime(self.photos / name, (1_600_000_000 + index * 60,) * 2)

    def start(self):
        self.process = subprocess.Popen(
            [os.environ["SIFT"], "serve", "--data-dir", str(self.root / "data"), "--trash", str(self.root / "Trash"),
             "--port", str(self.port), str(self.photos)],
            stdout=subprocess.PIPE, text=True, env=os.environ | {"XDG_CACHE_HOME": str(self.root / "cache")})
        line = self.process.stdout.readline()
        self.link = re.search(r"http://\S+", line).group()
        self.port = int(re.search(r":(\d+)/", self.link).group(1))

    def stop(self, how=signal.SIGTERM):
        if self.process is None:
            return None
        self.process.send_signal(how)
        code = self.process.wait(timeout=20)
        self.process.stdout.close()
        self.process = None
        return code

    def shown(self):
        return self.page.locator(".caption-name").inner_text()

    def expect_shown(self, name, page=None):
        expect((page or self.page).locator(".caption-name")).to_have_text(name)

    def trashed(self):
        folder = self.root / "Trash" / "files"
        return sorted(file.name for file in folder.iterdir()) if folder.exists() else []

    def expect_trashed(self, names):
        for _ in range(100):
            if self.trashed() == names:
                return
            self.page.wait_for_timeout(50)
        self.assertEqual(self.trashed(), names)


class RealDecisionTests(SiftCase):
    def test_a_trashed_photo_is_in_the_trash_and_comes_back(self):
        self.expect_shown("IMG_0000.jpg")
        self.page.keyboard.press("ArrowLeft")
        self.expect_shown("IMG_0001.jpg")
        self.expect_trashed(["IMG_0000.jpg"])
        self.assertFalse((self.photos / "IMG_0000.jpg").exists())
        self.page.get_by_role("button", name="Undo: Trash IMG_0000.jpg").click()
        self.expect_shown("IMG_0000.jpg")
        self.expect_trashed([])
        self.assertTrue((self.photos / "IMG_0000.jpg").exists())

    def test_all_photos_by_keys(self):
        keys = ["ArrowLeft", "ArrowUp", "ArrowRight"]
        for index, name in enumerate(self.names):
            self.expect_shown(name)
            self.page.keyboard.press(keys[index % 3])
        expect(self.page.get_by_role("heading", name="All photos are decided")).to_be_visible()
        self.expect_trashed(self.names[0::3])
        self.assertEqual(sorted(file.name for file in self.photos.iterdir() if file.suffix == ".jpg"),
                         sorted(set(self.names) - set(self.names[0::3])))

    def test_the_photo_is_painted(self):
        size = self.page.locator("#card-image").evaluate(
            "image => image.decode().then(() => [image.naturalWidth, image.clientWidth])")
        self.assertGreater(size[0], 500)
        self.assertGreater(size[1], 300)

    def test_a_photo_that_was_replaced_is_not_touched(self):
        self.expect_shown("IMG_0000.jpg")
        (self.photos / "IMG_0000.jpg").unlink()
        (self.photos / "IMG_0000.jpg").write_bytes(b"a stranger")
        self.page.keyboard.press("ArrowLeft")
        self.page.wait_for_timeout(1500)
        self.assertEqual((self.photos / "IMG_0000.jpg").read_bytes(), b"a stranger")
        self.assertEqual(self.trashed(), [])

    def test_the_history_restores(self):
        self.page.keyboard.press("ArrowLeft")
        self.expect_shown("IMG_0001.jpg")
        self.expect_trashed(["IMG_0000.jpg"])
        self.page.get_by_role("link", name="History").click()
        self.page.get_by_role("button", name="Restore IMG_0000.jpg").click()
        expect(self.page.get_by_text("Restored", exact=True)).to_be_visible()
        self.expect_trashed([])

    def test_another_address_of_a_picture_shows_nothing(self):
        source = self.page.locator("#card-image").get_attribute("src")
        for path in (source.replace("/media/1/", "/media/999/"), "/media/..%2f..%2fetc/passwd/full"):
            self.assertIn(self.page.request.get(f"http://127.0.0.1:{self.port}{path}").status, (400, 404))


class CrashTests(SiftCase):
    def test_nothing_that_was_shown_as_decided_is_lost_by_a_kill(self):
        for index in range(5):
            self.expect_shown(self.names[index])
            self.page.keyboard.press("ArrowLeft")
        self.expect_shown(self.names[5])
        self.stop(signal.SIGKILL)
        expect(self.page.get_by_text("Sift stopped. Reconnecting.")).to_be_visible()
        self.page.keyboard.press("ArrowLeft")
        self.start()
        self.expect_shown(self.names[6])
        self.expect_trashed(self.names[:6])
        expect(self.page.get_by_text("Sift stopped. Reconnecting.")).to_be_hidden(timeout=10_000)

    def test_an_earlier_session_can_be_undone(self):
        self.page.keyboard.press("ArrowLeft")
        self.expect_shown("IMG_0001.jpg")
        self.expect_trashed(["IMG_0000.jpg"])
        self.assertEqual(self.stop(), 0)
        self.start()
        self.page.reload()
        self.page.locator("body[data-page=deck][data-live]").wait_for()
        self.page.get_by_role("button", name="Undo: Trash IMG_0000.jpg").click()
        self.expect_shown("IMG_0000.jpg")
        self.expect_trashed([])


class CommandTests(SiftCase):
    def test_restore_brings_trashed_photos_back(self):
        for index in range(3):
            self.expect_shown(self.names[index])
            self.page.keyboard.press("ArrowLeft" if index != 1 else "ArrowUp")
        self.expect_trashed(["IMG_0000.jpg", "IMG_0002.jpg"])
        self.assertEqual(self.stop(), 0)
        places = ["--data-dir", str(self.root / "data"), "--trash", str(self.root / "Trash"), str(self.photos)]
        done = subprocess.run([os.environ["SIFT"], "restore", "--last", "5", "--only-trash", *places],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "trash undone: IMG_0002.jpg\ntrash undone: IMG_0000.jpg\n")
        self.assertEqual(self.trashed(), [])
        self.assertTrue((self.photos / "IMG_0000.jpg").exists() and (self.photos / "IMG_0002.jpg").exists())


class OddFileTests(SiftCase):
    def make_photos(self):
        super().make_photos()
        whole = (self.photos / "IMG_0003.jpg").read_bytes()
        (self.photos / "IMG_0000.jpg").write_text("this is text")
        (self.photos / "IMG_0001.jpg").write_bytes(b"\xff\xd8\xff\xe0" + bytes(range(256)) * 4)
        # Of a truncated photo the decoder shows what is there.
        (self.photos / "IMG_0003.jpg").write_bytes(whole[: len(whole) // 2])
        os.utime(self.photos / "IMG_0003.jpg", (1_600_000_000 + 3 * 60,) * 2)
        os.rename(self.photos / "IMG_0002.jpg", os.fsencode(self.photos) + b"/new\nline \xff.jpg")
        for index, name in enumerate(["IMG_0000.jpg", "IMG_0001.jpg"]):
            os.utime(self.photos / name, (1_600_000_000 + index * 60,) * 2)

    def test_damaged_files_are_shown_as_such_and_can_be_decided(self):
        for index in range(2):
            self.expect_shown(self.names[index])
            expect(self.page.get_by_text("You can still decide this photo.")).to_be_visible(timeout=10_000)
            self.page.keyboard.press("ArrowLeft")
        self.expect_shown("new\ufffdline \ufffd.jpg")
        self.page.keyboard.press("ArrowLeft")
        self.expect_shown("IMG_0003.jpg")
        self.page.keyboard.press("ArrowUp")
        self.expect_shown("IMG_0004.jpg")
        for _ in range(100):
            if not os.path.exists(os.fsencode(self.photos) + b"/new\nline \xff.jpg"):
                break
            self.page.wait_for_timeout(50)
        self.assertEqual(len(self.trashed()), 3)


if __name__ == "__main__":
    unittest.main()
