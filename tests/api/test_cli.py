"""The command line: what people and scripts rely on."""

import json
import subprocess
import sys
import time
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from api.cli import clew, main
from api.compose import Clew
from api.words import words
from kg_build.store.guard import check
from ontology.reading.text import language

PROGRAM = str(Path(sys.executable).with_name("clew"))
PACKET = {
    "id": "p1",
    "phenotypicFeatures": [
        {"type": {"id": "HP:0001166", "label": "Arachnodactyly"}},
        {"type": {"id": "HP:0001083", "label": "Ectopia lentis"}},
        {"type": {"id": "HP:0001250", "label": "Seizure"}, "excluded": True},
    ],
    "diseases": [{"term": {"id": "OMIM:154700", "label": "Marfan syndrome"}}],
    "metaData": {"externalReferences": [{"id": "PMID:9000002"}]},
}


class Ended(NamedTuple):
    """How a command ended."""

    status: int
    out: str
    err: str


Run = Callable[..., Ended]


@pytest.fixture
def run(
    miniature_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Run:
    """Runs the program in this process, on the miniature release, in an empty folder."""
    monkeypatch.setenv("CLEW_HOME", str(miniature_home))
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> Ended:
        monkeypatch.setattr(sys, "argv", ["clew", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        assert isinstance(ended.value.code, int)
        return Ended(ended.value.code, captured.out, captured.err)

    return call


@pytest.fixture
def packet(tmp_path: Path) -> str:
    path = tmp_path / "packet.json"
    path.write_text(json.dumps(PACKET))
    return str(path)


def ran(ended: Ended) -> str:
    assert (ended.status, ended.err) == (0, "")
    return ended.out


def data(ended: Ended) -> Any:
    return json.loads(ran(ended))


def tree(folder: Path) -> dict[str, str]:
    """Every file below a folder with the digest of its content."""
    return {str(p): sha256(p.read_bytes()).hexdigest() for p in sorted(folder.rglob("*")) if p.is_file()}


# --- what works --------------------------------------------------------------------------------------------


def test_status_shows_the_release_its_counts_and_its_licences(run: Run) -> None:
    text, values = ran(run("status")), data(run("status", "--json"))
    assert f"release {values['id']}:" in text
    for source in values["sources"].values():
        assert source["licence"] in text
        assert source["attribution"] in text
    assert values["releases"] == [values["id"]]
    assert values["counts"]["assertions"]["has_phenotype"] > 0


@pytest.mark.parametrize(
    ("question", "said"),
    [("Which gene is associated with Marfan syndrome?", "FBN1"), ("感冒有哪些症状？", "感冒可表现为")],
)
def test_ask_answers_with_citations_cypher_and_the_notice(run: Run, question: str, said: str) -> None:
    text, values = ran(run("ask", question)), data(run("ask", question, "--json"))
    assert said in text
    assert "[1]" in text
    assert "Cypher:" in text
    assert words(language(question), "notice") in text
    assert said in "".join(sentence["text"] for sentence in values["sentences"])
    assert {"question", "sentences", "citations", "insufficient", "unanswered", "removed", "trace"} <= values.keys()


def test_an_honest_lack_of_evidence_is_not_an_error(run: Run) -> None:
    assert "Not enough evidence" in ran(run("ask", "What is the capital of France?"))
    assert data(run("ask", "明天天气怎么样？", "--json"))["insufficient"].startswith("证据不足")


def test_the_trace_shows_every_stage(run: Run) -> None:
    text = ran(run("ask", "感冒吃什么药？", "--trace"))
    assert all(f"\n{stage} " in text for stage in ("interpret", "route", "decompose", "graph", "passages", "answer"))


@pytest.mark.parametrize("query", ["hypertension", "高血压"])
def test_search_shows_entities_and_passages_with_the_score_of_every_channel(run: Run, query: str) -> None:
    assert "Disease" in ran(run("search", query))
    values = data(run("search", query, "--limit", "3", "--json"))
    assert values["entities"][0]["text"] == query
    assert 0 < len(values["passages"]) <= 3
    assert all(passage["by_channel"] for passage in values["passages"])


def test_cypher_returns_rows_with_parameters_from_text_or_a_file(run: Run, tmp_path: Path) -> None:
    statement = "MATCH (d:Disease)-[:has_phenotype]->(p:PhenotypicFeature {id: $id}) RETURN d.id ORDER BY d.id"
    (tmp_path / "q.cypher").write_text(statement)
    given = run("cypher", statement, "--param", "id=HP:0001166", "--json")
    read = run("cypher", "--file", "q.cypher", "--param", 'id="HP:0001166"', "--json")
    assert data(given)["columns"] == ["d.id"]
    assert ["OMIM:154700"] in data(given)["rows"]
    assert data(given)["rows"] == data(read)["rows"]
    assert "OMIM:154700" in ran(run("cypher", statement, "--param", "id=HP:0001166"))


@pytest.mark.parametrize(
    ("question", "template", "found", "told"),
    [
        ("Which genes are associated with Marfan syndrome?", "property", "FBN1", "Not run yet"),
        ("感冒有哪些症状？", "property", "鼻塞", "尚未执行"),
    ],
)
def test_cypher_shows_the_statement_for_a_question_and_runs_it_when_told(
    run: Run, question: str, template: str, found: str, told: str
) -> None:
    shown = ran(run("cypher", "--ask", question))
    assert "MATCH (n:Disease" in shown
    assert told in shown
    assert found not in shown
    assert found in ran(run("cypher", "--ask", question, "--run"))
    (first, *_) = data(run("cypher", "--ask", question, "--run", "--json"))["statements"]
    assert (first["template"], first["result"]["truncated"]) == (template, False)
    assert data(run("cypher", first["statement"], "--json"))["rows"] == first["result"]["rows"]


def test_a_question_that_fits_no_template_is_refused_with_examples_that_do(run: Run) -> None:
    ended = run("cypher", "--ask", "今天天气怎么样", "--json")
    error = json.loads(ended.out)["error"]
    assert (error["code"], ended.status) == ("E101", 2)
    assert error["choices"]
    for example in error["choices"]:
        assert ran(run("cypher", "--ask", example))


def test_nothing_found_is_explained_where_the_statement_shows_why(run: Run) -> None:
    shown = ran(run("cypher", "MATCH (d:Disease {id: '154700'})-[:has_phenotype]->(g:Gene) RETURN g"))
    assert "'154700' is none" in shown
    assert "never leads from Disease to Gene" in shown


def test_schema_says_how_many_there_are_and_its_examples_run(run: Run, miniature_home: Path) -> None:
    shown, values = ran(run("schema")), data(run("schema", "--json"))
    assert f"biolink:Disease — {values['counts']['Disease']:,}\n" in shown
    assert values["counts"]["has_phenotype"] > 0
    opened = Clew.open(miniature_home)
    assert values["examples"].keys() == opened.domain.types.keys() | opened.domain.predicates.keys()
    for name, example in values["examples"].items():
        assert f"    {example}\n" in shown
        assert check(example) == example
        assert opened.store.rows(example) or not values["counts"].get(name) or name in opened.domain.predicates


def test_the_limits_of_cypher_come_from_the_settings(run: Run, tmp_path: Path) -> None:
    (tmp_path / "clew.toml").write_text("[cypher]\nrows = 2\n")
    values = data(run("cypher", "MATCH (d:Disease) RETURN d.id", "--json"))
    assert len(values["rows"]) == 2
    assert values["truncated"] is True


def test_schema_needs_no_release(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "none"))
    assert "[:has_phenotype]" in ran(run("schema"))
    assert "has_phenotype" in data(run("schema", "--json"))["predicates"]


@pytest.mark.parametrize(
    "ends", [("FBN1", "Homocystinuria"), ("OMIM:154700", "HP:0001166"), ("感冒", "肺炎"), ("Marfan syndrome", "FBN1")]
)
def test_path_shows_chains_whose_cypher_runs(run: Run, ends: tuple[str, str]) -> None:
    found = data(run("path", *ends, "--json"))
    assert found
    assert found[0]["cypher"] in ran(run("path", *ends))
    rows = data(run("cypher", found[0]["cypher"], "--json"))["rows"]
    assert all(any(edge["assertion"] in row for row in rows) for edge in found[0]["edges"])


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("Long slender fingers and lens dislocation, no seizure.", "Marfan syndrome"),
        ("患者发热、咳嗽、咳痰，胸痛，无头痛。", "肺炎"),
    ],
)
def test_diagnose_ranks_what_explains_a_text(run: Run, text: str, named: str) -> None:
    values = data(run("diagnose", text, "--json"))
    assert values["differential"][0]["label"] == named
    assert any(finding["excluded"] for finding in values["findings"])
    shown = ran(run("diagnose", text, "--top", "3"))
    assert f"1. {named}" in shown
    assert words(language(text), "ask next") in shown
    assert words(language(text), "notice") in shown


