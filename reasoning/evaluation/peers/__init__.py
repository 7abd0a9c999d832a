"""Peers: other people's ways to answer, measured beside ours in the same run.

A peer is announced under the entry point group `clew.peers`, ours and anybody's alike. What is announced is an
object with

    contract    1
    task        the name of the task that it takes part in
    extra       what to install, or empty
    open(subject) -> what the task calls: a `DiagnosisPeer`, a `SearchPeer`

where the subject is what the task measures: the diagnosis engine, the corpus. A peer that lacks a library raises
ImportError when it is opened.
"""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import Any, Final, Protocol, runtime_checkable

from ontology.errors import ClewError, Code, nearest

CONTRACT: Final = 1
GROUP: Final = "clew.peers"


@runtime_checkable
class Peer(Protocol):
    """What is announced; see the module's text."""

    contract: int
    task: str
    extra: str

    def open(self, subject: Any) -> Any:
        """The peer, ready to answer."""
        ...


def peer_names(task: str) -> list[str]:
    """Names of the peers that take part in a task, sorted."""
    return sorted(name for name, entry in _announced().items() if _load(entry).task == task)


def open_peers(task: str, names: Iterable[str], subject: Any) -> list[Any]:
    """The named peers, opened on what the task measures, in the order given.

    Raises:
        ClewError: BAD_INPUT for a name that no peer of the task has; MISSING_EXTRA when its library is not
            installed; BAD_SOURCE when it does not keep the contract.
    """
    known = peer_names(task)
    opened = []
    for name in names:
        if name not in known:
            raise ClewError(Code.BAD_INPUT, f"{task} has no peer {name!r}", choices=nearest(name, known) or known)
        peer = _load(_announced()[name])
        try:
            opened.append(peer.open(subject))
        except ImportError as error:
            raise ClewError(
                Code.MISSING_EXTRA, f"{name}: {error}", remedy=f'pip install "{peer.extra}"' if peer.extra else ""
            ) from error
    return opened


def _announced() -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=GROUP)}


def _load(entry: EntryPoint) -> Peer:
    try:
        found = entry.load()
    except Exception as error:  # whatever somebody else's module raises while it is imported
        raise ClewError(Code.BAD_SOURCE, f"{entry.name}: {type(error).__name__}: {error}") from error
    if not isinstance(found, Peer) or found.contract != CONTRACT:
        raise ClewError(Code.BAD_SOURCE, f"{entry.name}: does not keep contract {CONTRACT} of peers")
    return found
