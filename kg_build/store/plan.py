"""The second look at free Cypher: what the engine itself is going to do, read from its EXPLAIN.

The guard reads the statement as we understand it; the plan is what the engine has understood. A statement runs only
if each operator of its plan reads the graph or computes with what was read. The plan comes as a picture of boxes with
the operator's name in the first line of each, and all boxes of a row begin in the same line:

    ┌─────────────────┐ ┌─────────────────┐
    │  PROJECTION[1]  │ │    COPY_TO[2]   │
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final

READING: Final = re.compile(
    r"""(?: (?:SCAN|PRIMARY_KEY_SCAN|QUERY_PRIMARY_KEY|INDEX_LOOKUP|INDEX_SCAN|EXPRESSIONS_SCAN|REL_DEGREE)\w*
          | (?:HASH_JOIN|INTERSECT|CROSS_PRODUCT|SEMI_MASKER|NODE_LABEL_FILTER|PATH_PROPERTY|UNION_ALL)\w*
          | (?:RECURSIVE_EXTEND|COUNT|GROUPED|PACKED|AGGREGATE|ORDER_BY|TOP_K|MULTIPLICITY)\w*
          | FILTER | FLATTEN | LIMIT | SKIP | PROJECTION | UNWIND | EMPTY_RESULT | ACCUMULATE
          | RESULT_COLLECTOR | DUMMY_SINK | DUMMY_SCAN | TABLE_FUNCTION_CALL )""",
    re.VERBOSE,
)
"""Families of operators that read, join, filter, sort and count (all that a corpus of reading statements uses)."""

HARMLESS_FUNCTION: Final = "READ_FTABLE"
"""The one table function of reading statements: it hands on rows that the plan itself has made."""

_OPERATOR: Final = re.compile(r"([A-Z_]+)\[[0-9]+\]")


def foreign_operators(plan: str) -> list[str]:
    """What a plan would do beside reading; empty for a reading statement.

    Args:
        plan: the text that EXPLAIN returns.
    """
    lines = plan.split("\n")
    heads = [cell for above, line in pairwise(lines) if "┌" in above for cell in _cells(line)]
    operators = [found[1] for cell in heads if (found := _OPERATOR.fullmatch(cell))]
    called = [
        cell.removeprefix("Function:").strip()
        for line in lines
        for cell in _cells(line)
        if cell.startswith("Function:")
    ]
    foreign = [name for name in operators if not READING.fullmatch(name)]
    foreign += [name for name in called if name != HARMLESS_FUNCTION]
    return list(dict.fromkeys(foreign)) if operators else ["a plan without operators"]


def _cells(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("│") if cell.strip()]
