"""Presets: every parameter of retrieval in one place, and where each value comes from.

    retrieval/presets/*.toml ──▶ Preset ──without(component)──▶ Preset

A preset is a file. Each of its values stands with its origin: `paper`, `authors' code`, `our choice`, or `calibrated
on …`, with a reason where one is needed. Every component has a switch: `without` gives the preset in which one of them
does nothing, and what is left is a preset like any other. So an ablation is a run with a shorter preset.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from ontology.errors import ClewError, Code, nearest
from retrieval.hit import CHANNELS, Channel

ORIGINS: Final = re.compile(r"(paper|authors' code|our choice|calibrated on \S.*)(: \S.*)?", re.DOTALL)
"""What an origin looks like."""

_FOLDER: Final = Path(__file__).parent / "presets"


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


def _each_once(channels: tuple[Channel, ...]) -> tuple[Channel, ...]:
    if len(set(channels)) < len(channels):
        raise ValueError("a channel is named twice")
    return channels


Channels = Annotated[tuple[Channel, ...], AfterValidator(_each_once)]


class Router(_Section):
    """IHRAG, A2: what a question is searched with, by its complexity.

    Attributes:
        threshold: complexity from which a question is decomposed.
        below: channels below the threshold, and of a question without an entity.
        above: channels from the threshold on.
    """

    threshold: int = Field(ge=0, le=100)
    below: Channels
    above: Channels


class Decomposition(_Section):
    """IHRAG, A3: entities and properties that become sub-questions.

    Attributes:
        on: whether questions are decomposed at all.
        order: all of an entity before the next one, or the entities in turn.
        properties: the first of the entity's type, or those that the wording asks for where it asks for any.
        per_entity: properties of an entity at most.
        most: sub-questions at most.
    """

    on: bool
    order: Literal["one by one", "in turn"]
    properties: Literal["of the type", "asked"]
    per_entity: int = Field(ge=1, le=20)
    most: int = Field(ge=1, le=20)


class Queries(_Section):
    """What the channels are asked.

    Attributes:
        form: the question; each of its sentences by itself; or the question with what it asks for spelt out.
        other_names: whether the lexical channel is also asked for the entities' names in the other language.
    """

    form: Literal["question", "sentences", "rationale"]
    other_names: bool


class Fusion(_Section):
    """How the lists of the channels become one.

    Attributes:
        strategy: weighted normalised scores, or reciprocal ranks.
        lexical: weight of the channel.
        dense: likewise.
        graph: likewise.
        adaptive: how far a weight moves with the confidence of its channel: 0 not at all, 1 between nothing and twice.
        feedback: how far the dense query moves towards the passages that all channels think best; 0 not at all.
        depth: passages asked of each channel.
    """

    strategy: Literal["scores", "ranks"]
    lexical: float = Field(ge=0, le=10)
    dense: float = Field(ge=0, le=10)
    graph: float = Field(ge=0, le=10)
    adaptive: float = Field(ge=0, le=1)
    feedback: float = Field(ge=0, le=5)
    depth: int = Field(ge=1, le=1000)

    @property
    def weights(self) -> dict[Channel, float]:
        """The weight of each channel."""
        return {"lexical": self.lexical, "dense": self.dense, "graph": self.graph}


class Passages(_Section):
    """What happens to the fused list, in this order.

    Attributes:
        discount: share of its lead that a passage loses which mentions no entity of the question.
        duplicates: likeness (Jaccard, of runs of words) from which a passage repeats a better one; 0 leaves all.
        documents: whether passages are ordered by how many passages of their document were found.
        reranker: name of a cross-encoder that orders the best passages anew, or empty.
        reranked: passages it reads.
        quotas: passages of a class of documents: any number, at most half, or equally many of each.
        drugs_first: whether passages of drug registers come first where a drug is asked about.
        most: passages that are kept.
        tokens: words (Chinese characters) of all of them at most.
    """

    discount: float = Field(ge=0, le=1)
    duplicates: float = Field(ge=0, le=1)
    documents: bool
    reranker: str
    reranked: int = Field(ge=1, le=200)
    quotas: Literal["none", "half", "equal"]
    drugs_first: bool
    most: int = Field(ge=1, le=100)
    tokens: int = Field(ge=50, le=100_000)


class Facts(_Section):
    """What is read of the graph.

    Attributes:
        most: facts of a sub-question.
    """

    most: int = Field(ge=1, le=300)


class Values(_Section):
    """The parameters of a preset."""

    router: Router
    decomposition: Decomposition
    queries: Queries
    fusion: Fusion
    passages: Passages
    facts: Facts


@dataclass(frozen=True)
class Preset:
    """A preset.

    Attributes:
        name: of the file; with the components that were taken out.
        title: what it is after.
        values: its parameters.
        origins: where each comes from, by dotted name.
    """

    name: str
    title: str
    values: Values
    origins: Mapping[str, str]

    def without(self, component: str) -> Preset:
        """The preset in which a component does nothing.

        Raises:
            ClewError: BAD_INPUT for a component that there is not.
        """
        if component not in COMPONENTS:
            choices = nearest(component, COMPONENTS) or list(COMPONENTS)
            raise ClewError(Code.BAD_INPUT, f"no component {component!r}", choices=choices)
        values = COMPONENTS[component](self.values)
        return Preset(f"{self.name} - {component}", self.title, values, self.origins)


def _with(section: str, **changed: object) -> Callable[[Values], Values]:
    def change(values: Values) -> Values:
        known: BaseModel = getattr(values, section)
        return values.model_copy(update={section: known.model_copy(update=changed)})

    return change


def _without_channel(channel: Channel) -> Callable[[Values], Values]:
    def change(values: Values) -> Values:
        below, above = (tuple(c for c in part if c != channel) for part in (values.router.below, values.router.above))
        return _with("router", below=below, above=above)(values)

    return change


COMPONENTS: Final[Mapping[str, Callable[[Values], Values]]] = MappingProxyType(
    {
        **{channel: _without_channel(channel) for channel in CHANNELS},
        "routing": lambda values: _with("router", threshold=0, below=values.router.above)(values),
        "decomposition": _with("decomposition", on=False),
        "other names": _with("queries", other_names=False),
        "query form": _with("queries", form="question"),
        "adaptive weights": _with("fusion", adaptive=0.0),
        "feedback": _with("fusion", feedback=0.0),
        "discount": _with("passages", discount=0.0),
        "duplicates": _with("passages", duplicates=0.0),
        "documents": _with("passages", documents=False),
        "reranker": _with("passages", reranker=""),
        "quotas": _with("passages", quotas="none"),
        "drug tier": _with("passages", drugs_first=False),
    }
)
"""What can be left out, and how."""


def preset_names() -> list[str]:
    """The presets there are, the default first."""
    return sorted((path.stem for path in _FOLDER.glob("*.toml")), key=lambda name: (name != "default", name))


@cache
def load_preset(name: str = "default") -> Preset:
    """A preset by its name.

    Raises:
        ClewError: BAD_INPUT for a preset that there is not.
    """
    if name not in preset_names():
        raise ClewError(Code.BAD_INPUT, f"no preset {name!r}", choices=preset_names())
    return read_preset(_FOLDER / f"{name}.toml")


def read_preset(path: Path) -> Preset:
    """A preset from a file.

    Raises:
        ClewError: BAD_SETTINGS for a file that is none, or in which a value has no origin.
    """
    try:
        text: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        title = text.pop("title")
        values = {s: {key: one["value"] for key, one in keys.items()} for s, keys in text.items()}
        origins = {f"{s}.{key}": one["origin"] for s, keys in text.items() for key, one in keys.items()}
        _check_origins(origins)
        return Preset(path.stem, title, Values.model_validate(values), MappingProxyType(origins))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, ValidationError) as error:
        raise ClewError(
            Code.BAD_SETTINGS,
            f"{path}: {type(error).__name__}: {error}",
            remedy="give every parameter as name = { value = …, origin = … }",
        ) from error


def _check_origins(origins: Mapping[str, str]) -> None:
    strange = [f"{key}: {origin!r}" for key, origin in origins.items() if not ORIGINS.fullmatch(origin)]
    if strange:
        raise ValueError(f"not an origin: {'; '.join(strange)}")
