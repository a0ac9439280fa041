#!/usr/bin/env python3
"""Measures how soon Sift shows a card, and prints one figure a line: name, value, unit, aim.

    start.py [--count 10000] [--rounds 3] [--photos FOLDER]

The library has `count` photos: real ones first, in the order of time, and then small files, each with another content.
"Cold" is a Sift without data and without thumbnails; the files are in the system's cache. "Restart" is a Sift that is
killed and started again after ten decisions. Each figure is the median time from the start of the process until the
card's picture is there. SIFT names the program; the default is Apps/.build/release/sift.
"""

import argparse
import html
import http.cookiejar
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.parse
import urllib.request
import uuid
from pathlib import Path

APPS = Path(__file__).resolve().parents[1]
FILLER = APPS / "Tests" / "SiftImagingTests" / "Fixtures" / "plain.jpg"
WALLPAPERS = ["/usr/share/backgrounds", "/usr/share/wallpapers"]


def report(name, value, unit, aim=""):
    print(f"{name}\t{value:.3f} {unit}\t{aim}", flush=True)


def median(values):
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def make(library, count, folders):
    """Fills a folder with photos. Returns how many of them are real ones."""
    real = [file for folder in folders for file in sorted(Path(folder).rglob("*.jp*g")) if file.is_file()][:20]
    filler = FILLER.read_bytes()
    library.mkdir()
    for index in range(count):
        data = real[index].read_bytes() if index < len(real) else filler
        file = library / f"IMG_{index:05}.jpg"
        # Sift ignores what follows the end of a JPEG, and it makes each file another one.
        file.write_bytes(data + index.to_bytes(4, "big"))
        os.utime(file, (1_600_000_000 + index, 1_600_000_000 + index))
    return len(real)


class Sift:
    """A running Sift and a client without a browser."""

    def __init__(self, root):
        program = os.environ.get("SIFT", str(APPS / ".build" / "release" / "sift"))
        self.start = time.monotonic()
        self.process = subprocess.Popen(
            [program, "serve", "--data-dir", str(root / "data"), "--trash", str(root / "Trash"),
             str(root / "library")],
            stdout=subprocess.PIPE, text=True, env=os.environ | {"XDG_CACHE_HOME": str(root / "cache")})
        link = re.search(r"http://\S+", self.process.stdout.readline()).group()
        self.address = re.match(r"http://[^/]+", link).group()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        self.page = self.opener.open(link).read().decode()

    def card(self):
        """Waits for a card, loads its picture and returns its photo with the time since the start."""
        while True:
            photo = re.search(r'<figure class="card"[^>]* data-photo="([^"]+)"', self.page)
            source = re.search(r'<img id="card-image" src="([^"]+)"', self.page)
            if photo and source:
                self.opener.open(urllib.parse.urljoin(self.address, html.unescape(source.group(1)))).read()
                return photo.group(1), time.monotonic() - self.start
            if time.monotonic() - self.start > 60:
                sys.exit("start.py: there was no card for a minute")
            time.sleep(0.01)
            self.page = self.opener.open(self.address + "/").read().decode()

    def decide(self, action):
        """Decides about the shown photo, as the page's form does."""
        form = re.search(r'<form class="actions".*?</form>', self.page, re.S).group()
        fields = {name: html.unescape(value) for name, value
                  in re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form)}
        fields["action"] = action
        request = urllib.request.Request(
            self.address + "/commands/decide", urllib.parse.urlencode(fields).encode(),
            {"Sec-Fetch-Site": "same-origin", "Origin": self.address})
        self.opener.open(request).read()
        self.page = self.opener.open(self.address + "/").read().decode()

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(30)
        time.sleep(0.2)  # the workers end on their own


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--photos", action="append")
    options = parser.parse_args()
    root = Path(tempfile.mkdtemp(prefix="sift-start-"))
    try:
        make(root / "library", options.count, options.photos or WALLPAPERS)
        cold, restarts = [], []
        for _ in range(options.rounds):
            for name in ("data", "cache", "Trash"):
                shutil.rmtree(root / name, ignore_errors=True)
            # A person who has seen the first page, where the directions are explained.
            (root / "data").mkdir(mode=0o700)
            (root / "data" / "settings.json").write_text('{"isWelcomed": true}')
            sift = Sift(root)
            try:
                first, after = sift.card()
                cold.append(after)
                decided = set()
                for _ in range(10):
                    decided.add(sift.card()[0])
                    sift.decide("keep")
                last, _ = sift.card()
            finally:
                sift.kill()
            if last == first:
                sys.exit("start.py: the decisions did not take effect")
            sift = Sift(root)
            try:
                again, after = sift.card()
                restarts.append(after)
            finally:
                sift.kill()
            # The scan goes on, so the next undecided photo may be another one than before.
            if again in decided:
                sys.exit(f"start.py: photo {again} is shown after the restart, but is decided")
        report(f"sift.first-card.{options.count}", median(cold), "s", "< 0.5")
        report(f"sift.restart.{options.count}", median(restarts), "s", "< 0.4")
    finally:
        shutil.rmtree(root)


if __name__ == "__main__":
    main()
