#!/usr/bin/env python3
"""Measures the server of Lectern without a browser, and prints one figure a line: name, value, unit, aim.

    lectern.py [--rounds 5] [--seconds 5] [--book Mark]

LECTERN and BENCH name the programs `lectern` and `lectern-bench`, built for release. The text is the King James Version
of the program `bible`. The load comes from `wrk` with one thread and four connections, on the same machine. The constant
page is one of the same size from a Hummingbird server with one route and nothing else, in the same run.
"""

import argparse
import http.client
import json
import os
import random
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.parse
import uuid
from pathlib import Path

RELEASE = Path(__file__).resolve().parents[2] / ".build-apps" / "release"
LECTERN = os.environ.get("LECTERN", str(RELEASE / "lectern"))
BENCH = os.environ.get("BENCH", str(RELEASE / "lectern-bench"))


def report(name, value, unit, aim=""):
    print(f"{name}\t{value:.3f} {unit}\t{aim}", flush=True)


def percentile(values, fraction):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * fraction))]


def command_id():
    """Returns a UUID of version 7."""
    value = int(time.time() * 1000) << 80 | random.getrandbits(80)
    value = value & ~(0xF << 76) | 7 << 76
    return str(uuid.UUID(int=value & ~(0x3 << 62) | 0x2 << 62))


