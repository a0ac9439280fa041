"""Sift itself in a real browser: real files, the real trash, crashes. Run: `python -m unittest test_sift` here.

Needs SIFT, the program, and ImageMagick's `convert`.
"""

import os
import signal
import subprocess
import time
import unittest
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from real import SiftCase
from small_photos import with_comment


class RealDecisionTests(SiftCase):
    def test_a_trashed_photo_is_in_the_trash_and_comes_back(self):
        self.expect_shown("IMG_00000.jpg")
        self.page.keyboard.press("ArrowLeft")
        self.expect_shown("IMG_00001.jpg")
        self.expect_trashed(["IMG_00000.jpg"])
        self.assertFalse((self.photos / "IMG_00000.jpg").exists())
        self.page.get_by_role("button", name="Undo: Trash IMG_00000.jpg").click()
        self.expect_shown("IMG_00000.jpg")
        self.expect_trashed([])
        self.assertTrue((self.photos / "IMG_00000.jpg").exists())

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
        self.expect_shown("IMG_00000.jpg")
        (self.photos / "IMG_00000.jpg").unlink()
        (self.photos / "IMG_00000.jpg").write_bytes(b"a stranger")
        self.page.keyboard.press("ArrowLeft")
        # The page or the queue refuses: it depends on whether the folder was scanned in between.
        expect(self.page.locator(".notice-error:visible").first).to_be_visible()
        self.assertEqual((self.photos / "IMG_00000.jpg").read_bytes(), b"a stranger")
        self.assertEqual(self.trashed(), [])

    def test_the_history_restores(self):
        self.page.keyboard.press("ArrowLeft")
        self.expect_shown("IMG_00001.jpg")
        self.expect_trashed(["IMG_00000.jpg"])
        self.page.get_by_role("link", name="History").click()
        self.page.get_by_role("button", name="Restore IMG_00000.jpg").click()
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
        self.expect_shown("IMG_00001.jpg")
        self.expect_trashed(["IMG_00000.jpg"])
        self.assertEqual(self.stop(), 0)
        self.start()
        self.page.reload()
        self.page.locator("body[data-page=deck][data-live]").wait_for()
        self.page.get_by_role("button", name="Undo: Trash IMG_00000.jpg").click()
        self.expect_shown("IMG_00000.jpg")
        self.expect_trashed([])


