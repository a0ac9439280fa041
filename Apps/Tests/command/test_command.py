"""The command `sift` as a process: messages, exit statuses, folders that misbehave. Needs no browser.

Run: `SIFT=path python3 -m unittest discover Apps/Tests/command`. Some tests mount a small volume and are skipped where
that is not allowed.
"""

import ctypes
import hashlib
import json
import os
import pty
import re
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from sift_client import Refused, Sift

SIFT = os.path.abspath(os.environ.get("SIFT", ".build-apps/debug/sift"))
PHOTO = Path(__file__).parent.parent / "SiftImagingTests" / "Fixtures" / "plain.jpg"


def mount(folder, size, *options):
    """Mounts a volume in memory. Skips the test where that is not allowed."""
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", ",".join([f"size={size}", *options]), "sift-test", folder],
                          capture_output=True)
    if done.returncode != 0:
        raise unittest.SkipTest("mounting a volume is not allowed here")


class Stall:
    """A file system over a folder that never answers, as a share of a server that is gone. Needs FUSE."""

    def __init__(self, folder):
        self.folder = os.fsencode(folder)

    def __enter__(self):
        library = ctypes.CDLL(None, use_errno=True)
        try:
            self.device = os.open("/dev/fuse", os.O_RDWR)
        except OSError:
            raise unittest.SkipTest("FUSE is not available here") from None
        options = f"fd={self.device},rootmode=40000,user_id=0,group_id=0".encode()
        if library.mount(b"sift-test", self.folder, b"fuse", 0, options) != 0:
            os.close(self.device)
            raise unittest.SkipTest("mounting a volume is not allowed here")
        return self

    def __exit__(self, *_):
        # Whoever waits for an answer gets an error now.
        os.close(self.device)
        subprocess.run(["umount", "--lazy", self.folder], check=True)


class CommandCase(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="sift command "))
        self.photos = self.root / "my photos"
        self.data = self.root / "data"
        self.trash = self.root / "home" / "Trash"
        self.mounts = []
        self.running = []

    def tearDown(self):
        for sift in self.running:
            if sift.process.poll() is None:
                sift.process.kill()
                sift.wait()
        for folder in reversed(self.mounts):
            subprocess.run(["umount", "--lazy", folder], check=True)
        shutil.rmtree(self.root)

    def add_photos(self, count, folder=None):
        folder = folder or self.photos
        folder.mkdir(parents=True, exist_ok=True)
        for index in range(count):
            file = folder / f"IMG_{index:04}.jpg"
            file.write_bytes(PHOTO.read_bytes() + f"{folder.name} {index}".encode())
            os.utime(file, (1_600_000_000 + index * 60,) * 2)

    def mount(self, folder, size, *options):
        mount(folder, size, *options)
        self.mounts.append(folder)

    @property
    def environment(self):
        return {"XDG_CACHE_HOME": str(self.root / "cache"), "HOME": str(self.root / "home")}

    @property
    def places(self):
        return ["--data-dir", str(self.data), "--trash", str(self.trash)]

    def sift(self, *arguments, **options):
        """Runs a command that ends by itself. Returns its status, its output and its errors."""
        done = subprocess.run([SIFT, *arguments], capture_output=True, text=True, timeout=60,
                              env=os.environ | self.environment, **options)
        return done.returncode, done.stdout, done.stderr

    def serve(self, *folders, **options):
        named = [str(folder) for folder in folders or [self.photos] if folder is not None]
        started = Sift(SIFT, [*self.places, *named], self.environment, **options)
        self.running.append(started)
        return started.wait_for_link()

    def trashed(self, folder=None):
        files = (folder or self.trash) / "files"
        return sorted(file.name for file in files.iterdir()) if files.exists() else []

    def indexed(self):
        """Returns how many photos have their hashes in the store."""
        database = sqlite3.connect(f"file:{self.data}/sift.sqlite?mode=ro", uri=True, timeout=10)
        try:
            return database.execute("SELECT COUNT(*) FROM shot WHERE hash64 IS NOT NULL").fetchone()[0]
        finally:
            database.close()

    def wait_until(self, condition, what, seconds=20):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if condition():
                return
            time.sleep(0.05)
        self.fail(f"{what} did not come")


