"""The read-only Cypher guard: what may run against the graph, decided before the engine sees it.

`check` is an allow list over tokens. A statement passes only if every word in it is a reading keyword, a
listed function, a label, a property, a map key, a supplied parameter or a name that the statement itself
binds. The engine's own read-only mode is not enough: it still writes and reads files, changes settings and
runs several statements in one string. What passes is the text that runs, with comments blanked out, so the
engine cannot see a comment end elsewhere than we do; quotes follow the engine's rules and everything that it
could read in another way (unknown escapes, look-alike letters, tokens without a space between) is refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final, Literal

from ontology.errors import ClewError, Code, nearest

MAX_LENGTH: Final = 20_000
"""Longest statement, in characters (our choice: ten times the longest query of the cookbook)."""

MAX_HOPS: Final = 5
"""Longest variable path (our choice: beyond it hubs connect everything with everything)."""

STARTERS: Final = ("MATCH", "OPTIONAL", "UNWIND", "WITH", "RETURN")


def _listed(words: str) -> frozenset[str]:
    return frozenset(words.split())


KEYWORDS: Final = _listed(
    """
    MATCH OPTIONAL WHERE WITH RETURN UNWIND ORDER BY ASC ASCENDING DESC DESCENDING SKIP LIMIT DISTINCT AS
    AND OR XOR NOT IN STARTS ENDS CONTAINS IS NULL TRUE FALSE CASE WHEN THEN ELSE END UNION ALL EXISTS COUNT
    ANY NONE SINGLE SHORTEST TRAIL ACYCLIC
    """
)

FUNCTIONS: Final = _listed(
    """
    count count_if collect sum avg min max percentilecont percentiledisc
    id label keys nodes rels relationships properties length start_node end_node is_trail is_acyclic
    coalesce ifnull nullif cast string to_string to_int64 to_double to_date typeof
    lower tolower lcase upper toupper ucase initcap trim ltrim rtrim left right substring substr size reverse
    replace concat concat_ws contains starts_with ends_with prefix suffix levenshtein
    string_split str_split split_part string_to_array
    regexp_matches regexp_full_match regexp_extract regexp_extract_all regexp_replace regexp_split_to_array
    abs ceil ceiling floor round sqrt cbrt pow ln log log2 log10 sign greatest least pi
    range list_contains list_has list_has_all list_has_any list_position list_indexof list_extract
    list_element element_at list_slice list_concat list_cat list_append list_prepend list_distinct list_unique
    list_sort list_reverse_sort list_reverse list_sum list_product list_min list_max list_any_value
    list_to_string list_transform list_filter list_reduce
    map_extract map_keys map_values struct_extract cardinality
    date timestamp interval date_part datepart date_trunc datetrunc dayname monthname last_day make_date
    to_days to_months to_years
    """
)
"""Functions that read nothing but their arguments, give the same answer each time and exist in the engine."""

_WRITES = "would change the graph"
_SCHEMA = "would change the schema"
_FILES = "would read or write files"
_ENGINE = "would change how the engine works, not ask the graph"
_CALL = "starts procedures and subqueries, which are not allowed here"
_SEE_SCHEMA = "labels, relation types and properties: clew schema; a subquery is another MATCH behind WITH"
_ONLY_QUESTIONS = "only questions run here; quote the word if it is a text, put a name in backticks"
_PLAN = "asks for the plan, not for an answer"
_CRASH = "makes the engine crash"

FORBIDDEN: Final[dict[str, str]] = {
    **dict.fromkeys(("CREATE", "SET", "MERGE", "DELETE", "DETACH", "REMOVE", "FOREACH", "INSERT"), _WRITES),
    **dict.fromkeys(("DROP", "ALTER"), _SCHEMA),
    **dict.fromkeys(("COPY", "LOAD", "EXPORT", "IMPORT"), _FILES),
    **dict.fromkeys(("INSTALL", "UNINSTALL", "ATTACH", "USE"), _ENGINE),
    **dict.fromkeys(("BEGIN", "COMMIT", "ROLLBACK", "CHECKPOINT"), _ENGINE),
    **dict.fromkeys(("CALL", "YIELD"), _CALL),
    **dict.fromkeys(("EXPLAIN", "PROFILE"), _PLAN),
    **dict.fromkeys(("WSHORTEST", "COST"), _CRASH),
}
"""Words that are refused wherever they stand unquoted, with the reason."""

_INSTEAD: Final = {
    "tointeger": "write CAST(x AS INT64)",
    "tofloat": "write CAST(x AS DOUBLE)",
    "tostring": "write CAST(x AS STRING)",
    "type": "write label(r)",
    "labels": "write label(n): every node has one label, which is a text and no list",
    "exists": "write EXISTS { MATCH (a)-[:TYPE]->(b) }",
    "datetime": "write date('2024-01-31') or timestamp('2024-01-31 00:00:00')",
    "isempty": "write size(x) = 0",
    "randomuuid": "the same question always has the same answer here; leave it out",
    "rand": "the same question always has the same answer here; leave it out",
    "head": "write list_extract(x, 1); positions count from 1",
    "last": "write list_extract(x, -1)",
    "elementid": "use the CURIE: n.id",
    "shortestpath": "write -[e:TYPE* SHORTEST 1..3]- between the two nodes",
    "allshortestpaths": "write -[e:TYPE* ALL SHORTEST 1..3]- between the two nodes",
    "startnode": "write start_node(r)",
    "endnode": "write end_node(r)",
    "split": "write string_split(text, separator)",
    "reduce": "write list_reduce(list, (a, b) -> a + b)",
}

Kind = Literal["word", "quoted", "string", "number", "parameter", "symbol"]


@dataclass(frozen=True, slots=True)
class Token:
    """A piece of the statement: its kind, its text as written and where it starts (0-based)."""

    kind: Kind
    text: str
    start: int

    @property
    def keyword(self) -> str:
        """The word in capitals as the engine matches keywords (ASCII only), the symbol, or empty."""
        if self.kind == "word":
            return self.text.upper() if self.text.isascii() else ""
        return self.text if self.kind == "symbol" else ""

    @property
    def name(self) -> str:
        """The name without its backticks."""
        return self.text[1:-1] if self.kind == "quoted" else self.text

    @property
    def end(self) -> int:
        """Where the text behind it starts."""
        return self.start + len(self.text)


def check(statement: str, *, parameters: Collection[str] = ()) -> str:
    """The statement to run: comments blanked, the closing `;` and surrounding space removed.

    Args:
        statement: one reading Cypher statement.
        parameters: names of the parameters that are supplied, without `$`.

    Raises:
        ClewError: REFUSED_CYPHER, saying which word at which line and column, why, and what to do.
    """
    if len(statement) > MAX_LENGTH:
        raise _refused(f"{len(statement)} characters, the limit is {MAX_LENGTH}", "pass long lists as parameters")
    source = _Source(statement)
    tokens = source.tokens()
    if tokens and tokens[-1].keyword == ";":
        tokens.pop()
    _check_shape(source, tokens)
    _check_dialect(source, tokens)
    inside = _brackets(source, tokens)
    _check_hops(source, tokens, inside)
    _check_words(source, tokens, inside, parameters)
    _check_returned(source, tokens)
    return source.without_comments()[tokens[0].start : tokens[-1].end]


# --- tokens -------------------------------------------------------------------------------------------------

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+)
    | (?P<comment>//[^\r\n]* | /\*[\s\S]*?\*/)
    | (?P<string>'[^'\\]*(?:\\[\s\S][^'\\]*)*' | "[^"\\]*(?:\\[\s\S][^"\\]*)*")
    | (?P<quoted>`[^`]+`)
    | (?P<parameter>\$[^\W\d]\w*)
    | (?P<number>(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE]-?[0-9]+)?)
    | (?P<word>[^\W\d]\w*)
    | (?P<symbol><>|<=|>=|=~|\.\.|[()\[\]{},.:|=<>+\-*/%^;])""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(u[0-9a-fA-F]{4}|[\s\S])")
_PLAIN_ESCAPES = frozenset("\\'\"bfnrt")

_REWRITTEN: Final = re.compile(r"to_json\(\s*\$", re.IGNORECASE)
"""What the engine's Python binding replaces by a parameter's value before it parses, inside of texts and names too:
the value would then be read as Cypher."""


class _Source:
    """The statement as written: cuts it into tokens and words refusals with line and column."""

    def __init__(self, text: str) -> None:
        self.text = text

    def tokens(self) -> list[Token]:
        """All tokens but space and comments; refuses what the engine might cut otherwise."""
        tokens: list[Token] = []
        position = 0
        while position < len(self.text):
            match = _TOKEN.match(self.text, position)
            if match is None or (match.lastgroup == "symbol" and self.text.startswith("/*", position)):
                raise self._stray(position)
            kind, position = match.lastgroup, match.end()
            if kind in {"space", "comment"}:
                continue
            token = Token(kind, match.group(), match.start())  # type: ignore[arg-type]
            self._check_characters(token)
            self._check_gap(tokens, token)
            tokens.append(token)
        return tokens

    def without_comments(self) -> str:
        """The text with each comment turned into spaces; lines and columns stay."""

        def blank(match: re.Match[str]) -> str:
            text = match.group()
            return re.sub(r"[^\r\n]", " ", text) if match.lastgroup == "comment" else text

        return _TOKEN.sub(blank, self.text)

    def refused(self, at: int, cause: str, remedy: str, choices: Iterable[str] = ()) -> ClewError:
        """A refusal of what starts at `at`."""
        line = self.text.count("\n", 0, at) + 1
        column = at - self.text.rfind("\n", 0, at)
        return _refused(f"line {line}, column {column}: {cause}", remedy, choices)

    def _stray(self, at: int) -> ClewError:
        """Why no token starts here."""
        character = self.text[at]
        if self.text.startswith("/*", at):
            return self.refused(at, "this comment is never closed", "end it with */")
        if character in "'\"`":
            return self.refused(
                at, f"this {character} is never closed, or encloses nothing", "close it; \\ escapes a quote"
            )
        if character == "$":
            return self.refused(at, "$ without a name", "write a parameter as $name")
        if character == "!":
            return self.refused(at, "! is not an operator here", "write <> for 'differs', NOT for negation")
        plain = unicodedata.normalize("NFKC", character)
        if plain != character:
            return self.refused(
                at,
                f"{character!r} (U+{ord(character):04X}) only looks like {plain!r}",
                f"type {plain!r} itself",
            )
        return self.refused(
            at,
            f"{character!r} (U+{ord(character):04X}) is not part of Cypher",
            "remove it, or put it in quotes",
        )

    def _check_characters(self, token: Token) -> None:
        if token.kind in {"string", "quoted"} and _REWRITTEN.search(token.text):
            raise self.refused(
                token.start, "to_json($ in a text would be replaced by the parameter's value", "write it otherwise"
            )
        if token.kind == "string":
            self._check_string(token)
        elif token.kind == "quoted":
            odd = next((c for c in token.text if unicodedata.category(c)[0] == "C"), None)
            if odd is not None:
                raise self.refused(token.start, f"invisible character U+{ord(odd):04X} in a name", "remove it")
        elif unicodedata.normalize("NFKC", token.text) != token.text:
            plain = unicodedata.normalize("NFKC", token.text)
            raise self.refused(
                token.start, f"{_short(token.text)} only looks like {_short(plain)}", f"type {_short(plain)}"
            )

    def _check_string(self, token: Token) -> None:
        odd = next((c for c in token.text if c == "\0" or unicodedata.category(c) == "Cs"), None)
        if odd is not None:
            raise self.refused(token.start, f"character U+{ord(odd):04X} in this text", "remove it")
        for match in _ESCAPE.finditer(token.text):
            escape = match.group(1)
            number = int(escape[1:], 16) if len(escape) > 1 else None
            if number is None and escape in _PLAIN_ESCAPES:
                continue
            if number is not None and number >= 0x20 and not 0xD800 <= number <= 0xDFFF:
                continue
            raise self.refused(
                token.start + match.start(),
                f"unknown escape {match.group()!a} in this text",
                r"write \\ for a backslash, as in '\\d+'",
                (r"\\", r"\'", r"\"", r"\n", r"\t", r"\uXXXX"),
            )

    def _check_gap(self, before: list[Token], token: Token) -> None:
        """Names, numbers and texts may not touch: where one ends there is for the engine to say."""
        if not before or before[-1].end != token.start or "symbol" in {before[-1].kind, token.kind}:
            return
        both_text = before[-1].kind == token.kind == "string"
        raise self.refused(
            token.start,
            f"{_short(token.text)} touches what stands before it",
            r"write \' for a quote inside a text" if both_text else "put a space or an operator between them",
        )


# --- the statement ------------------------------------------------------------------------------------------


def _check_shape(source: _Source, tokens: list[Token]) -> None:
    if not tokens:
        raise _refused("the statement is empty", "write a question", ("MATCH (d:Disease) RETURN d.id LIMIT 10",))
    for token in tokens:
        if token.keyword == ";":
            raise source.refused(token.start, "a second statement begins here", "send one statement at a time")
        if token.keyword in FORBIDDEN:
            raise source.refused(
                token.start,
                f"{token.keyword} {FORBIDDEN[token.keyword]}",
                _SEE_SCHEMA if FORBIDDEN[token.keyword] == _CALL else _ONLY_QUESTIONS,
                STARTERS,
            )
    if tokens[0].keyword not in STARTERS:
        raise source.refused(
            tokens[0].start,
            f"a question cannot begin with {_short(tokens[0].text)}",
            "begin with MATCH",
            STARTERS,
        )


def _check_returned(source: _Source, tokens: list[Token]) -> None:
    if not any(token.keyword == "RETURN" for token in tokens):
        raise source.refused(tokens[-1].start, "nothing is returned", "end with RETURN and what you want to see")


_DIALECT: Final = (
    (("{", "."), "a map projection does not exist here", "name each property: RETURN n.id, n.name"),
    (("EXISTS", "("), "exists(…) does not exist here", "write EXISTS { MATCH (a)-[:TYPE]->(b) }"),
    (("EXISTS", "{", "("), "the pattern in EXISTS { } stands behind MATCH", "write EXISTS { MATCH (a)-[:TYPE]->(b) }"),
    (("COUNT", "{", "("), "the pattern in COUNT { } stands behind MATCH", "write COUNT { MATCH (a)-[:TYPE]->(b) }"),
    (("SIZE", "(", "("), "size(pattern) would measure the pattern as a text", "write COUNT { MATCH (a)-[:TYPE]->(b) }"),
    (("COLLECT", "{"), "COLLECT { } does not exist here", "MATCH what you want and RETURN collect(x)"),
    (("APOC", "."), "plug-ins of Neo4j are not here", "docs/cookbook.md shows what can be asked with MATCH and WITH"),
    (("GDS", "."), "plug-ins of Neo4j are not here", "docs/cookbook.md shows what can be asked with MATCH and WITH"),
)
"""How people who know Neo4j's dialect write what is written otherwise here, or would mean something else: the words in
a row, what is wrong, what to write."""


def _check_dialect(source: _Source, tokens: list[Token]) -> None:
    """Refuses forms of Neo4j that the engine answers with a riddle, or worse, with a wrong value."""
    for index, token in enumerate(tokens):
        for words, cause, remedy in _DIALECT:
            if token.keyword == words[0] and all(
                _text(tokens, index + step) == word for step, word in enumerate(words[1:], start=1)
            ):
                raise source.refused(token.start, cause, remedy)
        if token.text == "[" and _text(tokens, index + 2) == "IN" and tokens[index + 1].kind in {"word", "quoted"}:
            name = _short(tokens[index + 1].name)
            raise source.refused(
                token.start,
                "a list comprehension does not exist here",
                f"write list_transform(list_filter(LIST, {name} -> CONDITION), {name} -> VALUE)",
            )


def _brackets(source: _Source, tokens: list[Token]) -> list[int]:
    """For each token the index of the innermost bracket around it, -1 outside all."""
    inside, stack = [], [-1]
    for index, token in enumerate(tokens):
        if token.keyword in {")", "]", "}"}:
            opener = tokens[stack.pop()].text if len(stack) > 1 else ""
            if opener + token.text not in {"()", "[]", "{}"}:
                raise source.refused(token.start, f"{token.text} closes no bracket", "balance the brackets")
        inside.append(stack[-1])
        if token.keyword in {"(", "[", "{"}:
            stack.append(index)
    if len(stack) > 1:
        opened = tokens[stack[-1]]
        raise source.refused(opened.start, f"{opened.text} is never closed", "balance the brackets")
    return inside


def _check_hops(source: _Source, tokens: list[Token], inside: list[int]) -> None:
    """Every variable-length relation says how long it may get, at most MAX_HOPS."""
    for index, token in enumerate(tokens):
        opener = inside[index]
        in_relation = opener > 0 and tokens[opener].text == "[" and tokens[opener - 1].keyword == "-"
        if token.keyword != "*" or not in_relation:
            continue
        length = _hops(tokens[index + 1 :])
        if length is None or length > MAX_HOPS:
            raise source.refused(
                token.start,
                "this path has no fixed upper length" if length is None else "this path may get too long",
                f"write the bounds as numbers, at most {MAX_HOPS}",
                (f"*1..{MAX_HOPS}", "* SHORTEST 1..3", "* TRAIL 1..2"),
            )


def _hops(rest: list[Token]) -> int | None:
    """The upper bound written behind a `*`, None where there is none that we are sure of."""
    words = [token.keyword or token.text for token in rest[:7]]
    while words and words[0] in {"ALL", "SHORTEST", "TRAIL", "ACYCLIC"}:
        words.pop(0)
    if words and words[0].isdecimal():
        upper = words.pop(0)
    elif words[:1] == [".."]:
        upper = ""
    else:
        return None
    if words[:1] == [".."]:
        upper = words[1] if len(words) > 1 else ""
        words = words[2:]
    if not upper.isdecimal() or words[:1] not in (["]"], ["("], ["{"]):
        return None
    return int(upper) if len(upper) <= 3 else MAX_HOPS + 1


# --- words --------------------------------------------------------------------------------------------------

_NOTHING: Final = Token("symbol", "", 0)


def _check_words(source: _Source, tokens: list[Token], inside: list[int], parameters: Collection[str]) -> None:
    bound = _bound_names(tokens)
    padded = [_NOTHING, *tokens, _NOTHING]
    placed = list(enumerate(zip(padded, tokens, padded[2:], strict=False)))
    for _, (before, token, after) in placed:  # first: an unknown function says more than a name beside it
        if token.kind in {"word", "quoted"} and token.keyword not in KEYWORDS and after.keyword == "(":
            _check_function(source, before, token)
    for index, (before, token, after) in placed:
        if token.kind == "parameter" and token.text[1:] not in parameters:
            raise source.refused(
                token.start,
                f"no value is given for {_short(token.text)}",
                f"pass it (--param {_short(token.text[1:])}=VALUE) or write the value itself",
                (f"${name}" for name in parameters),
            )
        if token.kind not in {"word", "quoted"} or token.keyword in KEYWORDS or after.keyword == "(":
            continue
        bracket = _text(tokens, inside[index])
        if not _is_schema_name(before, after, bracket) and token.name not in bound:
            raise _unknown_word(source, before, token, after, bound, bracket)


def _is_schema_name(before: Token, after: Token, bracket: str) -> bool:
    """Whether the word stands where only a property, a label, a type or a map key can stand."""
    is_property = before.keyword == "."
    is_label = before.keyword in {":", "|"} and bracket in {"(", "["}
    is_key = bracket == "{" and before.keyword in {"{", ","} and after.keyword == ":"
    return is_property or is_label or is_key


def _check_function(source: _Source, before: Token, token: Token) -> None:
    name = token.text.lower()
    if token.kind == "word" and before.keyword != "." and name in FUNCTIONS:
        return
    raise source.refused(
        token.start,
        f"{_short(token.text)} is not among the functions that may be used",
        _INSTEAD.get(name, "use one of the listed functions"),
        nearest(name, sorted(FUNCTIONS)),
    )


def _unknown_word(
    source: _Source, before: Token, token: Token, after: Token, bound: set[str], bracket: str
) -> ClewError:
    if after.keyword == ":" and bracket == "{":
        return source.refused(
            token.start,
            f"{_short(token.text)} is not in quotes",
            f"write an identifier as a text: {{id: '{_short(token.name)}:…'}}",
        )
    if before.keyword == "-" and bracket == "[":
        return source.refused(
            token.start,
            f"- ends the name in front of {_short(token.text)}",
            "relation types here are written with _, such as has_phenotype; put any other name in backticks",
        )
    if before.keyword == ":":
        return source.refused(
            token.start,
            f"{_short(token.text)} is used as a type outside a pattern",
            f"write label(x) = '{_short(token.name)}'",
        )
    return source.refused(
        token.start,
        f"{_short(token.text)} is neither a word of read-only Cypher nor a name bound in this statement",
        "bind it in a pattern or with AS, or put it in quotes if it is a text",
        nearest(token.name, sorted(bound)) + nearest(token.name.upper(), sorted(KEYWORDS)),
    )


def _bound_names(tokens: list[Token]) -> set[str]:
    """Names that patterns, AS, quantifiers and lambdas of the statement introduce."""
    bound: set[str] = set()
    in_pattern, outer = False, []
    for index, token in enumerate(tokens):
        if token.keyword == "MATCH":
            in_pattern = True
        elif token.keyword in {"WHERE", "WITH", "RETURN", "UNWIND", "UNION"}:
            in_pattern = False
        elif token.keyword in {"(", "[", "{"}:
            outer.append(in_pattern)
            in_pattern = in_pattern and token.keyword != "{"
        elif token.keyword in {")", "]", "}"}:
            in_pattern = outer.pop()
        if token.kind in {"word", "quoted"} and _binds(tokens, index, in_pattern=in_pattern):
            bound.add(token.name)
        if token.keyword == "(":
            bound |= _listed_names(tokens, index)
    return bound


def _binds(tokens: list[Token], index: int, *, in_pattern: bool) -> bool:
    """Whether the name at `index` is introduced there."""
    before, after = _text(tokens, index - 1), _text(tokens, index + 1)
    in_node = before == "(" and (after == ":" or (in_pattern and after in {")", "{"}))
    in_relation = in_pattern and before == "[" and after in {":", "]", "*", "{"}
    as_path = in_pattern and before in {"MATCH", ","} and after == "=" and _text(tokens, index + 2) == "("
    in_quantifier = before == "(" and after == "IN" and _text(tokens, index - 2) in {"ALL", "ANY", "NONE", "SINGLE"}
    in_lambda = after == "-" and _text(tokens, index + 2) == ">"
    return before == "AS" or in_node or in_relation or as_path or in_quantifier or in_lambda


def _listed_names(tokens: list[Token], opener: int) -> set[str]:
    """The names of `(a, b) ->` and of the `(r, n |` that filters a variable path."""
    names: set[str] = set()
    index = opener + 1
    while index < len(tokens) and tokens[index].kind in {"word", "quoted"}:
        names.add(tokens[index].name)
        if _text(tokens, index + 1) != ",":
            break
        index += 2
    end = [_text(tokens, index + step) for step in (1, 2, 3)]
    is_list = end == [")", "-", ">"] or (end[0] == "|" and len(names) == 2)
    return names if is_list else set()


def _text(tokens: list[Token], index: int) -> str:
    """The keyword or symbol at `index`, empty for anything else and outside the statement."""
    return tokens[index].keyword if 0 <= index < len(tokens) else ""


def _short(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


def _refused(cause: str, remedy: str, choices: Iterable[str] = ()) -> ClewError:
    return ClewError(Code.REFUSED_CYPHER, cause, remedy=remedy, choices=choices)
