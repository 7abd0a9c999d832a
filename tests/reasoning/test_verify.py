import pytest

from reasoning.verify import LABELS, ClaimJudge, ClaimVerifier, coverage

JUDGE: ClaimJudge = ClaimVerifier()

SUPPORTED = [
    ("Zinc shortens colds.", "In this trial zinc shortens colds by a day."),
    ("Zinc increases appetite.", "Zinc does not reduce appetite."),
    ("锌能缩短感冒病程。", "试验显示锌能缩短感冒病程一天。"),
]
REFUTED = [
    ("Zinc shortens colds.", "Zinc never shortens colds."),
    ("Zinc does not shorten colds.", "Zinc shortens colds."),
    ("Zinc increases appetite.", "Zinc reduces appetite."),
    ("The herb is safe for children.", "The herb is toxic for children."),
    ("锌能缩短感冒病程。", "锌不能缩短感冒病程。"),
    ("该药升高血压。", "该药降低血压。"),
]
OPEN = [
    ("Zinc shortens colds.", "Rain fell on the hills."),
    ("锌能缩短感冒病程。", "昨天下了大雨。"),
    ("Zinc shortens colds.", ""),
    ("", "Zinc shortens colds."),
]


@pytest.mark.parametrize(("claim", "evidence"), SUPPORTED)
def test_the_same_said_supports(claim: str, evidence: str) -> None:
    assert JUDGE.judge(claim, evidence).label == "Supports"


@pytest.mark.parametrize(("claim", "evidence"), REFUTED)
def test_the_opposite_said_refutes_and_the_reason_is_given(claim: str, evidence: str) -> None:
    verdict = JUDGE.judge(claim, evidence)
    assert verdict.label == "Refutes"
    assert any(reason.startswith(("negated", "opposite")) for reason in verdict.reasons)


@pytest.mark.parametrize(("claim", "evidence"), OPEN)
def test_evidence_about_something_else_leaves_the_claim_open(claim: str, evidence: str) -> None:
    assert JUDGE.judge(claim, evidence).label == "Neutral"


@pytest.mark.parametrize(("claim", "evidence"), SUPPORTED + REFUTED + OPEN)
def test_scores_of_the_three_labels_add_up_and_the_best_is_said(claim: str, evidence: str) -> None:
    verdict = JUDGE.judge(claim, evidence)
    assert sum(verdict.scores[label] for label in LABELS) == pytest.approx(1, abs=1e-3)
    assert verdict.scores[verdict.label] == max(verdict.scores.values())


def test_two_differences_cancel_each_other() -> None:
    verdict = JUDGE.judge("Zinc increases appetite.", "Zinc does not reduce appetite.")
    assert len([reason for reason in verdict.reasons if reason.startswith(("negated", "opposite"))]) == 2
    assert verdict.label == "Supports"


def test_what_follows_a_contrast_counts() -> None:
    evidence = "It was long believed that zinc shortens colds, but zinc never shortens colds."
    assert JUDGE.judge("Zinc shortens colds.", evidence).label == "Refutes"


@pytest.mark.parametrize("evidence", ["Zinc not only shortens colds, it is cheap.", "锌不仅能缩短感冒病程，还便宜。"])
def test_what_only_looks_like_a_negation_is_none(evidence: str) -> None:
    claim = "Zinc shortens colds." if evidence.isascii() else "锌能缩短感冒病程。"
    assert JUDGE.judge(claim, evidence).label == "Supports"


def test_a_typographic_apostrophe_negates_too() -> None:
    assert JUDGE.judge("Zinc shortens colds.", "Zinc doesn’t shorten colds.").label == "Refutes"


def test_coverage_is_the_share_of_the_claims_words() -> None:
    assert coverage("zinc shortens colds rapidly", "Colds and zinc") == 0.5
    assert coverage("", "anything") == 0.0