class Server:
    """A running Lectern and a client without a browser."""

    def __init__(self, data):
        self.start = time.monotonic()
        self.process = subprocess.Popen(
            [LECTERN, "serve", "--no-open", "--data-dir", str(data)], stdout=subprocess.PIPE, text=True)
        link = urllib.parse.urlsplit(re.search(r"http://\S+", self.process.stdout.readline()).group())
        self.address = f"http://{link.netloc}"
        self.connection = http.client.HTTPConnection(link.hostname, link.port)
        self.cookie = None
        self.connection.request("GET", link.path + "?" + link.query)
        answer = self.connection.getresponse()
        answer.read()
        self.cookie = answer.getheader("Set-Cookie").split(";")[0]
        self.get(answer.getheader("Location") or "/")
        self.started = time.monotonic() - self.start

    def get(self, path):
        self.connection.request("GET", path, headers={"Cookie": self.cookie, "Host": self.address[7:]})
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            sys.exit(f"lectern.py: {path} answered {answer.status}")
        return body

    def command(self, name, fields):
        self.connection.request(
            "POST", f"/commands/{name}", json.dumps(fields | {"id": command_id()}),
            {"Cookie": self.cookie, "Origin": self.address, "Sec-Fetch-Site": "same-origin",
             "Content-Type": "application/json"})
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            sys.exit(f"lectern.py: {name} answered {answer.status}: {body[:300]}")

    def memory(self, key):
        text = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{key}:\s+(\d+)", text).group(1)) / 1024

    def processor_time(self):
        """Returns the time of the processor that the server and its ended programs have used, in ticks."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return sum(int(each) for each in fields[11:15])

    def wait_until_idle(self):
        """Waits until the server has nothing to do, such as a chapter that is read ahead."""
        last = -10
        while (now := self.processor_time()) > last + 1:
            last = now
            time.sleep(0.5)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)


def load(url, cookie, seconds, script=None):
    """Returns the requests in a second, and the latency at p99 in milliseconds."""
    arguments = ["wrk", "-t1", "-c4", f"-d{seconds}", "--latency", "-H", f"Cookie: {cookie}"]
    output = subprocess.run(
        [*arguments, *(["-s", script] if script else []), url], capture_output=True, text=True, check=True).stdout
    if "Non-2xx" in output:
        sys.exit(f"lectern.py: {url} was refused:\n{output}")
    amount, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", output).groups()
    return (float(re.search(r"Requests/sec:\s+([\d.]+)", output).group(1)),
            float(amount) * {"us": 0.001, "ms": 1, "s": 1000}[unit])


def chapters(server):
    """Returns the addresses of all chapters."""
    found = []
    # A book with one chapter leads to it at once.
    for place in dict.fromkeys(re.findall(r'href="(/kjv/[^"]+)"', server.get("/kjv").decode())):
        if re.search(r"/\d+$", place):
            found.append(place)
        else:
            found += re.findall(r'href="(/kjv/[^"/]+/\d+)"', server.get(place).decode())
    return list(dict.fromkeys(found))


def measure_server(root, options):
    data = root / "data"
    begin = time.monotonic()
    subprocess.run([LECTERN, "import", "--data-dir", str(data), "kjv"], check=True, stdout=subprocess.DEVNULL)
    report("lectern.command.import", time.monotonic() - begin, "s", "< 2, the whole command")
    starts = []
    for _ in range(options.rounds):
        server = Server(data)
        starts.append(server.started * 1000)
        server.end()
    report("lectern.start", statistics.median(starts), "ms, to the first page", "< 400")
    server = Server(data)
    try:
        report("lectern.resident.start", server.memory("VmRSS"), "MB")
        every = chapters(server)
        if len(every) < 1189:
            sys.exit(f"lectern.py: there are only {len(every)} chapters")
        times = []
        for path in every:
            begin = time.monotonic()
            body = server.get(path)
            times.append((time.monotonic() - begin) * 1000)
        report("lectern.page.first.p50", percentile(times, 0.5), "ms, each chapter once")
        report("lectern.page.first.p99", percentile(times, 0.99), "ms, each chapter once", "< 5")
        path = "/kjv/john/3"
        body = server.get(path)
        rate, slow = load(server.address + path, server.cookie, options.seconds)
        report("lectern.page.rate", rate, "pages/s, the same chapter")
        report("lectern.page.p99", slow, "ms, the same chapter", "< 5")
        script = root / "chapters.lua"
        listed = ",".join(f'"{each}"' for each in every)
        script.write_text(
            f"local paths = {{{listed}}}\nlocal index = 0\n"
            "request = function() index = index % #paths + 1; return wrk.format('GET', paths[index]) end\n")
        mixed, slow = load(server.address, server.cookie, options.seconds, str(script))
        report("lectern.page.all.rate", mixed, "pages/s, all chapters in turn")
        report("lectern.page.all.p99", slow, "ms, all chapters in turn", "< 5")
        constant = subprocess.Popen([BENCH, "--constant", str(len(body))], stdout=subprocess.PIPE, text=True)
        try:
            url = constant.stdout.readline().strip()
            ceiling, _ = load(url, "none=1", options.seconds)
        finally:
            constant.kill()
            constant.wait()
        report("lectern.page.constant", ceiling, f"pages/s, {len(body)} bytes by Hummingbird alone")
        report("lectern.page.ratio", rate / ceiling, "of the constant page, the same chapter", ">= 0.5")
        report("lectern.page.all.ratio", mixed / ceiling, "of the constant page, all chapters in turn", ">= 0.5")
        for words in ["the", "lord", "the+lord"]:
            searches = []
            for _ in range(100):
                begin = time.monotonic()
                server.get(f"/search?q={words}&in=kjv")
                searches.append((time.monotonic() - begin) * 1000)
            report(f"lectern.searchpage.{words}.p99", percentile(searches, 0.99), "ms, the whole page")
        report("lectern.resident", server.memory("VmRSS"), "MB, after all of this", "< 120")
        report("lectern.resident.peak", server.memory("VmHWM"), "MB")
        measure_sound(server)
    finally:
        server.end()


def measure_sound(server):
    times = []
    for number in range(1, 40, 3):
        if times:
            server.command("listen", {"act": "pause", "device": "bench", "page": "bench"})
        server.wait_until_idle()
        begin = time.monotonic()
        server.command("listen", {
            "act": "play", "text": "kjv", "at": f"Isa.{number}", "device": "bench", "page": "bench"})
        while True:
            state = json.loads(server.get("/state"))
            heard = state.get("state", state)["listening"]
            if heard.get("sound") and heard["sound"]["chapter"] == f"Isa.{number}":
                break
            if time.monotonic() - begin > 20:
                sys.exit(f"lectern.py: nothing was heard: {heard}")
            time.sleep(0.002)
        server.get(heard["sound"]["address"])
        times.append((time.monotonic() - begin) * 1000)
    report("lectern.sound.p50", percentile(times, 0.5), "ms, from play to the first verse's bytes, espeak-ng")
    report("lectern.sound.max", max(times), "ms, of 13 chapters never read, each after a pause", "<= 300")


def measure_export(root, book):
    data = root / "export"
    subprocess.run([LECTERN, "import", "--data-dir", str(data), "kjv"], check=True, stdout=subprocess.DEVNULL)
    begin = time.monotonic()
    subprocess.run(
        [LECTERN, "export", "--data-dir", str(data), book, "-o", str(root / "book.epub")], check=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time_of_book = time.monotonic() - begin
    subprocess.run(
        [LECTERN, "export", "--data-dir", str(data), book, "-o", str(root / "book.txt")], check=True,
        stdout=subprocess.DEVNULL)
    characters = len((root / "book.txt").read_text())
    subprocess.run(
        [LECTERN, "export", "--data-dir", str(data), "kjv", "-o", str(root / "all.txt")], check=True,
        stdout=subprocess.DEVNULL)
    share = characters / len((root / "all.txt").read_text())
    report("lectern.export.book", time_of_book, f"s, {book} as a talking EPUB, {share * 100:.2f} % of the text")
    report("lectern.export.all", time_of_book / share / 60, "min, the whole text by that share", "<= 15")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=5)
    parser.add_argument("--book", default="Mark")
    options = parser.parse_args()
    if shutil.which("wrk") is None:
        sys.exit("lectern.py: wrk is missing. Install it: scripts/setup --bench")
    root = Path(tempfile.mkdtemp(prefix="lectern-bench-"))
    try:
        measure_server(root, options)
        measure_export(root, options.book)
    finally:
        shutil.rmtree(root)


if __name__ == "__main__":
    main()
