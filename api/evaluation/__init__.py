"""`clew eval`: one file for each task's command.

Every command takes `--run`, `--limit` and `--peer`, and prints as its last line one JSON object.
"""

from __future__ import annotations

import click

from api.evaluation.claims import claims
from api.evaluation.comparison import compare, report
from api.evaluation.diagnosis import diagnosis
from api.evaluation.icd10 import icd10
from api.evaluation.linking import linking
from api.evaluation.qa import qa
from api.evaluation.retrieval import retrieval
from api.evaluation.status import status


@click.group(name="eval")
def evaluate() -> None:
    """Measure: the last line printed is one JSON object."""


for _command in (diagnosis, retrieval, qa, linking, status, claims, icd10, compare, report):
    evaluate.add_command(_command)
