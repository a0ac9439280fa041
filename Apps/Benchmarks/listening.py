#!/usr/bin/env python3
"""Measures how exactly Chromium seeks in audio files, and how long the gap between two verse files is (ADR-084).

    listening.py [--seeks N] [--chromium FILE]

Needs playwright, soundfile and numpy (PyPI), espeak-ng and Chromium. Speech is made with espeak-ng and written as WAV,
FLAC, Ogg Opus and MP3. The page plays it through an AudioWorklet that records each sample. The recording is then found
in the speech by correlation, so the result is the position that is heard, not the position that the page reports.
"""
import argparse
import http.server
import io
import json
import random
import re
import subprocess
import sys
import threading

import numpy
import soundfile
from playwright.sync_api import sync_playwright

RATE = 24_000
PAGE = """<!doctype html><title>listening</title><script>
const recorder = `registerProcessor('recorder', class extends AudioWorkletProcessor {
  process(inputs) {
    const input = inputs[0][0];
    this.port.postMessage({ at: currentFrame, samples: input ? input.slice() : null });
    return true;
  }
})`;
let context, node, blocks = [];
async function open() {
  context = new AudioContext({ sampleRate: 24000 });
  await context.audioWorklet.addModule(URL.createObjectURL(new Blob([recorder], { type: 'text/javascript' })));
  node = new AudioWorkletNode(context, 'recorder', { numberOfOutputs: 0 });
  node.port.onmessage = event => blocks.push(event.data);
  await context.resume();
}
const pause = ms => new Promise(done => setTimeout(done, ms));
const once = (target, name) => new Promise(done => target.addEventListener(name, done, { once: true }));
function recorded() {
  const from = blocks.length ? blocks[0].at : 0;
  const end = blocks.length ? blocks.at(-1).at + 128 : 0;
  const all = new Float32Array(end - from);
  for (const block of blocks) if (block.samples) all.set(block.samples, block.at - from);
  return Array.from(all, sample => Math.round(sample * 32767));
}
function element(url) {
  const audio = new Audio(url);
  audio.preload = 'auto';
  context.createMediaElementSource(audio).connect(node);
  return audio;
}
async function ready(audio) { if (audio.readyState < 4) await once(audio, 'canplaythrough'); }
async function seek(url, times) {
  const audio = element(url);
  await ready(audio);
  const results = [];
  for (const time of times) {
    audio.pause();
    audio.currentTime = time;
    await once(audio, 'seeked');
    await pause(60);
    blocks = [];
    await audio.play();
    await pause(700);
    const reported = audio.currentTime;
    audio.pause();
    await pause(60);
    results.push({ time, reported, samples: recorded() });
  }
  return results;
}
async function pair(first, second) {
  const one = element(first), two = element(second);
  await Promise.all([ready(one), ready(two)]);
  blocks = [];
  const done = once(two, 'ended');
  one.addEventListener('ended', () => two.play(), { once: true });
  await one.play();
  await Promise.race([done, pause(20_000)]);
  await pause(50);
  return recorded();
}
async function scheduled(urls) {
  const buffers = [];
  for (const url of urls) {
    buffers.push(await context.decodeAudioData(await (await fetch(url)).arrayBuffer()));
  }
  blocks = [];
  let at = context.currentTime + 0.1;
  let last;
  for (const buffer of buffers) {
    last = context.createBufferSource();
    last.buffer = buffer;
    last.connect(node);
    last.start(at);
    at += buffer.duration;
  }
  await once(last, 'ended');
  await pause(50);
  return { samples: recorded(), durations: buffers.map(buffer => buffer.duration) };
}
</script>"""


class Handler(http.server.BaseHTTPRequestHandler):
    files = {}
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def handle(self):
        try:
            super().handle()
        except ConnectionResetError:
            pass

    def do_GET(self):
        kind, body = self.files.get(self.path, (None, b""))
        if kind is None:
            self.send_response(404)
            self.send_header("Content-Length", "0")
            return self.end_headers()
        first, last = 0, len(body) - 1
        asked = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if asked:
            first = int(asked[1])
            last = min(int(asked[2]) if asked[2] else last, last)
        self.send_response(206 if asked else 200)
        if asked:
            self.send_header("Content-Range", f"bytes {first}-{last}/{len(body)}")
        self.send_header("Accept-Ranges", "bytes")
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(last - first + 1))
        self.end_headers()
        try:
            self.wfile.write(body[first : last + 1])
        except (BrokenPipeError, ConnectionResetError):
            pass


