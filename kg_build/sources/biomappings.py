"""Biomappings: mappings between vocabularies that people have curated, and those they have rejected.

Two files in SSSOM/TSV, read by `kg_build.sources.sssom`: exact matches between vocabularies of one type say that two
entities are the same, rejected ones that they are not; the others are mappings. The predictions that come with them
are not read. Matches of HPO with MeSH go across types (finding, disease), so they are mappings only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from kg_build.reconcile import Tally
from kg_build.sources.contract import CONTRACT, Artefact, Original, Record
from kg_build.sources.files import text_lines
from kg_build.sources.sssom import mapping_records, mapping_rows

_FILES: Final = {"positive mapping": "positive.sssom.tsv", "negative mapping": "negative.sssom.tsv"}


class Biomappings:
    """The source; see the module's text."""

    contract = CONTRACT
    key = "biomappings"
    title = "Biomappings: curated mappings between vocabularies"
    release = "0.6.0"
    licence = "CC0-1.0"
    attribution = "Biomappings (https://github.com/biopragmatics/biomappings), by its curators"
    redistributable = True
    artefacts: tuple[Artefact, ...] = (
        Artefact(
            "biomappings",
            "0.6.0",
            "biomappings-0.6.0-py3-none-any.whl",
            "99b7dab845e2f0676a7d2e7aea343b312ba1984b50ca3545eefe791a05c06728",
            2_154_013,
        ),
    )
    originals: tuple[Original, ...] = ()

    def read(self, files: Mapping[str, Path], tally: Tally) -> Iterator[Record]:
        """Yield mappings, and what is the same and what is not; see `contract.Source.read`."""
        for kind, file in _FILES.items():
            lines = text_lines(files["biomappings"], tally, kind, member=f"biomappings/resources/{file}")
            yield from mapping_records(mapping_rows(lines, file, tally, kind), self.key, file, tally, kind)


SOURCE: Final = Biomappings()
