"""Precision, recall and F1 of sets, from counts, so that figures can be added up over cases (micro-averages)."""

from __future__ import annotations


def precision_recall_f1(right: int, found: int, gold: int, recalled: int | None = None) -> dict[str, float]:
    """`precision` = right / found, `recall` = recalled / gold and their harmonic mean; 0 where nothing is to divide by.

    Args:
        right: how many of what was found are right.
        found: how many were found.
        gold: how many there are.
        recalled: how many of the gold were found; the same as `right` when one is matched with one.
    """
    precision = right / found if found else 0.0
    recall = (right if recalled is None else recalled) / gold if gold else 0.0
    both = precision + recall
    f1 = 2 * precision * recall / both if both else 0.0
    return {"precision": round(precision, 4), "recall": round(recall, 4), "f1": round(f1, 4)}


def case_f1(right: int, found: int, gold: int, recalled: int | None = None) -> float:
    """F1 of one case; 1 when there is nothing to find and nothing was found."""
    return precision_recall_f1(right, found, gold, recalled)["f1"] if found or gold else 1.0
