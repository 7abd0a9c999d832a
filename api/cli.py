"""The command line: `clew`.

Commands are thin: they read arguments, call the library and hand the result to `api.show`. Everything heavy is
imported inside a command, so that help comes at once. Results go to standard output, progress and errors to
standard error; with --json a result, or an error, is one JSON document.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from api.command import chosen_preset as _chosen_preset
from api.command import json_option as _json_option
from api.command import preset_options as _preset_options
from api.command import print_shown as _print
from api.curation import conflicts, merge
from api.evaluation import evaluate
from api.exchange import export
from api.extraction import extract
from api.reading import read
from api.words import words
from ontology.errors import ClewError, Code

if TYPE_CHECKING:
    from api.compose import Clew
    from ontology.settings import LoadedSettings
    from reasoning.arms import Arm


class _Program(click.Group):
    """A group that lists its commands in the order in which they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        del ctx
        return list(self.commands)


@click.group(cls=_Program, context_settings={"help_option_names": ["-h", "--help"]}, epilog=words("en", "notice"))
@click.version_option(package_name="clew")
def clew() -> None:
    """A medical knowledge graph in which every edge can be defended: build it, ask it, diagnose with it."""


@clew.command()
@click.option("--source", "sources", multiple=True, help="Build from this source only (may be repeated).")
@click.option("--data", multiple=True, help="Folder with files downloaded by hand, or URL of one (may be repeated).")
@click.option("--resume", is_flag=True, help="Go on with an interrupted build: its sources and its data.")
@click.option("--estimate", is_flag=True, help="Print what a build would download, and stop.")
@_json_option
def build(sources: tuple[str, ...], data: tuple[str, ...], *, resume: bool, estimate: bool, as_json: bool) -> None:
    """Build or update the graph and its indexes."""
    from api import show
    from kg_build import pipeline
    from kg_build.order import Order, open_order

    loaded = _settings()
    order = Order(sources or tuple(loaded.values.build.sources), data)
    if resume:
        order = open_order(loaded.home) or order
    settings = loaded.values.build.model_copy(update={"sources": list(order.sources)})
    if estimate:
        _print(show.estimate(pipeline.estimate(loaded.home, settings, order.data)), as_json=as_json)
        return
    report = pipeline.build(loaded.home, settings, data=order.data, progress=show.progress())
    _print(show.build(report), as_json=as_json)


@clew.command()
@_json_option
def status(*, as_json: bool) -> None:
    """Show what is in the graph: release, counts, sources, licences."""
    from api import show
    from kg_build.release import open_release, release_ids

    home = _settings().home
    _print(show.status(open_release(home), release_ids(home)), as_json=as_json)


@clew.command()
@click.argument("old", metavar="R1")
@click.argument("new", metavar="R2")
@click.option("--limit", default=20, show_default=True, type=click.IntRange(0), help="Examples of each kind at most.")
@_json_option
def diff(old: str, new: str, limit: int, *, as_json: bool) -> None:
    """Show what release R2 has, lacks and says otherwise than R1."""
    from api import show_release
    from kg_build.diff import diff_releases
    from kg_build.release import open_release

    home = _settings().home
    found = diff_releases(open_release(home, old), open_release(home, new))
    _print(show_release.difference(found, limit), as_json=as_json)


@clew.command()
@click.option("--keep", type=click.IntRange(0), help="Releases kept beside the current one.")
@click.option("--dry-run", is_flag=True, help="Only say what would be removed.")
@_json_option
def gc(keep: int | None, *, dry_run: bool, as_json: bool) -> None:
    """Remove old releases, leftovers of killed builds and artefacts that no source pins."""
    from api import show_release
    from kg_build.garbage import collect_garbage
    from kg_build.index.encoders.models import MINILM
    from kg_build.inputs import artefacts_of
    from kg_build.sources.registry import find_sources, source_keys

    loaded = _settings()
    kept = loaded.values.build.keep_releases if keep is None else keep
    artefacts = [*artefacts_of(find_sources(source_keys())), *MINILM.artefacts]
    pinned = {artefact.filename for artefact in artefacts}
    removed = collect_garbage(loaded.home, kept, pinned, dry_run=dry_run)
    _print(show_release.garbage(removed, dry_run=dry_run), as_json=as_json)


@clew.command()
@_json_option
def licences(*, as_json: bool) -> None:
    """Show whom to name for the data of the release, and what of it may not be passed on."""
    from api import show_release
    from kg_build.licence import attributions
    from kg_build.release import open_release

    release = open_release(_settings().home)
    _print(show_release.licences(release.id, attributions(release)), as_json=as_json)


