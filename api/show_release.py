"""Releases as people see them: what differs between two, what was cleared away, whose data they hold, what left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from api.show import Shown
from kg_build.diff import Difference
from kg_build.exchange.export import Exported
from kg_build.garbage import Garbage
from kg_build.licence import Attribution


def difference(found: Difference, limit: int) -> Shown:
    """What differs between two releases, with at most `limit` examples of each kind."""
    data = found.as_dict(limit)
    if found.same:
        return Shown(f"{found.old} and {found.new}: the same tables", data)
    lines = [f"{found.old} → {found.new}", f"{'table':<10}  {'added':>9}  {'removed':>9}  {'changed':>9}"]
    for name, change in data["tables"].items():
        columns = ", ".join(f"{column} {count:,}" for column, count in change["columns"].items())
        counts = "  ".join(f"{change[kind]:>9,}" for kind in ("added", "removed", "changed"))
        lines.append(f"{name:<10}  {counts}  {columns}".rstrip())
    for name in ("entity", "document"):
        change = data["tables"][name]
        for kind, sign in (("added", "+"), ("removed", "-"), ("changed", "~")):
            lines += [f"{sign} {name} {key}" for key in change[f"{kind}_keys"]]
    return Shown("\n".join([*lines, *_statement_lines(data["assertions"])]), data)


def garbage(found: Sequence[Garbage], *, dry_run: bool) -> Shown:
    """What was removed, or would be."""
    total = sum(item.bytes for item in found)
    lines = [f"{item.kind:<8}  {item.bytes / 1e6:>9.1f} MB  {item.name}" for item in found]
    lines.append(f"{'would free' if dry_run else 'freed'} {total / 1e6:.1f} MB")
    return Shown("\n".join(lines), {"dry_run": dry_run, "bytes": total, "removed": [asdict(item) for item in found]})


def exported(done: Exported) -> Shown:
    """What was written where, and what was left out."""
    lines = [f"{done.folder}: {done.form}, data of {', '.join(done.sources)}"]
    lines += [f"{rows:>11,} rows  {name}" for name, rows in done.files.items()]
    gone = ", ".join(f"{count:,} of {name}" for name, count in done.left_out.items() if count)
    lines += [f"left out: {gone}"] if gone else []
    return Shown("\n".join(lines), {**asdict(done), "folder": str(done.folder)})


def licences(release: str, sources: Sequence[Attribution]) -> Shown:
    """The notices that a release asks for, and what of it may not be passed on."""
    lines = [f"release {release}"]
    for source in sources:
        lines += [
            "",
            f"{source.source}: {source.title}, {source.release} — {source.evidence:,} rows of evidence",
            f"    licence: {source.licence}",
            f"    {source.attribution}",
        ]
    barred = [source.source for source in sources if not source.redistributable]
    verdict = f"may not be passed on: {', '.join(barred)}" if barred else "all of it may be passed on"
    data = {"release": release, "sources": [asdict(source) for source in sources], "not_redistributable": barred}
    return Shown("\n".join([*lines, "", verdict]), data)


def _statement_lines(changes: dict[str, Any]) -> list[str]:
    counts = f"{changes['appeared']:,} appeared, {changes['vanished']:,} vanished"
    lines = [f"statements: {counts}, {changes['evidence_changed']:,} with other evidence"]
    for kind, sign in (("appeared", "+"), ("vanished", "-")):
        for row in changes[f"{kind}_statements"]:
            denied = "NOT " if row["negated"] else ""
            ends = [f"{row[end]} ({row[f'{end}_label']})" for end in ("subject", "object")]
            lines.append(f"{sign} {row['id']}  {ends[0]} {denied}{row['predicate']} {ends[1]}")
    for change in changes["evidence_changes"]:
        evidence = [f"+{key}" for key in change["added"]] + [f"-{key}" for key in change["removed"]]
        lines.append(f"~ {change['id']}  {' '.join(evidence)}")
    return lines
