"""Published toy cases, and chains whose scores can be counted by hand. Each letter is a mention, each word a chain."""

from __future__ import annotations

import pytest

from annotation.task_types.coreference.document import CorefDocument
from annotation.task_types.coreference.scoring.evaluation import conll_average
from tests.annotation.coreference.marking import as_fractions, fractions, letters, number, scored

MUC = [  # key, response, recall, precision
    ("ABCD", "AB CD", "2/3", "2/2"),
    ("AB CD", "ABCD", "2/2", "2/3"),
    ("ABC", "AC", "1/2", "1/1"),
    ("ABC", "ABCD", "2/2", "2/3"),
    ("BCDEGHJ", "ABC DEF GHI", "3/6", "3/6"),
    ("ABC DEFG", "AB CD FGH", "2/5", "2/4"),
    ("A B", "A B", "0/0", "0/0"),
    ("AB C", "AB D E", "1/1", "1/1"),
]


@pytest.mark.parametrize(("key", "response", "recall", "precision"), MUC)
def test_muc_counts_the_links_that_the_response_leaves_intact(key: str, response: str, recall: str, precision: str):
    assert fractions(scored(letters(key), letters(response))) == (recall, precision)


# Key A BC DEF unless another is named; X, Y and Z are spurious, and a second B is dropped.
OTHERS = {
    "missing": ("A BC DEF", "A DE"),
    "spurious": ("A BC DEF", "A BCX DEFY Z"),
    "both": ("A BC DEF", "A BCX DY Z"),
    "both, twice B": ("A BC DEF", "A BCXB DY Z"),
    "both, B in another chain": ("A BC DEF", "A BCX DY BZ"),
    "both, B ten times": ("A BC DEF", "A BCX DY BBBBBBBBBBZ"),
    "apart": ("A BC DEF", "A B C D E F"),
    "together": ("A BC DEF", "ABCDEF"),
    "others apart": ("A BC DEF", "A X Y C D E Z"),
    "others together": ("A BC DEF", "AXYCDEZ"),
    "three chains": ("ABCDE FG HIJKL", "ABCDE FGHIJKL"),
    "two large chains": ("ABCDE FG HIJKL", "ABCDEHIJKL FG"),
}
AS_BOTH = {"muc": ("1/3", "1/3"), "bcub": ("5/9", "17/42"), "ceafm": ("4/6", "4/7"), "ceafe": ("11/15", "11/20")}
EXPECTED = {
    "missing": {"muc": ("1/3", "1/1"), "bcub": ("7/18", "3/3"), "ceafm": ("3/6", "3/3"), "ceafe": ("3/5", "9/10")},
    "spurious": {
        "muc": ("3/3", "3/5"), "bcub": ("6/6", "55/108"), "ceafm": ("6/6", "6/9"), "ceafe": ("31/35", "93/140"),
    },
    "both": AS_BOTH,
    "both, twice B": AS_BOTH,
    "both, B in another chain": AS_BOTH,
    "both, B ten times": AS_BOTH,
    "apart": {"muc": ("0/3", "0/0"), "bcub": ("3/6", "6/6")},
    "together": {"muc": ("3/3", "3/5"), "bcub": ("6/6", "7/18")},
    "others apart": {"muc": ("0/3", "0/0"), "bcub": ("13/36", "4/7")},
    "others together": {"muc": ("1/3", "1/6"), "bcub": ("17/36", "6/49")},
    "three chains": {"muc": ("9/9", "9/10"), "bcub": ("12/12", "16/21")},
    "two large chains": {"muc": ("9/9", "9/10"), "bcub": ("12/12", "7/12")},
}  # fmt: skip


@pytest.mark.parametrize(("case", "metric"), [(case, metric) for case in OTHERS for metric in EXPECTED[case]])
def test_metrics_reach_the_published_values(case: str, metric: str):
    key, response = OTHERS[case]
    score = scored(letters(key), letters(response)).scores[metric]
    assert (score.recall, score.precision) == pytest.approx(tuple(map(number, EXPECTED[case][metric])))


BLANC = [  # key, response, links (recall, precision), non-links, F1
    ("A BC DEF", "A DE", ("1/4", "1/1"), ("2/11", "2/2"), 0.35385),
    ("A BC DEF", "A BCX DEFY Z", ("4/4", "4/9"), ("11/11", "11/27"), 0.59717),
    ("A BC DEF", "A BCX DY Z", ("1/4", "1/4"), ("5/11", "5/17"), 0.30357),
    ("A BC DEF", "A B C D E F", ("0/4", "0/0"), ("11/11", "11/15"), 0.42308),
    ("A BC DEF", "ABCDEF", ("4/4", "4/15"), ("0/11", "0/0"), 0.21053),
    ("AB CDE", "BCX DE", ("1/4", "1/4"), ("2/6", "2/6"), 7 / 24),
    ("AB CDE FG", "BCX DE FG", ("2/5", "2/5"), ("10/16", "10/16"), 0.5125),
    ("ABCDEF", "ABCDEF", ("15/15", "15/15"), ("0/0", "0/0"), 1),
    ("ABCDEF", "ABC DEF", ("6/15", "6/6"), ("0/0", "0/9"), 4 / 7),
    ("A B C", "A BC", ("0/0", "0/1"), ("2/3", "2/2"), 0.8),
]


