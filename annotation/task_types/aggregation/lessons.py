"""How annotators learn the task: instructions, practice questions, a quiz. Texts and examples are our own.

The markup of instructions is annotation/markup.py's: "- " a list, "+ " a good example, "x " a bad one, "# " a heading.
"""

from __future__ import annotations

from annotation.task_types.aggregation.answers import known_phrases
from annotation.task_types.base import InstructionParts, PracticeQuestion, QuizQuestion
from corpus.articles import EntityType
from corpus.frozen import FrozenInstance
from corpus.items.instances import INSTANCE
from kernel.values import Json

CONSENT = """You are asked to read short passages of newspaper articles and to write phrases. You can stop at any time.

What you write is stored with the time you took, and may be published as part of a research dataset. Your name \
and your ids are never published: a pseudonym, different in each dataset, takes their place.

You may withdraw and have what you wrote erased until the dataset is published."""

SUMMARY = """
You read a short passage from a newspaper in which two to six people, areas or organizations are named. Write **one
phrase that names all of them together**, as a good writer would to avoid repeating the names.

# Example
Marie Curie and Ernest Rutherford are mentioned in a passage on a conference in Brussels.

+ the pioneers of radioactivity
+ the two Nobel laureates
x they – a pronoun only points at them
x Curie and Rutherford – that is a list
x the two people – true of any two people
x the French physicists – Rutherford was not French
"""

DETAILS = """
# What you see
- the title of an article and a passage of it; the names you are asked about are coloured and carry a letter
- below, a few sentences of background on each of them; the background may be missing, or newer than the article
- a sentence with a gap: your phrase takes the place of the words in bold

# What to write
- a noun phrase that is true of every one of them
- as specific as you can while it still sounds natural: “the Scandinavian capitals” rather than “the cities”
- at most ten words; you may begin with “the” and a number, or leave them out
- what the passage or the background tells, or what you know; you need not search the web
- a second phrase, if another one comes to mind easily. It is optional and earns nothing extra

# What not to write
- pronouns (“they”, “both of them”) and lists of the names
- only the type (“the three people”, “the two areas”)
- one of the names inside the phrase, unless all of them belong to it
- “and”, when it joins two phrases that each fit only some of them

# When nothing fits
Sometimes the named things have nothing in common but being named. Then choose “I can't find a relevant phrase”.
That is a good answer and is paid like any other. You may say why.

# When the text is wrong
If a colour marks the wrong words, or a background tells of somebody else, answer as well as you can for the ones
that are meant, and use “Report a problem with this text”.
"""

EXAMPLES = """
# Oslo, Stockholm, Copenhagen – an article on night trains
+ the Scandinavian capitals
+ the three Nordic capitals
x the cities in Sweden – true of one of them
x the places – far too general

# UNESCO, the World Health Organization – an article on a budget vote
+ the United Nations agencies
+ international agencies
x the organizations – only the type
x UNESCO and its partner – one of the names is in it

# Johannes Kepler, Tycho Brahe – an article on an exhibition in Prague
+ the early modern astronomers
+ the imperial astronomers
x the astronomer and his assistant – each half fits only one of them
x scientists who lived a very long time ago and looked at the sky from a castle – too long

# Ada Lovelace, Lake Victoria – what has nothing in common
+ I can't find a relevant phrase
"""

INSTRUCTIONS = InstructionParts("TESA instructions", SUMMARY.strip(), DETAILS.strip(), EXAMPLES.strip())


def _instance(type_: EntityType, title: str, context: str, backgrounds: dict[str, str]) -> FrozenInstance:
    """Return an instance of ours, whose context mentions each entity by its name."""
    row: dict[str, Json] = {"entity_type": type_.value, "title": title, "context": context, "article_id": "practice"}
    return INSTANCE.from_row({**row, "entities": [*backgrounds], "backgrounds": [*backgrounds.values()]})


