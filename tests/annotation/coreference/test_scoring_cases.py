"""The phenomena that the MUC-6 definition of coreference explains: what a response loses, counted by hand with MUC."""

from __future__ import annotations

import pytest

from tests.annotation.coreference.marking import fractions, marked, scored

COMPANY = "{1=Orlo Mills Inc.|Orlo Mills Inc. of Troy, Ohio} closed in May. {1 The company} owed a million."
BOARD = "{1 Our school board} met {2 the mayor}. {1? Elm Street} is tired, {2 she} said of {1 the board}."
TITLES = "{1=Quill|Ms. Quill} was {1? president} and {1?=CEO|CEO of Orlo Mills Inc.} that year."
APPOSITION = "{1=Mira Lund|Mira Lund, {1=captain|the ferry's first captain},} retired."
AGE = "{1=Oskar Brandt|Oskar Brandt, 52, {1=manager|deputy manager of the mill},} spoke first."
CAREER = (
    "{1=Ada Finch|Ada Finch, who was {1=mayor|mayor of Troy} until May,} was {1=director|director of the port}, "
    "then {1=head|head of customs}."
)
BOUND = "{1=driver|Every driver who loves {1 her} van} sings."
PROFIT = "{1 Orlo Mills}'s owners praised {2=profit|{1 its} yearly profit}. {2 It} was {2 $3 million}."
VALUE = "{1=temperature|The water temperature} was {1 12 degrees} at noon. The water temperature is falling."
ROLE = "{1=Lund|Captain Lund} acted as {1?=witness|witness for the union}. {1 She} smiled."
CONJUNCTS = (
    "{1 Nora Quill} and {2 Peter Vance} opened the fair. {1=Quill|Ms. Quill} sang, and {2=Vance|Mr. Vance} danced."
)
POSSESSIVE = "{1 The Harbour Gazette}'s editor left when {1 it} was sold."