class MessageTests(CommandCase):
    def assertRefused(self, outcome, status, *words):
        code, output, errors = outcome
        self.assertEqual((code, output), (status, ""), errors)
        self.assertTrue(errors.startswith("sift: "), errors)
        for word in words:
            self.assertIn(word, errors)

    def test_help_opens_with_examples(self):
        for arguments in (["--help"], ["serve", "--help"]):
            code, output, errors = self.sift(*arguments)
            self.assertEqual((code, errors), (0, ""))
            self.assertIn("EXAMPLES:", output)
            self.assertLess(output.index("EXAMPLES:"), output.index("USAGE:"))

    def test_a_missing_folder_is_named(self):
        missing = self.root / "nowhere"
        for command in ("serve", "scan", "restore", "export"):
            with self.subTest(command):
                self.assertRefused(self.sift(command, *self.places, str(missing)), 66, f"'{missing}'", "Check its name")
        self.assertFalse(self.data.exists(), "a wrong name leaves nothing behind")

    def test_a_wrong_command_is_not_taken_for_a_folder_in_silence(self):
        self.assertRefused(self.sift("serv", *self.places), 66, "serv'", "`sift --help` lists the commands")

    def test_without_a_folder_the_usual_one_is_named(self):
        self.assertRefused(
            self.sift("serve", *self.places), 66, "home/Pictures'", "sift serve FOLDER", "`make sift`")

    def test_the_usual_folder_is_the_desktops(self):
        settings = self.root / "home" / ".config"
        settings.mkdir(parents=True)
        (settings / "user-dirs.dirs").write_text('# desktop\nXDG_MUSIC_DIR="$HOME/Musik"\nXDG_PICTURES_DIR="$HOME/Bilder"\n')
        self.assertRefused(self.sift("scan", *self.places), 66, "home/Bilder'")
        self.add_photos(2, self.root / "home" / "Bilder")
        self.assertEqual(self.sift("scan", *self.places)[1].splitlines()[0], "added: 2")
        for text in ('XDG_PICTURES_DIR="$HOME/"', 'XDG_PICTURES_DIR=', 'XDG_PICTURES_DIR="Bilder"', "\0"):
            (settings / "user-dirs.dirs").write_text(text)
            self.assertRefused(self.sift("scan", *self.places), 66, "home/Pictures'")

    def test_a_file_is_no_folder(self):
        self.add_photos(1)
        self.assertRefused(self.sift("scan", *self.places, str(self.photos / "IMG_0000.jpg")), 66, "is a file")

    def test_wrong_usage(self):
        self.add_photos(1)
        self.assertRefused(self.sift("serve", "--port", "70000"), 64, "--port must be between 0 and 65535")
        self.assertRefused(self.sift("serve", "--colour"), 64, "--colour")
        self.assertRefused(self.sift("restore", "--last", "0", *self.places, str(self.photos)), 64, "--last")
        self.assertRefused(self.sift("serve", *self.places, str(self.photos), str(self.photos)), 64, "named twice")
        (self.photos / "inner").mkdir()
        self.assertRefused(
            self.sift("serve", *self.places, str(self.photos), str(self.photos / "inner")), 64, "inside each other")
        self.assertRefused(self.sift("scan", os.fsencode(self.root) + b"/\xff"), 64, "not UTF-8")

    def test_a_data_directory_that_is_a_file(self):
        self.add_photos(1)
        self.data.write_text("")
        self.assertRefused(self.sift("scan", *self.places, str(self.photos)), 78, f"'{self.data}' is a file")

    def test_a_data_directory_that_cannot_be_created(self):
        self.add_photos(1)
        (self.root / "file").write_text("")
        self.data = self.root / "file" / "data"
        self.assertRefused(self.sift("scan", *self.places, str(self.photos)), 73, str(self.data), "--data-dir")

    def test_damaged_data_and_settings(self):
        self.add_photos(1)
        self.data.mkdir()
        (self.data / "sift.sqlite").write_bytes(b"no database" * 100)
        self.assertRefused(self.sift("scan", *self.places, str(self.photos)), 78, str(self.data))
        (self.data / "sift.sqlite").unlink()
        (self.data / "settings.json").write_text("{")
        self.assertRefused(self.sift("scan", *self.places, str(self.photos)), 78, "settings.json", "delete it")

    def test_an_export_that_cannot_be_written(self):
        self.add_photos(3)
        self.assertEqual(self.sift("scan", *self.places, str(self.photos))[0], 0)
        with open("/dev/full", "w") as full:
            done = subprocess.run([SIFT, "export", *self.places, str(self.photos)], stdout=full, stderr=subprocess.PIPE,
                                  text=True, timeout=60, env=os.environ | self.environment)
        self.assertEqual(done.returncode, 74)
        self.assertIn("Free some space", done.stderr)

    def test_doctor_names_what_is_wrong(self):
        code, output, _ = self.sift("doctor", *self.places, str(self.root / "nowhere"))
        self.assertEqual(code, 1)
        self.assertRegex(output, r"FAIL photos in .*nowhere: There is no folder")
        self.add_photos(1)
        self.trash.parent.mkdir()
        code, output, _ = self.sift("doctor", *self.places, str(self.photos))
        self.assertEqual(code, 0, output)
        self.assertIn("ok   decoder", output)