class CommandTests(SiftCase):
    def test_restore_brings_trashed_photos_back(self):
        for index in range(3):
            self.expect_shown(self.names[index])
            self.page.keyboard.press("ArrowLeft" if index != 1 else "ArrowUp")
        self.expect_trashed(["IMG_00000.jpg", "IMG_00002.jpg"])
        self.assertEqual(self.stop(), 0)
        places = ["--data-dir", str(self.root / "data"), "--trash", str(self.root / "Trash"), str(self.photos)]
        done = subprocess.run([os.environ["SIFT"], "restore", "--last", "5", "--only-trash", *places],
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(done.stdout, "trash undone: IMG_00002.jpg\ntrash undone: IMG_00000.jpg\n")
        self.assertEqual(self.trashed(), [])
        self.assertTrue((self.photos / "IMG_00000.jpg").exists() and (self.photos / "IMG_00002.jpg").exists())


class TwoTabsTests(SiftCase):
    def test_two_tabs_that_decide_the_same_card_make_one_decision(self):
        # The other browser hears of nothing, so it still shows the card when the first one has decided it.
        other = self.browser.new_context(viewport={"width": 1280, "height": 800})
        try:
            other.route("**/events", lambda route: route.abort())
            page = other.new_page()
            page.goto(self.link)
            page.locator("body[data-page=deck]").wait_for()
            self.expect_shown("IMG_00000.jpg", page)
            self.page.keyboard.press("ArrowUp")
            self.expect_shown("IMG_00001.jpg")
            page.get_by_role("button", name="Trash", exact=True).click()
            expect(page.locator("#refusal")).to_be_visible()
            # The refusal brings the present state.
            self.expect_shown("IMG_00001.jpg", page)
            self.assertTrue((self.photos / "IMG_00000.jpg").exists())
        finally:
            other.close()

    def test_two_tabs_of_one_browser_follow_each_other(self):
        page = self.context.new_page()
        page.goto(f"http://127.0.0.1:{self.port}/")
        page.locator("body[data-page=deck][data-live]").wait_for()
        self.page.keyboard.press("ArrowUp")
        self.expect_shown("IMG_00001.jpg", page)
        page.keyboard.press("ArrowRight")
        self.expect_shown("IMG_00002.jpg")
        self.page.close()
        page.keyboard.press("u")
        self.expect_shown("IMG_00001.jpg", page)


class WithoutScriptsTests(SiftCase):
    def test_photos_are_decided_rated_filtered_and_taken_back_by_forms(self):
        context = self.browser.new_context(java_script_enabled=False)
        try:
            page = context.new_page()
            page.goto(self.link)
            page.get_by_role("button", name="Red label").click()
            page.get_by_role("button", name="3 stars").click()
            self.expect_shown("IMG_00000.jpg", page)
            expect(page.get_by_role("button", name="3 stars")).to_have_attribute("aria-pressed", "true")
            page.get_by_role("button", name="Keep", exact=False).first.click()
            self.expect_shown("IMG_00001.jpg", page)
            page.get_by_role("button", name="Trash", exact=False).first.click()
            self.expect_shown("IMG_00002.jpg", page)
            self.expect_trashed(["IMG_00001.jpg"])
            page.get_by_role("link", name="Library", exact=True).click()
            page.get_by_role("combobox", name="Rating").select_option("3")
            page.get_by_role("button", name="Filter").click()
            expect(page.get_by_text("1 photo", exact=True)).to_be_visible()
            page.get_by_role("button", name="Show IMG_00000.jpg, kept, 3 stars, red label").click()
            self.expect_shown("IMG_00000.jpg", page)
            page.get_by_role("link", name="History").click()
            page.get_by_role("button", name="Restore IMG_00001.jpg").click()
            self.expect_trashed([])
            page.get_by_role("button", name="Trash again IMG_00001.jpg").click()
            self.expect_trashed(["IMG_00001.jpg"])
        finally:
            context.close()


class LibraryPageTests(SiftCase):
    def test_labels_by_key_and_a_selection_for_the_card(self):
        def press(key, button):
            self.page.keyboard.press(key)
            expect(self.page.get_by_role("button", name=button)).to_have_attribute("aria-pressed", "true")

        press("6", "Red label")
        self.page.keyboard.press("ArrowUp")
        self.expect_shown("IMG_00001.jpg")
        press("9", "Blue label")
        press("4", "4 stars")
        self.page.keyboard.press("ArrowUp")
        self.expect_shown("IMG_00002.jpg")
        self.page.keyboard.press("8")
        expect(self.page.get_by_role("button", name="Green label")).to_have_attribute("aria-pressed", "true")
        self.page.get_by_role("link", name="Library", exact=True).click()
        self.page.get_by_role("combobox", name="Label").select_option("Green")
        self.page.get_by_role("button", name="Filter").click()
        self.page.get_by_role("button", name="Sort this undecided photo").click()
        expect(self.page.get_by_text("Only: Green label")).to_be_visible()
        self.page.locator("body[data-page=deck][data-live]").wait_for()
        self.page.keyboard.press("ArrowUp")
        expect(self.page.get_by_role("heading", name="This selection is decided")).to_be_visible()
        self.page.get_by_role("button", name="Show all photos").click()
        self.expect_shown("IMG_00003.jpg")

    def test_photos_by_decision(self):
        for key in ("ArrowLeft", "ArrowUp", "ArrowRight"):
            shown = self.shown()
            self.page.keyboard.press(key)
            expect(self.page.locator(".caption-name")).not_to_have_text(shown)
        self.expect_trashed(["IMG_00000.jpg"])
        for show, count in (("undecided", "9 photos"), ("kept", "1 photo"), ("favourites", "1 photo"), ("trashed", "1 photo"),
                            ("all", "11 photos")):
            self.page.goto(f"http://127.0.0.1:{self.port}/library?show={show}")
            expect(self.page.get_by_text(count, exact=True)).to_be_visible()


class AlikeTests(SiftCase):
    def make_photos(self):
        # The second half shows the same pictures once more.
        super().make_photos()
        for index, name in enumerate(self.names[6:]):
            picture = (self.photos / self.names[index]).read_bytes()
            (self.photos / name).write_bytes(with_comment(picture, "again"))
            os.utime(self.photos / name, (1_600_000_000 + (index + 6) * 60,) * 2)

    def test_photos_that_look_alike_are_offered_and_marked_ones_are_trashed_in_one_step(self):
        self.page.get_by_role("link", name="Alike").click()
        for _ in range(100):
            if self.page.get_by_text("6 groups.").is_visible():
                break
            self.page.wait_for_timeout(200)
            self.page.reload()
        expect(self.page.get_by_text("6 groups.")).to_be_visible()
        expect(self.page.get_by_role("checkbox", checked=True)).to_have_count(0)
        group = self.page.get_by_role("form", name="Look alike · 2 photos").first
        boxes = group.get_by_role("checkbox")
        boxes.nth(0).check()
        group.get_by_role("button", name="Trash the marked photos").click()
        expect(self.page.get_by_text("5 groups.")).to_be_visible()
        self.expect_trashed(["IMG_00000.jpg"])
        for box in range(2):
            self.page.get_by_role("form", name="Look alike · 2 photos").first.get_by_role("checkbox").nth(box).check()
        self.page.get_by_role("button", name="Trash the marked photos").first.click()
        expect(self.page.get_by_text("4 groups.")).to_be_visible()
        self.expect_trashed(["IMG_00000.jpg", "IMG_00001.jpg", "IMG_00007.jpg"])
        self.page.get_by_role("link", name="Photos").click()
        self.page.locator("body[data-page=deck][data-live]").wait_for()
        expect(self.page.get_by_role("button", name="Undo: Trash")).to_be_enabled()
        self.page.keyboard.press("u")
        self.expect_trashed(["IMG_00000.jpg"])


class SettingsTests(SiftCase):
    def test_the_review_applies_at_once_and_no_longer(self):
        self.page.get_by_role("link", name="Settings").click()
        self.page.get_by_role("radio", name="After a review").check()
        with self.page.expect_response("**/commands/*"):
            self.page.get_by_role("button", name="Save").click()
        self.page.get_by_role("link", name="Photos").click()
        self.page.locator("body[data-page=deck][data-live]").wait_for()
        self.page.keyboard.press("ArrowLeft")
        self.expect_shown("IMG_00001.jpg")
        expect(self.page.get_by_text("1 decision waits for your review")).to_be_visible()
        # Twice as long as the queue waits by itself.
        self.page.wait_for_timeout(1000)
        self.assertEqual(self.trashed(), [])
        self.page.get_by_role("link", name="Settings").click()
        self.page.get_by_role("radio", name="By itself").check()
        self.page.get_by_role("button", name="Save").click()
        self.expect_trashed(["IMG_00000.jpg"])


class TabTests(SiftCase):
    def test_a_closed_tab_leaves_no_stream_and_no_loads(self):
        # A browser holds its one stream and its loads on connections to the server; a closed one holds none.
        def connections():
            listed = Path(f"/proc/{self.process.pid}/net/tcp").read_text().splitlines()[1:]
            here = f"0100007F:{self.port:04X}"
            return sum(1 for line in listed if line.split()[1] == here and line.split()[3] == "01")

        self.assertGreater(connections(), 0)
        self.context.close()
        for _ in range(400):
            if connections() == 0:
                break
            time.sleep(0.05)
        self.assertEqual(connections(), 0)


class EveryPageTests(SiftCase):
    def test_axe_finds_nothing_on_the_pages_of_the_program(self):
        self.page.keyboard.press("ArrowLeft")
        self.expect_shown("IMG_00001.jpg")
        photos = ",".join(str(number) for number in (2, 3, 4))
        for path in ("/", "/library", "/library?show=trashed", "/alike", "/review", "/history", "/settings", "/libraries",
                     "/photo/2", f"/compare?photos={photos}", "/welcome", "/nowhere"):
            with self.subTest(path=path):
                self.go(path)
                found = Axe().run(self.page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa",
                                                                  "best-practice"]})
                self.assertEqual(found.violations_count, 0, found.generate_report())

    def test_everything_is_done_by_keys_alone(self):
        def reach(role, name):
            for _ in range(80):
                self.page.keyboard.press("Tab")
                focused = self.page.evaluate("""() => { const each = document.activeElement;
                    return each.ariaLabel || each.innerText?.trim() || each.labels?.[0]?.innerText.trim() || ''; }""")
                if focused.startswith(name):
                    return
            self.fail(f"Tab does not reach the {role} {name}.")

        self.page.keyboard.press("ArrowLeft")
        self.expect_shown("IMG_00001.jpg")
        self.page.keyboard.press("5")
        expect(self.page.get_by_role("button", name="5 stars")).to_have_attribute("aria-pressed", "true")
        self.expect_trashed(["IMG_00000.jpg"])
        reach("link", "History")
        self.page.keyboard.press("Enter")
        self.page.locator("body[data-page=history]").wait_for()
        reach("button", "Restore IMG_00000.jpg")
        self.page.keyboard.press("Enter")
        self.expect_trashed([])
        self.page.locator("body[data-page=history]").wait_for()
        reach("link", "Library")
        self.page.keyboard.press("Enter")
        self.page.locator("body[data-page=library]").wait_for()
        reach("button", "Show IMG_00004.jpg")
        self.page.keyboard.press("Enter")
        self.page.locator("body[data-page=deck][data-live]").wait_for()
        self.expect_shown("IMG_00004.jpg")
        self.page.keyboard.press("z")
        expect(self.page.get_by_role("dialog", name="Photo at full size")).to_be_visible()
        self.page.keyboard.press("Escape")
        self.page.keyboard.press("ArrowUp")
        self.expect_shown("IMG_00001.jpg")


