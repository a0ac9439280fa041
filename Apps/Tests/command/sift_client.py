"""Starts the real `sift` and speaks to it as a page does: for the tests of the command and for scripts/sift-kill-test."""

import http.client
import json
import os
import random
import re
import signal
import subprocess
import threading
import time
import uuid
from urllib.parse import urlsplit


def command_id(dice=random):
    """Returns a UUID of version 7."""
    value = int(time.time() * 1000) << 80 | dice.getrandbits(80)
    value = value & ~(0xF << 76) | 7 << 76
    return str(uuid.UUID(int=value & ~(0x3 << 62) | 0x2 << 62))


class Refused(Exception):
    """The server answered with a problem."""

    def __init__(self, status, problem):
        super().__init__(f"{status} {problem}")
        self.status = status
        self.problem = problem

    @property
    def code(self):
        return self.problem.get("code")


class Sift:
    """A running `sift serve`."""

    def __init__(self, program, arguments, environment=None, **options):
        self.process = subprocess.Popen(
            [program, "serve", "--no-open", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=os.environ | (environment or {}), **options)
        self.lines = []
        self.errors = []
        self.is_listening = threading.Event()
        self.readers = [
            threading.Thread(target=self._read, args=(self.process.stdout, self.lines), daemon=True),
            threading.Thread(target=self._read, args=(self.process.stderr, self.errors), daemon=True),
        ]
        for reader in self.readers:
            reader.start()
        self.connection = None
        self.cookie = None

    def _read(self, pipe, lines):
        for line in pipe:
            lines.append(line.decode(errors="replace").rstrip("\n"))
            if lines is self.lines:
                self.is_listening.set()
        if lines is self.lines:
            self.is_listening.set()

    def wait_for_link(self, seconds=30):
        """Waits until the link is printed, and takes the cookie that it gives."""
        if not self.is_listening.wait(seconds) or not self.lines:
            raise AssertionError(f"no link; {self.process.poll()} {self.errors}")
        self.link = re.search(r"http://\S+", self.lines[0]).group()
        parts = urlsplit(self.link)
        self.host, self.port = parts.hostname, parts.port
        status, headers, _ = self.request("GET", f"{parts.path}?{parts.query}")
        assert status == 303, status
        self.cookie = headers["Set-Cookie"].split(";")[0]
        return self

    def request(self, method, path, body=None):
        """Returns status, headers and body. Raises OSError or HTTPException where the server is gone."""
        if self.connection is None:
            self.connection = http.client.HTTPConnection(self.host, self.port, timeout=30)
        headers = {"Sec-Fetch-Site": "same-origin"}
        if self.cookie:
            headers["Cookie"] = self.cookie
        if body is not None:
            headers["Content-Type"] = "application/json"
            body = json.dumps(body)
        try:
            self.connection.request(method, path, body, headers)
            answer = self.connection.getresponse()
            return answer.status, answer.headers, answer.read()
        except (OSError, http.client.HTTPException):
            self.connection.close()
            self.connection = None
            raise

    def command(self, name, id=None, **fields):
        """Sends a command. Returns its answer, or raises Refused."""
        status, _, body = self.request("POST", f"/commands/{name}", {"id": id or command_id(), **fields})
        if status != 200:
            raise Refused(status, json.loads(body or b"{}"))
        return json.loads(body) if body else None

    def state(self):
        """Returns the state of all feeds, by name."""
        status, _, body = self.request("GET", "/state")
        assert status == 200, status
        return json.loads(body)["state"]

    def photo(self):
        """Returns the photo on the card, or None."""
        return self.state()["deck"].get("photo")

    def wait_for(self, condition, seconds=20, what=None):
        """Waits until a condition over the state holds, and returns the state."""
        end = time.monotonic() + seconds
        while True:
            state = self.state()
            if condition(state):
                return state
            if time.monotonic() > end:
                raise AssertionError(f"{what or 'the state'} did not come: {json.dumps(state)[:2000]}")
            time.sleep(0.02)

    def decide(self, photo, action, id=None):
        return self.command(
            "decide", id=id, photo=photo["id"], version=photo["version"], action=action,
            shown=photo.get("decision", ""))

    def end(self, how=signal.SIGTERM, seconds=30):
        """Ends Sift, and returns its exit status."""
        if self.process.poll() is None:
            self.process.send_signal(how)
        return self.wait(seconds)

    def wait(self, seconds=30):
        """Waits until Sift ends, and returns its exit status."""
        try:
            status = self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        for reader in self.readers:
            reader.join(5)
        if self.connection is not None:
            self.connection.close()
            self.connection = None
        self.process.stdout.close()
        self.process.stderr.close()
        return status
