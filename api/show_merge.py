"""Identity as people read it: why two entities are one or not, and what may be one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict

from api.show import Shown
from kg_build.merge import MergeReport
from kg_build.propose import Proposal


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


def proposals(found: Sequence[Proposal]) -> Shown:
    """Proposals, best first, each with what speaks for and against it."""
    lines = []
    for number, proposal in enumerate(found, start=1):
        ends = zip((proposal.one, proposal.other), proposal.labels, proposal.names, strict=True)
        one, other = (f"{curie} {label}" + (f" “{name}”" if name != label else "") for curie, label, name in ends)
        lines.append(f"{number}. {one} = {other}?  ({proposal.type})")
        lines.append(f"   cosine {proposal.cosine:.2f}, margin {proposal.margin:.2f}")
        lines += [f"   + {reason}" for reason in proposal.reasons_for]
        lines += [f"   - {reason}" for reason in proposal.reasons_against]
    return Shown("\n".join(lines) or "nothing to propose", [asdict(proposal) for proposal in found])
