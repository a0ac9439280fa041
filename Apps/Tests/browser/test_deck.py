"""The way of a person through Sift's pages in a real browser, over sample data. Run: `python -m unittest` here.

Needs PHOTOS, a folder that make_photos.py filled, and Chromium at CHROMIUM (default /usr/bin/chromium).
Controls are found by role and name only.
"""

import os
import re
import unittest

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from sample import Sample, SampleServer, load_photos
from waiting import go

# The short run looks at every page in these themes, and at the card in all of them.
THEMES = ("light", "dark", "sepia", "contrast")
SHORT_THEMES = ("light", "dark")
IS_LONG = os.environ.get("LONG") == "1"


class BrowserCase(unittest.TestCase):
    viewport = {"width": 1280, "height": 800}

    @classmethod
    def setUpClass(cls):
        cls.sample = Sample(load_photos(os.environ["PHOTOS"]))
        cls.server = SampleServer(cls.sample)
        cls.play = sync_playwright().start()
        cls.browser = cls.play.chromium.launch(
            executable_path=os.environ.get("CHROMIUM", "/usr/bin/chromium"), args=["--no-sandbox"])

    @classmethod
    def tearDownClass(cls):
        cls.browser.close()
        cls.play.stop()
        cls.server.stop()

    def setUp(self):
        self.sample.reset()
        self.context = self.browser.new_context(viewport=self.viewport)
        self.page = self.open()

    def tearDown(self):
        self.context.close()
        self.assertEqual(self.faults, [])

    def open(self, path="/", context=None):
        if not hasattr(self, "faults") or context is None:
            self.faults = []
        page = (context or self.context).new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda message: self.faults.append(message.text)
                if "Content Security" in message.text else None)
        self.go(path, page)
        return page

    def go(self, path="/", page=None):
        page = page or self.page
        go(page, self.server.url + path)
        if path == "/" and self.sample.scenario == "full":
            page.locator(".card.has-ratio").wait_for()

    def expect_only(self, *decisions):
        """Expects these decisions and no others. Another decision is made last: what was sent before it has arrived then."""
        photo = self.card()
        self.page.keyboard.press("ArrowUp")
        expect(self.page.locator("#card")).not_to_have_attribute("data-photo", photo)
        self.assertEqual(self.decided(), [*decisions, (int(photo[1:]), "keep")])

    def card(self, page=None):
        return (page or self.page).locator("[data-photo]").first.get_attribute("data-photo")

    def expect_card(self, photo, page=None):
        expect((page or self.page).locator("#card")).to_have_attribute("data-photo", photo)

    def decided(self):
        return [(each["index"], each["action"]) for each in self.sample.decisions]

    def drag(self, dx, dy, steps=12, pause=200):
        """Drags the card, and rests long enough that lifting the pointer is no fling."""
        box = self.page.locator("#card").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x + dx, y + dy, steps=steps)
        self.page.wait_for_timeout(pause)


