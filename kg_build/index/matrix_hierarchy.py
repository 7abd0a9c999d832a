"""Which findings are more general than which."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from scipy import sparse

from kg_build.index.columns import Column, Ints


@dataclass(frozen=True)
class Hierarchy:
    """The more general findings of each finding, itself included, as CSR: int32[F + 1] and int32[n]."""

    start: Ints
    member: Ints

    def ancestors(self, finding: int) -> Ints:
        """The finding and all that are more general."""
        return self.member[self.start[finding] : self.start[finding + 1]]


def is_a(entity: pa.Table, assertion: pa.Table) -> tuple[Column, Column]:
    """The special and the general finding of every `subclass_of` between findings.

    Args:
        entity: canonical table.
        assertion: canonical table.
    """
    findings = entity["id"].filter(pc.equal(entity["type"], "PhenotypicFeature"))
    edges = assertion.filter((pc.field("predicate") == "subclass_of") & ~pc.field("negated"))
    inside = pc.and_(pc.is_in(edges["subject"], findings), pc.is_in(edges["object"], findings))
    return edges["subject"].filter(inside), edges["object"].filter(inside)


def close(special: Ints, general: Ints, count: int) -> Hierarchy:
    """The reflexive and transitive closure of the edges between so many findings, safe against circles."""
    itself = np.arange(count, dtype=np.int32)
    ends = (np.concatenate([itself, special]), np.concatenate([itself, general]))
    reach = sparse.csr_array((np.ones(len(ends[0]), dtype=bool), ends), shape=(count, count))
    while (further := reach @ reach).nnz > reach.nnz:  # twice as many steps up each time
        reach = further
    reach.sort_indices()
    return Hierarchy(reach.indptr.astype(np.int32), reach.indices.astype(np.int32))
