"""The command `lectern` as a process: messages, exit statuses, and files to hand out. Needs espeak-ng, but no browser.

Run: `LECTERN=path python3 -m unittest test_lectern` in Apps/Tests/command.
"""

import json
import os
import pty
import shutil
import signal
import subprocess
import tempfile
import time
import unittest
import zipfile
from pathlib import Path

LECTERN = os.path.abspath(os.environ.get("LECTERN", ".build-apps/debug/lectern"))
OGG = b"OggS"

RUTH = """Ru1:1 Now it came to pass in the days when the judges ruled, that there was a famine in the land.
Ru1:2 And the name of the man was Elimelech, and the name of his wife Naomi.
Ru2:1 And Naomi had a kinsman of her husband's, a mighty man of wealth.
Jud1:1 Jude, the servant of Jesus Christ, and brother of James.
"""


def long_book(verses):
    """Returns lines of a book whose verses all differ, so that none shares its audio with another."""
    return "".join(
        f"Ge1:{number} In verse {number} there were {number * 7} sheep, {number * 11} goats and {number * 13} camels, "
        f"and they went up from the river to the hill, and rested there for {number * 3} days.\n"
        for number in range(1, verses + 1))


class LecternCase(unittest.TestCase):
    def setUp(self):
        self.root = Path(tempfile.mkdtemp(prefix="lectern command "))
        self.data = self.root / "data"
        self.addCleanup(shutil.rmtree, self.root)

    @property
    def environment(self):
        return os.environ | {"HOME": str(self.root / "home")}

    def lectern(self, *arguments, timeout=120, environment=None):
        """Runs a command that ends by itself. Returns its status, its output and its errors."""
        done = subprocess.run(
            [LECTERN, arguments[0], "--data-dir", str(self.data), *map(str, arguments[1:])], capture_output=True,
            text=True, timeout=timeout, env=environment or self.environment, cwd=self.root)
        return done.returncode, done.stdout, done.stderr

    def begin(self, *arguments, **options):
        process = subprocess.Popen(
            [LECTERN, arguments[0], "--data-dir", str(self.data), *map(str, arguments[1:])],
            stdout=subprocess.PIPE, stderr=options.pop("stderr", subprocess.PIPE), text=True, env=self.environment,
            cwd=self.root, **options)

        def end():
            process.kill()
            process.communicate()

        self.addCleanup(end)
        return process

    def add_text(self, lines=RUTH, id="verses"):
        file = self.root / f"{id}.txt"
        file.write_text(lines)
        status, output, errors = self.lectern("import", "--id", id, "--title", "Some Verses", file)
        self.assertEqual((status, errors), (0, ""), output)

    def audio(self):
        """Returns the files of audio that are kept, with numbers that change when a file is written again."""
        files = (self.data / "audio" / "downloads").rglob("*")
        return {str(file): file.stat().st_ino for file in files if file.is_file() and not file.name.startswith(".")}


class Narrating(LecternCase):
    def test_a_chapter_a_book_and_a_text_are_narrated_and_kept(self):
        self.add_text()
        status, output, errors = self.lectern("narrate", "Ruth", "1")
        self.assertEqual(status, 0, errors)
        self.assertRegex(output, r"^Ruth 1 \(Some Verses\): 1 chapter, 0:\d\d of audio\n$")
        self.assertEqual(len(self.audio()), 2)
        status, output, errors = self.lectern("narrate", "verses")
        self.assertEqual(status, 0, errors)
        self.assertRegex(output, r"^Some Verses: 3 chapters, 0:\d\d of audio\n$")
        self.assertEqual(len(self.audio()), 4)
        # What is ready is not made again.
        before = self.audio()
        self.assertEqual(self.lectern("narrate", "verses")[0], 0)
        self.assertEqual(self.audio(), before)
        self.assertEqual(self.lectern("narrate", "verses", "--release")[1], "Some Verses: released\n")
        self.assertEqual(self.audio(), {})

    def test_it_goes_on_after_a_kill(self):
        self.add_text(long_book(120), "sheep")
        process = self.begin("narrate", "sheep")
        deadline = time.monotonic() + 60
        while len(self.audio()) < 10:
            self.assertIsNone(process.poll(), "it ended before it was killed")
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.005)
        process.send_signal(signal.SIGKILL)
        process.wait(30)
        kept = self.audio()
        self.assertLess(len(kept), 120)
        status, output, errors = self.lectern("narrate", "sheep")
        self.assertEqual(status, 0, errors)
        after = self.audio()
        self.assertEqual(len(after), 120)
        # No verse that was ready is made again.
        self.assertEqual({file: after.get(file) for file in kept}, kept)

    def test_a_signal_ends_it_and_the_same_command_goes_on(self):
        self.add_text(long_book(120), "sheep")
        for number, wanted in [(signal.SIGINT, 130), (signal.SIGTERM, 143)]:
            process = self.begin("narrate", "sheep")
            deadline = time.monotonic() + 60
            before = len(self.audio())
            while len(self.audio()) < before + 5 and process.poll() is None:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.005)
            process.send_signal(number)
            self.assertEqual(process.wait(30), wanted)
        self.assertEqual(self.lectern("narrate", "sheep")[0], 0)
        self.assertEqual(len(self.audio()), 120)

    def test_progress_is_a_line_on_a_terminal_and_plain_lines_in_a_pipe(self):
        self.add_text()
        main, side = pty.openpty()
        process = self.begin("narrate", "verses", stderr=side)
        os.close(side)
        shown = b""
        while True:
            try:
                part = os.read(main, 4096)
            except OSError:
                break
            if not part:
                break
            shown += part
        os.close(main)
        self.assertEqual(process.wait(30), 0)
        self.assertIn(b"\r\x1b[K[", shown)
        self.assertIn(b"4 of 4 verses", shown)
        status, _, errors = self.lectern("narrate", "verses")
        self.assertEqual(status, 0)
        self.assertNotIn("\x1b", errors)
        self.assertRegex(errors, r"^4 of 4 verses, 3 of 3 chapters, 0:\d\d of audio\n$")

    def test_faults_have_their_status_and_say_what_to_do(self):
        self.add_text()
        for arguments, wanted, message in [
            (["narrate"], 64, "Name a text, a book or a chapter"),
            (["narrate", "Ruth", "9"], 66, "The nearest is"),
            (["narrate", "nothing of this kind"], 66, "Name a book or a chapter"),
            (["narrate", "Ruth", "--in", "none"], 66, "There is no text"),
            (["narrate", "Ruth", "--voice", "espeak-ng/klingon-x"], 69, "There is no voice"),
            (["export", "Ruth", "-o", "ruth.pdf"], 64, ".epub, .zip (audio) or .txt"),
            (["export", "-o", "ruth.epub"], 64, "Name the text"),
            (["export", "Ruth", "-o", "no folder/ruth.epub"], 73, "Choose another file"),
            (["export", "Ruth", "--notes", "-o", "notes.md"], 64, "exclude each other"),
        ]:
            with self.subTest(arguments=arguments):
                status, output, errors = self.lectern(*arguments)
                self.assertEqual((status, output), (wanted, ""), errors)
                self.assertIn(message, errors)
                self.assertTrue(errors.startswith("lectern: "), errors)

    def test_a_missing_voice_is_named(self):
        self.add_text()
        status, _, errors = self.lectern(
            "narrate", "verses", environment=self.environment | {"PATH": str(self.root)})
        self.assertEqual(status, 69, errors)
        self.assertIn("espeak-ng", errors)