class DecidingTests(BrowserCase):
    def test_buttons_decide_by_their_names(self):
        for name, photo in (("Trash", "p1"), ("Keep", "p2"), ("Favourite", "p3")):
            self.page.get_by_role("button", name=name, exact=True).click()
            self.expect_card(photo)
        self.assertEqual(self.decided(), [(0, "trash"), (1, "keep"), (2, "favourite")])

    def test_arrow_keys_decide(self):
        for key, photo in (("ArrowLeft", "p1"), ("ArrowUp", "p2"), ("ArrowRight", "p3")):
            self.page.keyboard.press(key)
            self.expect_card(photo)
        self.assertEqual(self.decided(), [(0, "trash"), (1, "keep"), (2, "favourite")])

    def test_a_held_key_decides_once(self):
        for _ in range(8):
            self.page.keyboard.down("ArrowLeft")
        self.page.keyboard.up("ArrowLeft")
        self.expect_card("p1")
        self.expect_only((0, "trash"))

    def test_a_drag_past_half_of_the_width_decides(self):
        width = self.page.locator("#card").bounding_box()["width"]
        self.drag(-width * 0.45, 0)
        expect(self.page.locator("#card")).to_have_attribute("data-mark", "1")
        self.page.mouse.up()
        self.expect_card("p0")
        # The card has sprung back.
        self.page.wait_for_function("() => document.getElementById('card').getAnimations().length === 0")
        self.drag(width * 0.49 + 20, 10)
        expect(self.page.locator("#card")).to_have_attribute("data-mark", "2")
        self.page.mouse.up()
        self.expect_card("p1")
        self.assertEqual(self.decided(), [(0, "favourite")])

    def test_escape_and_pointercancel_put_the_card_back(self):
        width = self.page.locator("#card").bounding_box()["width"]
        for cancel in ("escape", "pointercancel"):
            self.drag(-width * 0.48, 0)
            if cancel == "escape":
                self.page.keyboard.press("Escape")
            else:
                self.page.evaluate("""() => { const card = document.getElementById('card');
                    card.dispatchEvent(new PointerEvent('pointercancel', {pointerId: 1, bubbles: true})); }""")
            expect(self.page.locator("#card")).not_to_have_attribute("data-drag", re.compile(""))
            self.page.mouse.up()
        self.expect_only()

    def test_undo_and_redo(self):
        self.page.keyboard.press("ArrowLeft")
        self.expect_card("p1")
        self.page.get_by_role("button", name="Undo: Trash DSCF4021.JPG").click()
        self.expect_card("p0")
        self.page.get_by_role("button", name="Redo: Trash DSCF4021.JPG").click()
        self.expect_card("p1")
        self.page.keyboard.press("u")
        self.expect_card("p0")

    def test_a_double_click_is_one_decision(self):
        self.sample.delay = 0.3
        self.page.get_by_role("button", name="Trash", exact=True).dblclick()
        self.expect_card("p1")
        self.expect_only((0, "trash"))
        expect(self.page.locator("#refusal")).to_be_hidden()

    def test_a_remapped_direction_is_shown_and_used(self):
        self.go("/settings")
        self.page.get_by_role("combobox", name="Left").select_option("keep")
        self.page.get_by_role("combobox", name="Up").select_option("trash")
        with self.page.expect_response("**/commands/*"):
            self.page.get_by_role("button", name="Save").click()
        self.go()
        self.page.keyboard.press("ArrowLeft")
        self.expect_card("p1")
        self.assertEqual(self.decided(), [(0, "keep")])

    def test_a_remapped_key_is_learnt(self):
        self.go("/settings")
        self.page.get_by_role("button", name="Trash: X. Change").click()
        self.page.keyboard.press("q")
        expect(self.page.get_by_role("button", name="Trash: Q. Change")).to_be_visible()
        self.go()
        self.page.keyboard.press("q")
        self.expect_card("p1")

    def test_keys_do_nothing_in_the_zoom_but_pan(self):
        self.page.get_by_role("link", name="Zoom into DSCF4021.JPG").press("Enter")
        dialog = self.page.get_by_role("dialog", name="Photo at full size")
        expect(dialog).to_be_visible()
        view = self.page.locator("#zoom-scroll")
        before = view.evaluate("view => view.scrollLeft")
        self.page.keyboard.press("ArrowRight")
        self.assertGreater(view.evaluate("view => view.scrollLeft"), before)
        self.assertEqual(self.decided(), [])
        self.page.keyboard.press("Escape")
        expect(dialog).to_be_hidden()
        expect(self.page.get_by_role("link", name="Zoom into DSCF4021.JPG")).to_be_focused()

    def test_a_picture_that_comes_a_moment_later_is_shown(self):
        self.sample.missing = 3
        self.page.goto("about:blank")
        self.page.goto(self.server.url)
        self.page.wait_for_function("() => document.getElementById('card-image').naturalWidth > 0")

    def test_one_key_settles_a_burst(self):
        self.page.keyboard.press("g")
        self.expect_card("p4")
        self.assertEqual(self.decided(), [(0, "keep"), (1, "trash"), (2, "trash"), (3, "trash")])

    def test_stars_are_set_by_key_and_button_and_taken_back(self):
        self.page.keyboard.press("4")
        four = self.page.get_by_role("button", name="4 stars")
        expect(four).to_have_attribute("aria-pressed", "true")
        self.page.get_by_role("button", name="2 stars").click()
        expect(four).to_have_attribute("aria-pressed", "false")
        self.page.keyboard.press("0")
        expect(self.page.get_by_role("button", name="2 stars")).to_have_attribute("aria-pressed", "false")
        self.assertEqual(self.decided(), [])

    def test_labels_are_set_by_key_and_button_and_taken_back(self):
        red = self.page.get_by_role("button", name="Red label")
        self.page.keyboard.press("6")
        expect(red).to_have_attribute("aria-pressed", "true")
        self.page.get_by_role("button", name="Purple label").click()
        expect(red).to_have_attribute("aria-pressed", "false")
        self.page.get_by_role("button", name="Purple label").click()
        expect(self.page.get_by_role("button", name="Purple label")).to_have_attribute("aria-pressed", "false")
        self.assertEqual(self.sample.labels, {0: ""})
        self.assertEqual(self.decided(), [])

    def test_the_card_says_to_which_selection_it_is_narrowed(self):
        self.go("/library")
        self.page.get_by_role("button", name="Sort these 212 undecided photos").click()
        expect(self.page.get_by_role("link", name="Only: Fujifilm X-T4 · 3 stars or more")).to_be_visible()
        self.page.get_by_role("button", name="Show all photos").click()
        expect(self.page.get_by_role("button", name="Show all photos")).to_be_hidden()

    def test_another_library_is_opened(self):
        self.sample.libraries = ["Pictures", "Scans"]
        self.go()
        self.page.get_by_role("link", name="Library Pictures. Open another one").click()
        self.page.get_by_role("button", name="Open Scans").click()
        expect(self.page.locator(".switch")).to_have_text("Scans")

    def test_nothing_alike_is_marked_and_marked_photos_are_trashed(self):
        self.go("/alike")
        expect(self.page.get_by_role("checkbox", checked=True)).to_have_count(0)
        self.page.get_by_role("checkbox", name="Mark DSCF4022.JPG").check()
        self.page.get_by_role("button", name="Trash the marked photos").first.click()
        expect(self.page.get_by_role("checkbox", name="Mark DSCF4022.JPG")).to_have_count(0)
        self.assertEqual(self.decided(), [(1, "trash")])

    def test_a_refusal_is_shown_and_the_card_stays(self):
        self.sample.refuse_next = (409, {"title": "This is another photo now.", "detail": "Sift changed nothing."})
        self.page.keyboard.press("ArrowLeft")
        expect(self.page.get_by_text("This is another photo now.")).to_be_visible()
        self.expect_card("p0")
        self.page.get_by_role("button", name="Close", exact=True).click()
        self.page.keyboard.press("ArrowLeft")
        self.expect_card("p1")
        self.assertEqual(self.decided(), [(0, "trash")])


