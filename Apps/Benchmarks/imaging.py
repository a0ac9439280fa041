#!/usr/bin/env python3
"""Measures Sift's decoding and memory, and prints one figure a line: name, value, unit, aim.

    imaging.py [thumbnails] [misses] [features] [memory] [--rounds N] [--photos FOLDER] [--json FILE]
               [--count 10000] [--count 50000]

Needs release builds, `vipsthumbnail` and `vips` (Debian: libvips-tools). WORKER names the program
SiftImagingTestWorker, SIFT the program sift; the default is Apps/.build/release. Photos are taken from FOLDER, by default
Debian's wallpapers. Files are made in a temporary folder (TMPDIR), about 1.5 GB for 10,000 photos and 1 GB for 50,000,
which are smaller. `memory` waits for the scan, looks at 60 photos, reads the list of similar photos, and waits for the
features. `--wait` names the seconds for which it waits for each of them.
"""

import argparse
import http.cookiejar
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

RELEASE = Path(__file__).resolve().parents[1] / ".build" / "release"
WALLPAPERS = ["/usr/share/backgrounds", "/usr/share/wallpapers"]
MEGABYTE = 1_000_000
figures = []


def report(name, value, unit, aim=""):
    figures.append({"name": name, "value": round(value, 3), "unit": unit, "aim": aim})
    print(f"{name}\t{value:.2f} {unit}\t{aim}", flush=True)


def program(variable, name):
    path = Path(os.environ.get(variable, RELEASE / name))
    if not path.exists():
        sys.exit(f"imaging.py: {path} is missing. Build it for release, or name it with {variable}.")
    return str(path)


def pick(folders, limit):
    """Returns JPEGs, each content once, the same on each run."""
    seen, found = set(), []
    for folder in folders:
        for file in sorted(Path(folder).rglob("*.jp*g")):
            key = (file.stat().st_size, file.read_bytes()[-4096:])
            if file.is_file() and file.stat().st_size > 100_000 and key not in seen:
                seen.add(key)
                found.append(file)
    return found[:limit]