class HandingOut(LecternCase):
    def test_each_form_is_written_by_the_name_of_the_file(self):
        self.add_text()
        status, output, errors = self.lectern("export", "Ruth", "-o", "ruth.epub")
        self.assertEqual(status, 0, errors)
        self.assertRegex(output, r"^ruth.epub: Ruth \(Some Verses\), 2 chapters, 0:\d\d of audio\n$")
        with zipfile.ZipFile(self.root / "ruth.epub") as book:
            self.assertEqual(book.infolist()[0].filename, "mimetype")
            names = book.namelist()
            self.assertIn("EPUB/overlays/Ruth-1.smil", names)
            self.assertTrue(book.read("EPUB/audio/Ruth-1.opus").startswith(OGG))
        self.assertEqual(self.lectern("export", "Ruth", "--silent", "-o", "silent.epub")[0], 0)
        with zipfile.ZipFile(self.root / "silent.epub") as book:
            self.assertFalse([name for name in book.namelist() if "audio" in name])
        self.assertEqual(self.lectern("export", "verses", "-o", "all.zip")[0], 0)
        with zipfile.ZipFile(self.root / "all.zip") as archive:
            self.assertEqual(
                sorted(archive.namelist()),
                ["1-Ruth.chapters.vtt", "1-Ruth.opus", "1-Ruth.vtt", "2-Jude.chapters.vtt", "2-Jude.opus",
                 "2-Jude.vtt"])
            self.assertIn("Ruth.1.1\n00:00:00.000 --> ", archive.read("1-Ruth.vtt").decode())
        self.assertEqual(self.lectern("export", "Ruth 2", "-o", "ruth2.txt")[0], 0)
        self.assertEqual(
            (self.root / "ruth2.txt").read_text(),
            "Ruth 2\n\n1 And Naomi had a kinsman of her husband's, a mighty man of wealth.\n")
        self.assertFalse([file for file in self.root.iterdir() if file.name.endswith(".parts")])

    def test_a_failed_export_leaves_the_earlier_file(self):
        self.add_text()
        (self.root / "ruth.epub").write_text("earlier")
        status, _, errors = self.lectern(
            "export", "Ruth", "-o", "ruth.epub", environment=self.environment | {"PATH": str(self.root)})
        self.assertEqual(status, 69, errors)
        self.assertEqual((self.root / "ruth.epub").read_text(), "earlier")

    def test_notes_are_markdown_and_json(self):
        self.add_text()
        self.assertEqual(self.lectern("export", "--notes", "-o", "notes.md")[0], 0)
        self.assertEqual(self.lectern("export", "--notes", "-o", "notes.json")[0], 0)
        self.assertEqual(json.loads((self.root / "notes.json").read_text()), [])
        self.assertEqual(self.lectern("export", "-o", "lectern.json")[0], 0)
        self.assertTrue(json.loads((self.root / "lectern.json").read_text()))


if __name__ == "__main__":
    unittest.main()