def test_diagnose_reads_a_phenopacket_and_a_file(run: Run, packet: str, tmp_path: Path) -> None:
    (tmp_path / "case.txt").write_text("arachnodactyly, ectopia lentis", encoding="utf-8")
    for source in (("--phenopacket", packet), ("--file", "case.txt")):
        values = data(run("diagnose", *source, "--top", "2", "--json"))
        assert values["differential"][0]["disease"] == "OMIM:154700"
        assert len(values["differential"]) == 2


def test_the_publication_a_case_comes_from_can_be_hidden(run: Run, packet: str) -> None:
    full = data(run("diagnose", "--phenopacket", packet, "--json"))
    hidden = data(run("diagnose", "--phenopacket", packet, "--hide-own-references", "--json"))
    assert full["differential"][0]["score"] != hidden["differential"][0]["score"]
    assert "PMID:9000002" in json.dumps(full["differential"])
    assert "PMID:9000002" not in json.dumps(hidden["differential"])


def test_eval_diagnosis_ends_with_one_json_object(run: Run, tmp_path: Path) -> None:
    cases = tmp_path / "cases.jsonl"
    record = {"id": "2", "findings": [{"id": "HP:0002072"}], "gold": {"labels": ["Huntington disease"]}}
    cases.write_text(json.dumps(PACKET) + "\n" + json.dumps(record) + "\nnot json\n")
    out = run("eval", "diagnosis", str(cases), "--out", str(tmp_path / "out.jsonl"))
    figures = json.loads(out.out.splitlines()[-1])
    assert figures["task"] == "diagnosis"
    rates = {"top1", "top3", "top5", "top10", "mrr"}
    assert rates | {"n", "covered", "ece", "ms_per_case", "capped", "macro"} <= figures.keys()
    assert rates | {f"{rate}_all" for rate in rates if rate != "mrr"} <= figures.keys()
    assert rates <= figures["capped"].keys()
    assert rates | {"diseases"} <= figures["macro"].keys()
    assert (figures["n"], figures["covered"]) == (2, 2)
    results = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()]
    assert {"id", "gold", "rank"} <= results[0].keys()
    assert [("error" in result) for result in results] == [False, False, True]