def median(values):
    values = sorted(values)
    return (values[(len(values) - 1) // 2] + values[len(values) // 2]) / 2


def measure(kind, at_once, files):
    run = subprocess.run([program("WORKER", "SiftImagingTestWorker"), "measure", kind, str(at_once), *map(str, files)],
                         capture_output=True, text=True, check=True)
    return json.loads(run.stdout)


def large(source, target, *options):
    """Writes a photo of 6,000 × 4,000 pixels."""
    subprocess.run(["vips", "thumbnail", str(source), f"{target}[Q=90{''.join(options)}]", "6000", "--height", "4000",
                    "--size", "force"], check=True)


def thumbnails(folder, photos, rounds):
    """Both make 512-pixel JPEGs of the same files, in turn. The files are read once before, and who begins changes, so
    that neither pays for the disk."""
    for file in photos:
        file.read_bytes()
    ours, theirs = [], []

    def by_vipsthumbnail():
        for file in folder.glob("*.jpg"):
            file.unlink()
        start = time.monotonic()
        subprocess.run(["vipsthumbnail", "-s", "512", "-o", f"{folder}/%s.jpg", *map(str, photos)],
                       stderr=subprocess.DEVNULL, check=False)
        theirs.append(time.monotonic() - start)

    def by_sift():
        start = time.monotonic()
        result = measure("card", 5, photos)
        ours.append(time.monotonic() - start)
        if result["failed"]:
            sys.exit(f"imaging.py: {result['failed']} of {len(photos)} photos failed")
        return result

    for number in range(rounds):
        if number % 2:
            result = by_sift()
            by_vipsthumbnail()
        else:
            by_vipsthumbnail()
            result = by_sift()
        print(f"# vipsthumbnail {theirs[-1]:.2f} s, ours {ours[-1]:.2f} s, "
              f"ours on processors {result['processorSeconds']:.2f} s", flush=True)
    start = time.monotonic()
    measure("header", 1, photos[:1])
    report("sift.thumbnails.worker-start", time.monotonic() - start, "s", "part of each of our rounds")
    ratios = [their / our for their, our in zip(theirs, ours)]
    report("sift.thumbnails.vipsthumbnail", median(theirs), "s")
    report("sift.thumbnails.ours", median(ours), "s")
    report("sift.thumbnails.ratio", median(ratios), "x", ">= 1.0")
    report("sift.thumbnails.ratio.least", min(ratios), "x")
    report("sift.thumbnails.rounds-lost", sum(ratio < 1 for ratio in ratios), f"of {rounds}")


def misses(folder, photos):
    """One call at a time, without a cache, for baseline JPEGs of 24 megapixels."""
    files = []
    for index, source in enumerate(photos[:12]):
        files.append(folder / f"baseline-{index}.jpg")
        large(source, files[-1])
    for kind, name in (("thumbnail", "256"), ("card", "512"), ("screen-2048", "2048")):
        result = measure(kind, 1, files * 4)
        report(f"sift.miss.{name}.median", result["median"] * 1000, "ms")
        report(f"sift.miss.{name}.p95", result["p95"] * 1000, "ms", "< 200" if kind != "screen-2048" else "")
    report("sift.miss.worker-peak", result["workerPeakBytes"] / MEGABYTE, "MB")


def memory_of(process):
    """Returns the resident memory and its peak in bytes. Shared pages count for each process."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0, 0
    read = {key: int(value) * 1024 for key, value in re.findall(r"^(VmRSS|VmHWM):\s+(\d+) kB", status, re.M)}
    return read.get("VmRSS", 0), read.get("VmHWM", 0)


def parts_of(process):
    """Returns the resident bytes of the program's own data, and of the files that it maps, such as its code."""
    status = Path(f"/proc/{process}/status").read_text()
    read = {key: int(value) * 1024 for key, value in re.findall(r"^(Rss\w+):\s+(\d+) kB", status, re.M)}
    return read["RssAnon"], read["RssFile"] + read["RssShmem"]


def children(process):
    found = []
    for tasks in Path(f"/proc/{process}/task").glob("*/children"):
        try:
            found += [int(number) for number in tasks.read_text().split()]
        except OSError:
            pass
    return found


class Server:
    """A running Sift, whose memory is sampled whenever `sample` is called."""

    def __init__(self, root, photos):
        self.root = root
        self.peaks = {"workers": 0, "worker": 0, "together": 0}
        self.start = time.monotonic()
        self.process = subprocess.Popen(
            [program("SIFT", "sift"), "serve", "--data-dir", str(root / "data"), "--trash", str(root / "Trash"),
             str(photos)],
            stdout=subprocess.PIPE, text=True, env=os.environ | {"XDG_CACHE_HOME": str(root / "cache")})
        self.link = re.search(r"http://\S+", self.process.stdout.readline()).group()
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))
        self.opener.open(self.link).read()
        self.first_page = time.monotonic() - self.start
        self.address = re.match(r"http://[^/]+", self.link).group()

    def get(self, path):
        return self.opener.open(self.address + path).read()

    def sample(self):
        own, _ = memory_of(self.process.pid)
        workers = [memory_of(child) for child in children(self.process.pid)]
        resident = sum(now for now, _ in workers)
        self.peaks["workers"] = max(self.peaks["workers"], resident)
        self.peaks["worker"] = max([self.peaks["worker"]] + [peak for _, peak in workers])
        self.peaks["together"] = max(self.peaks["together"], own + resident)

    def rows(self, query):
        database = sqlite3.connect(f"file:{self.root / 'data' / 'sift.sqlite'}?mode=ro", uri=True)
        try:
            return database.execute(query).fetchall()
        finally:
            database.close()

    def until(self, query, enough, seconds):
        """Samples until the query's number is reached. Returns the number and the time since the start."""
        limit = time.monotonic() + seconds
        while True:
            self.sample()
            number = self.rows(query)[0][0]
            if number >= enough or time.monotonic() > limit:
                return number, time.monotonic() - self.start
            time.sleep(0.1)

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


def base36(number):
    digits = ""
    while number:
        number, rest = divmod(number, 36)
        digits = "0123456789abcdefghijklmnopqrstuvwxyz"[rest] + digits
    return digits or "0"


def small_photos(folder, photos, edge):
    """Returns the contents of ten photos of a few kilobytes."""
    contents = []
    for index, source in enumerate(photos[:10]):
        file = folder / f"small-{index}.jpg"
        subprocess.run(["vipsthumbnail", "-s", str(edge), "-o", f"{file}[Q=70]", str(source)], check=True)
        contents.append(file.read_bytes())
    return contents


def fill(library, count, contents, big):
    """Writes a library of which 20 photos are big. Each file has another content."""
    library.mkdir()
    for index in range(count):
        data = big if index < 20 else contents[index % len(contents)]
        # What follows the end of a JPEG is ignored, and makes each file another one.
        file = library / f"IMG_{index:05}.jpg"
        file.write_bytes(data + index.to_bytes(4, "big"))
        os.utime(file, (1_600_000_000 + index, 1_600_000_000 + index))


