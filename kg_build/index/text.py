"""The lexical index: BM25 over passages in English and Chinese.

    text ──tokens()──▶ words and stems (English) · words and character pairs (Chinese) ──▶ tantivy

All analysis happens here, for passages and queries alike: tantivy gets tokens joined by spaces and splits at
spaces. A query becomes term queries and is never parsed, so no character in it has a meaning.

A passage is indexed together with the title of its document and its section path, as one field: on the BioASQ
development questions nDCG@10 is .808; with a field for each .788 at best, and there without stop words .74.
"""

from __future__ import annotations

import json
import re
import shutil
import unicodedata
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Final

import rjieba
import tantivy

from kg_build.index.fresh import fresh_folder
from ontology.errors import ClewError, Code
from ontology.reading.codes import CJK

_RUN = re.compile(rf"(?P<cjk>[{CJK}]+)|[^\W_{CJK}]+(?:[-\u2010][^\W_{CJK}]+)*")
_POSSESSIVE = re.compile(r"['\u2019]s\b")
_HYPHEN = re.compile(r"[-\u2010]")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Function words and the words questions are made of: our own short lists.
_STOP_EN = _words("""
    a about after all also am an and any are as at be because been before being between both but by can could
    did do does done during each either for from had has have having he her here hers him his how i if in into
    is it its itself may me might most must my no nor not of off on once only or other our ours out over own
    same shall she should so some such than that the their theirs them then there these they this those
    through to too under until up very was we were what when where whether which while who whom whose why will
    with within without would you your yours
""")
_STOP_ZH = _words("""
    的 了 和 与 或 及 以及 是 在 有 对 对于 为 被 把 将 从 到 由 于 也 都 就 而 并 且 但 但是 如果 因为
    所以 这 那 这个 那个 这些 那些 其 之 吗 呢 吧 啊 什么 哪些 哪个 哪种 哪 怎么 怎样 如何 怎么办 为什么
    多少 几 请问 我 你 他 她 它 我们 你们 他们 可以 能 能否 会 是否 应该 一个 一种 一些
""")

MOST_WORDS: Final = 256
"""Words of a query that are searched, from its beginning (our choice: a question of a page)."""

_LONGEST: Final = 20_000
"""Characters of a query that are read."""

_K1: Final = 1.2
"""Saturation of BM25 in tantivy."""

_ANALYSER: Final = "clew"
_SPACES = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
_STEMMER = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).filter(tantivy.Filter.stemmer("english")).build()


@dataclass(frozen=True, slots=True)
class Passage:
    """What is indexed of a chunk: its id, the title of its document, its section path and its text."""

    chunk: str
    title: str
    section: str
    text: str


def build_text_index(passages: Iterable[Passage], folder: Path) -> None:
    """Write the index of the passages to a folder, replacing what is there."""
    with fresh_folder(folder) as beside:
        _write(tantivy.Index(_schema(), path=str(beside)), (), passages)


def update_text_index(base: Path, folder: Path, gone: Iterable[str], passages: Iterable[Passage]) -> None:
    """Write an index that is another one without some passages and with others, replacing what is there.

    Args:
        base: the folder of the other index; it stays as it is.
        folder: where.
        gone: ids of chunks that leave.
        passages: what comes.
    """
    with fresh_folder(folder) as beside:
        shutil.copytree(base, beside, dirs_exist_ok=True)
        _write(tantivy.Index.open(str(beside)), gone, passages)


def _write(index: tantivy.Index, gone: Iterable[str], passages: Iterable[Passage]) -> None:
    index.register_tokenizer(_ANALYSER, _SPACES)
    writer = index.writer(heap_size=64_000_000, num_threads=1)
    for chunk in gone:
        writer.delete_documents_by_term("chunk", chunk)
    for passage in passages:
        terms = tokens(f"{passage.title}\n{passage.section}\n{passage.text}")
        writer.add_document(tantivy.Document(chunk=passage.chunk, terms=" ".join(terms)))
    writer.commit()
    writer.wait_merging_threads()


