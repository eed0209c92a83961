"""The table of words says the same as the dictionary it was made of."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from annotation.task_types.aggregation.cleaning.word_table import WordTable, letters

WORDS = st.text("abcé-", max_size=6)
FLAGS = st.dictionaries(WORDS, st.integers(1, 3))


@given(FLAGS, st.lists(WORDS))
def test_each_word_has_its_flags_and_any_other_has_none(flags: dict[str, int], others: list[str]):
    table = WordTable(flags)

    for word in {*flags, *others}:
        assert table.flags(word) == flags.get(word, 0)


@given(FLAGS, WORDS, st.integers(0, 3), st.integers(0, 3))
def test_near_words_are_those_of_like_length_and_letters(flags: dict[str, int], word: str, longer: int, different: int):
    near = [*WordTable(flags).near(word, 2, longer=longer, different=different)]

    assert sorted(near) == sorted(
        other
        for other in flags
        if other[:1] == word[:1]
        and flags[other] & 2
        and abs(len(other) - len(word)) <= longer
        and (letters(other) ^ letters(word)).bit_count() <= different
    )