def features(folder, photos):
    """The features of 500 photos of 1,024 pixels, computed by Sift's workers, beside `vipsthumbnail` over the files."""
    contents = small_photos(folder, photos, 1024)
    library = folder / "features"
    fill(library, 500, contents, contents[0])
    files = sorted(library.iterdir())
    target = folder / "by-vipsthumbnail"
    target.mkdir()
    start = time.monotonic()
    subprocess.run(["vipsthumbnail", "-s", "512", "-o", f"{target}/%s.jpg", *map(str, files)], check=True)
    report("sift.features.vipsthumbnail", len(files) / (time.monotonic() - start), "photos/s", "one process")
    result = measure("features", 2, files)
    report("sift.features.decode", len(files) / result["seconds"], "photos/s", "the workers alone")


def memory(folder, photos, count, wait):
    """A library of `count` photos, 20 of them progressive with 24 megapixels."""
    root = folder / str(count)
    root.mkdir()
    library = root / "library"
    large(photos[0], root / "progressive.jpg", ",interlace=true")
    fill(library, count, small_photos(root, photos, 1024 if count <= 10_000 else 320),
         (root / "progressive.jpg").read_bytes())
    server = Server(root, library)
    try:
        def show(name, value, unit, aim=""):
            report(f"sift.{count}.{name}", value, unit, aim)

        show("first-page", server.first_page, "s", "< 0.5 for the card")
        scanned, after = server.until("SELECT COUNT(*) FROM shot", count, wait)
        show("scan.photos", scanned, "photos")
        show("scan.seconds", after, "s")
        show("memory.server.after-scan", memory_of(server.process.pid)[1] / MEGABYTE, "MB", "the peak until then")
        read, after = server.until("SELECT COUNT(*) FROM shot WHERE header IS NOT NULL", count, wait)
        show("headers.photos", read, "photos")
        show("headers.seconds", after, "s")
        show("memory.server.after-headers", memory_of(server.process.pid)[1] / MEGABYTE, "MB", "the peak until then")
        # What a person sees while the features of the first photos are computed.
        rows = server.rows(
            "SELECT shot.id, device, inode, size, modified FROM shot JOIN file ON file.shot = shot.id "
            "WHERE position = 0 ORDER BY time LIMIT 60")
        for number, *version in rows:
            name = ".".join(base36(part) for part in version)
            for size in ("card", "screen-2048", "thumbnail"):
                server.get(f"/media/{number}/{name}/{size}")
                server.sample()
        show("memory.server.after-viewing", memory_of(server.process.pid)[1] / MEGABYTE, "MB", "the peak until then")
        query = "SELECT COUNT(*) FROM shot WHERE hash64 IS NOT NULL"
        before, begin = server.rows(query)[0][0], time.monotonic()
        computed, after = server.until(query, count, wait)
        show("features.photos", computed, "photos", f"after {after:.0f} s")
        show("features.rate", (computed - before) / (time.monotonic() - begin), "photos/s")
        show("memory.server.after-features", memory_of(server.process.pid)[1] / MEGABYTE, "MB", "the peak until then")
        start = time.monotonic()
        server.get("/alike")
        show("alike.seconds", time.monotonic() - start, "s")
        _, peak = memory_of(server.process.pid)
        show("memory.server.peak", peak / MEGABYTE, "MB", "< 100" if count <= 10_000 else "< 150")
        own, mapped = parts_of(server.process.pid)
        show("memory.server.own-data", own / MEGABYTE, "MB", "at the end")
        show("memory.server.mapped-files", mapped / MEGABYTE, "MB", "at the end")
        show("memory.worker.peak", server.peaks["worker"] / MEGABYTE, "MB")
        show("memory.workers.peak", server.peaks["workers"] / MEGABYTE, "MB")
        show("memory.together.peak", server.peaks["together"] / MEGABYTE, "MB")
    finally:
        server.stop()
        shutil.rmtree(root)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", help="thumbnails, misses, features, memory; default: all")
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--photos", action="append")
    parser.add_argument("--count", type=int, action="append")
    parser.add_argument("--wait", type=int, default=300)
    parser.add_argument("--json")
    options = parser.parse_args()
    unknown = set(options.parts) - {"thumbnails", "misses", "features", "memory"}
    if unknown:
        parser.error(f"unknown part: {', '.join(sorted(unknown))}")
    parts = options.parts or ["thumbnails", "misses", "features", "memory"]
    photos = pick(options.photos or WALLPAPERS, 60)
    if len(photos) < 12:
        sys.exit("imaging.py: fewer than 12 photos. Name a folder with --photos.")
    folder = Path(tempfile.mkdtemp(prefix="sift-bench-"))
    try:
        if "thumbnails" in parts:
            thumbnails(folder, photos, options.rounds)
        if "misses" in parts:
            misses(folder, photos)
        if "features" in parts:
            features(folder, photos)
        if "memory" in parts:
            for count in options.count or [10_000, 50_000]:
                memory(folder, photos, count, options.wait)
    finally:
        shutil.rmtree(folder)
    if options.json:
        Path(options.json).write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
