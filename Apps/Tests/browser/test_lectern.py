"""Lectern's pages in Chromium: the whole way of a person, by pointer, by keyboard, and without scripts."""

import os
import re
import signal
import unittest
import zipfile
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from lectern_case import LecternCase
from waiting import wait_until


class Reading(LecternCase):
    def test_turns_pages_by_keys_and_keeps_address_title_and_history(self):
        self.open("/web/john/3")
        expect(self.page).to_have_title("John 3 · WEB")
        self.page.keyboard.press("ArrowRight")
        expect(self.page).to_have_url(re.compile("/web/john/4$"))
        expect(self.page).to_have_title("John 4 · WEB")
        expect(self.page.get_by_role("heading", level=1)).to_contain_text("John 4")
        self.assertEqual(self.page.evaluate("document.activeElement.id"), "main")
        self.page.keyboard.press("k")
        self.page.keyboard.press("k")
        expect(self.page).to_have_url(re.compile("/web/john/2$"))
        self.page.go_back()
        expect(self.page).to_have_title("John 3 · WEB")

    def test_goes_over_the_ends_of_books(self):
        self.open("/kjv/matt/1")
        self.page.get_by_role("link", name="Malachi 4").click()
        expect(self.page).to_have_url(re.compile("/kjv/mal/4$"))
        self.open("/kjv/gen/1")
        expect(self.page.locator("a[rel=prev]")).to_have_count(0)

    def test_goes_to_a_reference_as_it_is_typed(self):
        self.open("/web/john/3")
        self.page.keyboard.press("/")
        self.page.keyboard.type("1 jn 4 19")
        self.page.keyboard.press("Enter")
        expect(self.page).to_have_url(re.compile("/web/1john/4#19$"))
        expect(self.page.locator("#v19")).to_be_in_viewport()

    def test_shows_a_note_beside_its_mark(self):
        self.open("/web/john/3")
        self.page.locator("a.note").first.click()
        expect(self.page.locator("#note-card")).to_be_visible()
        self.page.keyboard.press("Escape")
        expect(self.page.locator("#note-card")).to_be_hidden()

    def test_turns_within_50_ms(self):
        self.open("/web/john/1")
        for _ in range(20):
            self.page.wait_for_timeout(250)
            self.page.keyboard.press("ArrowRight")
        self.page.wait_for_timeout(300)
        times = self.page.evaluate("performance.getEntriesByName('turn').map((each) => each.duration)")
        self.assertEqual(len(times), 20)
        p95 = sorted(times)[18]
        print(f"\nkey to painted: median {sorted(times)[10]:.1f} ms, p95 {p95:.1f} ms")
        if os.environ.get("QUIET"):
            self.assertLessEqual(p95, 50)