class RunningTests(CommandCase):
    def test_one_line_and_a_clean_end(self):
        self.add_photos(2)
        for how in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(how):
                sift = self.serve()
                self.assertEqual(sift.end(how), 0)
                self.assertEqual(len(sift.lines), 1, sift.lines)
                self.assertEqual(sift.errors, [])

    def test_a_folder_without_photos_is_noted(self):
        usual = self.root / "home" / "Pictures"
        usual.mkdir(parents=True)
        for named, advice in (([], "sift serve FOLDER"), ([usual], "appear in the page")):
            sift = self.serve(*named or [None])
            self.wait_until(lambda: sift.errors, "the note")
            self.assertRegex(sift.errors[0], f"^sift: There is no photo in '{usual}' that Sift can show.")
            self.assertIn(advice, sift.errors[0])
            self.assertEqual(sift.end(), 0)
        self.add_photos(1, usual)
        sift = self.serve(None)
        self.wait_until(lambda: self.indexed() == 1, "the index")
        self.assertEqual(sift.end(), 0)
        self.assertEqual(sift.errors, [])

    def test_a_second_sift_on_the_same_data_is_told_what_to_do(self):
        self.add_photos(2)
        sift = self.serve()
        code, output, errors = self.sift("serve", *self.places, str(self.photos))
        self.assertEqual((code, output), (75, ""))
        self.assertIn(f"Another Sift uses the data in '{self.data}'", errors)
        self.assertEqual(sift.end(), 0)
        self.assertEqual(self.sift("scan", *self.places, str(self.photos))[0], 0)

    def test_a_taken_port(self):
        self.add_photos(1)
        sift = self.serve()
        other = ["--data-dir", str(self.root / "other"), "--port", str(sift.port), str(self.photos)]
        code, _, errors = self.sift("serve", *other)
        self.assertEqual(code, 75)
        self.assertIn(f"Port {sift.port}", errors)

    def test_the_browser_is_opened_with_a_page_that_only_its_owner_reads(self):
        self.add_photos(1)
        programs = self.root / "bin"
        programs.mkdir()
        (programs / "xdg-open").write_text(f'#!/bin/sh\nprintf %s "$1" > "{self.root}/opened"\n')
        (programs / "xdg-open").chmod(0o755)
        environment = os.environ | self.environment | {"DISPLAY": ":7", "PATH": f"{programs}:{os.environ['PATH']}"}
        for arguments in ([], ["--no-open"]):
            main, terminal = pty.openpty()
            process = subprocess.Popen([SIFT, "serve", *arguments, *self.places, str(self.photos)], stdout=terminal,
                                       stderr=subprocess.PIPE, env=environment)
            os.close(terminal)
            link = os.read(main, 4096).decode().strip()
            self.assertRegex(link, r"^http://127\.0\.0\.1:\d+/start\?token=[0-9a-f]{64}$")
            if arguments:
                self.assertFalse((self.root / "opened").exists())
            else:
                self.wait_until((self.root / "opened").exists, "the browser")
                page = self.data / "open.html"
                self.wait_until(lambda: (self.root / "opened").read_text() == str(page), "the page's name")
                self.assertIn(link, page.read_text())
                self.assertEqual(page.stat().st_mode & 0o777, 0o600)
                (self.root / "opened").unlink()
            process.terminate()
            self.assertEqual(process.wait(20), 0)
            process.stderr.close()
            os.close(main)

    def test_several_folders_with_data_of_their_own(self):
        self.add_photos(3)
        self.add_photos(2, self.root / "card")
        sift = self.serve(self.photos, self.root / "card")
        photo = sift.wait_for(lambda state: state["deck"].get("photo"))["deck"]["photo"]
        sift.decide(photo, "keep")
        self.assertEqual(sift.end(), 0)
        for folder, count, kept in ((self.photos, 3, 1), (self.root / "card", 2, 0)):
            code, output, _ = self.sift("export", *self.places, str(folder))
            lines = [json.loads(line) for line in output.splitlines()]
            self.assertEqual((code, len(lines)), (0, count))
            self.assertEqual(sum(line.get("decision") == "keep" for line in lines), kept)

    def test_restore_says_what_it_could_not_undo(self):
        self.add_photos(2)
        sift = self.serve()
        for _ in range(2):
            photo = sift.wait_for(lambda state: state["deck"].get("photo"))["deck"]["photo"]
            sift.decide(photo, "trash")
        self.wait_until(lambda: len(self.trashed()) == 2, "the trash")
        self.assertEqual(sift.end(), 0)
        (self.photos / "IMG_0001.jpg").write_bytes(b"another file")
        code, output, errors = self.sift("restore", "--last", "2", *self.places, str(self.photos))
        self.assertEqual(code, 1, errors)
        self.assertEqual(output, "trash undone: IMG_0000.jpg\n")
        self.assertIn("not undone: trash IMG_0001.jpg", errors)
        self.assertEqual((self.photos / "IMG_0001.jpg").read_bytes(), b"another file")
        self.assertEqual(self.trashed(), ["IMG_0001.jpg"])


