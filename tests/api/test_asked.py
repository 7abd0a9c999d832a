"""Cypher from words with a language model: asked only where no template fits, guarded, shown before it runs."""

import json
from pathlib import Path
from typing import Any

from tests.api.conftest import Run
from tests.api.test_eval_qa import Server, server  # noqa: F401 - a fixture

UNFIT = "Which diseases have the longest names?"
GOOD = "MATCH (d:Disease) RETURN d.name AS name ORDER BY size(d.name) DESC, name LIMIT 2"


def told(server: Server, *replies: str) -> None:  # noqa: F811
    """Make the server reply so, one after the other."""
    left = list(replies)

    def answer(_: Any) -> tuple[int, Any]:
        return 200, {"choices": [{"message": {"role": "assistant", "content": left.pop(0)}}]}

    server.answer = answer


def test_what_the_model_wrote_is_shown_and_not_run(run: Run, miniature_home: Path, server: Server) -> None:  # noqa: F811
    told(server, f"```cypher\n{GOOD}\n```")
    status, out, _ = run(miniature_home, "cypher", "--ask", UNFIT, "--llm", server.url)
    assert status == 0
    assert GOOD in out
    assert "Written by the language model" in out
    assert "Not run yet" in out


def test_it_runs_when_told_to(run: Run, miniature_home: Path, server: Server) -> None:  # noqa: F811
    told(server, GOOD)
    _, out, _ = run(miniature_home, "cypher", "--ask", UNFIT, "--llm", server.url, "--run", "--json")
    (made,) = json.loads(out)["statements"]
    assert (made["template"], len(made["result"]["rows"])) == ("model", 2)


def test_a_question_with_a_template_does_not_ask_the_model(run: Run, miniature_home: Path, server: Server) -> None:  # noqa: F811
    status, out, _ = run(miniature_home, "cypher", "--ask", "感冒有哪些症状？", "--llm", server.url)
    assert (status, server.bodies) == (0, [])
    assert "has_phenotype" in out


def test_the_model_gets_one_repair_with_the_reason_and_then_a_refusal(
    run: Run,
    miniature_home: Path,
    server: Server,  # noqa: F811
) -> None:
    told(server, "MATCH (d:Illness) RETURN d.id", "MATCH (d:Disease) DETACH DELETE d")
    status, _, err = run(miniature_home, "cypher", "--ask", UNFIT, "--llm", server.url, "--run")
    assert status == 6
    assert len(server.bodies) == 2
    assert "no entity or relation type Illness" in server.bodies[1]["messages"][0]["content"]
    assert "refused twice" in err
    assert "DETACH would change the graph" in err