class ConnectionTests(BrowserCase):
    def test_a_decision_made_while_the_server_is_away_is_sent_later_and_once(self):
        self.server.stop()
        self.page.keyboard.press("ArrowLeft")
        expect(self.page.get_by_text("1 decision is kept and will be sent.")).to_be_visible()
        self.server.start()
        self.expect_card("p1")
        expect(self.page.get_by_text("Sift stopped. Reconnecting.")).to_be_hidden(timeout=10_000)
        self.assertEqual(self.decided(), [(0, "trash")])

    def test_a_decision_survives_closing_the_tab(self):
        self.server.stop()
        self.page.keyboard.press("ArrowRight")
        expect(self.page.get_by_text("1 decision is kept and will be sent.")).to_be_visible()
        self.page.close()
        self.server.start()
        self.page = self.open()
        self.expect_card("p1")
        self.assertEqual(self.decided(), [(0, "favourite")])

    def test_two_tabs_show_the_same_over_one_stream(self):
        other = self.open(context=self.context)
        self.page.keyboard.press("ArrowLeft")
        self.expect_card("p1", other)
        other.keyboard.press("ArrowRight")
        self.expect_card("p2")
        self.assertEqual(len(self.sample.readers), 1)

    def test_the_other_tab_takes_over_when_the_first_closes(self):
        other = self.open(context=self.context)
        self.page.close()
        other.keyboard.press("ArrowLeft")
        self.expect_card("p1", other)
        self.sample.command("decide", {"id": "elsewhere", "photo": "p1", "action": "keep"})
        self.expect_card("p2", other)

    def test_twenty_five_quick_keys_are_in_order(self):
        for index in range(25):
            self.page.keyboard.press("ArrowUp")
            self.expect_card(f"p{index + 1}")
        self.assertEqual(self.decided(), [(index, "keep") for index in range(25)])


class ComparingTests(BrowserCase):
    def test_an_action_touches_only_the_marked_photo(self):
        self.go("/compare?photos=p0,p1,p2")
        self.page.keyboard.press("ArrowRight")
        self.page.keyboard.press("x")
        expect(self.page.get_by_text("Trash", exact=True)).to_be_visible()
        self.assertEqual(self.decided(), [(1, "trash")])

    def test_a_number_marks_a_photo(self):
        self.go("/compare?photos=p0,p1,p2")
        self.page.keyboard.press("3")
        self.page.keyboard.press("k")
        expect(self.page.get_by_text("Keep", exact=True)).to_be_visible()
        self.assertEqual(self.decided(), [(2, "keep")])

    def test_undo_works_while_comparing(self):
        self.go("/compare?photos=p0,p1")
        self.page.keyboard.press("x")
        expect(self.page.get_by_text("Trash", exact=True)).to_be_visible()
        self.page.keyboard.press("u")
        expect(self.page.get_by_text("Trash", exact=True)).to_be_hidden()
        self.assertEqual(self.decided(), [])

    def test_photos_move_in_step_at_full_size(self):
        self.go("/compare?photos=p0,p1")
        views = "[...document.querySelectorAll('.pane-scroll')]"
        self.page.get_by_role("button", name="Full size").click()
        # Both show their middle, and can be moved.
        self.page.wait_for_function(f"() => {views}.every((each) => each.scrollTop > 0)")
        middle = self.page.evaluate(f"{views}[0].scrollTop")
        self.page.keyboard.press("ArrowDown")
        self.page.keyboard.press("ArrowDown")
        self.page.wait_for_function(
            f"""middle => {{ const [first, second] = {views}.map((each) => each.scrollTop);
                return first > middle && Math.abs(first - second) <= 2; }}""", arg=middle)