class Marking(LecternCase):
    def test_highlights_a_verse_and_undoes_it(self):
        self.open("/web/john/3")
        self.tap(16)
        tools = self.page.get_by_role("toolbar", name="Mark")
        expect(tools).to_contain_text("John 3:16")
        tools.get_by_role("button", name="Green").click()
        expect(self.page.locator("#v16 mark.hl.green.marker").first).to_be_visible()
        self.page.keyboard.press("u")
        expect(self.page.locator("#v16 mark")).to_have_count(0)

    def test_highlights_the_selected_words(self):
        self.open("/kjv/john/3")
        self.page.evaluate("""() => {
            const text = [...document.querySelector('#v16').childNodes].findLast((node) => node.nodeType === 3);
            const start = text.nodeValue.indexOf('loved the world');
            getSelection().setBaseAndExtent(text, start, text, start + 'loved the world'.length);
        }""")
        tools = self.page.get_by_role("toolbar", name="Mark")
        tools.get_by_role("button", name="Underline").click()
        tools.get_by_role("button", name="Blue").click()
        expect(self.page.locator("mark.hl.blue.underline")).to_have_text("loved the world")
        # Words belong to one text.
        self.open("/web/john/3")
        expect(self.page.locator("mark.hl.blue")).to_have_count(0)

    def test_writes_a_note_by_keyboard_only(self):
        self.open("/kjv/ps/23")
        self.page.keyboard.press("v")
        self.page.keyboard.press("ArrowDown")
        self.page.keyboard.press("Enter")
        tools = self.page.get_by_role("toolbar", name="Mark")
        expect(tools).to_contain_text("Psalms 23:2")
        tools.get_by_role("button", name="Note", exact=True).press("Enter")
        self.page.keyboard.type("Still waters")
        self.page.keyboard.press("Tab")
        self.page.keyboard.press("Enter")
        expect(self.page.get_by_role("heading", name="Your marks")).to_be_visible()
        self.page.get_by_role("link", name=re.compile("Still waters")).click()
        expect(self.page.get_by_role("textbox", name="Note, in Markdown")).to_have_value("Still waters")

    def test_shows_changes_of_another_tab(self):
        self.open("/kjv/jude/1")
        other = self.context.new_page()
        other.goto(self.origin + "/mark?in=kjv&at=Jude.1.2")
        other.get_by_role("button", name="Highlight").click()
        expect(self.page.locator("#v2 mark")).to_have_count(1)

    def test_keeps_a_change_while_the_server_is_away(self):
        self.open("/kjv/2john/1")
        type(self).stop()
        self.tap(3)
        self.page.get_by_role("button", name="Pink").click()
        expect(self.page.get_by_text("1 change is kept and will be sent.")).to_be_visible()
        expect(self.page.locator("#v3.waits[data-waits=pink]")).to_be_visible()
        type(self).start()
        expect(self.page.locator("#v3 mark.pink")).to_have_count(1, timeout=15000)


class Listening(LecternCase):
    def marked(self, verse):
        return self.page.locator(f"#v{verse}[aria-current=true]")

    def test_plays_marks_and_resumes_at_the_verse(self):
        self.open("/kjv/ps/117")
        self.page.get_by_role("button", name="Listen", exact=True).click()
        player = self.page.get_by_role("region", name="Player")
        expect(player.get_by_role("link", name="Psalms 117:1")).to_be_visible(timeout=20000)
        expect(self.marked(1)).to_have_count(1)
        top = self.page.evaluate("scrollY")
        # The mark moves to the next verse when it is heard, and the page stands still.
        expect(self.marked(2)).to_have_count(1, timeout=30000)
        expect(self.marked(1)).to_have_count(0)
        self.assertEqual(self.page.evaluate("scrollY"), top)
        player.get_by_role("button", name="Pause").click()
        expect(player.get_by_role("button", name="Play", exact=True)).to_be_visible()
        # The server is killed, and another one goes on at the verse.
        type(self).process.kill()
        type(self).process.wait()
        type(self).process.stdout.close()
        type(self).start()
        self.page.goto(self.link)
        self.open("/kjv/ps/117")
        self.page.get_by_role("button", name="Text: King James Version. Choose another one").click()
        self.page.get_by_role("button", name="Go on listening").click()
        expect(self.marked(2)).to_have_count(1, timeout=20000)

    def test_plays_the_verse_that_is_tapped_and_changes_the_speed(self):
        self.open("/kjv/john/3")
        self.page.keyboard.press("p")
        expect(self.marked(1)).to_have_count(1, timeout=20000)
        self.tap(16)
        expect(self.marked(16)).to_have_count(1, timeout=20000)
        player = self.page.get_by_role("region", name="Player")
        player.get_by_role("combobox", name="Speed").select_option("2")
        player.get_by_role("button", name="Next verse").click()
        expect(self.marked(17)).to_have_count(1, timeout=20000)
        player.get_by_role("button", name="Pause").click()
        # The number of a verse still opens the tools.
        self.page.get_by_role("link", name="Verse 18", exact=True).click()
        expect(self.page.get_by_role("toolbar", name="Mark")).to_contain_text("John 3:18")


