"""A language model behind an OpenAI-compatible endpoint."""

from __future__ import annotations

import os
from functools import cached_property
from typing import Any, Final
from urllib.parse import urlsplit

from ontology.errors import ClewError, Code
from reasoning.evaluation.qa.model import Messages, Reply

KEY_VARIABLE: Final = "CLEW_LLM_KEY"
_TRIES: Final = 2
_MOST_TOKENS: Final = 4096
"""Room for a model that thinks aloud (our choice)."""


class HttpChat:
    """Asks `URL/chat/completions`, at temperature 0.

    The key is read from the environment variable CLEW_LLM_KEY and is never written down. The model is the first that
    `URL/models` lists; `default` when the server lists none.

    Args:
        url: where the endpoint's paths begin, such as http://127.0.0.1:8000/v1.
        seconds: waited for a reply.

    Raises:
        ClewError: BAD_SETTINGS when the URL is none, or has a name or key in it.
    """

    def __init__(self, url: str, *, seconds: float = 120.0) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ClewError(
                Code.BAD_SETTINGS, f"--llm {url!r} is not a URL", remedy="such as: --llm http://127.0.0.1:8000/v1"
            )
        if parts.username or parts.password or parts.query:
            raise ClewError(
                Code.BAD_SETTINGS, "--llm has more than an address in it", remedy=f"put the key into {KEY_VARIABLE}"
            )
        self._url = url.rstrip("/")
        self._seconds = seconds

    @cached_property
    def name(self) -> str:
        """The model, as the server calls it."""
        try:
            listed = self._ask("GET", "models")
        except ClewError as error:
            if error.code is Code.TIMEOUT:
                raise
            return "default"  # many servers list nothing; whether it is there is seen when it is asked
        data = listed.get("data") if isinstance(listed, dict) else None
        first = data[0] if isinstance(data, list) and data else None
        name = first.get("id") if isinstance(first, dict) else None
        return name if isinstance(name, str) and name else "default"

    def complete(self, messages: Messages) -> Reply:
        """See `ChatModel.complete`; asked a second time when the connection breaks or the answer is unusable."""
        body = {"model": self.name, "messages": messages, "temperature": 0, "max_tokens": _MOST_TOKENS}
        for last in (False, True):
            try:
                return _reply(self._ask("POST", "chat/completions", body))
            except ClewError:
                if last:
                    raise
        raise AssertionError

    def _ask(self, method: str, path: str, body: Any = None) -> Any:
        import httpx2  # an HTTP client: only loaded when an address is named

        key = os.environ.get(KEY_VARIABLE)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        try:
            answer = httpx2.request(method, f"{self._url}/{path}", json=body, headers=headers, timeout=self._seconds)
            if answer.status_code != httpx2.codes.OK:
                raise _unusable(f"{self._url}/{path} answers with status {answer.status_code}")
            return answer.json()
        except httpx2.TimeoutException as error:
            raise ClewError(Code.TIMEOUT, f"{self._url}: no reply within {self._seconds:g} s") from error
        except httpx2.HTTPError as error:
            raise _unusable(f"{self._url}: {error}") from error
        except ValueError as error:
            raise _unusable(f"{self._url}/{path} does not answer with JSON: {error}") from error


def open_model(named: str) -> HttpChat:
    """The model that `--llm` names.

    Raises:
        ClewError: MISSING_EXTRA for `local`; BAD_SETTINGS.
    """
    if named == "local":
        raise ClewError(
            Code.MISSING_EXTRA,
            "clew brings no language model and no server for one",
            remedy="start an OpenAI-compatible server on this machine and name it: --llm http://127.0.0.1:8000/v1",
        )
    return HttpChat(named)


def _reply(answer: Any) -> Reply:
    try:
        message = answer["choices"][0]["message"]
        content = message.get("content")
    except (KeyError, IndexError, TypeError, AttributeError) as error:
        raise _unusable("the answer is not of the shape choices[0].message.content") from error
    usage = answer.get("usage")
    counts = usage if isinstance(usage, dict) else {}
    # No text at all (a refusal, a cut-off thought) is a reply that cannot be parsed, not a broken server.
    return Reply(
        content if isinstance(content, str) else "",
        _count(counts, "prompt_tokens"),
        _count(counts, "completion_tokens"),
    )


def _count(counts: dict[str, Any], name: str) -> int:
    value = counts.get(name)
    return value if isinstance(value, int) and value >= 0 else 0


def _unusable(cause: str) -> ClewError:
    return ClewError(
        Code.BAD_SETTINGS, cause, remedy=f"check the address given to --llm, and {KEY_VARIABLE} if it wants a key"
    )