# What the response does, key, response, recall, precision.
CASES = [
    ("possessive and pronoun", POSSESSIVE, POSSESSIVE, "1/1", "1/1"),
    (
        "the editor instead of the paper",
        POSSESSIVE,
        "The Harbour Gazette's {1 editor} left when {1 it} was sold.",
        "0/1",
        "0/1",
    ),
    ("company with its place", COMPANY, COMPANY, "1/1", "1/1"),
    (
        "company without its place",
        COMPANY,
        "{1 Orlo Mills Inc.} of Troy, Ohio closed in May. {1 The company} owed a million.",
        "1/1",
        "1/1",
    ),
    (
        "company with a part of its place, and no article",
        COMPANY,
        "{1 Orlo Mills Inc. of Troy}, Ohio closed in May. The {1 company} owed a million.",
        "1/1",
        "1/1",
    ),
    (
        "company with a word too many",
        COMPANY,
        "{1 Orlo Mills Inc. of Troy, Ohio closed} in May. {1 The company} owed a million.",
        "0/1",
        "0/1",
    ),
    (
        "company without the whole MIN",
        COMPANY,
        "{1 Orlo Mills} Inc. of Troy, Ohio closed in May. {1 The company} owed a million.",
        "0/1",
        "0/1",
    ),
    ("optional mention marked", BOARD, BOARD, "3/3", "3/3"),
    (
        "optional mention not marked",
        BOARD,
        "{1 Our school board} met {2 the mayor}. Elm Street is tired, {2 she} said of {1 the board}.",
        "2/2",
        "2/2",
    ),
    (
        "optional mention linked wrongly",
        BOARD,
        "{1 Our school board} met {2 the mayor}. {2 Elm Street} is tired, {2 she} said of {1 the board}.",
        "2/3",
        "2/3",
    ),
    ("two conjuncts in two chains", CONJUNCTS, CONJUNCTS, "2/2", "2/2"),
    (
        "conjuncts exchanged",
        CONJUNCTS,
        "{1 Nora Quill} and {2 Peter Vance} opened the fair. {2 Ms. Quill} sang, and {1 Mr. Vance} danced.",
        "0/2",
        "0/2",
    ),
    (
        "conjuncts as one phrase",
        CONJUNCTS,
        "{1 Nora Quill and Peter Vance} opened the fair. {1 Ms. Quill} sang, and {1 Mr. Vance} danced.",
        "0/2",
        "0/2",
    ),
    ("both optional titles", TITLES, TITLES, "2/2", "2/2"),
    (
        "one optional title, by its MIN",
        TITLES,
        "Ms. {1 Quill} was president and {1 CEO} of Orlo Mills Inc. that year.",
        "1/1",
        "1/1",
    ),
    ("no optional title", TITLES, "Ms. Quill was president and CEO of Orlo Mills Inc. that year.", "0/0", "0/0"),
    (
        "two titles as one phrase",
        TITLES,
        "{1 Ms. Quill} was {1 president and CEO of Orlo Mills Inc.} that year.",
        "0/0",
        "0/1",
    ),
    ("apposition inside the whole phrase", APPOSITION, APPOSITION, "1/1", "1/1"),
    ("apposition by its MINs", APPOSITION, "{1 Mira Lund}, the ferry's first {1 captain}, retired.", "1/1", "1/1"),
    (
        "another noun in the apposition",
        APPOSITION,
        "{1 Mira Lund}, the {1 ferry}'s first captain, retired.",
        "0/1",
        "0/1",
    ),
    ("person and title around an age", AGE, AGE, "1/1", "1/1"),
    (
        "the age linked too",
        AGE,
        "{1 Oskar Brandt}, {1 52}, {1 deputy manager of the mill}, spoke first.",
        "1/1",
        "1/2",
    ),
    ("three titles over time", CAREER, CAREER, "3/3", "3/3"),
    (
        "titles before and after apart",
        CAREER,
        "{1 Ada Finch}, who was {1 mayor of Troy} until May, was {2 director} of the port, then {2 head} of customs.",
        "2/3",
        "2/2",
    ),
    ("bound pronoun in its own antecedent", BOUND, BOUND, "1/1", "1/1"),
    ("the pronoun's noun instead of the pronoun", BOUND, "{1 Every driver who loves her {1 van}} sings.", "0/1", "0/1"),
    ("possessive company and its profit", PROFIT, PROFIT, "3/3", "3/3"),
    (
        "the profit's pronoun linked to the company",
        PROFIT,
        "{1 Orlo Mills}'s owners praised {2 {1 its} yearly profit}. {1 It} was {2 $3 million}.",
        "2/3",
        "2/3",
    ),
    ("value and function", VALUE, VALUE, "1/1", "1/1"),
    (
        "the function linked to its value at noon",
        VALUE,
        "{1 The water temperature} was {1 12 degrees} at noon. {1 The water temperature} is falling.",
        "1/1",
        "1/2",
    ),
    ("formal role marked", ROLE, ROLE, "2/2", "2/2"),
    ("formal role not marked", ROLE, "{1 Captain Lund} acted as witness for the union. {1 She} smiled.", "1/1", "1/1"),
    (
        "formal role without the person",
        ROLE,
        "Captain Lund acted as {1 witness} for the union. {1 She} smiled.",
        "1/2",
        "1/1",
    ),
]


@pytest.mark.parametrize(
    ("key", "response", "recall", "precision"), [case[1:] for case in CASES], ids=[c[0] for c in CASES]
)
def test_a_response_scores_what_the_definition_says(key: str, response: str, recall: str, precision: str):
    assert fractions(scored(marked(key), marked(response), matching="min")) == (recall, precision)


@pytest.mark.parametrize("key", [POSSESSIVE, COMPANY, BOARD, CAREER, BOUND, PROFIT])
def test_both_ways_of_matching_agree_where_the_response_marks_whole_phrases(key: str):
    by_matching = [scored(marked(key), marked(key), matching=matching) for matching in ("exact", "min")]
    assert by_matching[0].scores == by_matching[1].scores


def test_exact_matching_knows_no_part_of_a_mention():
    response = "{1 Orlo Mills Inc.} of Troy, Ohio closed in May. {1 The company} owed a million."
    assert fractions(scored(marked(COMPANY), marked(response), matching="exact")) == ("0/1", "0/1")
