"""A small stand-in for Sift's server: the real templates, scripts and styles with sample photos and decisions.

It is not shipped. It lets the browser side be looked at and tested without the program.
"""

import copy
import json
import mimetypes
import queue
import socket
import sys
import threading
import time
import urllib.parse
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

from mustache import Templates

SOURCES = Path(__file__).resolve().parents[2] / "Sources"
ASSETS = [SOURCES / "HablareWeb" / "Assets", SOURCES / "SiftWeb" / "Assets"]
POLICY = "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

ACTIONS = {"trash": "Trash", "favourite": "Favourite", "keep": "Keep"}
DONE = {"trash": "Trashed", "favourite": "Marked as favourite", "keep": "Kept"}
DIRECTIONS = [("left", "trash", "←", "Left"), ("up", "keep", "↑", "Up"), ("right", "favourite", "→", "Right")]
BINDINGS = [
    ("left", "Left", ["ArrowLeft"], ["card"]),
    ("up", "Up", ["ArrowUp"], ["card"]),
    ("right", "Right", ["ArrowRight"], ["card"]),
    ("trash", "Trash", ["X"], ["card", "compare"]),
    ("favourite", "Favourite", ["P"], ["card", "compare"]),
    ("keep", "Keep", ["K"], ["card", "compare"]),
    ("undo", "Undo", ["U", "Ctrl+Z"], ["card", "compare"]),
    ("redo", "Redo", ["R", "Ctrl+Shift+Z"], ["card", "compare"]),
    ("zoom", "Full size", ["Z"], ["card", "compare", "zoom"]),
    ("compare", "Compare the burst", ["C"], ["card", "compare"]),
    ("settle", "Keep this, trash the rest", ["G"], ["card"]),
    ("close", "Close", ["Escape"], ["compare", "zoom"]),
    ("pan-left", "Move the view left", ["ArrowLeft"], ["compare", "zoom"]),
    ("pan-right", "Move the view right", ["ArrowRight"], ["compare", "zoom"]),
    ("pan-up", "Move the view up", ["ArrowUp"], ["compare", "zoom"]),
    ("pan-down", "Move the view down", ["ArrowDown"], ["compare", "zoom"]),
    *((f"rate-{stars}", f"Stars: {stars}", [str(stars)], ["card"]) for stars in range(6)),
    *((f"label-{name}", f"{name} label", [str(place + 6)], ["card"]) for place, name in
      enumerate(["Red", "Yellow", "Green", "Blue"])),
    *((f"mark-{place}", f"Mark photo {place} of the comparison", [str(place)], ["compare"]) for place in range(1, 5)),
    ("help", "Show the keys", ["?"], ["card"]),
]
LABELS = ["Red", "Yellow", "Green", "Blue", "Purple"]
ARROWS = {"ArrowLeft": "←", "ArrowRight": "→", "ArrowUp": "↑", "ArrowDown": "↓", "Escape": "Esc"}


