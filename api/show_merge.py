"""Why two entities are one or not, as people read it."""

from __future__ import annotations

from dataclasses import asdict

from api.show import Shown
from kg_build.merge import MergeReport


def merge(report: MergeReport) -> Shown:
    """The verdict with everything that speaks for and against it."""
    ends = zip((report.one, report.other), report.labels, report.types, strict=True)
    lines = [f"{curie}  {label}  ({type_name})" for curie, label, type_name in ends]
    lines.append(f"verdict: {report.verdict}")
    for statement in report.statements:
        cited = ", ".join(statement.references) or statement.record
        quote = f" “{statement.quote}”" if statement.quote else ""
        sign = "NOT the same" if statement.negated else "the same"
        lines.append(f"  {sign}: {statement.source}, {statement.agent_type}, {statement.record}, {cited}{quote}")
    if report.shared_names:
        lines.append(f"shared names: {', '.join(report.shared_names)}")
    if report.shared_codes:
        lines.append(f"shared codes: {', '.join(report.shared_codes)}")
    lines += [f"  {reason}" for reason in report.reasons]
    return Shown("\n".join(lines), asdict(report))
