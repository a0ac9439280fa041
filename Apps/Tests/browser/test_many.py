"""The way through 500 photos in Sift itself: by keys, drag and touch, while files vanish under it. Prints the times from
a key to the next painted photo, as the browser's Performance API has them. Run: `python -m unittest test_many`.

Needs SIFT, the program (a release build for figures that mean something), and ImageMagick's `convert`. COUNT is the
number of photos (default 500), PACE the seconds from a photo to its decision (default 0: faster than any person, so that
photos ahead are still being decoded), SECONDS_SUSTAINED the length of the sustained run (default 0, which leaves it out).
"""

import base64
import os
import random
import statistics
import unittest

from playwright.sync_api import expect

from real import SiftCase
from small_photos import fill, pictures

COUNT = int(os.environ.get("COUNT", "500"))
PACE = float(os.environ.get("PACE", "0"))
SECONDS = float(os.environ.get("SECONDS_SUSTAINED", "0"))

# Notes three times for each decision: when the key was pressed (or the pointer lifted), when the page knew the next photo,
# and when that photo was painted. The last is the browser's own time of the picture's first paint (element timing). A
# picture that was painted before, or that cannot be shown, has the time after the next frame instead.
WATCH = """() => {
  performance.setResourceTimingBufferSize(10000);
  const card = document.getElementById('card');
  const times = { key: [], drag: [], touch: [], known: [] };
  let began = null;
  const begin = (kind, event) => { if (event.isTrusted) began = { kind, time: event.timeStamp, photo: card.dataset.photo }; };
  addEventListener('keydown', (event) => { if (/^Arrow/.test(event.key)) begin('key', event); }, true);
  addEventListener('pointerup', (event) => begin(event.pointerType === 'touch' ? 'touch' : 'drag', event), true);
  let waiting = null;
  const painted = (time) => {
    if (waiting === null) return;
    times[waiting.kind].push(time - waiting.time);
    waiting = null;
  };
  const seen = new WeakSet();
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (entry.element === null) continue;
      seen.add(entry.element);
      if (entry.element === document.getElementById('card-image')) painted(entry.renderTime || entry.loadTime);
    }
  }).observe({ type: 'element' });
  const channel = new MessageChannel();
  channel.port1.onmessage = () => painted(performance.now());
  new MutationObserver(() => {
    const image = document.getElementById('card-image');
    if (began === null || card.dataset.photo === began.photo) return;
    waiting = began;
    began = null;
    times.known.push(performance.now() - waiting.time);
    if (image === null || seen.has(image) || card.classList.contains('is-broken')) {
      requestAnimationFrame(() => channel.port2.postMessage(0));
    } else {
      image.setAttribute('elementtiming', 'card');
    }
  }).observe(card, { attributes: true, attributeFilter: ['data-photo'], childList: true, subtree: true });
  window.siftTimes = times;
}"""


def share(values, part):
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(len(ordered) * part))]


def describe(name, values):
    if values:
        print(f"{name}: {len(values)} decisions, median {statistics.median(values):.1f} ms, p95 {share(values, 0.95):.1f} ms, "
              f"p99 {share(values, 0.99):.1f} ms, longest {max(values):.1f} ms", flush=True)


def processor_time():
    """Returns the processor time of Sift with its workers, and of the browser, in seconds. Unlike a time on the clock, it
    hardly depends on what else the machine does."""
    parents, times = {}, {}
    for entry in os.listdir("/proc"):
        if not entry.isdigit():
            continue
        try:
            with open(f"/proc/{entry}/stat") as file:
                text = file.read()
        except OSError:
            continue
        name, rest = text[text.index("(") + 1 : text.rindex(")")], text[text.rindex(")") + 2 :].split()
        parents[int(entry)] = int(rest[1])
        times[int(entry)] = (name, (int(rest[11]) + int(rest[12])) / os.sysconf("SC_CLK_TCK"))
    found = {"sift": 0.0, "browser": 0.0}
    for process, (name, seconds) in times.items():
        parent = process
        while parent not in (0, 1, os.getpid()):
            parent = parents.get(parent, 0)
        if parent == os.getpid():
            for kind, part in (("sift", "sift"), ("browser", "chrom")):
                found[kind] += seconds if part in name else 0
    return found