class Sample:
    """The state of a library in memory. `scenario` changes what pages show."""

    def __init__(self, photos):
        self.photos = photos
        self.lock = threading.RLock()
        self.reset()

    def reset(self, scenario="full", theme="auto", total=3412, offset=126):
        with self.lock:
            self.scenario, self.theme, self.total, self.offset = scenario, theme, total, offset
            self.epoch, self.revision = str(uuid.uuid4()), 1
            self.decisions, self.undone, self.answers, self.readers = [], [], {}, []
            self.bindings = copy.deepcopy(BINDINGS)
            self.mapping = {direction: action for direction, action, _, _ in DIRECTIONS}
            self.ratings = {}
            self.labels = {}
            self.selection = None
            self.libraries = ["Pictures"]
            self.open_library = 0
            self.delay = 0.0
            self.missing = 0
            self.refuse_next = None

    # The parts of the state.

    def photo(self, index):
        file = self.photos[index % len(self.photos)]
        width, height = file["size"]
        scale = min(1, 2048 / max(width, height))
        return {
            "id": f"p{index}", "version": f"v{index}", "name": file["name"], "alt": f"Photo {file['name']}",
            "source": f"/media/p{index}/v{index}/screen", "half": f"/media/p{index}/v{index}/screen", "first": f"/media/p{index}/v{index}/thumbnail", "thumb": f"/media/p{index}/v{index}/thumbnail",
            "full": f"/media/p{index}/v{index}/full", "page": f"/photo/p{index}",
            "width": round(width * scale), "height": round(height * scale),
            "fullWidth": width, "fullHeight": height,
            "details": f"12 May 2024, 14:{index % 60:02} · Fujifilm X-T4 · {width} × {height}",
            "badges": [{"text": "RAW + JPEG"}] if index % 3 == 0 else [],
            "stars": [{"number": star, "value": "0" if star == self.ratings.get(index) else str(star),
                       "label": f"{star} star" + ("s" if star > 1 else ""),
                       "pressed": "true" if star == self.ratings.get(index) else "false",
                       "isSet": star <= self.ratings.get(index, 0)} for star in range(1, 6)],
            "colour": self.labels.get(index, ""),
            "labels": [{"name": name, "value": "" if name == self.labels.get(index) else name,
                        "label": f"{name} label",
                        "pressed": "true" if name == self.labels.get(index) else "false"} for name in LABELS],
            "zoomLabel": f"Zoom into {file['name']}",
            "announcement": f"{file['name']}, {index + 1} of {self.total}",
        }

    def undecided(self):
        gone = {each["index"] for each in self.decisions}
        return [index for index in range(len(self.photos)) if index not in gone]

    def state(self):
        with self.lock:
            rest = self.undecided()
            shows_photo = self.scenario in ("full", "broken", "error", "readonly", "busy") and rest
            directions = [
                {"direction": direction, "action": self.mapping[direction], "name": ACTIONS[self.mapping[direction]],
                 "keyLabel": arrow, "arrow": arrow, "directionName": name,
                 "choices": [{"value": value, "text": text, "isChosen": value == self.mapping[direction]}
                             for value, text in ACTIONS.items()]}
                for direction, _, arrow, name in DIRECTIONS]
            deck = {"directions": directions, "undoLabel": "Nothing to undo", "redoLabel": "Nothing to redo"}
            if self.decisions:
                last = self.decisions[-1]
                text = f"{ACTIONS[last['action']]} {last['name']}"
                deck |= {"undo": {"decision": last["id"], "text": text}, "undoLabel": f"Undo: {text}"}
            if self.undone:
                text = f"{ACTIONS[self.undone[-1]['action']]} {self.undone[-1]['name']}"
                deck |= {"redo": {"decision": self.undone[-1]["id"], "text": text}, "redoLabel": f"Redo: {text}"}
            if self.selection is not None:
                deck["selection"] = {"text": "Only: Fujifilm X-T4 · 3 stars or more", "page": f"/library?{self.selection}"}
            if shows_photo:
                deck["photo"] = self.photo(rest[0])
                deck["ahead"] = [self.photo(index) for index in rest[1:6]]
                if self.scenario == "broken":
                    deck["photo"]["broken"] = {
                        "title": "This photo cannot be shown",
                        "advice": "The file ends too early. You can still decide it. Open it in another program first "
                                  "if you want to keep it."}
                if rest[0] in range(4) and self.scenario in ("full", "busy"):
                    deck["burst"] = {
                        "id": "b1", "label": "4 shots in 3 seconds", "comparePage": "/compare?photos=p0,p1,p2,p3",
                        "items": [{"id": f"p{index}", "source": f"/media/p{index}/v{index}/thumbnail",
                                   "label": f"Show {self.photos[index]['name']}" + (", sharpest" if index == 2 else ""),
                                   "current": "true" if index == rest[0] else "false",
                                   "decision": self.decision_of(index), "isSharpest": index == 2}
                                  for index in range(4)]}
            elif self.scenario == "empty":
                deck["message"] = {"title": "No photos here yet", "advice": "Sift found no JPEG, PNG, WebP or HEIC file in "
                                   "Pictures. Add photos to the folder. They appear here by themselves."}
            elif self.scenario == "gone":
                deck["message"] = {"title": "The folder is gone", "advice": "Sift cannot find Pictures. Connect its drive "
                                   "or move the folder back. Your decisions are safe and wait for it."}
            else:
                deck["message"] = {"title": "All photos are decided", "advice": "Well done. Trashed photos stay in your "
                                   "desktop’s trash until you empty it.", "link": "/history", "linkText": "See the history"}
            if self.scenario == "error":
                deck["error"] = {"title": "3 decisions could not be written.", "advice": "The disk is full. Free some "
                                 "space, then try again. Nothing is lost.", "canRetry": True}
            decided = self.offset + len(self.decisions)
            empty = self.scenario in ("empty", "gone")
            session = {"decided": 0 if empty else decided, "total": 0 if empty else self.total,
                       "share": f"{decided / self.total:.4f}", "countText": "" if empty else f"{decided} of {self.total:,}",
                       "percentText": "" if empty else f"{100 * decided // self.total} %",
                       "rateText": "38 a minute", "estimateText": "about 1 h 25 min left"}
            pending = len(self.decisions) if self.scenario != "error" else 3
            wait = f"{pending} {'decision' if pending == 1 else 'decisions'} waiting"
            queue_state = {"pending": pending, "pendingText": str(pending), "isWaiting": pending > 0,
                           "isBusy": self.scenario == "busy", "failed": self.scenario == "error",
                           "text": "3 decisions failed" if self.scenario == "error" else
                           "Writing 7 decisions" if self.scenario == "busy" else wait if pending else "All decisions are written"}
            library = {"name": self.libraries[self.open_library], "isOneOfSeveral": len(self.libraries) > 1, "foundText": "Sift found 3,412 photos in Pictures."}
            if self.scenario == "readonly":
                library["notice"] = {"title": "This folder is read-only.", "advice": "You can decide and mark favourites. "
                                     "Sift cannot trash photos until the folder can be written."}
            settings = {
                "theme": self.theme, "bindings": [
                    {"action": action, "label": label, "keys": keys, "contexts": contexts,
                     "keysText": " or ".join(ARROWS.get(key, key) for key in keys) or "None",
                     "keysLabel": f"{label}: {' or '.join(keys)}. Change",
                     "keyLabels": [ARROWS.get(key, key) for key in keys]}
                    for action, label, keys, contexts in self.bindings],
                "themes": [{"value": value, "text": text, "isChosen": value == self.theme} for value, text in
                           [("auto", "Automatic"), ("light", "Light"), ("dark", "Dark"), ("sepia", "Sepia"),
                            ("contrast", "High contrast")]],
                "writesSidecars": False,
                "commitModes": [
                    {"value": "automatic", "text": "By itself", "isChosen": True,
                     "note": "After 10 decisions, or half a second after the last one. Undo works afterwards, too."},
                    {"value": "review", "text": "After a review", "isChosen": False,
                     "note": "Decisions wait until you have seen them together."}]}
            groups = []
            for action, title in (("trash", "Trash"), ("favourite", "Favourite"), ("keep", "Keep")):
                items = [{"decision": each["id"], "name": each["name"], "alt": each["name"],
                          "source": f"/media/p{each['index']}/v{each['index']}/thumbnail",
                          "undoLabel": f"Take back {ACTIONS[action].lower()} of {each['name']}"}
                         for each in self.decisions if each["action"] == action]
                if items:
                    count = f"{len(items)} photo" + ("" if len(items) == 1 else "s")
                    groups.append({"action": action, "title": f"{title} · {count}", "items": items})
            review = {"groups": groups, "commitText": f"Write {pending} decisions",
                      "lead": "Nothing has been moved yet. Look once more, then write." if groups
                      else "No decisions are waiting."}
            return {"deck": deck, "session": session, "queue": queue_state, "library": library,
                    "settings": settings, "review": review}

    def decision_of(self, index):
        return next((each["action"] for each in self.decisions if each["index"] == index), "")

    def message(self):
        with self.lock:
            return {"epoch": self.epoch, "revision": self.revision, "state": self.state()}

    def changed(self):
        with self.lock:
            self.revision += 1
            for reader in self.readers:
                reader.put(self.message())

    # Commands.

    def command(self, name, body):
        with self.lock:
            if body["id"] in self.answers:
                return self.answers[body["id"]]
            if self.refuse_next is not None:
                answer, self.refuse_next = self.refuse_next, None
                return answer
            answer = (200, getattr(self, "do_" + name, lambda body: {})(body) or {})
            self.answers[body["id"]] = answer
            self.changed()
            return answer

    def do_decide(self, body):
        index = int(body["photo"][1:])
        self.decisions.append({"id": f"d{len(self.answers)}", "index": index, "action": body["action"],
                               "name": self.photos[index % len(self.photos)]["name"], "command": body["id"]})
        self.undone.clear()
        return {"action": body["action"]}

    def do_rate(self, body):
        self.ratings[int(body["photo"][1:])] = int(body["rating"])

    def do_label(self, body):
        self.labels[int(body["photo"][1:])] = body["label"]

    def do_select(self, body):
        self.selection = body["query"] or None

    def do_openLibrary(self, body):
        self.open_library = int(body["library"])

    def do_trashMarked(self, body):
        for place, each in enumerate(body.get("photos", [])):
            self.do_decide({"id": f"{body['id']}{place}", "photo": each.split("/")[0], "action": "trash"})

    def do_undo(self, body):
        found = [each for each in self.decisions if each["id"] == body["decision"]]
        for each in found:
            self.decisions.remove(each)
            self.undone.append(each)

    def do_redo(self, body):
        if self.undone:
            self.decisions.append(self.undone.pop())

    def do_settle(self, body):
        for index in range(4):
            if index in self.undecided():
                action = "keep" if f"p{index}" == body["photo"] else "trash"
                self.do_decide({"id": f"{body['id']}{index}", "photo": f"p{index}", "action": action})

    def do_setKey(self, body):
        self.bindings = [
            (action, label, ([body["key"]] if action == body["action"] else [key for key in keys if key != body["key"]]),
             contexts) for action, label, keys, contexts in self.bindings]

    def do_settings(self, body):
        self.theme = body.get("theme", self.theme)
        for direction in self.mapping:
            self.mapping[direction] = body.get(direction, self.mapping[direction])

    do_start = do_settings

    # Pages.

    def page(self, name, query):
        page = {"epoch": self.epoch, "pages": {name: True}, "ids": {}, "commandID": str(uuid.uuid4())}
        if name == "compare":
            indexes = [int(each[1:]) for each in query.get("photos", ["p0,p1"])[0].split(",")]
            panes = []
            for place, index in enumerate(indexes):
                photo = self.photo(index)
                panes.append(photo | {
                    "isMarked": place == 0, "label": f"{photo['name']}, photo {place + 1} of {len(indexes)}",
                    "note": "Sharpest of the burst" if index == 2 else "", "decision": self.decision_of(index),
                    "decisionText": DONE.get(self.decision_of(index), ""),
                    "actions": [{"action": action, "label": f"{text} {photo['name']}"} for action, text in sorted(ACTIONS.items(), key=lambda each: "trash keep favourite".index(each[0]))]})
            page["compare"] = {"count": len(panes), "panes": panes}
        if name == "history":
            entries = []
            for index in range(9):
                action = list(ACTIONS)[index % 3]
                photo = self.photo(index + 4)
                photo["thumb"] = None if action == "trash" else photo["thumb"]
                can = action == "trash" and index != 3 or action == "favourite"
                entries.append({
                    "source": photo["thumb"], "name": photo["name"], "action": action, "actionText": DONE[action].split()[0],
                    "note": f"{21 - index % 3}:{40 - index:02} · Holiday/Day {index % 3 + 1}", "decision": f"d{index}",
                    "canRestore": can, "restoreText": ("Restore" if action == "trash" else "Take back") if can else
                    "No longer in the trash" if action == "trash" else "", "restoreLabel": f"Restore {photo['name']}"})
                if action == "favourite":
                    entries[-1]["actionText"] = "Favourite"
                if index == 5:
                    entries[-1] |= {"canRestore": False, "restoreText": "Taken back", "canRedo": True,
                                    "redoText": "Do again", "redoLabel": f"Do again: kept {photo['name']}"}
            full = self.scenario != "empty"
            page["history"] = {
                "isEmpty": not full, "days": [{"title": "Today", "entries": entries[:5]},
                                              {"title": "Yesterday", "entries": entries[5:]}] if full else [],
                "filters": [{"text": text, "link": "/history", "isChosen": text == "All"}
                            for text in ("All", "Trashed", "Favourites", "Kept")]}
        if name == "photo":
            page["photo"] = self.photo(0)
        if name == "library":
            full = self.scenario != "empty"
            tiles = []
            for index in range(24 if full else 0):
                decision = [*ACTIONS, "", "", "", ""][index % 7]
                stars = (index * 3) % 6
                tiles.append(self.photo(index) | {
                    "source": None if index == 5 else f"/media/p{index}/v{index}/thumbnail", "decision": decision,
                    "decisionText": DONE.get(decision, "").split(" ")[0], "stars": "★" * stars,
                    "colour": LABELS[index % 5] if index % 4 == 1 else "",
                    "showLabel": f"Show {self.photo(index)['name']}"})
            page["list"] = {
                "countText": "3,412 photos" if full else "0 photos", "isEmpty": not full, "tiles": tiles, "query": "stars=1",
                "shows": [{"text": text, "link": "/library", "isChosen": text == "All"}
                          for text in ("All", "Undecided", "Kept", "Favourites", "In the trash")],
                "cameras": [{"value": each, "text": each, "isChosen": False} for each in ("Fujifilm X-T4", "Pixel 8")],
                "stars": [{"value": str(each), "text": f"{each} stars or more", "isChosen": False} for each in (1, 2, 3)],
                "labels": [{"value": each, "text": each, "isChosen": False} for each in LABELS],
                "isFiltered": not full, "plain": "/library", "more": "/library" if full else None,
                "sortText": "Sort these 212 undecided photos" if full else None}
        if name == "alike":
            full = self.scenario != "empty"
            groups = []
            for first, count, title in ((0, 4, "Burst · 4 photos"), (8, 2, "Look alike · 2 photos")) if full else ():
                tiles = [self.photo(index) | {
                    "source": f"/media/p{index}/v{index}/thumbnail", "value": f"p{index}/v{index}",
                    "markLabel": f"Mark {self.photo(index)['name']}", "isSharpest": index == 2,
                    "sharpness": "Sharpest" if index == 2 else "Softer" if index == 3 else None}
                    for index in range(first, first + count) if index in self.undecided()]
                if len(tiles) > 1:
                    groups.append({"title": title, "note": "12 May 2024, 14:01", "tiles": tiles,
                                   "compare": "/compare?photos=" + ",".join(each["id"] for each in tiles)})
            page["alike"] = {
                "groups": groups, "isEmpty": not groups,
                "lead": f"{len(groups)} groups. Sift marks nothing by itself: mark the photos that shall go." if groups
                else "Sift has found no undecided photos that are alike. It goes on looking while new photos come in."}
        if name == "libraries":
            page["libraries"] = [{"place": place, "name": each, "note": "3,412 photos", "isOpen": place == self.open_library,
                                  "openLabel": f"Open {each}"} for place, each in enumerate(self.libraries)]
        return self.templates().render(name, self.state() | page)

    @staticmethod
    def templates():
        texts = {str(file.relative_to(root).with_suffix("")): file.read_text()
                 for root in ASSETS for file in root.rglob("*.mustache")}
        return Templates(texts, lambda path: f"/assets/sample/{path}")


