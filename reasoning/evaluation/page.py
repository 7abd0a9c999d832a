"""report.html: the run as one page that loads nothing, with plots drawn by matplotlib as SVG."""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Sequence
from importlib.resources import files
from typing import Any, Final

import jinja2
import matplotlib as mpl
import numpy as np
from markupsafe import Markup
from matplotlib.figure import Figure

from reasoning.evaluation.metrics import TOPS
from reasoning.evaluation.record import Record
from reasoning.evaluation.report import against_first, arm_rows, facts
from reasoning.evaluation.run import Run

_BINS: Final = 10
_TEMPLATE: Final = "page.html.jinja"


def page(run: Run) -> str:
    """The report as one HTML page; everything from the run is escaped."""
    rows = arm_rows(run.records)
    environment = jinja2.Environment(autoescape=True, undefined=jinja2.StrictUndefined)
    template = files("reasoning.evaluation").joinpath(_TEMPLATE).read_text(encoding="utf-8")
    return environment.from_string(template).render(
        title=f"Evaluation: {run.figures.get('task', '')}",
        facts=[fact.replace("`", "") for fact in facts(run)],
        rows=rows,
        scores=list(dict.fromkeys(name for row in rows for name in row["scores"])),
        plots=_plots(run.records, rows),
        compared=against_first(run.records),
        problems=run.problems,
        figures=json.dumps(run.figures, ensure_ascii=False, indent=1),
        manifest=run.manifest.model_dump_json(indent=1) if run.manifest else "",
    )


def _plots(records: Sequence[Record], rows: Sequence[dict[str, Any]]) -> list[tuple[str, Markup]]:
    """Caption and drawing of every plot that these records allow."""
    drawn = []
    if any("top1" in row["scores"] for row in rows):
        drawn.append(("Share of counted cases whose gold is among the first k.", _top_curves(rows)))
    sure = [record for record in records if record.counted and "probability" in record.detail]
    if sure:
        drawn.append(
            ("Accuracy against the probability of the first answer; on the line it is calibrated.", _reliability(sure))
        )
    if len(rows) > 1:
        drawn.append(("Mean of the first score of each arm, with 95 % intervals of single cases.", _bars(records)))
    return drawn


def _top_curves(rows: Sequence[dict[str, Any]]) -> Markup:
    figure, axes = _figure()
    for row in rows:
        known = [top for top in TOPS if f"top{top}" in row["scores"]]
        axes.plot(
            known, [row["scores"][f"top{top}"] for top in known], marker="o", label=_label(row["arm"], row["view"])
        )
    axes.set(xlabel="k", ylabel="share within the first k", ylim=(0, 1), xticks=list(TOPS))
    axes.legend(frameon=False)
    return _svg(figure, "Top-k curves")


def _reliability(records: Sequence[Record]) -> Markup:
    figure, axes = _figure()
    axes.plot([0, 1], [0, 1], color="0.7", linestyle="--")
    for arm, view in dict.fromkeys((record.arm, record.view) for record in records):
        chosen = [record.detail for record in records if (record.arm, record.view) == (arm, view)]
        sure = np.array([detail["probability"] for detail in chosen])
        right = np.array([bool(detail["right"]) for detail in chosen], dtype=float)
        bins = np.clip((sure * _BINS).astype(int), 0, _BINS - 1)
        filled = np.unique(bins)
        axes.plot(
            [sure[bins == b].mean() for b in filled], [right[bins == b].mean() for b in filled],
            marker="o", label=_label(arm, view),
        )  # fmt: skip
    axes.set(xlabel="probability of the first", ylabel="share that is right", xlim=(0, 1), ylim=(0, 1))
    axes.legend(frameon=False)
    return _svg(figure, "Reliability diagram")


def _bars(records: Sequence[Record]) -> Markup:
    figure, axes = _figure()
    groups = list(dict.fromkeys((record.arm, record.view) for record in records))
    labels, means, errors, name = [], [], [], ""
    for arm, view in groups:
        chosen = [record for record in records if (record.arm, record.view) == (arm, view) and record.counted]
        if not chosen or not chosen[0].scores:
            continue
        name = name or next(iter(chosen[0].scores))
        values = np.array([record.scores.get(name, 0.0) for record in chosen])
        labels.append(_label(arm, view))
        means.append(float(values.mean()))
        errors.append(float(1.96 * values.std() / np.sqrt(len(values))))
    axes.barh(labels, means, xerr=errors, color="#4a7fb5", ecolor="0.3")
    axes.invert_yaxis()
    axes.set(xlabel=name)
    return _svg(figure, f"{name} by arm")


def _label(arm: str, view: str) -> str:
    return f"{arm}, {view}" if view else arm


def _figure() -> tuple[Figure, Any]:
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.add_subplot()
    axes.spines[["top", "right"]].set_visible(False)
    return figure, axes


def _svg(figure: Figure, title: str) -> Markup:
    """A drawing as SVG, the same bytes for the same run."""
    buffer = io.StringIO()
    with mpl.rc_context({"svg.hashsalt": "clew", "svg.fonttype": "none"}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")  # text stays text: the reader's fonts have it
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Title": title})
    text = buffer.getvalue()
    return Markup(text[text.index("<svg") :])  # noqa: S704  (drawn here; labels are escaped by matplotlib)