def test_config_shows_values_and_where_they_come_from(run: Run, tmp_path: Path) -> None:
    (tmp_path / "clew.toml").write_text("[cypher]\nrows = 5\n")
    assert "cypher.rows = 5" in ran(run("config"))
    assert f"({tmp_path / 'clew.toml'})" in ran(run("config", "--provenance"))
    assert data(run("config", "--json"))["provenance"]["cypher.rows"] == str(tmp_path / "clew.toml")


def test_an_estimate_downloads_nothing(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "none"))
    values = data(run("build", "--estimate", "--json"))
    assert values["download_bytes"] > 0
    assert values["llm_calls"] == 0
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("command", sorted(clew.commands))
def test_every_command_explains_itself(run: Run, command: str) -> None:
    assert "Usage: clew" in ran(run(command, "--help"))


def test_the_version_is_that_of_the_package(run: Run) -> None:
    assert ran(run("--version")).startswith("clew, version ")


# --- what does not -----------------------------------------------------------------------------------------

BAD = {
    "an empty question": (["ask", ""], "E102", 2),
    "a blank question": (["ask", "\u3000 "], "E102", 2),
    "a question that is too long": (["ask", "咳" * 2001], "E101", 2),
    "an empty search": (["search", ""], "E102", 2),
    "an empty case": (["diagnose", ""], "E102", 2),
    "no case": (["diagnose"], "E101", 2),
    "two cases": (["diagnose", "cough", "--file", "x"], "E101", 2),
    "a case without findings": (["diagnose", "您好"], "E204", 3),
    "a missing file": (["diagnose", "--file", "missing.txt"], "E101", 2),
    "a folder instead of a file": (["diagnose", "--file", "."], "E101", 2),
    "a missing phenopacket": (["diagnose", "--phenopacket", "missing.json"], "E101", 2),
    "a phenopacket that is no JSON": (["diagnose", "--phenopacket", "broken.json"], "E103", 2),
    "a phenopacket of the wrong shape": (["diagnose", "--phenopacket", "list.json"], "E103", 2),
    "a missing case file": (["eval", "diagnosis", "missing.jsonl"], "E101", 2),
    "results that cannot be written": (["eval", "diagnosis", "cases.jsonl", "--out", "no/such/out.jsonl"], "E101", 2),
    "an unknown entity": (["path", "Marfan syndrom", "FBN1"], "E201", 3),
    "an unknown Chinese entity": (["path", "高血", "感冒"], "E201", 3),
    "an unknown CURIE": (["path", "HP:9999999", "FBN1"], "E201", 3),
    "an entity without a name": (["path", "", "FBN1"], "E102", 2),
    "two equal ends": (["path", "FBN1", "NCBIGene:2200"], "E101", 2),
    "ends without a chain": (["path", "FBN1", "CFTR", "--depth", "1"], "E203", 3),
    "a write statement": (["cypher", "CREATE (n:Disease {id: 'x'})"], "E501", 6),
    "a hidden write statement": (["cypher", "MATCH (n:Disease) SET n.name = 'x' RETURN n"], "E501", 6),
    "a statement that writes a file": (["cypher", "COPY (MATCH (n:Disease) RETURN n.id) TO 'x.csv'"], "E501", 6),
    "a statement with an unknown label": (["cypher", "MATCH (n:Illness) RETURN n.id"], "E502", 6),
    "an empty statement": (["cypher", ""], "E501", 6),
    "no statement": (["cypher"], "E101", 2),
    "a missing statement file": (["cypher", "--file", "missing.cypher"], "E101", 2),
    "a question and a statement": (["cypher", "RETURN 1", "--ask", "x"], "E101", 2),
    "running without a question": (["cypher", "RETURN 1", "--run"], "E101", 2),
    "an empty question for Cypher": (["cypher", "--ask", " "], "E102", 2),
    "a parameter without a value": (["cypher", "RETURN $x", "--param", "x"], "E101", 2),
    "an unknown source": (["build", "--source", "wikipedia"], "E101", 2),
    "bytes that are no text": (["ask", "\udcff\udcfe"], "E101", 2),
}