class Offline(LecternCase):
    """What is kept in the browser works with the server stopped, and with the network off."""

    def ready(self):
        """Waits until the worker answers for the pages."""
        self.until("navigator.serviceWorker.controller !== null")

    def until(self, expression, seconds=30):
        """Waits until an expression of the page is true. The pages do not allow to evaluate it there again and again."""
        wait_until(lambda: self.page.evaluate(expression), f"{expression} is true", seconds=seconds)

    def parts(self, row):
        return row.locator("progress").evaluate("(bar) => bar.value")

    def keep_text(self, text, title):
        self.open("/device")
        self.ready()
        row = self.page.locator(f"[data-download='text/{text}']")
        expect(row.get_by_text("Not kept. About")).to_be_visible()
        self.page.get_by_role("button", name=f"Keep {title} on this device").click()
        expect(row).to_have_attribute("data-phase", "complete", timeout=240000)
        return row

    def keep_audio(self, path):
        self.open(path)
        self.ready()
        self.page.get_by_role("button", name="Choose another one").click()
        self.page.get_by_role("button", name="Keep this audio on this device").click()
        self.until("""async () => {
            const all = JSON.parse(localStorage.getItem('lectern.downloads') ?? '[]').filter(({kind}) => kind === 'audio');
            return all.length > 0 && all.every(({parts, done}) => parts.every((part) => done[part]));
        }""", seconds=60)

    def assert_axe_finds_nothing(self):
        for theme in ["light", "dark"]:
            self.page.evaluate("(theme) => document.documentElement.dataset.theme = theme", theme)
            # Colours that change slowly are not what is shown in the end.
            self.until("document.getAnimations().every((each) => each.playState !== 'running')")
            found = Axe().run(self.page).response["violations"]
            self.assertEqual([(each["id"], each["nodes"][0]["html"][:160]) for each in found], [], self.page.url)

    def read_offline(self):
        """Reads, turns, goes, and searches. The server does not answer."""
        page = self.page
        page.goto(self.origin + "/kjv/ruth/1")
        expect(page).to_have_title("Ruth 1 · KJV")
        expect(page.get_by_text("You read what is kept on this device.")).to_be_visible(timeout=15000)
        page.keyboard.press("ArrowRight")
        expect(page).to_have_title("Ruth 2 · KJV")
        page.keyboard.press("k")
        expect(page).to_have_title("Ruth 1 · KJV")
        page.keyboard.press("/")
        page.keyboard.type("1 jn 4 19")
        page.keyboard.press("Enter")
        expect(page).to_have_url(re.compile("/kjv/1john/4#19$"))
        expect(page.locator("#v19")).to_be_in_viewport()
        page.goto(self.origin + "/kjv")
        page.get_by_role("link", name="Obadiah").click()
        expect(page).to_have_title(re.compile("^Obadiah"))
        page.keyboard.press("/")
        page.keyboard.type("still waters")
        page.keyboard.press("Enter")
        expect(page.get_by_role("heading", name=re.compile("verses? in 1 book|1 verse in 1 book"))).to_be_visible()
        expect(page.locator(".hit-place")).to_have_text(["Psalms 23:2"])
        page.goto(self.origin + "/search?q=the+lord&in=kjv")
        expect(page.get_by_role("heading", name=self.totals)).to_be_visible()
        self.assert_axe_finds_nothing()
        page.goto(self.origin + "/go?q=jo&in=kjv")
        expect(page.get_by_role("heading", name="Which one?")).to_be_visible()
        self.assert_axe_finds_nothing()
        page.goto(self.origin + "/web/ruth/1")
        expect(page.get_by_role("heading", name="This page is not on this device")).to_be_visible()

    def test_reads_searches_writes_and_listens_while_the_server_is_stopped(self):
        self.keep_text("kjv", "King James Version")
        self.keep_audio("/kjv/ps/117")
        self.open("/search?q=the+lord&in=kjv")
        self.totals = self.page.locator(".facets h2").inner_text()
        counts = self.page.locator(".facets li").all_inner_texts()
        type(self).stop()
        self.read_offline()
        self.page.goto(self.origin + "/search?q=the+lord&in=kjv")
        self.assertEqual(self.page.locator(".facets li").all_inner_texts(), counts)
        # A note waits.
        self.page.goto(self.origin + "/kjv/ruth/1")
        self.tap(16)
        tools = self.page.get_by_role("toolbar", name="Mark")
        tools.get_by_role("button", name="Note", exact=True).click()
        self.page.keyboard.type("Whither thou goest")
        tools.get_by_role("button", name="Save note").click()
        expect(self.page.get_by_text("Kept on this device. It will be sent.")).to_be_visible()
        expect(self.page.get_by_role("region", name="Waiting to be sent")).to_contain_text("Whither thou goest")
        self.page.reload()
        expect(self.page.get_by_role("region", name="Waiting to be sent")).to_contain_text("Whither thou goest")
        self.assert_axe_finds_nothing()
        self.page.goto(self.origin + "/device")
        expect(self.page.get_by_text("Whither thou goest")).to_be_visible()
        self.assert_axe_finds_nothing()
        # A kept chapter is heard.
        self.page.goto(self.origin + "/kjv/ps/117")
        self.page.get_by_role("button", name="Listen", exact=True).click()
        player = self.page.get_by_role("region", name="Player")
        expect(player).to_contain_text("From this device")
        expect(self.page.locator("#v1[aria-current=true]")).to_have_count(1)
        expect(self.page.locator("#v2[aria-current=true]")).to_have_count(1, timeout=20000)
        player.get_by_role("button", name="Previous verse").click()
        expect(self.page.locator("#v1[aria-current=true]")).to_have_count(1)
        player.get_by_role("button", name="Pause").click()
        expect(player.get_by_role("button", name="Play", exact=True)).to_be_visible()
        # The server is there again, and has the note once.
        type(self).start()
        expect(self.page.locator("#connection")).to_be_hidden(timeout=20000)
        self.open("/marks")
        expect(self.page.locator(".mark-item").filter(has_text="Whither thou goest")).to_have_count(1)
        self.open("/kjv/ruth/1")
        expect(self.page.locator("#v16.noted")).to_have_count(1)
        expect(self.page.get_by_role("region", name="Waiting to be sent")).to_have_count(0)
        self.open("/")
        expect(self.page.get_by_role("link", name=re.compile("Psalm 117|Psalms 117")).first).to_be_visible()

    def test_goes_on_with_kept_audio_when_the_server_stops(self):
        self.keep_audio("/kjv/ps/117")
        self.page.keyboard.press("Escape")
        self.page.get_by_role("button", name="Listen", exact=True).click()
        expect(self.page.locator("#v2[aria-current=true]")).to_have_count(1, timeout=30000)
        type(self).stop()
        try:
            player = self.page.get_by_role("region", name="Player")
            # Only the player of kept audio says this: the next psalm is not kept.
            expect(player).to_contain_text("The audio of Psalms 118 is not on this device.", timeout=30000)
            expect(player.get_by_role("link", name="Psalms 117:2")).to_be_visible()
        finally:
            type(self).start()
        expect(self.page.locator("#connection")).to_be_hidden(timeout=20000)

    def test_shows_opened_pages_with_the_network_off(self):
        self.open("/kjv/jude/1")
        self.ready()
        self.page.reload()
        self.open("/marks")
        self.context.set_offline(True)
        self.page.goto(self.origin + "/kjv/jude/1")
        expect(self.page).to_have_title(re.compile("^Jude"))
        self.page.goto(self.origin + "/marks")
        expect(self.page.get_by_role("heading", level=1)).to_have_text("Marks")
        self.page.goto(self.origin + "/kjv/rev/21")
        expect(self.page.get_by_role("heading", name="This page is not on this device")).to_be_visible()
        self.assert_axe_finds_nothing()
        self.page.goto(self.origin + "/go?q=john+3&in=kjv")
        expect(self.page.get_by_role("heading", name="References need a kept text")).to_be_visible()
        self.context.set_offline(False)
        self.open("/kjv/rev/21")
        expect(self.page).to_have_title("Revelation 21 · KJV")

    def write_note(self, path, verse, text):
        self.page.goto(self.origin + path)
        self.page.locator(f"#v{verse}").wait_for()
        self.tap(verse)
        tools = self.page.get_by_role("toolbar", name="Mark")
        tools.get_by_role("button", name="Note", exact=True).click()
        self.page.keyboard.type(text)
        tools.get_by_role("button", name="Save note").click()

    def test_keeps_a_refused_note_until_it_is_sent_again(self):
        self.open("/kjv/ruth/2")
        self.ready()
        self.page.reload()
        self.until("async () => (await caches.match('/kjv/ruth/2')) !== undefined")
        self.context.set_offline(True)
        self.write_note("/kjv/ruth/2", 12, "The Lord recompense thy work")
        expect(self.page.get_by_text("Kept on this device. It will be sent.")).to_be_visible()
        self.context.route("**/commands/mark", lambda route: route.fulfill(
            status=422, json={"title": "That does not fit", "detail": "There is no room for it."}))
        self.context.set_offline(False)
        # Another page sends it: no form has the text any more.
        self.open("/device")
        refused = self.page.locator("#device-refused")
        expect(refused).to_contain_text("The Lord recompense thy work")
        expect(refused).to_contain_text("There is no room for it.")
        self.assert_axe_finds_nothing()
        self.open("/device")
        expect(refused).to_contain_text("The Lord recompense thy work")
        refused.get_by_role("button", name=re.compile("^Send again")).click()
        expect(self.page.locator("#refusal")).to_be_visible()
        expect(refused).to_contain_text("The Lord recompense thy work")
        self.context.unroute("**/commands/mark")
        with self.page.expect_response("**/commands/mark") as sent:
            refused.get_by_role("button", name=re.compile("^Send again")).click()
        self.assertEqual(sent.value.status, 200)
        expect(refused).to_be_hidden()
        self.open("/marks")
        expect(self.page.locator(".mark-item").filter(has_text="recompense thy work")).to_have_count(1)

    def test_erases_what_another_browser_keeps(self):
        self.open("/kjv/ruth/3")
        self.ready()
        self.write_note("/kjv/ruth/3", 9, "Spread thy skirt")
        expect(self.page.locator("#v9.noted")).to_have_count(1)
        self.page.reload()
        kept = "async () => (await (await caches.match('/kjv/ruth/3'))?.text() ?? '').includes('Spread thy skirt')"
        self.until(kept)
        other = self.browser.new_context()
        try:
            page = other.new_page()
            page.goto(self.link)
            page.goto(self.origin + "/data")
            page.locator("body[data-live]").wait_for()
            page.locator("[name=confirm]").fill("delete")
            page.locator("[name=confirm]").press("Enter")
            self.until("Number(localStorage.getItem('lectern.erasures')) > 0")
            self.until(kept.replace("=> (", "=> !(", 1))
        finally:
            other.close()

    def test_shows_a_kept_page_while_the_server_hangs(self):
        self.open("/kjv/jude/1")
        self.ready()
        self.page.reload()
        self.until("async () => (await caches.match('/kjv/jude/1')) !== undefined")
        os.kill(type(self).process.pid, signal.SIGSTOP)
        try:
            self.page.goto(self.origin + "/kjv/jude/1", timeout=10000)
            expect(self.page).to_have_title(re.compile("^Jude"))
        finally:
            os.kill(type(self).process.pid, signal.SIGCONT)
        self.open("/kjv/jude/1")

    def test_keeps_the_chapters_of_bookmarks_ahead_of_need(self):
        self.page.goto(self.origin + "/mark?in=kjv&at=Hab.2.4")
        self.page.locator("body[data-live]").wait_for()
        self.page.get_by_role("button", name="Bookmark").click()
        expect(self.page).to_have_title("Habakkuk 2 · KJV")
        self.context.close()
        self.setUp()
        self.open("/plans")
        self.ready()
        self.until("async () => (await caches.match('/kjv/hab/2')) !== undefined")
        self.context.set_offline(True)
        self.page.goto(self.origin + "/kjv/hab/2")
        expect(self.page).to_have_title("Habakkuk 2 · KJV")
        expect(self.page.locator("#v4.bookmarked")).to_have_count(1)

    def test_pauses_resumes_after_a_reload_and_removes(self):
        self.open("/device")
        self.ready()
        row = self.page.locator("[data-download='text/web']")
        self.page.get_by_role("button", name="Keep World English Bible on this device").click()
        expect(row.get_by_text(re.compile(r"^[2-9] of \d+ parts"))).to_be_visible(timeout=30000)
        row.get_by_role("button", name="Pause").click()
        expect(row.get_by_text("Paused")).to_be_visible()
        before = self.parts(row)
        self.page.reload()
        expect(row.get_by_text("Paused")).to_be_visible()
        self.page.wait_for_timeout(500)
        self.assertEqual(self.parts(row), before)
        row.get_by_role("button", name="Resume").click()
        wait_until(lambda: self.parts(row) > before, "the download goes on")
        # Another page goes on.
        self.open("/plans")
        self.open("/device")
        wait_until(lambda: self.parts(row) > before + 2, "the download goes on")
        row.get_by_role("button", name="Remove").click()
        expect(row.get_by_text("Not kept")).to_be_visible()
        self.until("async () => (await (await caches.open('lectern-kept')).keys()).length === 0")