def handler(sample):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def send(self, status, body, kind, **headers):
            self.send_response(status)
            for name, value in {"Content-Type": kind, "Content-Length": str(len(body)), "Cache-Control": "no-store",
                                "Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            url = urllib.parse.urlsplit(self.path)
            parts = url.path.strip("/").split("/")
            pages = {"": "deck", "review": "review", "history": "history", "settings": "settings", "compare": "compare",
                     "welcome": "welcome", "photo": "photo", "library": "library", "alike": "alike",
                     "libraries": "libraries"}
            if parts[0] == "assets":
                for root in ASSETS:
                    file = root.joinpath(*parts[2:])
                    if file.is_file():
                        return self.send(200, file.read_bytes(), mimetypes.guess_type(file.name)[0] or "text/plain")
            elif parts[0] == "media":
                photo = sample.photos[int(parts[1][1:]) % len(sample.photos)]
                if sample.missing > 0 and parts[3] == "screen":
                    sample.missing -= 1
                    return self.send(404, b"not yet", "text/plain")
                return self.send(200, Path(photo["files"][parts[3]]).read_bytes(), "image/jpeg",
                                 **{"Cache-Control": "max-age=31536000, immutable"})
            elif parts[0] == "state":
                return self.send(200, json.dumps(sample.message()).encode(), "application/json")
            elif parts[0] == "events":
                return self.events()
            elif parts[0] in pages:
                page = sample.page(pages[parts[0]], urllib.parse.parse_qs(url.query))
                return self.send(200, page.encode(), "text/html; charset=utf-8")
            self.send(404, b"not found", "text/plain")

        def events(self):
            reader = queue.Queue()
            with sample.lock:
                reader.put(sample.message())
                sample.readers.append(reader)
            self.send_response(200)
            self.send_header("Content-Type", "text/event-stream")
            self.send_header("Cache-Control", "no-store")
            self.send_header("Connection", "close")
            self.end_headers()
            try:
                while not self.server.ends:
                    try:
                        self.wfile.write(f"event: state\ndata: {json.dumps(reader.get(timeout=0.2))}\n\n".encode())
                    except queue.Empty:
                        self.wfile.write(b"event: beat\ndata: {}\n\n")
                    self.wfile.flush()
            except OSError:
                pass
            finally:
                sample.readers.remove(reader) if reader in sample.readers else None
                self.close_connection = True

        def do_POST(self):
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            # A form is sent as such if its button is pressed before the scripts are there.
            is_form = not self.headers["Content-Type"].startswith("application/json")
            body = json.loads(text) if not is_form else {
                name.removesuffix("[]"): values if name.endswith("[]") else values[0]
                for name, values in urllib.parse.parse_qs(text, keep_blank_values=True).items()}
            time.sleep(sample.delay)
            status, answer = sample.command(self.path.rsplit("/", 1)[1], body)
            if is_form:
                return self.send(303, b"", "text/plain", Location="/alike" if self.path.endswith("trashMarked") else "/")
            self.send(status, json.dumps(answer).encode(), "application/json")

    return Handler


class Server(ThreadingHTTPServer):
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, *arguments):
        self.connections = set()
        super().__init__(*arguments)

    def process_request(self, request, address):
        self.connections.add(request)
        super().process_request(request, address)

    def handle_error(self, request, address):
        """Says nothing of a browser that left a page before its answer was there."""
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, address)

    def drop_connections(self):
        for connection in self.connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


class SampleServer:
    """Serves a sample on loopback. `stop` and `start` model a crash and a restart on the same port."""

    def __init__(self, sample, port=0):
        self.sample, self.port = sample, port
        self.start()

    def start(self):
        self.server = Server(("127.0.0.1", self.port), handler(self.sample))
        self.server.ends = False
        self.port = self.server.server_port
        self.url = f"http://127.0.0.1:{self.port}"
        self.thread = threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True)
        self.thread.start()

    def stop(self):
        self.server.ends = True
        self.server.shutdown()
        self.server.server_close()
        self.server.drop_connections()
        self.thread.join()


def load_photos(folder):
    """Reads photos.json of a folder that `make_photos` filled."""
    return json.loads((Path(folder) / "photos.json").read_text())
