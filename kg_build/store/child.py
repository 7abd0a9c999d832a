"""Free Cypher in a process of its own, because one bad statement can take the engine down with it.

`run_cypher` is the parent's side: it asks the guard, starts this module as a child (no shell, an environment
of one variable), hands it the statement as JSON and kills it when its time is over. The child limits its
memory and processor time, gives up the right to write files, opens the graph read-only, looks at the engine's plan
of the statement (`kg_build.store.plan`) before it runs it, and answers with JSON.
"""

from __future__ import annotations

import datetime as dt
import json
import math
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kg_build.store import guard
from kg_build.store.plan import foreign_operators
from ontology.errors import ClewError, Code, nearest

GRACE: Final = 2.0
"""Seconds the child may take beyond the query's own time, for starting and answering (measured: 0.15)."""

BUFFER_BYTES: Final = 512 * 2**20
"""Memory for pages and intermediate results (our choice: twice what 3M edges took)."""

MEMORY_BYTES: Final = 4 * 2**30
"""Address space of the child beside what the engine reserves for the file (opening takes 0.8 GB of it)."""

SMALLEST_RESERVE: Final = 2**30
"""Address space reserved for the file: this, or the power of two that holds it twice. By default the engine
reserves 8 TiB, which no limit on memory allows."""

ANSWER_BYTES: Final = 64 * 2**20
"""Largest answer that is passed on (our choice)."""

PREPARED: Final = {"clew_one_statement": True}
"""A parameter that no statement names: with parameters the engine prepares first, and refuses to prepare several
statements in one string; without any it would run them all."""

THREADS: Final = 2
"""Threads of one query (our choice: several people ask at once)."""


@dataclass(frozen=True)
class CypherResult:
    """What a statement returned.

    Attributes:
        columns: column names as the statement gives them.
        rows: JSON-able values; a node is `{"label", "id", "properties"}`, a relation
            `{"type", "properties"}`, a path `{"nodes", "relationships"}`, dates are ISO 8601 texts.
        truncated: whether there were more rows than asked for.
        ms: milliseconds for running and reading, without the start of the process.
    """

    columns: list[str]
    rows: list[list[object]]
    truncated: bool
    ms: float


def run_cypher(
    database: Path, statement: str, parameters: Mapping[str, object], *, seconds: float, rows: int
) -> CypherResult:
    """Run one reading statement against an embedded graph.

    Args:
        database: the graph's file.
        statement: Cypher; must pass the guard.
        parameters: JSON-able values by name, without `$`.
        seconds: time limit.
        rows: most rows to return.

    Raises:
        ClewError: REFUSED_CYPHER, NO_RELEASE, BAD_INPUT (a parameter is not JSON-able), TIMEOUT,
            FAILED_CYPHER (also when the engine crashed) or CORRUPT_RELEASE (the file cannot be opened).
    """
    return CypherResult(**_asked(database, statement, parameters, seconds, rows=rows))


def explain_cypher(database: Path, statement: str, parameters: Mapping[str, object], *, seconds: float) -> None:
    """See whether a statement would run, without running it.

    Raises:
        ClewError: as `run_cypher`.
    """
    _asked(database, statement, parameters, seconds, rows=0, plan_only=True)


def _asked(
    database: Path, statement: str, parameters: Mapping[str, object], seconds: float, **how: object
) -> dict[str, Any]:
    """The child's answer, which is not an error."""
    checked = guard.check(statement, parameters=parameters)
    if not database.exists():
        raise ClewError(Code.NO_RELEASE, f"no graph at {database}", remedy="run: clew build")
    task = {
        "database": str(database.absolute()),
        "statement": checked,
        "parameters": dict(parameters),
        "seconds": seconds,
        **how,
    }
    try:
        text = json.dumps(task)
    except (TypeError, ValueError, RecursionError) as error:
        raise ClewError(Code.BAD_INPUT, f"a Cypher parameter is not plain data: {error}") from error
    answer = _ask_child(text, seconds)
    if "code" in answer:
        raise _error(answer)
    return answer


def _ask_child(task: str, seconds: float) -> dict[str, Any]:
    """Start the child, give it the task, return its answer."""
    environment = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
    if sys.platform == "win32":
        environment["SYSTEMROOT"] = os.environ["SYSTEMROOT"]
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-m", "kg_build.store.child"],
            input=task.encode(),
            capture_output=True,
            timeout=seconds + GRACE,
            env=environment,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _error(_timeout(seconds)) from error
    if done.returncode != 0:
        last_line = done.stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise ClewError(
            Code.FAILED_CYPHER,
            f"the graph engine crashed on this statement ({_ending(done.returncode)}) {last_line}".rstrip(),
            remedy="ask in smaller steps; the graph itself is unharmed",
        )
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _error(answer: dict[str, Any]) -> ClewError:
    return ClewError(Code[answer["code"]], answer["cause"], remedy=answer["remedy"], choices=answer["choices"])


