"""clew: a bilingual medical knowledge graph in which every edge can be defended.

    >>> import clew
    >>> graph = clew.open()                       # doctest: +SKIP
    >>> graph.answerer.ask("What are the symptoms of Marfan syndrome?")      # doctest: +SKIP

`open` gives a release with everything that works on it; the names below are the public face.
"""

from __future__ import annotations

from pathlib import Path

from api.compose import Clew
from kg_build.pipeline import BuildReport, build
from kg_build.release import Release
from ontology.errors import ClewError, Code
from ontology.model import Assertion, Entity, Evidence, Mapping, Name
from ontology.schema import Domain, load_domain
from ontology.settings import load_settings
from reasoning.answer import Answer
from reasoning.diagnosis.case import Case, Finding, case_from_phenopacket
from reasoning.diagnosis.likelihood import Candidate, Differential
from reasoning.draft import Citation, Sentence
from retrieval.paths import Chain, find_chains

__all__ = [
    "Answer", "Assertion", "BuildReport", "Candidate", "Case", "Chain", "Citation", "Clew", "ClewError", "Code",
    "Differential", "Domain", "Entity", "Evidence", "Finding", "Mapping", "Name", "Release", "Sentence", "build",
    "case_from_phenopacket", "find_chains", "load_domain", "load_settings", "open",
]  # fmt: skip


def open(home: Path | None = None, release_id: str | None = None) -> Clew:  # noqa: A001  (reads well as clew.open)
    """Open the current release of a home (by default the configured one), or a named release.

    Raises:
        ClewError: NO_RELEASE, CORRUPT_RELEASE, BAD_SETTINGS.
    """
    return Clew.open(load_settings(home).home, release_id)
