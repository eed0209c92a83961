"""Texts are invented. In the table a bar stands where a sentence ends."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from corpus.sentences import Sentence, split_paragraphs, split_sentences

SENTENCES = """
The council met. | It voted twice.
Is it over? | Nobody knows.
What a night! | The square was full.
The vote was 5 to 4. | The mayor broke the tie.
No mark ends this line
He left in 2004. | Two years later he was back.
The rate rose to 3.5 percent from 2.75 percent. | Prices fell.
Version 2.0 shipped late. | Nobody noticed.
Mr. Okafor spoke first. | Mrs. Lind followed.
Dr. Amara Okafor and Prof. Tove Lind disagreed.
Sen. Tove Lind and Rep. Amara Okafor wrote the bill. | It failed.
Gov. Lind met Lt. Gov. Okafor in the hall.
Gen. A. B. Okafor retired. | Col. Lind took over.
The Rev. Amos Brandt prayed.
She moved to St. Alban. | The town was quiet.
The museum is on Main St. | The doors open at nine.
They climbed Mt. Arden and camped near Ft. Lind.
Amara J. Okafor won. | Tove P. Lind lost.
The poet W. H. Brandt died.
J. R. Lind and T.S. Okafor signed it.
He took Vitamin C. | The doctor was pleased.
The U.S. Senate met. | The U.N. Assembly did not.
He flew to the U.S. | The visit lasted a week.
She left the U.S. in March. | He stayed.
They live in Washington, D.C. | In winter they travel.
The bus leaves at 9 a.m. and returns at 5 p.m. daily.
It closed at 5 p.m. | Visitors went home.
Doors open at 7 p.m. Friday. | Tickets are free.
The game starts at 8 p.m. EST on Sunday.
The quake struck at 9:40 a.m. (0740 GMT) on Monday.
He ranked No. 3 in the state. | She was No. 1.
Is the answer no. | Okafor thinks so.
See pp. 4-9 and Vol. 2 of the report.
On Feb. 3 the board met. | On Sept. 11 it voted.
The deal closed in Dec. | The lawyers rested.
Arden Inc. said profits rose. | Shares climbed.
He works for Brandt Corp. | Shares of the company rose.
Lind Co. Ltd. and Arden Inc. merged.
Brandt Corp. President Tove Lind resigned.
He joined Okafor & Co. | The firm is small.
Robert Lind Jr. was there. | His father was not.
The crowd cheered Robert Lind Jr. | He waved.
Apples, pears, etc. were sold. | The market closed.
They sold apples, pears, etc. | The market closed.
The case, Lind v. Okafor, was closed.
Arden vs. Brandt ended in a draw.
A dealer in Akron, Ohio, and one in Ames, Calif. | The others are abroad.
The Republican from Salem, Mass. voted no.
"We won," she said. | "We really won."
"We won." | She smiled.
He said, "Go home." | Then he left.
“We won.” | She smiled.
“Is it over?” | The crowd was silent.
"Is it over?" he asked. | Nobody answered.
"Is it over?" Mr. Lind asked.
"Stop!" Okafor shouted. | The bus stopped.
(He was late.) | She was not.
The plan (see No. 4) failed. | It was costly.
She laughed (as always). | He did not.
He waited ... and waited. | Nobody came.
He waited... | Then he left.
It was … fine. | It was over.
Really?! | That was the question.
ARDEN, March 3 — The council met. | It voted.
ARDEN, Feb. 26 - The mayor resigned. | Nobody wept.
SALEM, Mass. — The harbor froze. | Boats were stuck.
The site www.arden.example.com. is down.
It is on www.arden.example. | Names follow.
The firm Yahoo! Inc. was sold. | It was cheap.
1. The first point. | The second point.
It cost $3.50. | $2 was change.
The phone is old. | iPhones are newer.
He has a Ph.D. from Arden. | She has none.
The S. and P. index fell. | Traders sighed.
It was rated by Brandt's. | Okafor agreed.
She wrote it in 1999.[3] | It sold well.
He was born in Arden. [12] | He died there.
The town of Sant'Ada. | Its mayor left.
The answer is i.e. wrong.
A quiet day. | 12 people came. | 30th in line was Lind.
"""


@pytest.mark.parametrize("marked", SENTENCES.strip().splitlines())
def test_a_news_text_is_cut_at_its_sentence_ends(marked):
    expected = marked.split(" | ")
    text = " ".join(expected)

    assert [text[start:end] for start, end in split_sentences(text)] == expected


def test_sentences_are_numbered_by_paragraph_and_never_run_over_its_end():
    sentences = split_paragraphs(["One day. Two days", "", "  Three days.  "])

    assert sentences == (Sentence(0, 0, 8), Sentence(0, 9, 17), Sentence(2, 2, 13))


@given(st.text() | st.text(alphabet="aB.?!…'\"()[]1 \n\u00a0—"))
@example("")
@example(" \n ")
@example(". . .")
@example("A.B. C. [1] The")
def test_sentences_and_the_blanks_between_them_make_up_the_text(text):
    position = 0
    for start, end in split_sentences(text):
        assert position <= start < end
        assert text[position:start].strip() == ""
        assert text[start:end] == text[start:end].strip()
        position = end

    assert text[position:].strip() == ""


@given(st.lists(st.sampled_from(["The council met.", "It voted.", "Who won?", "Nobody did!"]), min_size=1))
def test_plain_sentences_in_a_row_come_back_one_by_one(sentences):
    text = " ".join(sentences)

    assert [text[start:end] for start, end in split_sentences(text)] == sentences


@pytest.mark.parametrize("unit", [".", ". ", "!?", "…", '."', " ", "(", "a.", "A. ", ". [1]", '!" B '])
def test_a_long_run_of_marks_is_split_into_parts_that_follow_each_other(unit):
    ends = [0, *(place for sentence in split_sentences(unit * 50_000) for place in sentence)]

    assert ends == sorted(ends)
    assert ends[-1] <= len(unit) * 50_000