@clew.command()
@click.argument("question")
@_preset_options
@click.option(
    "--arm",
    type=click.Choice(["none", "vector", "kg", "hybrid", "graphrag", "ihrag"]),
    help="Where evidence is looked for: nowhere, in passages by meaning, in facts, in both, in communities, as IHRAG.",
)
@click.option("--trace", is_flag=True, help="Show what each stage did.")
@_json_option
def ask(
    question: str, preset: str | None, without: tuple[str, ...], arm: Arm | None, *, trace: bool, as_json: bool
) -> None:
    """Answer a QUESTION, English or Chinese, with citations."""
    from api import show
    from reasoning.arms import preset_of

    if arm is not None and preset is not None:
        raise ClewError(Code.BAD_INPUT, "--arm and --preset both choose the parameters", remedy="give one of them")
    used = preset_of(arm) if arm else _chosen_preset(preset, ())
    if used is None and without:
        raise ClewError(Code.BAD_INPUT, f"the arm {arm} has no components to leave out", remedy="leave --without away")
    for component in without:
        used = used and used.without(component)
    _print(show.answer(_open().answerer.ask(question, preset=used, arm=arm or "hybrid"), trace=trace), as_json=as_json)


@clew.command()
@click.argument("text", required=False)
@click.option("--file", "file", type=click.Path(path_type=Path), help="Text file with the case.")
@click.option("--phenopacket", type=click.Path(path_type=Path), help="GA4GH phenopacket v2 (JSON).")
@click.option("--top", default=10, show_default=True, type=click.IntRange(1, 200), help="Diseases to list.")
@click.option("--hide-own-references", is_flag=True, help="Leave out evidence from the publications the case cites.")
@_json_option
def diagnose(
    text: str | None,
    file: Path | None,
    phenopacket: Path | None,
    top: int,
    *,
    hide_own_references: bool,
    as_json: bool,
) -> None:
    """Rank the diseases that explain a case: free TEXT, a file, or a phenopacket."""
    from api.case import read_case
    from api.show_differential import differential

    opened = _open()
    case = read_case(opened, text=text, file=file, phenopacket=phenopacket)
    hidden = case.case.references if hide_own_references else ()
    _print(differential(opened, case, top=top, without_references=hidden), as_json=as_json)


@clew.command()
@click.argument("query")
@click.option("--limit", default=10, show_default=True, type=click.IntRange(1, 200))
@_preset_options
@click.option(
    "--why",
    "named",
    metavar="DOC",
    help="Why a document, passage or statement is found or is not: its id, or part of the document's title.",
)
@_json_option
def search(
    query: str, limit: int, preset: str | None, without: tuple[str, ...], named: str | None, *, as_json: bool
) -> None:
    """Find passages and entities, with the score of every channel."""
    from api import show
    from api.show_why import why
    from retrieval.why import explain

    chosen = _chosen_preset(preset, without)
    opened = _open()
    question = opened.interpreter.interpret(query)
    if named is not None:
        _print(why(explain(opened.retriever, question, chosen, named), question.lang, limit), as_json=as_json)
        return
    passages = opened.retriever.passages.ranked(question, chosen, limit)
    _print(show.search(question, passages, chosen.name), as_json=as_json)


@clew.command()
@click.argument("name", required=False)
@click.option("--without", multiple=True, metavar="COMPONENT", help="Leave a component out (may be repeated).")
@_json_option
def presets(name: str | None, without: tuple[str, ...], *, as_json: bool) -> None:
    """List the presets of retrieval, or show every parameter of preset NAME with where its value comes from."""
    from api import show_preset

    if name is None and not without:
        _print(show_preset.presets(), as_json=as_json)
    else:
        _print(show_preset.preset(_chosen_preset(name, without)), as_json=as_json)


@clew.command()
@click.argument("statement", required=False)
@click.option("--file", "file", type=click.Path(path_type=Path), help="Read the statement from a file.")
@click.option("--param", "params", multiple=True, metavar="NAME=VALUE", help="A parameter; VALUE is JSON or text.")
@click.option("--ask", "question", help="Show the statements for a question in words, English or Chinese.")
@click.option("--run", "run_made", is_flag=True, help="With --ask: run them, too.")
@click.option("--llm", help="With --ask: URL of a model that writes the statement where no template fits.")
@_json_option
def cypher(
    statement: str | None,
    file: Path | None,
    params: tuple[str, ...],
    question: str | None,
    run_made: bool,  # noqa: FBT001 - a flag
    llm: str | None,
    *,
    as_json: bool,
) -> None:
    """Run a read-only Cypher STATEMENT within limits of time and rows, or see the one for a question."""
    from api import asked
    from kg_build.release import open_release

    loaded = _settings()
    limits = loaded.values.cypher
    if question is not None:
        if statement is not None or file is not None or params:
            raise ClewError(
                Code.BAD_INPUT, "--ask makes the statement itself", remedy="give either --ask or a statement"
            )
        _print(asked.in_words(_open(), question, limits, run=run_made, llm=llm), as_json=as_json)
        return
    if run_made or llm:
        raise ClewError(Code.BAD_INPUT, "--run and --llm go with --ask", remedy='such as: clew cypher --ask "…" --run')
    text = _read_text(statement, file, "statement")
    given = dict(_parameter(item) for item in params)
    _print(asked.statement(open_release(loaded.home), text, given, limits), as_json=as_json)