class OddFileTests(SiftCase):
    def make_photos(self):
        super().make_photos()
        whole = (self.photos / "IMG_00003.jpg").read_bytes()
        (self.photos / "IMG_00000.jpg").write_text("this is text")
        (self.photos / "IMG_00001.jpg").write_bytes(b"\xff\xd8\xff\xe0" + bytes(range(256)) * 4)
        # Of a truncated photo the decoder shows what is there.
        (self.photos / "IMG_00003.jpg").write_bytes(whole[: len(whole) // 2])
        os.utime(self.photos / "IMG_00003.jpg", (1_600_000_000 + 3 * 60,) * 2)
        os.rename(self.photos / "IMG_00002.jpg", os.fsencode(self.photos) + b"/new\nline \xff.jpg")
        for index, name in enumerate(["IMG_00000.jpg", "IMG_00001.jpg"]):
            os.utime(self.photos / name, (1_600_000_000 + index * 60,) * 2)

    def test_damaged_files_are_shown_as_such_and_can_be_decided(self):
        for index in range(2):
            self.expect_shown(self.names[index])
            expect(self.page.get_by_text("You can still decide this photo.")).to_be_visible(timeout=10_000)
            self.page.keyboard.press("ArrowLeft")
        self.expect_shown("new\ufffdline \ufffd.jpg")
        self.page.keyboard.press("ArrowLeft")
        self.expect_shown("IMG_00003.jpg")
        self.page.keyboard.press("ArrowUp")
        self.expect_shown("IMG_00004.jpg")
        for _ in range(400):
            if not os.path.exists(os.fsencode(self.photos) + b"/new\nline \xff.jpg"):
                break
            self.page.wait_for_timeout(50)
        self.assertEqual(len(self.trashed()), 3)


if __name__ == "__main__":
    unittest.main()