class Around(LecternCase):
    def test_searches_with_facets_and_context(self):
        self.open("/search?q=grace+truth&in=kjv")
        expect(self.page.get_by_role("heading", name=re.compile(r"\d+ verses in \d+ books"))).to_be_visible()
        self.page.get_by_role("navigation", name="Books with hits").get_by_role("link", name="John").first.click()
        expect(self.page.locator(".hit-place").first).to_have_text("John 1:14")
        self.page.get_by_role("link", name="Show two verses around each").click()
        expect(self.page.locator(".around").first).to_be_visible()

    def test_changes_the_theme_and_the_size(self):
        self.open("/settings")
        self.page.get_by_text("Sepia").click()
        self.page.get_by_role("spinbutton").fill("24")
        with self.page.expect_navigation():
            self.page.get_by_role("button", name="Save").click()
        self.open("/kjv/john/3")
        expect(self.page.locator("html")).to_have_attribute("data-theme", "sepia")
        size = self.page.locator("article.chapter").evaluate("(each) => getComputedStyle(each).fontSize")
        self.assertEqual(size, "32px")

    def test_begins_a_plan_and_marks_a_day(self):
        self.open("/plans")
        self.page.get_by_text("The Gospels").click()
        self.page.get_by_role("button", name="Begin today").click()
        self.page.get_by_role("button", name="Mark as read").first.click()
        expect(self.page.get_by_text("1 of 40 days")).to_be_visible()

    def test_remembers_what_was_read_and_not_what_was_opened(self):
        self.open("/kjv/ruth/1")
        self.open("/history")
        expect(self.page.get_by_text("Ruth 1")).to_have_count(0)
        self.open("/kjv/ruth/2")
        with self.page.expect_response("**/commands/read", timeout=9000):
            pass
        self.open("/")
        expect(self.page.get_by_role("link", name="Go on with Ruth 2")).to_be_visible()

    def test_axe_finds_nothing(self):
        paths = ["/", "/web", "/web/john", "/web/john/3", "/kjv/ps/23?with=web", "/search?q=grace&in=kjv", "/marks",
                 "/mark?in=web&at=John.3.16", "/plans", "/history", "/texts", "/settings", "/data", "/device", "/offline",
                 "/handouts?in=web&at=John.3", "/go?q=john+99&in=web"]
        for theme in ["light", "sepia", "dark", "black"]:
            for path in paths if theme == "light" else paths[3:6]:
                with self.subTest(path=path, theme=theme):
                    self.open(path)
                    self.page.evaluate("(theme) => document.documentElement.dataset.theme = theme", theme)
                    found = Axe().run(self.page).response["violations"]
                    self.assertEqual([(each["id"], each["nodes"][0]["html"][:160]) for each in found], [])

    def test_reflows_at_320_pixels(self):
        self.page.set_viewport_size({"width": 320, "height": 600})
        for path in ["/", "/web/john/3", "/web/ps/119", "/web/john/3?with=kjv", "/search?q=the&in=kjv", "/settings",
                     "/handouts?in=web&at=John.3", "/device"]:
            self.open(path)
            width = self.page.evaluate("document.documentElement.scrollWidth")
            self.assertLessEqual(width, 320, path)

    def test_has_room_for_the_links_of_the_bar(self):
        for width in [960, 1024]:
            self.page.set_viewport_size({"width": width, "height": 600})
            self.open("/web/john/3")
            self.assertLessEqual(self.page.evaluate("document.documentElement.scrollWidth"), width)
            left, right = self.page.evaluate("""() => [document.querySelector('.menu').getBoundingClientRect().left,
                document.querySelector('.go').getBoundingClientRect().right]""")
            self.assertGreaterEqual(left, right)