@clew.command()
@click.option(
    "--format",
    "form",
    type=click.Choice(["page", "rdf", "shacl"]),
    default="page",
    show_default=True,
    help="The page for people, or the terms or shapes as Turtle.",
)
@_json_option
def schema(form: str, *, as_json: bool) -> None:
    """Show what can be asked in Cypher, with numbers and examples, or the ontology as RDF."""
    from api import show_schema
    from ontology.schema import load_domain

    domain = load_domain()
    if form != "page":
        from ontology import rdf

        graph = rdf.vocabulary(domain) if form == "rdf" else rdf.shapes(domain)
        click.echo(graph.serialize(format="turtle").rstrip())
        return
    _print(show_schema.schema(domain, _settings().home), as_json=as_json)


@clew.command()
@click.argument("start", metavar="A")
@click.argument("end", metavar="B")
@click.option("--depth", default=3, show_default=True, type=click.IntRange(1, 3), help="Statements at most.")
@click.option("--limit", default=5, show_default=True, type=click.IntRange(1, 100), help="Chains at most.")
@_json_option
def path(start: str, end: str, depth: int, limit: int, *, as_json: bool) -> None:
    """Show evidence chains between two entities, A and B (names or CURIEs), each with its Cypher."""
    from api import show
    from retrieval.paths import find_chains

    opened = _open()
    ends = [opened.interpreter.entities(name) for name in (start, end)]
    chains = find_chains(opened.adjacency, opened.store, ends[0], ends[1], depth=depth, limit=limit)
    _print(show.chains(chains, opened.domain), as_json=as_json)


clew.add_command(read)
clew.add_command(merge)
clew.add_command(conflicts)
clew.add_command(extract)
clew.add_command(export)
clew.add_command(evaluate)


@clew.command()
@click.option("--provenance", is_flag=True, help="Say where each value comes from.")
@_json_option
def config(*, provenance: bool, as_json: bool) -> None:
    """Show the settings."""
    from api import show

    _print(show.settings(_settings(), provenance=provenance), as_json=as_json)


def main() -> NoReturn:
    """Run the program; a coded error becomes a message and an exit status."""
    try:
        _check_arguments(sys.argv)
        clew.main(prog_name="clew", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.exceptions.Exit as stop:
        sys.exit(stop.exit_code)
    except (click.Abort, KeyboardInterrupt):
        click.echo("stopped", err=True)
        sys.exit(130)
    except ClewError as error:
        if "--json" in sys.argv:
            click.echo(json.dumps({"error": error.as_dict()}, ensure_ascii=False))
        click.echo(error.render(), err=True)
        sys.exit(error.code.exit_status)
    except BrokenPipeError:  # the reader of our output has gone: nothing is left to say
        sys.stderr.close()
        sys.exit(0)
    sys.exit(0)


def _check_arguments(arguments: list[str]) -> None:
    """Bytes that are no text reach Python as lone surrogates, which nothing can be looked up by."""
    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            raise ClewError(Code.BAD_INPUT, f"the argument {argument!r} is not UTF-8 text") from error


def _settings() -> LoadedSettings:
    from ontology.settings import load_settings

    return load_settings()


def _open() -> Clew:
    from api.compose import Clew

    return Clew.open(_settings().home)


def _read_text(given: str | None, file: Path | None, what: str) -> str:
    if (given is None) == (file is None):
        raise ClewError(Code.BAD_INPUT, f"give the {what} either as an argument or with --file")
    if file is None:
        return given or ""
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ClewError(Code.BAD_INPUT, f"{file}: {error}", remedy="give a UTF-8 text file") from error


def _parameter(item: str) -> tuple[str, object]:
    name, equals, value = item.partition("=")
    if not equals or not name.isidentifier():
        raise ClewError(Code.BAD_INPUT, f"--param {item!r}", remedy="write it as name=value")
    try:
        return name, json.loads(value)
    except ValueError:
        return name, value
