"""What an English name is made of: words, pairs of words, and runs of letters, weighed by how telling they are.

Letters make `hepatitis` and `hepatic` alike, and forgive a wrong one; pairs of words tell `end part` from `end` and
`part`. Weights are tf-idf with a logarithm of the count, rows have length 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from ontology.reading.text import normal_form

_RUNS: Final = (3, 4, 5)
"""Letters of a run, the ends of the word included."""

_MANY: Final = 1000
"""Names from which a feature of one of them alone is left out (our choice)."""

_LONGEST: Final = 200
"""Characters of a name that are looked at (our choice: twice the longest finding)."""


def features(text: str) -> list[str]:
    """The features of a name, in the order of its words."""
    words = plain(text).split()
    found = words + [f"{one} {other}" for one, other in pairwise(words)]
    for word in words:
        edged = f"<{word}>"
        for size in _RUNS:
            found += [f"#{edged[at : at + size]}" for at in range(len(edged) - size + 1)]
    return found


def plain(text: str) -> str:
    """The normal form of a name with every word in the singular, as far as an s tells."""
    return " ".join(map(_singular, normal_form(text[:_LONGEST]).split()))


def fit_features(texts: Sequence[str]) -> tuple[csr_array, dict[str, int], NDArray[np.float32]]:
    """The features of names; of many names those that at least two have.

    Returns:
        a row of length 1 for each text, float32; the column of each feature; the weight of each column (idf).
    """
    from sklearn.feature_extraction.text import TfidfVectorizer  # noqa: PLC0415 - a second that reading need not spend

    least = 2 if len(texts) >= _MANY else 1
    weigher = TfidfVectorizer(analyzer=features, sublinear_tf=True, min_df=least, dtype=np.float32)
    matrix = csr_array(weigher.fit_transform(texts))
    columns = {str(name): int(column) for name, column in weigher.vocabulary_.items()}
    return matrix, columns, np.asarray(weigher.idf_, dtype=np.float32)


def weigh(texts: Iterable[str], columns: Mapping[str, int] | Any, idf: NDArray[np.float32]) -> csr_array:
    """The features of other names under the weights of `fit_features`; unknown features count for nothing.

    Args:
        texts: n names.
        columns: column of a feature, by `get`.
        idf: weight of each of m columns.

    Returns:
        float32 (n, m), rows of length 1, or 0 where nothing is known.
    """
    data: list[float] = []
    indices: list[int] = []
    starts = [0]
    for text in texts:
        counts: dict[int, int] = {}
        for feature in features(text):
            if (column := columns.get(feature)) is not None:
                counts[column] = counts.get(column, 0) + 1
        weights = [(1 + math.log(count)) * float(idf[column]) for column, count in counts.items()]
        length = math.sqrt(sum(weight * weight for weight in weights)) or 1.0
        data += [weight / length for weight in weights]
        indices += counts
        starts.append(len(indices))
    return csr_array((np.array(data, dtype=np.float32), indices, starts), shape=(len(starts) - 1, len(idf)))


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word