def _ending(status: int) -> str:
    return signal.Signals(-status).name if status < 0 else f"exit status {status}"


def _timeout(seconds: float, why: str = "") -> dict[str, Any]:
    return {
        "code": "TIMEOUT",
        "cause": f"the statement ran longer than {seconds:g} s{why}",
        "remedy": "name the relation types, start from an id, lower the path length, or allow more time",
        "choices": [],
    }


# --- the child's side ---------------------------------------------------------------------------------------


def main() -> None:
    """Read a task from standard input, answer on standard output."""
    task = json.load(sys.stdin.buffer)
    reserve = _reserve(Path(task["database"]))
    _limit_process(reserve, task["seconds"])
    text = json.dumps(_answer(task, reserve), allow_nan=False)
    if len(text) > ANSWER_BYTES:
        cause = f"the answer is larger than {ANSWER_BYTES // 2**20} MB"
        text = json.dumps(_failure(cause, "return fewer columns, or properties instead of nodes"))
    sys.stdout.write(text)


def _reserve(database: Path) -> int:
    """Bytes of address space for the file, a power of two as the engine wants it."""
    return max(SMALLEST_RESERVE, 1 << (2 * database.stat().st_size).bit_length())


def _limit_process(reserve: int, seconds: float) -> None:
    """Memory and processor time for one query; no files, no core dumps (where the system can)."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - not on every system

    processor_seconds = math.ceil((seconds + GRACE) * THREADS)
    for limit, value in (
        (resource.RLIMIT_AS, reserve + MEMORY_BYTES),
        (resource.RLIMIT_CPU, processor_seconds),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(limit)[1]
        lowest = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(limit, (lowest, lowest))


def _answer(task: dict[str, Any], reserve: int) -> dict[str, Any]:
    """The fields of CypherResult, or of a ClewError."""
    import ladybug  # noqa: PLC0415 - only the child loads the engine

    try:
        database = ladybug.Database(
            task["database"],
            read_only=True,
            buffer_pool_size=BUFFER_BYTES,
            max_db_size=reserve,
            max_num_threads=THREADS,
        )
        connection = ladybug.Connection(database)
    except RuntimeError as error:
        cause = f"{task['database']}: {_plain(str(error))}"
        return {"code": "CORRUPT_RELEASE", "cause": cause, "remedy": "run: clew build", "choices": []}
    connection.set_query_timeout(max(1, int(task["seconds"] * 1000)))
    plan = ""
    try:
        plan = _plan(connection, task)
        if foreign := foreign_operators(plan):
            cause = f"the graph engine would do more than read: {', '.join(foreign)}"
            return {"code": "REFUSED_CYPHER", "cause": cause, "remedy": "ask with MATCH and RETURN", "choices": []}
        return {} if task.get("plan_only") else _run(connection, task)
    except Exception as error:  # noqa: BLE001 - whatever the binding raises is the statement's failure
        return _explain(connection, str(error) or type(error).__name__, task, plan)


def _plan(connection: Any, task: dict[str, Any]) -> str:
    """What the engine is going to do, which it says without doing it (measured: 15 ms in a process just started)."""
    result = connection.execute(f"EXPLAIN {task['statement']}", task["parameters"] | PREPARED)
    return "\n".join(str(row[0]) for row in result.get_all())


def _run(connection: Any, task: dict[str, Any]) -> dict[str, Any]:
    """Execute and read at most one row more than asked for: results may be far larger than memory."""
    start = time.perf_counter()
    result = connection.execute(task["statement"], task["parameters"] | PREPARED)
    rows: list[list[object]] = []
    while result.has_next() and len(rows) < task["rows"]:
        rows.append([_plain_value(value) for value in result.get_next()])
    return {
        "columns": [_column_name(name) for name in result.get_column_names()],
        "rows": rows,
        "truncated": result.has_next(),
        "ms": (time.perf_counter() - start) * 1000,
    }


def _column_name(name: str) -> str:
    """A column's name as a person would write it: the engine spells out every label and its own functions."""
    written = re.sub(r"LABEL\((\w+)\._ID,\[[^\]]*\]\)", r"label(\1)", name)
    return written.replace("COUNT_STAR()", "count(*)")


def _plain_value(value: Any) -> object:
    """A value of the engine as JSON can hold it, without internal ids."""
    plain: object
    match value:
        case None | bool() | int() | str():
            plain = value
        case float():
            plain = value if math.isfinite(value) else str(value)
        case dt.date() | dt.time():
            plain = value.isoformat()
        case {"_NODES": nodes, "_RELS": relationships}:
            plain = {"nodes": _plain_value(nodes), "relationships": _plain_value(relationships)}
        case {"_SRC": _, "_DST": _, "_LABEL": label}:
            plain = {"type": label, "properties": _properties(value)}
        case {"_ID": _, "_LABEL": label}:
            properties = _properties(value)
            plain = {"label": label, "id": properties.get("id"), "properties": properties}
        case dict():
            plain = {str(key): _plain_value(item) for key, item in value.items()}
        case list() | tuple():
            plain = [_plain_value(item) for item in value]
        case bytes():
            plain = value.hex()
        case _:
            plain = str(value)
    return plain