class TextIndex:
    """A built index, opened for searching; safe to use from several threads.

    Args:
        folder: what `build_text_index` wrote.

    Raises:
        ClewError: CORRUPT_RELEASE.
    """

    def __init__(self, folder: Path) -> None:
        try:
            index = tantivy.Index.open(str(folder))
        except ValueError as error:
            raise ClewError(Code.CORRUPT_RELEASE, f"{folder}: {error}", remedy="run: clew build") from error
        index.register_tokenizer(_ANALYSER, _SPACES)
        self._counted = _passages_counted(folder)
        self._schema = index.schema
        self._searcher = index.searcher()

    def __len__(self) -> int:
        return int(self._searcher.num_docs)

    def search(self, query: str, limit: int) -> list[tuple[str, float]]:
        """The best passages for a text.

        Numbers add to the score but find nothing by themselves, unless the text has nothing else: else a "3" in a
        Chinese question would rank all English passages with a 3.

        Args:
            query: any text; a word counts once however often it is repeated.
            limit: how many at most.

        Returns:
            (chunk id, BM25 score), best first, equal scores by id; empty when the text has no word that is indexed.
        """
        terms = _query_terms(query)
        if limit < 1 or not terms:
            return []
        return self._best(self._matching(terms), limit)

    def scores(self, query: str, chunks: Collection[str]) -> dict[str, float]:
        """BM25 of given passages for a text, as `search` scores them; a passage that it does not find is missing."""
        terms = _query_terms(query)
        if not terms or not chunks:
            return {}
        among = tantivy.Query.const_score_query(tantivy.Query.term_set_query(self._schema, "chunk", list(chunks)), 0.0)
        found = tantivy.Query.boolean_query([(tantivy.Occur.Must, self._matching(terms)), (tantivy.Occur.Must, among)])
        return dict(self._best(found, len(chunks)))

    def ideal(self, query: str) -> float:
        """The BM25 score that no passage reaches: every word of a text, without end.

            Σ over its words  idf · (k₁ + 1)

        A word that is not indexed counts as the rarest one, so that the score of the best passage, as a share of this,
        says how much of a text the index can speak to at all. Zero for a text without words.
        """
        known = (self._searcher.doc_freq("terms", term) for term in _query_terms(query))
        return sum(log(1 + (self._counted - found + 0.5) / (found + 0.5)) for found in known) * (_K1 + 1)

    def _matching(self, terms: Sequence[str]) -> tantivy.Query:
        """What has one of the words at least; of the numbers, where there are words too, none is needed."""
        words = [term for term in terms if not term.isnumeric()]
        numbers = [term for term in terms if term.isnumeric()]
        found = self._any(words or numbers)
        if not (words and numbers):
            return found
        return tantivy.Query.boolean_query([(tantivy.Occur.Must, found), (tantivy.Occur.Should, self._any(numbers))])

    def _best(self, query: tantivy.Query, limit: int) -> list[tuple[str, float]]:
        hits = self._searcher.search(query, limit).hits
        best = [(str(self._searcher.doc(address)["chunk"][0]), float(score)) for score, address in hits]
        return sorted(best, key=lambda hit: (-hit[1], hit[0]))

    def _any(self, terms: list[str]) -> tantivy.Query:
        return tantivy.Query.boolean_query(
            [
                (tantivy.Occur.Should, tantivy.Query.term_query(self._schema, "terms", term, index_option="freq"))
                for term in terms
            ]
        )


def _passages_counted(folder: Path) -> int:
    """How many passages BM25 counts: an update takes passages away, but their words count until tantivy merges."""
    segments = json.loads((folder / "meta.json").read_text(encoding="utf-8"))["segments"]
    return sum(segment["max_doc"] for segment in segments)


def _query_terms(query: str) -> list[str]:
    """The words of a text, each once, at most `MOST_WORDS`."""
    return list(dict.fromkeys(tokens(query[:_LONGEST])))[:MOST_WORDS]


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("chunk", stored=True, tokenizer_name="raw", index_option="basic")
    builder.add_text_field("terms", tokenizer_name=_ANALYSER, index_option="freq")
    return builder.build()


def tokens(text: str) -> list[str]:
    """The index terms of a text, in order, with repetitions.

    English words are lower-cased, stripped of function words and stemmed (Snowball English); a hyphenated
    word gives its parts and the parts joined. A run of Chinese characters gives its words (rjieba) and all
    pairs of neighbouring characters between function words, so that a different segmentation still matches.
    """
    lowered = _POSSESSIVE.sub("", unicodedata.normalize("NFKC", text).lower())
    raw: list[str] = []
    for run in _RUN.finditer(lowered):
        word = run[0]
        if run.lastgroup:
            raw += _chinese(word)
        elif word.isalnum():  # without a hyphen, as nearly all
            if word not in _STOP_EN:
                raw.append(word)
        else:
            raw += _hyphenated(word)
    return list(_STEMMER.analyze(" ".join(raw)))


def _hyphenated(word: str) -> list[str]:
    parts = _HYPHEN.split(word)
    joined = ["".join(parts)] if len(parts) > 1 else []
    return [part for part in parts if part not in _STOP_EN] + joined


def _chinese(run: str) -> list[str]:
    terms: list[str] = []
    between = ""
    for word in rjieba.cut(run):
        if word in _STOP_ZH:
            terms += _pairs(between)
            between = ""
            continue
        between += word
        if len(word) != 2:  # a word of two characters is one of the pairs already
            terms.append(word)
    return terms + _pairs(between)


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)]