class FolderTests(CommandCase):
    def test_a_folder_that_vanishes_while_it_is_served_and_comes_back(self):
        self.add_photos(4)
        sift = self.serve()
        photo = sift.wait_for(lambda state: state["deck"].get("photo"))["deck"]["photo"]
        self.photos.rename(self.root / "away")
        state = sift.wait_for(lambda state: (state["library"].get("notice") or {}).get("title") == "The folder is gone.",
                              what="the notice")
        self.assertIsNone(state["deck"].get("photo"))
        sift.decide(photo, "trash")
        self.assertEqual(self.trashed(), [])
        (self.root / "away").rename(self.photos)
        sift.wait_for(lambda state: state["deck"].get("photo"), what="the photo after the folder came back")
        sift.command("retry")
        self.wait_until(lambda: self.trashed() == ["IMG_0000.jpg"], "the trash")
        self.assertEqual(sift.end(), 0)

    def test_a_read_only_folder_can_be_looked_at_and_its_photos_stay(self):
        volume = self.root / "volume"
        self.mount(volume, "4m")
        self.photos = volume / "photos"
        self.add_photos(2)
        subprocess.run(["mount", "-o", "remount,ro", volume], check=True)
        sift = self.serve()
        state = sift.wait_for(lambda state: state["deck"].get("photo") and not not state["library"].get("notice")
                              and state["library"]["notice"]["title"] == "This folder is read-only.")
        photo = state["deck"]["photo"]
        sift.decide(photo, "trash")
        state = sift.wait_for(lambda state: state["deck"].get("error"), what="the refusal")
        self.assertTrue(state["deck"]["error"]["advice"])
        self.assertEqual(len(list(self.photos.iterdir())), 2)
        self.assertEqual(sift.end(), 0)

    def test_a_folder_on_another_volume_has_its_trash_there(self):
        volume = self.root / "volume"
        self.mount(volume, "4m")
        self.photos = volume / "photos"
        self.add_photos(1)
        before = hashlib.sha256((self.photos / "IMG_0000.jpg").read_bytes()).hexdigest()
        sift = self.serve()
        photo = sift.wait_for(lambda state: state["deck"].get("photo"))["deck"]["photo"]
        sift.decide(photo, "trash")
        there = volume / f".Trash-{os.getuid()}"
        self.wait_until(lambda: self.trashed(there) == ["IMG_0000.jpg"], "the trash of the volume")
        self.assertEqual(hashlib.sha256((there / "files" / "IMG_0000.jpg").read_bytes()).hexdigest(), before)
        self.assertEqual(self.trashed(), [])
        self.assertEqual(sift.end(), 0)

    def test_a_full_data_directory_at_the_start(self):
        self.add_photos(1)
        self.mount(self.data, "1m")
        (self.data / "ballast").write_bytes(b"x" * (1024 * 1024 - 8192))
        code, output, errors = self.sift("scan", *self.places, str(self.photos))
        self.assertEqual((code, output), (74, ""), errors)
        self.assertIn("Free some space", errors)
        (self.data / "ballast").unlink()
        self.assertEqual(self.sift("scan", *self.places, str(self.photos))[0], 0)

    def test_a_data_directory_that_fills_up_while_deciding(self):
        self.add_photos(6)
        self.mount(self.data, "4m")
        sift = self.serve()
        photo = sift.wait_for(lambda state: state["deck"].get("photo"))["deck"]["photo"]
        sift.wait_for(lambda state: not state["library"].get("notice"))
        ballast = open(self.data / "ballast", "wb", buffering=0)
        try:
            while True:
                ballast.write(b"x" * 4096)
        except OSError:
            ballast.close()
        refused = None
        for _ in range(500):  # the log has room for some decisions
            try:
                sift.command("rate", photo=photo["id"], version=photo["version"], rating="3")
            except Refused as problem:
                refused = problem
                break
        self.assertIsNotNone(refused)
        self.assertEqual(refused.code, "notSaved")
        self.assertIn("Free some space", refused.problem["detail"])
        (self.data / "ballast").unlink()
        sift.decide(photo, "trash")
        self.wait_until(lambda: self.trashed() == ["IMG_0000.jpg"], "the trash")
        self.assertEqual(sift.end(), 0)

    def test_a_data_directory_that_is_full_while_photos_are_indexed(self):
        """The store of the engine may be the first to find the volume full. Sift goes on, and indexes later."""
        self.add_photos(60)
        self.mount(self.data, "4m")
        sift = self.serve()
        self.wait_until(lambda: self.indexed() > 0, "the first indexed photo")
        ballast = open(self.data / "ballast", "wb", buffering=0)
        try:
            while True:
                ballast.write(b"x" * 4096)
        except OSError:
            ballast.close()
        self.wait_until(lambda: any("cannot be indexed" in line for line in sift.errors), "the failure")
        photo = sift.wait_for(lambda state: state["deck"].get("photo"))["deck"]["photo"]
        (self.data / "ballast").unlink()
        sift.decide(photo, "trash")
        self.wait_until(lambda: self.trashed() == ["IMG_0000.jpg"], "the trash")
        self.wait_until(lambda: self.indexed() >= 59, "the index", seconds=120)
        self.assertEqual(sift.end(), 0)

    def test_a_folder_that_does_not_answer_at_the_start(self):
        self.photos.mkdir()
        with Stall(self.photos):
            code, output, errors = self.sift("serve", *self.places, str(self.photos))
        self.assertEqual((code, output), (66, ""), errors)
        self.assertIn(f"folder '{self.photos}' does not answer", errors)

    def test_a_folder_that_does_not_answer_while_it_is_served(self):
        self.add_photos(3)
        sift = self.serve()
        photo = sift.wait_for(lambda state: state["deck"].get("photo"))["deck"]["photo"]
        inside = os.open(self.photos, os.O_RDONLY)
        with Stall(self.photos):
            # The folder below the stalled one reports a change, so Sift scans.
            os.close(os.open("note.txt", os.O_CREAT | os.O_WRONLY, dir_fd=inside))
            state = sift.wait_for(
                lambda state: (state["library"].get("notice") or {}).get("title") == "The folder does not answer.",
                seconds=60, what="the notice")
            self.assertIsNotNone(state["deck"].get("photo"), "the card stays")
            began = time.monotonic()
            sift.decide(photo, "trash")
            sift.wait_for(lambda state: state["deck"]["photo"]["name"] == "IMG_0001.jpg")
            self.assertLess(time.monotonic() - began, 5, "deciding does not wait for the folder")
        os.close(inside)
        self.wait_until(lambda: self.trashed() == ["IMG_0000.jpg"], "the trash", seconds=60)
        sift.wait_for(lambda state: not state["library"].get("notice"), seconds=60, what="the end of the notice")
        self.assertEqual(sift.end(), 0)

    def test_sift_ends_while_a_folder_does_not_answer(self):
        self.add_photos(3)
        sift = self.serve()
        photo = sift.wait_for(lambda state: state["deck"].get("photo"))["deck"]["photo"]
        with Stall(self.photos):
            sift.decide(photo, "trash")
            self.assertEqual(sift.end(signal.SIGINT), 0)
        sift = self.serve()
        self.wait_until(lambda: self.trashed() == ["IMG_0000.jpg"], "the trash")
        self.assertEqual(sift.end(), 0)

    def test_two_sifts_with_different_data_on_one_folder_lose_nothing(self):
        self.add_photos(6)
        first = self.serve()
        self.data = self.root / "other data"
        second = self.serve()
        photos = [sift.wait_for(lambda state: state["deck"].get("photo"))["deck"]["photo"] for sift in (first, second)]
        self.assertEqual(photos[0]["name"], photos[1]["name"])
        first.decide(photos[0], "trash")
        try:
            second.decide(photos[1], "trash")
        except Refused as problem:
            self.assertIn(problem.code, ("photoGone", "photoChanged"))
        self.wait_until(lambda: self.trashed() == ["IMG_0000.jpg"], "the trash")
        for sift in (first, second):
            sift.wait_for(lambda state: state["deck"]["photo"]["name"] == "IMG_0001.jpg")
        # A decision that was refused meanwhile is no longer there to undo.
        undo = second.state()["deck"].get("undo")
        if undo:
            try:
                second.command("undo", decision=undo["decision"])
            except Refused as problem:
                self.assertIn(problem.code, ("nothingToUndo", "photoGone", "photoChanged"))
        for sift in (first, second):
            self.assertEqual(sift.end(), 0)
        # Only the Sift that moved the photo can bring it back. Which of the two moved it is a matter of luck.
        places = sorted(photo.name for photo in self.photos.iterdir()) + self.trashed()
        self.assertEqual(sorted(places), [f"IMG_{number:04}.jpg" for number in range(6)])


if __name__ == "__main__":
    unittest.main()
