"""Which diseases are the same, which are nearly, and how many treatments each has.

twins        pairs said to be the same (`same_as`), and by nobody not to be
kin          pairs of two vocabularies that share a gene and most words of their names
treatments   how many drugs and procedures are listed for each disease
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from kg_build.identity import stated_pairs

Pairs = npt.NDArray[np.int32]

_WORD = re.compile(r"[^\W_]+")
_EMPTY_WORDS = frozenset(("and", "of", "the", "to", "with"))
_NUMERALS = {"i": "1", "ii": "2", "iii": "3", "iv": "4", "v": "5", "vi": "6", "vii": "7", "viii": "8"}


def twins(assertion: pa.Table, diseases: Mapping[str, int]) -> Pairs:
    """Pairs of diseases that are accepted as the same, each once; int32[P, 2], sorted."""
    known = (sorted(diseases[end] for end in pair if end in diseases) for pair in stated_pairs(assertion).accepted)
    return _array({(ends[0], ends[1]) for ends in known if len(ends) == 2})


def kin(assertion: pa.Table, diseases: Mapping[str, int], labels: Sequence[str], similarity: float) -> Pairs:
    """Ordered pairs of diseases of different vocabularies that share a gene and whose names are similar.

    Similar means that the words in common are at least this share of all their words (Jaccard), Roman numerals
    read as Arabic; our choice.

    Args:
        assertion: canonical table; read is `gene_associated_with_condition`.
        diseases: CURIE -> index.
        labels: name of each disease, by index.
        similarity: in [0, 1].

    Returns:
        int32[L, 2], both directions, sorted.
    """
    vocabulary = {index: curie.split(":", 1)[0] for curie, index in diseases.items()}
    of_gene: dict[str, set[int]] = {}
    for gene, disease in _pairs(assertion, "gene_associated_with_condition"):
        if disease in diseases:
            of_gene.setdefault(gene, set()).add(diseases[disease])
    words = {index: _words(labels[index]) for group in of_gene.values() for index in group}
    found: set[tuple[int, int]] = set()
    for group in of_gene.values():
        for one, other in combinations(sorted(group), 2):
            common, every = words[one] & words[other], words[one] | words[other]
            if vocabulary[one] != vocabulary[other] and len(common) >= similarity * max(len(every), 1):
                found |= {(one, other), (other, one)}
    return _array(found)


def treatments(assertion: pa.Table, diseases: Mapping[str, int]) -> npt.NDArray[np.int32]:
    """How many things are said to treat each disease; int32[D]."""
    treated = [diseases[disease] for _, disease in _pairs(assertion, "treats") if disease in diseases]
    return np.bincount(np.array(treated, dtype=np.int64), minlength=len(diseases)).astype(np.int32)


def _pairs(assertion: pa.Table, predicate: str) -> list[tuple[str, str]]:
    table = assertion.filter((pc.field("predicate") == predicate) & ~pc.field("negated"))
    return list(zip(table["subject"].to_pylist(), table["object"].to_pylist(), strict=True))


def _words(name: str) -> frozenset[str]:
    words = (_NUMERALS.get(word, word) for word in _WORD.findall(name.casefold()))
    return frozenset(words) - _EMPTY_WORDS


def _array(pairs: set[tuple[int, int]]) -> Pairs:
    return np.array(sorted(pairs), dtype=np.int32).reshape(-1, 2)