def _properties(value: dict[str, Any]) -> dict[str, object]:
    """Those that are there: a node of any type comes with the columns of all types, empty."""
    hidden = {"_ID", "_LABEL", "_SRC", "_DST"}
    return {key: _plain_value(item) for key, item in value.items() if key not in hidden and item is not None}


# --- failures in words --------------------------------------------------------------------------------------

_SYNTAX = re.compile(
    r"(?:Parser exception: )?(.*?)(?:: expected rule .*| expecting .*)? \(line: (\d+), offset: (\d+)\)"
)
_NO_TABLE = re.compile(r"Table (\S+) does not exist")
_NO_PROPERTY = re.compile(r"Cannot find property (\S+) for (\S+?)\.?$")


_CALLED: Final = {
    "label": "name", "title": "name", "synonyms": "names", "synonym": "names", "description": "definition",
    "pmid": "references", "pmids": "references", "source": "sources", "code": "codes", "evidence": "codes",
    "score": "trust", "confidence": "trust", "weight": "trust",
}  # fmt: skip
"""What people call the properties."""

_REMEDIES: Final = (
    ("1-based position", "positions count from 1: names[1] is the first"),
    ("ORDER BY must be followed by SKIP or LIMIT", "put ORDER BY behind RETURN, or add a LIMIT to it"),
    ("ROUND did not receive correct arguments", "say how many digits: round(x, 2)"),
    (
        "is not understood",
        "look at what stands right there; forms that differ from Neo4j's are listed in docs/cookbook.md",
    ),
    ("Cannot match a built-in function", "CAST(x AS DOUBLE), CAST(x AS STRING) … make one type of another"),
)
"""What the engine complains of, and what to do about it."""


def _explain(connection: Any, message: str, task: dict[str, Any], plan: str) -> dict[str, Any]:
    """What went wrong, with choices from the schema where a name was wrong."""
    message = _plain(message)
    if message.startswith("Interrupted"):
        unconnected = "; two parts of the pattern are not connected" if "CROSS_PRODUCT" in plan else ""
        return _timeout(task["seconds"], unconnected)
    if "memory" in message or "bad_alloc" in message or message == "MemoryError":
        cause = f"the statement needs more than {BUFFER_BYTES // 2**20} MB of memory"
        return _failure(cause, "name the relation types, aggregate less at once, add a LIMIT")
    if found := _NO_TABLE.search(message):
        name, tables = found[1], _column(connection, "CALL show_tables() RETURN name")
        cause = f"the graph has no entity or relation type {name}"
        return _failure(cause, "see: clew schema", nearest(name, tables) or tables[:20])
    if found := _NO_PROPERTY.search(message):
        properties = _properties_of(connection, found[2], task["statement"])
        called = [name for name in [_CALLED.get(found[1].lower(), "")] if name in properties]
        cause = f"{found[2]} has no property {found[1]}"
        choices = list(dict.fromkeys([*called, *nearest(found[1], properties)])) or properties[:20]
        return _failure(cause, "see: clew schema", choices)
    remedy = next((remedy for words, remedy in _REMEDIES if words in message), "")
    return _failure(message, remedy or "see docs/cookbook.md: some forms of Neo4j are written differently here")


def _properties_of(connection: Any, variable: str, statement: str) -> list[str]:
    """The properties of what a variable stands for; of everything, when the statement does not say."""
    tables = _column(connection, "CALL show_tables() RETURN name")
    named = re.search(rf"[(\[]\s*{re.escape(variable)}\s*:\s*`?(\w+)", statement)
    chosen = [table for table in tables if named and table.lower() == named[1].lower()] or tables
    return sorted({name for t in chosen for name in _column(connection, f"CALL table_info('{t}') RETURN name")})


def _plain(message: str) -> str:
    """The engine's message on one line, without its class of exception and its source paths."""
    message = message.partition("\n")[0]
    if found := _SYNTAX.search(message):
        what = "the statement ends too early" if "<EOF>" in found[1] else found[1]
        message = f"line {found[2]}, column {int(found[3]) + 1} is not understood: {what}"
    if message.startswith("Unable to cast Python instance"):
        return "a parameter is of a kind or size that the graph engine does not take"
    if message.startswith("Assertion failed"):
        return "the graph engine met a case it does not handle"
    return re.sub(r"^\w+( \w+)? exception: ", "", message)


def _failure(cause: str, remedy: str, choices: Sequence[str] = ()) -> dict[str, Any]:
    return {"code": "FAILED_CYPHER", "cause": cause, "remedy": remedy, "choices": list(choices)}


def _column(connection: Any, statement: str) -> list[str]:
    return sorted(str(row[0]) for row in connection.execute(statement).get_all())


if __name__ == "__main__":
    main()