@pytest.mark.parametrize(("arguments", "number", "status"), BAD.values(), ids=BAD)
def test_bad_input_is_a_coded_error_and_changes_nothing(
    run: Run, miniature_home: Path, tmp_path: Path, arguments: list[str], number: str, status: int
) -> None:
    (tmp_path / "broken.json").write_text("{")
    (tmp_path / "list.json").write_text("[]")
    (tmp_path / "cases.jsonl").write_text(json.dumps(PACKET))
    before = tree(miniature_home), tree(tmp_path)
    ended = run(*arguments)
    assert (tree(miniature_home), tree(tmp_path)) == before
    assert ended.status == status
    assert ended.err.startswith(f"{number} ")
    assert ended.out == ""
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("number", ["E102", "E201", "E501"])
def test_with_json_an_error_is_one_json_document_too(run: Run, number: str) -> None:
    arguments = next(arguments for arguments, code, _ in BAD.values() if code == number)
    ended = run(*arguments, "--json")
    assert json.loads(ended.out)["error"]["code"] == number
    assert ended.err.startswith(number)


def test_an_unknown_entity_is_answered_with_what_looks_like_it(run: Run) -> None:
    assert "Marfan syndrome" in run("path", "Marfan syndrom", "FBN1").err
    assert "高血压" in run("path", "高血", "感冒").err