def describe_processors(before, after, decisions):
    print("Processor time of a decision: " + ", ".join(
        f"{name} {1000 * (after[name] - before[name]) / decisions:.1f} ms" for name in ("sift", "browser")), flush=True)


# A page without a server and without a decision: a key swaps one picture for the next one, which is decoded. What it takes
# from a key to the painted picture, by the same clock as above, is what this browser takes on this machine.
BARE = """([pictures, count]) => {
  const images = Array.from({ length: count + 1 }, (_, index) => {
    const image = new Image(900, 600);
    image.src = pictures[index % pictures.length];
    image.setAttribute('elementtiming', String(index));
    return image;
  });
  const times = [];
  let began = null, at = 0;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (began === null || entry.identifier !== String(at)) continue;
      times.push((entry.renderTime || entry.loadTime) - began);
      began = null;
    }
  }).observe({ type: 'element' });
  addEventListener('keydown', (event) => {
    began = event.timeStamp;
    at += 1;
    images[at].decoding = 'sync';
    document.body.replaceChildren(images[at]);
    images[at + 1]?.decode();
  });
  document.body.replaceChildren(images[0]);
  window.bareTimes = times;
  return images[1].decode();
}"""

# Keeps the name of each photo that was on the card.
NAMES = """() => {
    const card = document.getElementById('card'), name = document.querySelector('.caption-name');
    window.siftNames = {};
    const note = () => { window.siftNames[card.dataset.photo] = name.textContent; };
    note();
    new MutationObserver(note).observe(
        document.body, { attributes: true, characterData: true, childList: true, subtree: true });
}"""


class ManyCase(SiftCase):
    has_touch = True

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.sources = pictures()

    def make_photos(self):
        self.names = fill(self.photos, COUNT, self.sources)

    def wait_until_scanned(self):
        expect(self.page.locator(".session")).to_contain_text(f"of {COUNT:,}", timeout=60_000)

    def wait_for_next(self, photo):
        """Waits until another photo is on the card and painted, or none is left."""
        self.page.wait_for_function(
            """photo => { const card = document.getElementById('card');
                return card.dataset.photo !== photo || card.offsetParent === null; }""", arg=photo, polling=4)

    def photo(self):
        return self.page.locator("#card").get_attribute("data-photo")


class BarePageTests(ManyCase):
    def test_swaps_pictures(self):
        """What a key to the next painted picture takes without Sift, for comparison with the run over many photos."""
        self.wait_until_scanned()
        page = self.context.new_page()
        pictures = ["data:image/jpeg;base64," + base64.b64encode(each).decode() for each in self.sources]
        page.evaluate(BARE, [pictures, 100])
        for count in range(1, 101):
            page.wait_for_timeout(40)
            page.keyboard.press("ArrowRight")
            page.wait_for_function("count => window.bareTimes.length === count", arg=count, polling=4)
        times = page.evaluate("window.bareTimes")
        print()
        describe("A bare page: key to next picture painted", times)
        self.assertEqual(len(times), 100)