PRACTICE = (
    PracticeQuestion(
        _instance(
            EntityType.PERSON,
            "A Week of Lectures on the Atom",
            "The series opens on Monday with an evening on Marie Curie. On Thursday the hall turns to "
            "Ernest Rutherford, whose desk has been lent by the university for the occasion.",
            {
                "Marie Curie": "Marie Curie was a Polish and naturalised-French physicist and chemist who conducted "
                "pioneering research on radioactivity and won two Nobel Prizes.",
                "Ernest Rutherford": "Ernest Rutherford was a New Zealand physicist, a pioneering researcher in both "
                "atomic and nuclear physics, who won the Nobel Prize in Chemistry in 1908.",
            },
        ),
        known_phrases(
            ("physicists", "Nobel laureates", "pioneers of radioactivity", "atomic scientists", "scientists"),
            "Both were physicists, worked on radioactivity and won a Nobel Prize. “The French physicists” would leave "
            "out Rutherford; “people” would fit anybody.",
        ),
    ),
    PracticeQuestion(
        _instance(
            EntityType.LOCATION,
            "Night Trains Return to the North",
            "From June the sleeper leaves Hamburg shortly before ten, reaches Copenhagen before breakfast and "
            "Stockholm in time for lunch; a second branch to Oslo is planned for the autumn.",
            {
                "Copenhagen": "Copenhagen is the capital and most populous city of Denmark.",
                "Stockholm": "Stockholm is the capital and most populous city of Sweden.",
                "Oslo": "Oslo is the capital and most populous city of Norway.",
            },
        ),
        known_phrases(
            ("Scandinavian capitals", "Nordic capitals", "capital cities", "northern European capitals", "capitals"),
            "All three are capitals in Scandinavia. “The Swedish cities” fits only one of them; “the areas” says "
            "nothing.",
        ),
    ),
    PracticeQuestion(
        _instance(
            EntityType.ORGANIZATION,
            "Budget Vote Put Off Until Spring",
            "Delegates put off the vote on the budgets. The World Health Organization asked for a longer plan, while "
            "UNESCO said that it could wait until the spring session.",
            {
                "World Health Organization": "The World Health Organization is a specialized agency of the United "
                "Nations responsible for international public health.",
                "UNESCO": "UNESCO is a specialized agency of the United Nations that promotes cooperation in "
                "education, arts, sciences and culture.",
            },
        ),
        known_phrases(
            ("United Nations agencies", "UN agencies", "international agencies", "international organizations"),
            "Both are agencies of the United Nations. “The organizations” alone would only repeat the type.",
        ),
    ),
)

QUIZ = (
    QuizQuestion(
        "Johannes Kepler and Tycho Brahe are named. Which phrase fits?",
        ("the two men", "Kepler and Brahe", "the astronomers", "they"),
        2,
        "It names both by what they have in common. The others are too general, a list, or a pronoun.",
    ),
    QuizQuestion(
        "Lyon, Marseille and Geneva are named. Which phrase is true of all of them?",
        ("the French cities", "the European cities", "the capitals", "the city and the ports"),
        1,
        "Geneva is in Switzerland, and none of them is a capital.",
    ),
    QuizQuestion(
        "You find nothing that the named things have in common. What do you do?",
        (
            "Write “NA”",
            "Choose “I can't find a relevant phrase”",
            "List the names",
            "Leave the page without an answer",
        ),
        1,
        "It is a good answer and is paid like any other.",
    ),
    QuizQuestion(
        "Two phrases come to mind: “the rivers” and “the tributaries of the Danube”. Both are true. Which comes first?",
        ("the rivers", "the tributaries of the Danube", "both in one field, joined by “and”", "neither"),
        1,
        "Be as specific as you can while it sounds natural. The other may go into the second field.",
    ),
    QuizQuestion(
        "The background shown for one of the names is about somebody else. What do you do?",
        (
            "Answer for the ones the article means, and report the problem",
            "Answer for the person in the background",
            "Close the page",
            "Write a complaint as your answer",
        ),
        0,
        "The article decides who is meant; a report helps to mend the text.",
    ),
)