@pytest.mark.parametrize(
    "arguments",
    [
        ["status"],
        ["ask", "x"],
        ["search", "x"],
        ["diagnose", "cough"],
        ["path", "a", "b"],
        ["cypher", "RETURN 1"],
        ["eval", "diagnosis", "x"],
    ],
)
def test_without_a_release_every_command_says_how_to_get_one(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str]
) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "none"))
    ended = run(*arguments)
    assert ended.status == 4
    assert ended.err.startswith("E301 ")
    assert "clew build" in ended.err
    assert list(tmp_path.iterdir()) == []


def test_broken_settings_are_named_before_anything_else_happens(run: Run, tmp_path: Path) -> None:
    (tmp_path / "clew.toml").write_text("[cyper]\nrows = 1\n")
    for arguments in (["status"], ["ask", "x"], ["config"], ["build", "--estimate"]):
        ended = run(*arguments)
        assert ended.status == 2
        assert ended.err.startswith("E105 ")


@pytest.mark.parametrize(
    "arguments", [["nonsense"], ["ask"], ["ask", "x", "--nonsense"], ["path", "a", "b", "--depth", "9"]]
)
def test_a_wrong_command_line_is_explained(run: Run, arguments: list[str]) -> None:
    ended = run(*arguments)
    assert ended.status == 2
    assert "Error:" in ended.err
    assert "--help" in ended.err


def test_reading_commands_leave_the_home_as_it_was(run: Run, miniature_home: Path, packet: str) -> None:
    before = tree(miniature_home)
    ran(run("status"))
    ran(run("ask", "感冒有哪些症状？"))
    ran(run("search", "cough"))
    ran(run("diagnose", "--phenopacket", packet))
    ran(run("path", "FBN1", "Marfan syndrome"))
    ran(run("cypher", "MATCH (d:Disease) RETURN count(d)"))
    assert tree(miniature_home) == before


# --- the installed program ---------------------------------------------------------------------------------


def installed(*arguments: str | bytes, home: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # noqa: S603  (our own program)
        [PROGRAM, *arguments], capture_output=True, env={"CLEW_HOME": str(home), "PATH": ""}, check=False
    )


def test_help_comes_at_once(miniature_home: Path) -> None:
    taken = []
    for _ in range(3):
        started = time.perf_counter()
        done = installed("--help", home=miniature_home)
        taken.append(time.perf_counter() - started)
        assert done.returncode == 0
        assert b"diagnose" in done.stdout
    assert min(taken) <= 0.4


def test_the_installed_program_answers_and_fails_the_same_way(miniature_home: Path) -> None:
    done = installed("ask", "感冒有哪些症状？", "--json", home=miniature_home)
    assert done.returncode == 0
    assert json.loads(done.stdout)["sentences"]
    done = installed("ask", b"\xff\xfe", home=miniature_home)
    assert (done.returncode, done.stdout, done.stderr[:4]) == (2, b"", b"E101")


def test_a_reader_that_goes_away_is_not_an_error(miniature_home: Path) -> None:
    command = f"'{PROGRAM}' schema --json | head -c 10"
    environment = {"CLEW_HOME": str(miniature_home), "PATH": "/bin:/usr/bin"}
    done = subprocess.run(["/bin/sh", "-c", command], capture_output=True, env=environment, check=False)  # noqa: S603
    assert done.stdout == b'{"version"'
    assert done.stderr == b""
