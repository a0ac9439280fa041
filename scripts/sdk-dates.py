"""Prints the shutdown dates of models in the installed libraries of the vendors, as JSON.

Usage: sdk-dates.py [FIXTURE]

The libraries `openai` and `anthropic` carry these dates in their sources: openai in the notes on the deprecated values
of its types, anthropic in a table. With FIXTURE, compares them with that file instead, prints each difference and ends
with 1 if there is one. The fixture is Tests/HablareProvidersTests/Fixtures/Models/sdk-dates.json, with which a test
compares the list of models.
"""

import importlib.metadata
import json
import pathlib
import re
import sys
from datetime import datetime

import anthropic
import openai

FILES = ["shared/chat_model.py", "image_model.py", "audio_model.py", "audio/speech_model.py", "embedding_model.py"]


def day(text):
    """The day in a sentence, in one of the forms that the libraries use; None without a day."""
    found = re.search(r"\d{4}-\d{2}-\d{2}", text)
    if found:
        return found.group()
    found = re.search(r"([A-Z][a-z]+) (\d{1,2})(?:st|nd|rd|th)?, (\d{4})", text)
    return found and datetime.strptime(" ".join(found.groups()), "%B %d %Y").strftime("%Y-%m-%d")


def openai_dates():
    dates = {}
    for name in FILES:
        source = (pathlib.Path(openai.__file__).parent / "types" / name).read_text(encoding="utf-8")
        notes = source.partition("Deprecated values:")[2].partition('"""')[0]
        for entry in re.split(r"^- ", notes, flags=re.MULTILINE)[1:]:
            ids, text = re.match(r'((?:"[^"]+",?\s*)+):(.*)', entry, flags=re.DOTALL).groups()
            shutdown = day(" ".join(text.split()))
            if shutdown:
                dates.update(dict.fromkeys(re.findall(r'"([^"]+)"', ids), shutdown))
    return dates


def anthropic_dates():
    from anthropic._data.deprecated_models import DEPRECATED_MODELS

    return {model: day(text) for model, text in DEPRECATED_MODELS.items()}


found = {
    vendor: {"version": importlib.metadata.version(vendor), "dates": dict(sorted(dates.items()))}
    for vendor, dates in {"openai": openai_dates(), "anthropic": anthropic_dates()}.items()
}
if len(sys.argv) < 2:
    print(json.dumps(found, indent=2))
    sys.exit(0)
with open(sys.argv[1], encoding="utf-8") as file:
    expected = json.load(file)
differences = [
    f"{vendor} {model}: {expected[vendor]['dates'].get(model)} in the fixture, {entry['dates'].get(model)} in {vendor}"
    for vendor, entry in found.items()
    for model in sorted({*entry["dates"], *expected[vendor]["dates"]})
    if entry["dates"].get(model) != expected[vendor]["dates"].get(model)
]
print("\n".join(differences) or f"{sum(len(entry['dates']) for entry in found.values())} dates agree.")
sys.exit(1 if differences else 0)