@pytest.mark.parametrize(("key", "response", "links", "non_links", "f1"), BLANC)
def test_blanc_is_the_mean_of_links_and_non_links(key, response, links, non_links, f1):
    score = scored(letters(key), letters(response)).scores["blanc"]
    assert [as_fractions(part.counts) for part in score.parts.values()] == [links, non_links]
    assert score.f1 == pytest.approx(f1, abs=1e-5)


def test_lea_weighs_the_share_of_links_by_the_size_of_the_chain():
    # ABC keeps 1 of 3 links, weight 3; DE all, weight 2; FGHI 2 of 6, weight 4. The response's FG and HI keep all.
    score = scored(letters("ABC DE FGHI"), letters("AB DE FG HI")).scores["lea"]
    assert score.recall == pytest.approx((3 / 3 + 2 + 4 * 2 / 6) / 9)
    assert score.precision == 1


def test_lea_accepts_a_chain_of_one_mention_only_if_it_is_alone_on_the_other_side():
    assert fractions(scored(letters("A B"), letters("A BC")), "lea") == ("1/2", "1/3")


def test_ceaf_pairs_chains_so_that_the_sum_is_largest():
    # ABC shares 2 with ABDE and DEFG shares 2 with each: only ABC with ABDE and DEFG with CFG reach 4.
    evaluation = scored(letters("ABC DEFG"), letters("ABDE CFG"))
    assert fractions(evaluation, "ceafm") == ("4/7", "4/7")


def test_mentions_count_whatever_chain_they_are_in():
    assert fractions(scored(letters("ABC D"), letters("AD BX")), "mentions") == ("3/4", "3/4")


def test_the_conll_average_is_the_mean_f1_of_three_metrics():
    scores = scored(letters("A BC DEF"), letters("A BCX DY Z")).scores
    f1s = [scores[name].f1 for name in ("muc", "bcub", "ceafe")]
    assert conll_average(scores) == pytest.approx(sum(f1s) / 3) == pytest.approx((1 / 3 + 0.468320 + 0.628571) / 3)
    assert conll_average({"muc": scores["muc"]}) is None


# ---- Chains are sets ------------------------------------------------------------------------------


def chains_of(links: list[str]) -> CorefDocument:
    """Join linked letters: "BA" says that B refers to A."""
    chain_of = {letter: {letter} for link in links for letter in link}
    for link in links:
        joined = chain_of[link[0]] | chain_of[link[1]]
        chain_of |= dict.fromkeys(joined, joined)
    return letters(" ".join(sorted({"".join(sorted(chain)) for chain in chain_of.values()})))


@pytest.mark.parametrize("response", ["ABCDE", "AB CDE", "AC BD", "AX BE"])
def test_star_path_and_tree_score_alike(response: str):
    star, path, tree = ["BA", "CA", "DA", "EA"], ["BA", "CB", "DC", "ED"], ["BA", "CA", "DB", "EB"]
    scores = [scored(chains_of(links), letters(response)).scores for links in (star, path, tree)]
    assert scores[0] == scores[1] == scores[2]


# ---- Optional mentions ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("response", "recall", "precision"),
    [("ABC", "2/2", "2/2"), ("AC", "1/1", "1/1"), ("AB", "1/2", "1/1"), ("AC BX", "1/2", "1/2"), ("AX", "0/1", "0/1")],
)
def test_an_optional_mention_in_the_middle_of_a_chain_counts_only_if_it_is_marked(response, recall, precision):
    assert fractions(scored(letters("AB?C"), letters(response))) == (recall, precision)


def test_only_the_optional_mention_itself_leaves_the_key():
    evaluation = scored(letters("AB? CD"), letters("CD"))
    assert fractions(evaluation, "mentions") == ("2/3", "2/2")
    assert fractions(evaluation, "muc") == ("1/1", "1/1")


def test_an_optional_mention_counts_if_the_response_marks_it_alone():
    assert fractions(scored(letters("AB?C"), letters("AC B"))) == ("1/2", "1/1")


# ---- Nothing to count -----------------------------------------------------------------------------


@pytest.mark.parametrize(("key", "response"), [("", "AB"), ("AB", ""), ("", ""), ("A?B?", "")])
def test_what_cannot_be_divided_is_undefined(key: str, response: str):
    scores = scored(letters(key), letters(response)).scores
    recall, precision = (0 if key == "AB" else None), (0 if response else None)
    f1 = None if recall is precision is None else 0
    assert {(score.recall, score.precision, score.f1) for score in scores.values()} == {(recall, precision, f1)}


@pytest.mark.parametrize(("key", "response"), [("", "AB"), ("AB", ""), ("", ""), ("A B", "A B")])
def test_the_reference_scorer_calls_it_zero(key: str, response: str):
    scores = scored(letters(key), letters(response), as_conll=True).scores
    assert None not in [value for score in scores.values() for value in (score.recall, score.precision, score.f1)]
    assert scores["muc"].f1 == 0