class HandingOut(LecternCase):
    def test_makes_a_talking_book_of_the_chapter_and_downloads_it(self):
        self.open("/web/2john/1")
        self.page.get_by_role("button", name=re.compile("^Text:")).click()
        self.page.get_by_label("Texts").get_by_role("link", name="Hand out").click()
        expect(self.page.get_by_role("radio", name="2 John 1")).to_be_checked()
        self.page.get_by_role("button", name="Make the file").click()
        link = self.page.get_by_role("link", name=re.compile("^2 John"))
        expect(link).to_be_visible(timeout=60_000)
        expect(self.page.get_by_role("status").filter(has_text="is ready.")).to_have_count(1)
        with self.page.expect_download() as download:
            link.click()
        self.assertRegex(download.value.suggested_filename, r"^2 John.* \(World English Bible\), read aloud\.epub$")
        with zipfile.ZipFile(download.value.path()) as book:
            self.assertIn("EPUB/overlays/2John-1.smil", book.namelist())
        self.page.get_by_role("button", name=re.compile("^Remove 2 John")).click()
        expect(link).to_have_count(0)

    def test_stops_a_long_file_and_makes_the_next_one(self):
        self.open("/handouts?in=kjv&at=Gen.1")
        self.page.get_by_role("radio", name="King James Version").check()
        self.page.get_by_role("button", name="Make the file").click()
        progress = self.page.get_by_role("progressbar", name="Progress of King James Version")
        expect(self.page.get_by_text(re.compile("^[1-9].* of 1189 chapters$"))).to_be_visible(timeout=60_000)
        self.page.get_by_role("radio", name="Plain text").check()
        self.page.get_by_role("button", name="Make the file").click()
        expect(self.page.get_by_text("Waits for the file before it")).to_be_visible()
        self.page.get_by_role("button", name="Remove King James Version, Talking book").click()
        expect(progress).to_have_count(0)
        expect(self.page.get_by_role("link", name="Genesis 1 (King James Version)")).to_be_visible(timeout=30_000)

    def test_reminds_of_a_plan_in_a_calendar(self):
        self.open("/plans")
        self.page.get_by_role("radio", name=re.compile("^The Gospels")).check()
        self.page.get_by_role("button", name="Begin today").click()
        self.page.get_by_label("Remind me at").fill("21:30")
        with self.page.expect_download() as download:
            self.page.get_by_role("button", name=re.compile("for your calendar$")).click()
        self.assertEqual(download.value.suggested_filename, "reminders.ics")
        self.assertIn("T213000", Path(download.value.path()).read_text())


class WithoutScripts(LecternCase):
    scripts = False

    def test_reads_marks_and_searches(self):
        self.page.goto(self.origin + "/web/john/3#16")
        expect(self.page.locator("#v16")).to_be_in_viewport()
        self.page.locator("a.note").first.click()
        expect(self.page.locator("#f1")).to_be_in_viewport()
        self.page.get_by_role("link", name="Verse 17", exact=True).click()
        self.page.get_by_role("button", name="Highlight").click()
        expect(self.page).to_have_url(re.compile("/marks$"))
        self.page.get_by_role("link", name="Read there").click()
        expect(self.page.locator("#v17 mark").first).to_be_visible()
        self.page.get_by_role("link", name="John 4").click()
        expect(self.page.get_by_role("heading", level=1)).to_contain_text("John 4")


if __name__ == "__main__":
    unittest.main()
