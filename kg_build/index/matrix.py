"""How often each finding is expected in each disease: the arrays that diagnosis computes with.

    build_matrix   canonical tables -> npy and json files in a folder
    load_matrix    folder -> FindingMatrix, memory-mapped
    pool           evidence rows -> expected frequency of each annotated finding
    borrow         the same, with those of kindred entries
    propagate      the same, with the more general findings

Every row of `has_phenotype` evidence is kept with its assertion, reference and frequency as written, sorted
by disease. So a part of the evidence can be left out and the affected diseases recomputed exactly, and every
expectation can be shown with what it rests on.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kg_build.frequency import parse_frequency
from kg_build.index.kin import Pairs, kin, treatments, twins
from ontology.errors import ClewError, Code

_MARK: Final = "finding matrix 2"

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

_WIDTH: Final = np.int64(2**31)
_ALONE: Final = ("citation_start", "citation", "start", "expected", "mass", "twins", "kin", "treatments")


@dataclass(frozen=True)
class Constants:
    """The constants of the finding model, all of them: how frequencies are read and how findings are weighed.

    All values are our choice. Scoring diseases by log-likelihood ratios of findings against a background follows
    LIRICAL (Robinson et al. 2020, doi:10.1016/j.ajhg.2020.06.021).

    Calibrated, each by trying a handful of values on the phenopacket development cases, with the case's own
    publication hidden and not: `count_strength`, `count_mean`, `default_by_code`, `uncounted_trust`, `noise`,
    `kinship`, `kinship_limit`, `exclusion_weight`, `profile_power`, `profile_least`, `kin_weight`,
    `kin_similarity`, `temperature`. Calibrated on Chinese dialogue cases with three candidates (DxBench
    development): `treatment_prior`. Guesses, because no figure moves with them: `default_listed`,
    `background_excess`, `denial`, `exclusion_floor`.

    Attributes:
        count_strength: pseudo-patients added to pooled counts `n/m`; small series say little.
        count_mean: share of those pseudo-patients that have the finding.
        default_by_code: share assumed when no frequency is known, by evidence code.
        default_listed: the same for sources without evidence codes (encyclopaedic lists): for a finding that
            every disease lists, and for one that a single disease lists; between them by log(count). What
            many lists name, each names loosely.
        uncounted_trust: factor on frequencies written as a class or per cent without patients counted; taken at
            their word they beat every shrunk count.
        background_excess: added to the summed shares of every finding, so that one that is annotated nowhere
            has a background above zero.
        noise: part of the background in every share; so an unexplained finding costs log(noise).
        kinship: how much a finding counts for a disease that is annotated near it only: times the share of
            the nearest common more general finding and the part this finding has in that one's background.
        kinship_limit: more general findings with a larger background than this tell nothing.
        denial: factor on the likelihood of a finding that the disease's annotations exclude (NOT).
        exclusion_weight: weight of a finding the patient does not have; reports exclude what they were asked,
            not what would tell diseases apart (0 is better by half a point, but would ignore the reader's word).
        exclusion_floor: the log-likelihood ratio of such a finding is at least this.
        profile_power: a disease with many annotated findings explains some of any case's by chance; its score
            is lowered by this times the number of observed findings times log(summed shares).
        profile_least: summed shares below this count as this, so that nothing wins by a poor annotation.
        kin_weight: share of a finding that a disease takes over from a kindred entry (`kg_build.index.kin`) where
            its own is lower.
        kin_similarity: least share of common words in the names of kindred entries.
        treatment_prior: weight of log(1 + treatments listed) in a disease's prior; stands in for prevalence, which
            no source has: what is common is treated by many drugs. Of the three candidates of a dialogue case the gold
            leads in 43 % instead of 34 %, which is chance: there the findings themselves tell little.
        temperature: scores are divided by it to become probabilities. The negative log-likelihood of the
            development cases, each gold disease weighing at most 10, is least at 2.0 with all evidence and at
            3.2 with the case's own publication hidden; this lies between.
    """

    count_strength: float = 8.0
    count_mean: float = 0.1
    default_by_code: Mapping[str, float] = field(default_factory=lambda: {"IEA": 0.15, "TAS": 0.2, "PCS": 0.5})
    default_listed: tuple[float, float] = (0.15, 0.45)
    uncounted_trust: float = 0.5
    background_excess: float = 0.5
    noise: float = 0.1
    kinship: float = 0.2
    kinship_limit: float = 0.5
    denial: float = 0.1
    exclusion_weight: float = 0.05
    exclusion_floor: float = -2.0
    profile_power: float = 0.5
    profile_least: float = 1.0
    kin_weight: float = 0.1
    kin_similarity: float = 0.5
    treatment_prior: float = 1.0
    temperature: float = 2.25


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
class Hierarchy:
    """The more general findings of each finding, itself included, as CSR: int32[F + 1] and int32[n]."""

    start: Ints
    member: Ints

    def ancestors(self, finding: int) -> Ints:
        """The finding and all that are more general."""
        return self.member[self.start[finding] : self.start[finding + 1]]


@dataclass(frozen=True)
class Shares:
    """Expected frequencies, one entry for each pair of a disease and a finding.

    Attributes:
        disease: int32[n], ascending.
        finding: int32[n], ascending within a disease.
        share: float32[n], in [0, 1].
    """

    disease: Ints
    finding: Ints
    share: Floats


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


def build_matrix(
    entity: pa.Table,
    assertion: pa.Table,
    evidence: pa.Table,
    folder: Path,
    constants: Constants | None = None,
) -> None:
    """Write the arrays of a release into a folder (made if missing, files overwritten).

    Only evidence counts: an assertion without any leaves no trace.

    Args:
        entity: canonical table `entity`.
        assertion: canonical table `assertion`; read are `has_phenotype`, `subclass_of` between findings, `same_as`
            and `gene_associated_with_condition` of diseases, and `treats`.
        evidence: canonical table `evidence`.
        folder: where the files go.
        constants: other than the default ones.
    """
    constants = constants or Constants()
    successors = _successors(entity)
    stated = _phenotype_evidence(assertion, evidence)
    is_a = _is_a(entity, assertion)
    diseases, disease = _encode(stated.subject)
    findings, finding = _encode(
        [successors.get(curie, curie) for curie in stated.object], more=(end for pair in is_a for end in pair)
    )
    references, citation = _encode([reference for cited in stated.references for reference in cited])
    frequencies, frequency = _encode(stated.frequency)
    rows = EvidenceRows(
        disease=disease,
        finding=finding,
        frequency=frequency,
        assertion=np.array(stated.assertion, dtype=np.bytes_),
        negated=np.array(stated.negated, dtype=np.bool_),
        **_read_frequencies(frequencies, frequency, stated.code, finding, constants),
    )
    hierarchy = _closure(is_a, findings)
    labels = dict(zip(_list(entity, "id"), _list(entity, "label"), strict=True))
    words: dict[str, Any] = {
        "diseases": diseases,
        "disease_labels": [labels.get(curie) or curie for curie in diseases],
        "findings": findings,
        "finding_labels": [labels.get(curie) or curie for curie in findings],
        "successors": successors,
        "references": references,
        "frequencies": frequencies,
        "constants": asdict(constants),
    }
    index = {curie: i for i, curie in enumerate(diseases)}
    kindred = kin(assertion, index, words["disease_labels"], constants.kin_similarity)
    direct = borrow(pool(rows, constants), kindred, constants.kin_weight)
    shares = propagate(direct, hierarchy)
    order = np.argsort(shares.finding, kind="stable")
    shares = Shares(shares.disease[order], shares.finding[order], shares.share[order])
    alone: dict[str, npt.NDArray[Any]] = {
        "citation_start": np.cumsum([0, *map(len, stated.references)], dtype=np.int64),
        "citation": citation,
        "start": np.searchsorted(shares.finding, np.arange(len(findings) + 1)),
        "expected": np.bincount(shares.finding, shares.share, minlength=len(findings)),
        "mass": np.bincount(direct.disease, direct.share, minlength=len(diseases)),
        "twins": twins(assertion, index),
        "kin": kindred,
        "treatments": treatments(assertion, index),
    }
    _write(folder, words, {"rows": rows, "hierarchy": hierarchy, "shares": shares}, alone)


def load_matrix(folder: Path) -> FindingMatrix:
    """Open a folder that `build_matrix` wrote; the arrays stay on disk until they are touched.

    Raises:
        ClewError: CORRUPT_RELEASE.
    """
    try:
        words: dict[str, Any] = json.loads((folder / "words.json").read_text(encoding="utf-8"))
        words.pop(_MARK)
        parts: dict[str, Any] = {name: _read(folder, name) for name in _ALONE}
        for part, kind in (("rows", EvidenceRows), ("hierarchy", Hierarchy), ("shares", Shares)):
            names = [item.name for item in fields(kind)]
            parts[part] = kind(**{name: _read(folder, f"{part}.{name}") for name in names})
        constants = Constants(**words.pop("constants"))
        common, rare = constants.default_listed
        parts["constants"] = replace(constants, default_listed=(common, rare))
        parts |= {key: tuple(value) if isinstance(value, list) else value for key, value in words.items()}
        return FindingMatrix(**parts)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ClewError(Code.CORRUPT_RELEASE, f"{folder}: {error}", remedy="run: clew build --resume") from error


def pool(rows: EvidenceRows, constants: Constants) -> Shares:
    """Expected frequency of each annotated finding: every positive row of a pair weighed together.

    Counts win over classes and per cent, and those over defaults. Counts of all references are pooled,
    `(Σ n + s·μ) / (Σ m + s)`; classes and per cent are averaged and lowered by `uncounted_trust`.
    """
    positive = rows.take(~rows.negated)
    key, inverse = np.unique(positive.disease * _WIDTH + positive.finding, return_inverse=True)

    def total(values: npt.NDArray[Any]) -> Doubles:
        return np.asarray(np.bincount(inverse, weights=values, minlength=len(key)), dtype=np.float64)

    hits, seen = total(positive.hits), total(positive.total)
    shares, written = total(np.nan_to_num(positive.share)), total(~np.isnan(positive.share))
    assumed = np.zeros(len(key))
    np.maximum.at(assumed, inverse, positive.default)
    strength = constants.count_strength
    share = np.where(
        seen > 0,
        (hits + strength * constants.count_mean) / (seen + strength),
        np.where(written > 0, constants.uncounted_trust * shares / np.maximum(written, 1), assumed),
    )
    return Shares(*_split(key), share.astype(np.float32))


def borrow(direct: Shares, kindred: Pairs, weight: float) -> Shares:
    """Shares with those that a disease takes over, at a weight, from kindred entries; the larger one counts.

    A disease without any share of its own takes none.
    """
    kindred = kindred[np.isin(kindred[:, 0], direct.disease)]
    first, last = (np.searchsorted(direct.disease, kindred[:, 1], side=side) for side in ("left", "right"))
    source = _ranges(first, last - first)
    taker = np.repeat(kindred[:, 0], last - first)
    disease, finding = np.concatenate([direct.disease, taker]), np.concatenate([direct.finding, direct.finding[source]])
    key, inverse = np.unique(disease * _WIDTH + finding, return_inverse=True)
    share = np.zeros(len(key), dtype=np.float32)
    np.maximum.at(share, inverse, np.concatenate([direct.share, np.float32(weight) * direct.share[source]]))
    return Shares(*_split(key), share)


def propagate(direct: Shares, hierarchy: Hierarchy) -> Shares:
    """Shares of the annotated findings and of all more general ones.

    A general finding is there when any of its annotated special cases is, taken as independent:
    1 - Π(1 - share).
    """
    sizes = np.diff(hierarchy.start)[direct.finding]
    source = np.repeat(np.arange(len(direct.finding)), sizes)
    finding = hierarchy.member[_ranges(hierarchy.start[direct.finding], sizes)]
    disease = direct.disease[source]
    key, inverse = np.unique(disease * _WIDTH + finding, return_inverse=True)
    miss = np.log1p(-np.minimum(direct.share, 0.99))[source]
    absent = np.bincount(inverse, weights=miss, minlength=len(key))
    return Shares(*_split(key), (1 - np.exp(absent)).astype(np.float32))


def _ranges(first: npt.NDArray[Any], count: npt.NDArray[Any]) -> Longs:
    """The numbers first, first + 1, … of each range, one range after the other."""
    offset = np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    return np.asarray(np.repeat(first, count) + offset, dtype=np.int64)


def _split(key: Longs) -> tuple[Ints, Ints]:
    """Disease and finding of a combined key."""
    return (key // _WIDTH).astype(np.int32), (key % _WIDTH).astype(np.int32)


def _successors(entity: pa.Table) -> dict[str, str]:
    """Withdrawn entity -> the one to use, chains followed, circles cut."""
    old = entity.filter(pc.field("deprecated") & (pc.field("replaced_by") != ""))
    direct = dict(zip(_list(old, "id"), _list(old, "replaced_by"), strict=True))

    def last(curie: str) -> str:
        passed = {curie}
        while (following := direct.get(curie, "")) and following not in passed:
            passed.add(curie := following)
        return curie

    return {curie: last(curie) for curie in sorted(direct)}


@dataclass(frozen=True)
class _Statements:
    """Evidence of `has_phenotype` with its assertion, as columns; findings still as stated."""

    evidence: list[str]
    assertion: list[str]
    subject: list[str]
    object: list[str]
    negated: list[bool]
    references: list[list[str]]
    frequency: list[str]
    code: list[str]


def _phenotype_evidence(assertion: pa.Table, evidence: pa.Table) -> _Statements:
    """One entry for each evidence of `has_phenotype`, sorted by subject, object and evidence."""
    table = assertion.filter(pc.field("predicate") == "has_phenotype")
    columns = (_list(table, name) for name in ("subject", "object", "negated"))
    stated = dict(zip(_list(table, "id"), zip(*columns, strict=True), strict=True))
    names = ("id", "assertion", "references", "frequency", "code")
    rows = zip(*(_list(evidence, name) for name in names), strict=True)
    found = [
        (curie, key, *stated[key], references or [], frequency or "", code or "")
        for curie, key, references, frequency, code in rows
        if key in stated
    ]
    found.sort(key=lambda row: (row[2], row[3], row[0]))
    return _Statements(*([row[i] for row in found] for i in range(len(fields(_Statements)))))


def _is_a(entity: pa.Table, assertion: pa.Table) -> list[tuple[str, str]]:
    """Pairs (special, general) of findings."""
    known = set(_list(entity.filter(pc.field("type") == "PhenotypicFeature"), "id"))
    edges = assertion.filter((pc.field("predicate") == "subclass_of") & ~pc.field("negated"))
    pairs = zip(_list(edges, "subject"), _list(edges, "object"), strict=True)
    return [(child, parent) for child, parent in pairs if child in known and parent in known]


def _list(table: pa.Table, name: str) -> list[Any]:
    """A column as plain values."""
    return list(table.column(name).to_pylist())


def _encode(words: Sequence[str], more: Iterable[str] = ()) -> tuple[list[str], Ints]:
    """The sorted vocabulary of some words (and `more`), and the position of each word in it."""
    vocabulary = sorted({*words, *more})
    index = {word: i for i, word in enumerate(vocabulary)}
    return vocabulary, np.array([index[word] for word in words], dtype=np.int32)


def _read_frequencies(
    texts: Sequence[str], text: Ints, codes: Sequence[str], finding: Ints, constants: Constants
) -> dict[str, Floats]:
    """Hits, total, share and default of each row, from the frequency as written and the evidence code."""
    parsed = np.array([_read_frequency(item) for item in texts], dtype=np.float32).reshape(-1, 3)[text]
    written = (parsed[:, 1] > 0) | ~np.isnan(parsed[:, 2])
    by_code = np.array([constants.default_by_code.get(code, np.nan) for code in codes], dtype=np.float32)
    uncoded = np.isnan(by_code)
    times = np.bincount(finding, weights=uncoded & ~written)[finding] if len(finding) else by_code
    generality = np.log(np.maximum(times, 1)) / np.log(max(2.0, times.max(initial=1)))
    common, rare = constants.default_listed
    default = np.where(uncoded, rare + (common - rare) * generality, by_code).astype(np.float32)
    return {"hits": parsed[:, 0], "total": parsed[:, 1], "share": parsed[:, 2], "default": default}


def _read_frequency(text: str) -> tuple[float, float, float]:
    """Hits, total and share; what does not read as a frequency counts as none."""
    frequency = parse_frequency(text)
    if frequency is None:
        return 0.0, 0.0, np.nan
    if frequency.counted:
        return round(frequency.share * frequency.weight), frequency.weight, np.nan
    return 0.0, 0.0, frequency.share


def _closure(is_a: Sequence[tuple[str, str]], findings: Sequence[str]) -> Hierarchy:
    """The reflexive and transitive closure of `is_a`, safe against circles."""
    index = {curie: i for i, curie in enumerate(findings)}
    parents: dict[int, list[int]] = {}
    for child, parent in is_a:
        parents.setdefault(index[child], []).append(index[parent])
    members: list[int] = []
    start = [0]
    for finding in range(len(findings)):
        reached, pending = {finding}, [finding]
        while pending:
            fresh = [up for up in parents.get(pending.pop(), ()) if up not in reached]
            reached.update(fresh)
            pending.extend(fresh)
        members.extend(sorted(reached))
        start.append(len(members))
    return Hierarchy(np.array(start, dtype=np.int32), np.array(members, dtype=np.int32))


def _write(
    folder: Path,
    words: Mapping[str, Any],
    parts: Mapping[str, EvidenceRows | Hierarchy | Shares],
    alone: Mapping[str, npt.NDArray[Any]],
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    arrays = dict(alone)
    for part, value in parts.items():
        arrays |= {f"{part}.{item.name}": getattr(value, item.name) for item in fields(value)}
    for name, array in arrays.items():
        np.save(folder / f"{name}.npy", array)
    text = json.dumps({_MARK: True, **words}, ensure_ascii=False)
    (folder / "words.json").write_text(text, encoding="utf-8")


def _read(folder: Path, name: str) -> npt.NDArray[Any]:
    """An array as plain ndarray over the mapped file: cheaper to index than numpy's memmap class."""
    mapped = np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
    return np.asarray(mapped)