class FiveHundredPhotosTests(ManyCase):
    def test_by_keys_drag_and_touch_while_files_vanish(self):
        self.wait_until_scanned()
        self.page.evaluate(WATCH)
        self.page.evaluate(NAMES)
        sent = []
        self.page.on("request", lambda request: sent.append(request.post_data_json)
                     if request.url.endswith("/commands/decide") else None)
        before = processor_time()
        touch = self.context.new_cdp_session(self.page)
        random_ = random.Random(26)
        vanished, refused = set(), 0
        box = self.page.locator("#card").bounding_box()
        x, y, width = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, box["width"]
        ways = [("trash", "ArrowLeft", -1), ("keep", "ArrowUp", 0), ("favourite", "ArrowRight", 1)]
        step = 0
        while self.page.locator("#card").is_visible():
            photo, name = self.photo(), self.shown()
            if photo is None or photo == "":
                break
            step += 1
            if step > COUNT * 2:
                self.fail("The run does not end.")
            # Another program removes a photo that is ahead, or the shown one.
            if step % 25 == 0:
                index = min(len(self.names) - 1, self.names.index(name) + random_.choice([0, 1, 3, 20]))
                victim = self.photos / self.names[index]
                if victim.exists():
                    victim.unlink()
                    vanished.add(self.names[index])
            action, key, side = random_.choice(ways)
            if PACE > 0:
                self.page.wait_for_timeout(1000 * PACE)
            if step % 10 < 8 or side == 0:
                self.page.keyboard.press(key)
            elif step % 10 == 8:
                self.page.mouse.move(x, y)
                self.page.mouse.down()
                self.page.mouse.move(x + side * width * 0.6, y, steps=4)
                self.page.mouse.up()
            else:
                point = {"x": x, "y": y}
                touch.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [point]})
                for part in (0.2, 0.4, 0.6):
                    point = {"x": x + side * width * part, "y": y}
                    touch.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [point]})
                touch.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
            try:
                self.wait_for_next(photo)
            except Exception:  # noqa: BLE001 - what stands still is told with what the page shows
                self.fail(f"Photo {name} stays after '{action}': {self.page.locator('.lines').inner_text()!r}")
            if self.page.locator("#refusal").is_visible():
                refused += 1
                self.page.get_by_role("button", name="Close", exact=True).click()
        expect(self.page.get_by_role("heading", name="All photos are decided")).to_be_visible(timeout=20_000)
        # The card may change between a look at it and a key, so the page's own requests say what was decided.
        names = self.page.evaluate("window.siftNames")
        decided = {names[body["photo"]]: body["action"] for body in sent}
        trashed = {name for name, action in decided.items() if action == "trash"}
        for _ in range(200):
            left = {file.name for file in self.photos.iterdir()}
            if not (trashed - vanished) & left:
                break
            self.page.wait_for_timeout(50)
        after = processor_time()
        times = self.page.evaluate("window.siftTimes")
        print()
        for kind, name in (("key", "Key to next photo painted"), ("drag", "Drag"), ("touch", "Touch"),
                           ("known", "Until the page knows the next photo")):
            describe(name, times[kind])
        describe("Answer to a decision", self.page.evaluate("""performance.getEntriesByType('resource')
            .filter((entry) => entry.name.endsWith('/commands/decide')).map((entry) => entry.duration)"""))
        describe_processors(before, after, len(decided))
        print(f"{len(vanished)} files vanished, {refused} decisions were refused", flush=True)
        # Every photo was decided or had vanished; each is in exactly one place, and no other file is touched.
        self.assertEqual(set(self.names) - set(decided), vanished - set(decided))
        self.assertEqual(left & trashed, set())
        self.assertEqual(left, set(self.names) - set(self.trashed()) - vanished)
        self.assertEqual(set(self.trashed()) - trashed, set())
        self.assertEqual(trashed - set(self.trashed()) - vanished, set())


@unittest.skipUnless(SECONDS > 0, "SECONDS_SUSTAINED sets the length of the sustained run.")
class SustainedTests(ManyCase):
    def make_photos(self):
        self.names = fill(self.photos, COUNT, self.sources, gap=1)

    def test_decisions_painted_each_second(self):
        """The page itself presses the key as soon as a photo is painted: the rate that a browser sustains."""
        self.wait_until_scanned()
        before = processor_time()
        count, seconds = self.page.evaluate("""(seconds) => new Promise((resolve) => {
          const card = document.getElementById('card');
          const keys = ['ArrowLeft', 'ArrowUp', 'ArrowRight'];
          let painted = 0;
          const start = performance.now();
          const channel = new MessageChannel();
          const next = () => {
            if (performance.now() - start > seconds * 1000 || card.offsetParent === null) {
              resolve([painted, (performance.now() - start) / 1000]);
              return;
            }
            document.body.dispatchEvent(new KeyboardEvent('keydown', { key: keys[painted % 3], bubbles: true, cancelable: true }));
          };
          channel.port1.onmessage = () => { painted += 1; next(); };
          new MutationObserver(() => requestAnimationFrame(() => {
            const image = document.getElementById('card-image');
            const done = () => channel.port2.postMessage(0);
            if (image === null || image.complete) done();
            else image.decode().catch(() => {}).then(() => requestAnimationFrame(done));
          })).observe(card, { attributes: true, attributeFilter: ['data-photo'] });
          next();
        })""", SECONDS)
        print()
        describe_processors(before, processor_time(), max(1, count))
        print(f"Sustained: {count} decisions painted in {seconds:.1f} s, {count / seconds:.1f} a second", flush=True)
        self.assertGreater(count, 0)


if __name__ == "__main__":
    unittest.main()
