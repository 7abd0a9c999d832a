"""The evidence that diagnosis rests on: what the tables say of findings in diseases, as arrays."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kg_build.frequency import parse_frequency
from kg_build.index.columns import Floats, Ints, Longs, encode, fixed_bytes, positions
from kg_build.index.matrix_constants import Constants


@dataclass(frozen=True)
class EvidenceRows:
    """Evidence of `has_phenotype`, one entry a row, sorted by disease.

    Attributes:
        disease: index of the disease; `finding` and `frequency` likewise in their vocabularies.
        assertion: the assertion's id.
        negated: whether the assertion says NOT.
        hits: patients with the finding, of `total` patients; 0 of 0 when the source does not count.
        share: frequency written as a class or per cent, in [0, 1]; NaN when it is not.
        default: what is assumed when no frequency is known.
    """

    disease: Ints
    finding: Ints
    frequency: Ints
    assertion: npt.NDArray[np.bytes_]
    negated: npt.NDArray[np.bool_]
    hits: Floats
    total: Floats
    share: Floats
    default: Floats

    def take(self, index: npt.NDArray[Any]) -> EvidenceRows:
        """The rows at these positions (or under this mask)."""
        return EvidenceRows(**{item.name: getattr(self, item.name)[index] for item in fields(self)})

    def without_frequency(self, mask: npt.NDArray[np.bool_]) -> EvidenceRows:
        """The same rows, as if those under the mask gave no frequency."""
        unknown, nothing = np.float32(np.nan), np.float32(0)
        return replace(
            self,
            hits=np.where(mask, nothing, self.hits),
            total=np.where(mask, nothing, self.total),
            share=np.where(mask, unknown, self.share),
        )


@dataclass(frozen=True)
class Stated:
    """Evidence of `has_phenotype` as its source states it, sorted by subject, object and id.

    Attributes:
        subjects: sorted vocabulary; `objects`, `frequencies`, `codes` and `references` likewise.
        subject: int32[n], index into its vocabulary; `object`, `frequency` and `code` likewise.
        assertion: id of the assertion.
        negated: whether it says NOT.
        citation_start: where the references of each begin in `citation`; int64[n + 1].
        citation: index into `references`.
    """

    subjects: list[str]
    objects: list[str]
    frequencies: list[str]
    codes: list[str]
    references: list[str]
    subject: Ints
    object: Ints
    frequency: Ints
    code: Ints
    assertion: npt.NDArray[np.bytes_]
    negated: npt.NDArray[np.bool_]
    citation_start: Longs
    citation: Ints


def read_stated(assertion: pa.Table, evidence: pa.Table) -> Stated:
    """The evidence of `has_phenotype`; an assertion without any leaves no trace.

    Args:
        assertion: canonical table.
        evidence: canonical table.
    """
    assertion = assertion.select(["id", "subject", "predicate", "object", "negated"])
    about = assertion.filter(pc.field("predicate") == "has_phenotype")
    owner = positions(evidence["assertion"], about["id"])
    evidence = evidence.select(["id", "references", "frequency", "code"]).filter(owner >= 0)
    about = about.take(owner[owner >= 0])
    (subjects, subject), (objects, object_) = encode(about["subject"]), encode(about["object"])
    order = pc.sort_indices(
        pa.table({"subject": subject, "object": object_, "id": evidence["id"]}),
        sort_keys=[(name, "ascending") for name in ("subject", "object", "id")],
    )
    about, evidence = about.take(order), evidence.take(order)
    frequencies, frequency = encode(evidence["frequency"].fill_null(""))
    codes, code = encode(evidence["code"].fill_null(""))
    references, citation = encode(pc.list_flatten(evidence["references"]))
    return Stated(
        subjects=subjects.to_pylist(),
        objects=objects.to_pylist(),
        frequencies=frequencies.to_pylist(),
        codes=codes.to_pylist(),
        references=references.to_pylist(),
        subject=subject[order],
        object=object_[order],
        frequency=frequency,
        code=code,
        assertion=fixed_bytes(about["id"]),
        negated=about["negated"].to_numpy(),
        citation_start=np.cumsum([0, *pc.list_value_length(evidence["references"]).fill_null(0).to_pylist()]),
        citation=citation,
    )


def evidence_rows(stated: Stated, finding: Ints, constants: Constants) -> EvidenceRows:
    """The evidence with its frequencies read.

    Args:
        stated: what the tables say.
        finding: index of the finding that each object stands for; int32[n].
        constants: say what is assumed when no frequency is known.
    """
    parsed = np.array([_read_frequency(text) for text in stated.frequencies], dtype=np.float32)
    parsed = parsed.reshape(-1, 3)[stated.frequency]
    written = (parsed[:, 1] > 0) | ~np.isnan(parsed[:, 2])
    by_code = np.array([constants.default_by_code.get(code, np.nan) for code in stated.codes], dtype=np.float32)
    return EvidenceRows(
        disease=stated.subject,
        finding=finding,
        frequency=stated.frequency,
        assertion=stated.assertion,
        negated=stated.negated,
        hits=parsed[:, 0],
        total=parsed[:, 1],
        share=parsed[:, 2],
        default=_defaults(by_code[stated.code], finding, written, constants),
    )


def _defaults(by_code: Floats, finding: Ints, written: npt.NDArray[np.bool_], constants: Constants) -> Floats:
    """The share assumed for each row: by its evidence code, or by how many lists name the finding."""
    uncoded = np.isnan(by_code)
    times = np.bincount(finding, weights=uncoded & ~written)[finding] if len(finding) else by_code
    generality = np.log(np.maximum(times, 1)) / np.log(max(2.0, times.max(initial=1)))
    common, rare = constants.default_listed
    return np.where(uncoded, rare + (common - rare) * generality, by_code).astype(np.float32)


def _read_frequency(text: str) -> tuple[float, float, float]:
    """Hits, total and share; what does not read as a frequency counts as none."""
    frequency = parse_frequency(text)
    if frequency is None:
        return 0.0, 0.0, np.nan
    if frequency.counted:
        return round(frequency.share * frequency.weight), frequency.weight, np.nan
    return 0.0, 0.0, frequency.share
