"""A folder served over HTTP on this machine."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, list[int]]]:
    """The address of the folder, and the status of every answer given so far."""
    answers: list[int] = []

    class Handler(SimpleHTTPRequestHandler):
        def send_response(self, code: int, message: str | None = None) -> None:
            answers.append(code)
            super().send_response(code, message)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}", answers
        server.shutdown()
