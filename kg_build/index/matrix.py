"""How often each finding is expected in each disease: the arrays that diagnosis computes with.

Every row of `has_phenotype` evidence is kept with its assertion, reference and frequency as written, sorted
by disease (`kg_build.index.matrix_rows`). So a part of the evidence can be left out and the affected diseases
recomputed exactly (`kg_build.index.matrix_shares`), and every expectation can be shown with what it rests on.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from kg_build.index.columns import Doubles, Floats, Ints, Longs
from kg_build.index.fresh import fresh_folder
from kg_build.index.kin import Pairs
from kg_build.index.matrix_constants import Constants
from kg_build.index.matrix_hierarchy import Hierarchy
from kg_build.index.matrix_rows import EvidenceRows
from kg_build.index.matrix_shares import Shares
from ontology.errors import ClewError, Code

_MARK: Final = "finding matrix 2"
_PARTS: Final = {"rows": EvidenceRows, "hierarchy": Hierarchy, "shares": Shares}
_ALONE: Final = ("citation_start", "citation", "start", "expected", "mass", "twins", "kin", "treatments")
_WORDS: Final = (
    "diseases", "disease_labels", "findings", "finding_labels", "successors", "references", "frequencies", "constants",
)  # fmt: skip


@dataclass(frozen=True)
class FindingMatrix:
    """D diseases × F findings, with the evidence rows beneath.

    Attributes:
        diseases: CURIE of each disease, sorted; `disease_labels` beside it.
        findings: CURIE of each finding, sorted; `finding_labels` beside it.
        successors: withdrawn finding -> the finding that replaces it.
        references: vocabulary of the references; `frequencies` of the frequencies as written.
        constants: what it was built with.
        hierarchy: the more general findings of each.
        rows: the evidence.
        citation_start, citation: CSR; the references (in their vocabulary) that each evidence row cites.
        start: where the column of each finding begins in `shares`; int64[F + 1].
        shares: the propagated expectations, sorted by finding, then disease.
        expected: sum of each finding's column; float64[F].
        mass: sum of the direct expectations of each disease, not propagated; float64[D].
        twins: pairs of diseases that are the same; int32[P, 2].
        kin: pairs (disease, kindred entry it takes shares from); int32[L, 2], sorted.
        treatments: how many are listed for each disease; int32[D].
    """

    diseases: tuple[str, ...]
    disease_labels: tuple[str, ...]
    findings: tuple[str, ...]
    finding_labels: tuple[str, ...]
    successors: Mapping[str, str]
    references: tuple[str, ...]
    frequencies: tuple[str, ...]
    constants: Constants
    hierarchy: Hierarchy
    rows: EvidenceRows
    citation_start: Longs
    citation: Ints
    start: Longs
    shares: Shares
    expected: Doubles
    mass: Doubles
    twins: Pairs
    kin: Pairs
    treatments: Ints

    @cached_property
    def disease_index(self) -> dict[str, int]:
        """Row of each disease."""
        return {curie: i for i, curie in enumerate(self.diseases)}

    @cached_property
    def finding_index(self) -> dict[str, int]:
        """Column of each finding."""
        return {curie: i for i, curie in enumerate(self.findings)}

    @cached_property
    def row_start(self) -> Longs:
        """Where the evidence rows of each disease begin; int64[D + 1]."""
        return np.searchsorted(self.rows.disease, np.arange(len(self.diseases) + 1))

    @cached_property
    def rows_by_reference(self) -> dict[str, Ints]:
        """Evidence rows that cite each reference."""
        row = np.repeat(np.arange(len(self.citation_start) - 1, dtype=np.int32), np.diff(self.citation_start))
        order = np.argsort(self.citation, kind="stable")
        ends = np.searchsorted(self.citation[order], np.arange(len(self.references) + 1))
        return {text: row[order[ends[i] : ends[i + 1]]] for i, text in enumerate(self.references)}

    def cited_by(self, row: int) -> tuple[str, ...]:
        """The references of an evidence row."""
        span = slice(self.citation_start[row], self.citation_start[row + 1])
        return tuple(self.references[i] for i in self.citation[span])

    def rows_citing(self, references: Collection[str]) -> tuple[Ints, Ints]:
        """Evidence rows that cite these references: those that cite no other one, and those that do."""
        known = self.rows_by_reference
        cited = [known[reference] for reference in references if reference in known]
        if not cited:
            return np.zeros(0, dtype=np.int32), np.zeros(0, dtype=np.int32)
        rows, times = np.unique(np.concatenate(cited), return_counts=True)
        only = times == np.diff(self.citation_start)[rows]
        return rows[only], rows[~only]

    def rows_of(self, disease: int) -> Longs:
        """Positions of the evidence rows of a disease."""
        return np.arange(self.row_start[disease], self.row_start[disease + 1])

    def column(self, finding: int) -> tuple[Ints, Floats]:
        """Diseases in which a finding is expected, and how often."""
        span = slice(self.start[finding], self.start[finding + 1])
        return self.shares.disease[span], self.shares.share[span]


def save_matrix(matrix: FindingMatrix, folder: Path) -> None:
    """Write a matrix as npy and json files into a folder, which is replaced as a whole."""
    arrays = {name: getattr(matrix, name) for name in _ALONE}
    for part, kind in _PARTS.items():
        value = getattr(matrix, part)
        arrays |= {f"{part}.{item.name}": getattr(value, item.name) for item in fields(kind)}
    words = {name: getattr(matrix, name) for name in _WORDS} | {"constants": asdict(matrix.constants)}
    with fresh_folder(folder) as beside:
        for name, array in arrays.items():
            np.save(beside / f"{name}.npy", array)
        text = json.dumps({_MARK: True, **words}, ensure_ascii=False)
        (beside / "words.json").write_text(text, encoding="utf-8")


def load_matrix(folder: Path) -> FindingMatrix:
    """Open a folder that `save_matrix` wrote; the arrays stay on disk until they are touched.

    Raises:
        ClewError: CORRUPT_RELEASE.
    """
    try:
        words: dict[str, Any] = json.loads((folder / "words.json").read_text(encoding="utf-8"))
        words.pop(_MARK)
        parts: dict[str, Any] = {name: _read(folder, name) for name in _ALONE}
        for part, kind in _PARTS.items():
            parts[part] = kind(**{item.name: _read(folder, f"{part}.{item.name}") for item in fields(kind)})
        constants = Constants(**words.pop("constants"))
        common, rare = constants.default_listed
        parts["constants"] = replace(constants, default_listed=(common, rare))
        parts |= {key: tuple(value) if isinstance(value, list) else value for key, value in words.items()}
        return FindingMatrix(**parts)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ClewError(Code.CORRUPT_RELEASE, f"{folder}: {error}", remedy="run: clew build --resume") from error


def _read(folder: Path, name: str) -> npt.NDArray[Any]:
    """An array as plain ndarray over the mapped file: cheaper to index than numpy's memmap class."""
    mapped = np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
    return np.asarray(mapped)