def speech(seconds):
    """Returns speech with a little noise in its pauses, so that each place of it can be found."""
    draw = random.Random(7)
    words = "light water stone river king word heart night day house voice path mountain people sea wind".split()
    text = " ".join(" ".join(draw.choices(words, k=9)).capitalize() + "." for _ in range(seconds // 3))
    wav = subprocess.run(
        ["espeak-ng", "--stdin", "--stdout", "-v", "en-us"], input=text.encode(), capture_output=True, check=True
    ).stdout
    # The header of a piped WAV is a guess: read the samples behind it.
    samples = numpy.frombuffer(wav[44 : len(wav) - len(wav) % 2], dtype="<i2").astype(numpy.float64) / 32768
    places = numpy.arange(int(len(samples) * RATE / 22050)) * 22050 / RATE
    samples = numpy.interp(places, numpy.arange(len(samples)), samples)[: seconds * RATE]
    noise = numpy.random.default_rng(7).normal(0, 0.01, len(samples))
    noise = numpy.convolve(noise, numpy.ones(6) / 6, mode="same")
    return (samples * 0.7 + noise).astype(numpy.float32)


def encoded(samples, container, subtype):
    file = io.BytesIO()
    soundfile.write(file, samples, RATE, format=container, subtype=subtype)
    return file.getvalue()


def place(part, whole, near=None, within=3.0):
    """Returns the sample of `whole` at which `part` begins, with the correlation."""
    low = 0 if near is None else max(0, int((near - within) * RATE))
    high = len(whole) if near is None else min(len(whole), int((near + within) * RATE) + len(part))
    window = whole[low:high].astype(numpy.float64)
    part = part.astype(numpy.float64)
    size = 1 << int(numpy.ceil(numpy.log2(len(window) + len(part))))
    product = numpy.fft.irfft(numpy.fft.rfft(window, size) * numpy.conj(numpy.fft.rfft(part, size)), size)
    sums = numpy.concatenate([[0], numpy.cumsum(window**2)])
    count = len(window) - len(part) + 1
    power = numpy.sqrt(numpy.maximum(sums[len(part) : len(part) + count] - sums[:count], 1e-9))
    score = product[:count] / power / numpy.sqrt(numpy.maximum((part**2).sum(), 1e-9))
    best = int(score.argmax())
    return low + best, float(score[best])


def percentile(values, share):
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def main():
    sys.stdout.reconfigure(line_buffering=True)
    parser = argparse.ArgumentParser()
    parser.add_argument("--seeks", type=int, default=25)
    parser.add_argument("--chromium", default="/usr/bin/chromium")
    options = parser.parse_args()
    sound = speech(300)
    kinds = {
        "wav": ("audio/wav", "WAV", "PCM_16"),
        "flac": ("audio/flac", "FLAC", "PCM_16"),
        "opus": ("audio/ogg", "OGG", "OPUS"),
        "mp3": ("audio/mpeg", "MP3", "MPEG_LAYER_III"),
    }
    cut = 4 * RATE + 1_234
    files = {"/": ("text/html", PAGE.encode())}
    for name, (kind, container, subtype) in kinds.items():
        files[f"/all.{name}"] = (kind, encoded(sound, container, subtype))
        files[f"/one.{name}"] = (kind, encoded(sound[:cut], container, subtype))
        files[f"/two.{name}"] = (kind, encoded(sound[cut : 2 * cut], container, subtype))
    Handler.files = files
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    draw = random.Random(11)
    times = [round(draw.uniform(1, 290), 3) for _ in range(options.seeks)]
    with sync_playwright() as play:
        browser = play.chromium.launch(
            executable_path=options.chromium,
            args=["--no-sandbox", "--autoplay-policy=no-user-gesture-required", "--disable-audio-output"],
        )
        print("chromium", browser.version)
        for name in kinds:
            page = browser.new_page()
            page.goto(f"http://127.0.0.1:{server.server_port}/")
            page.evaluate("open()")
            size = len(files[f"/all.{name}"][1])
            errors, scores = [], []
            for result in page.evaluate(f"seek('/all.{name}', {json.dumps(times)})"):
                samples = numpy.array(result["samples"], dtype=numpy.float64)
                heard = numpy.nonzero(numpy.abs(samples) > 8)[0]
                if not len(heard):
                    continue
                part = samples[heard[0] + 240 : heard[0] + 240 + RATE // 3]
                found, score = place(part, sound, result["time"])
                errors.append(((found - 240) / RATE - result["time"]) * 1000)
                scores.append(score)
            absolute = [abs(error) for error in errors]
            print(
                f"seek {name}: {size * 8 / 300 / 1000:.0f} kbit/s, {len(errors)} seeks, heard - asked: median "
                f"{percentile(errors, 0.5):.2f} ms, |p95| {percentile(absolute, 0.95):.2f} ms, max {max(absolute):.2f} ms, "
                f"correlation at least {min(scores):.2f}"
            )
            gaps = []
            for _ in range(6):
                samples = numpy.array(page.evaluate(f"pair('/one.{name}', '/two.{name}')"), dtype=numpy.float64)
                first, _ = place(sound[RATE : 2 * RATE], samples)
                second, _ = place(sound[cut + RATE : cut + 2 * RATE], samples)
                gaps.append((second - first - cut) / RATE * 1000)
            print(f"gap {name}, two elements: " + ", ".join(f"{gap:.1f}" for gap in gaps) + " ms")
            result = page.evaluate(f"scheduled(['/one.{name}', '/two.{name}'])")
            samples = numpy.array(result["samples"], dtype=numpy.float64)
            first, _ = place(sound[RATE : 2 * RATE], samples)
            second, _ = place(sound[cut + RATE : cut + 2 * RATE], samples)
            print(
                f"gap {name}, scheduled by Web Audio: {(second - first - cut) / RATE * 1000:.2f} ms, duration - asked: "
                f"{(result['durations'][0] - cut / RATE) * 1000:.2f} ms"
            )
            page.close()
        browser.close()
    server.shutdown()


if __name__ == "__main__":
    main()