class AccessibilityTests(BrowserCase):
    pages = [("/", "full"), ("/", "broken"), ("/", "error"), ("/", "readonly"), ("/", "empty"), ("/", "gone"),
             ("/", "finished"), ("/welcome", "full"), ("/compare?photos=p0,p1", "full"), ("/review", "full"),
             ("/history", "full"), ("/settings", "full"), ("/photo/p0", "full"), ("/library", "full"),
             ("/library", "empty"), ("/alike", "full"), ("/alike", "empty"), ("/libraries", "full")]

    def test_axe_finds_nothing_in_any_theme(self):
        for theme in THEMES:
            for path, scenario in self.pages if IS_LONG or theme in SHORT_THEMES else self.pages[:1]:
                with self.subTest(theme=theme, path=path, scenario=scenario):
                    self.sample.reset(scenario, theme)
                    if path in ("/", "/review"):
                        self.sample.command("decide", {"id": "1", "photo": "p9", "action": "trash"})
                    self.go(path)
                    found = Axe().run(self.page, options={"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa",
                                                                      "best-practice"]})
                    self.assertEqual(found.violations_count, 0, found.generate_report())

    def test_nothing_scrolls_sideways_at_400_percent(self):
        self.page.set_viewport_size({"width": 320, "height": 256})
        for path, scenario in self.pages:
            with self.subTest(path=path, scenario=scenario):
                self.sample.reset(scenario)
                self.go(path)
                wide = self.page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
                self.assertLessEqual(wide, 0)

    def test_targets_are_large_enough(self):
        for width in (390, 1280):
            self.page.set_viewport_size({"width": width, "height": 844})
            for path in ("/", "/settings", "/review", "/history", "/library", "/alike", "/libraries"):
                self.go(path)
                small = self.page.evaluate("""() => [...document.querySelectorAll('button, a, select')]
                    .filter((each) => each.offsetParent !== null && !each.matches('.skip'))
                    .map((each) => [each.textContent.trim() || each.ariaLabel, each.getBoundingClientRect()])
                    .filter(([, box]) => box.width < 24 || box.height < 24).map(([name]) => name)""")
                self.assertEqual(small, [], f"{path} at {width}")

    def test_every_control_can_be_reached_and_is_seen(self):
        seen = []
        for _ in range(30):
            self.page.keyboard.press("Tab")
            name, visible = self.page.evaluate("""() => { const each = document.activeElement;
                const box = each.getBoundingClientRect();
                return [each.ariaLabel || each.innerText.trim(), box.width > 0 && box.top >= -1 &&
                    box.bottom <= innerHeight + 1]; }""")
            if name in seen:
                break
            seen.append(name)
            self.assertTrue(visible, name)
        for name in ("Skip to the content", "Review", "Keep this, trash the rest"):
            self.assertIn(name, seen)

    def test_with_less_motion_the_card_does_not_move_by_itself(self):
        self.page.emulate_media(reduced_motion="reduce")
        duration = self.page.locator("#card").evaluate("card => getComputedStyle(card).transitionDuration")
        self.assertIn(duration, ("0s", "0ms"))

    def test_right_to_left_text_keeps_the_directions(self):
        self.page.evaluate("document.documentElement.dir = 'rtl'")
        boxes = [self.page.get_by_role("button", name=name, exact=True).bounding_box()["x"]
                 for name in ("Trash", "Keep", "Favourite")]
        self.assertEqual(boxes, sorted(boxes))


class UntrustedTextTests(BrowserCase):
    def test_a_name_that_looks_like_markup_is_text(self):
        name = "<img src=x onerror=document.title='owned'>.jpg"
        photos = self.sample.photos
        self.sample.photos = [{**each, "name": name} for each in photos]
        try:
            self.go()
            self.page.keyboard.press("ArrowLeft")
            self.expect_card("p1")
            expect(self.page.locator(".caption-name")).to_have_text(name)
            self.assertEqual(self.page.title(), "Sift")
        finally:
            self.sample.photos = photos


if __name__ == "__main__":
    unittest.main()
