"""Words that must not come back on pages, in messages and in e-mails, each with the usual word for it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parent.parent
APPS = ("annotation", "corpus", "kernel", "marketplace", "modeling", "tesa_site")
MARKUP = re.compile(r"{#.*?#}|{% comment %}.*?{% endcomment %}|{%.*?%}|{{.*?}}|<[^>]*>", re.DOTALL)
LABELS = re.compile(r'(?:aria-label|placeholder|title|data-label|label|why|caption)="([^"{]+)"')

# An expression, and what to write instead. Case counts.
BANNED = {
    r"\b[Ww]hoever\b": "people who",
    r"\b[Ss]o many\b": "the number",
    r"\b[Oo]f whom\b|\b[Ww]hom it is for\b": "of people who",
    r"\banew\b": "again",
    r"\b[Ii]n hand\b|\b[Aa]t the tasks\b": "being answered, working now",
    r"\b[Gg]old (?:task|item|instance|answer|at)s?\b|\b[Hh]idden gold\b|\bas gold\b|\bKnown hit\b": "check task",
    r"\b[Dd]raws? lots\b|\b[Dd]rew lots\b": "use random numbers",
    r"\b[Ff]reeze it\b|\b[Ss]tart it\b|\b[Ii]mport it\b|\b[Tt]ry it out\b": "the verb with its object",
    r"(?<![\w ])(?:Delete|Keep|Change|Set|Close|Pause|Withdraw) it\b": "the verb with its object",
    r"\bLast heard of\b|\bheard of\b": "last seen",
    r"\bUpkeep\b": "backups and clean-up",
    r"\bRead an archive\b|\bRead a corpus\b|\b[Rr]ead what is new\b": "import",
    r"\b(?:What people are told|What is asked|For how much|Who did what|What was run|Look closer)\b": "a noun",
    r"\bWork out the price\b|\bMake another like it\b|\bAsk more people\b|\bMake a (?:link|token)\b": "the usual verb",
    r"\bPeople for each task\b|\bMost answers of one person\b": "answers per task, most answers per person",
    r"\bMinutes one answer\b|\bReward for one answer\b": "expected time, time limit, reward per answer",
    r"\bLook at everybody\b|\bWhat the filters saw\b|\bStrong evidence\b": "quality checks, warnings",
    r"\b[Ll]et them count\b|\bLeave it as it is\b": "include answers again, cancel",
    r"\bIn other words\b|\bOnly remark\b": "corrected phrase, save note",
    r"\b[Nn]ot aggregatable\b": "no phrase fits",
    r"\b[Pp]hrase or none\b|\bsay the same\b": "agreement",
    r"\bThe funnel\b|\bTuples that\b|\bOf these hard\b|\bDraw a sample\b": "see the corpus page",
    r"\bThe recipe\b(?! is| gives)|\bWhat the recipe left\b": "release recipe",
    r"\b[Rr]ankers?\b": "method",
    r"\bknows none of them\b": "unseen in training",
    r"\b[Gg]ive this task back\b|\b[Ff]inish here\b": "skip this task, stop here",
    r"\bNothing waits for you\b": "you’re up to date",
    r"\b(?:is|are) told\b|\bwe are told\b": "says",
    r"\bpeculiar\b": "unusual",
    r"\b[Ii]nvented (?:people|person|answers?|crowd)\b": "simulated",
    r"\bis taken for you\b": "can act as you",
    r"\b\d+ %": "71%, without a space",
    r"\b[Kk]nown instances?\b|\b[Aa]ll the same\b|\bclock moved\b": "check tasks, still, waiting",
    r"\b[Tt]arget wage\b|\b[Ww]age now\b|\b[Mm]edian hourly wage\b": "hourly pay, target",
    r"\bthere is not\b|\bwho comes\b|\bwho has nothing\b": "a head for the clause",
}


def template_words(path: Path) -> str:
    text = path.read_text()
    return MARKUP.sub(" ", text) + " " + " . ".join(LABELS.findall(text))


def python_words(path: Path) -> Iterator[str]:
    """Yield the strings of a module that hold a space and are no docstrings: what people may read."""
    tree = ast.parse(path.read_text())
    bodies = (node.body for node in ast.walk(tree) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef))
    docstrings = {id(body[0].value) for body in bodies if body and isinstance(body[0], ast.Expr)}
    for node in ast.walk(tree):
        if not (isinstance(node, ast.Constant) and isinstance(node.value, str)) or id(node) in docstrings:
            continue
        if " " in node.value.strip():
            yield node.value


# The published dataset's own term, in what is compared with it; answers that cleaning rules know; English words; a
# command for engineers.
TERMS = {
    "annotation/task_types/aggregation/cleaning/word_lists.py",
    "annotation/task_types/aggregation/comparing.py",
    "annotation/task_types/aggregation/release/facet.py",
    "annotation/task_types/aggregation/release/figures.py",
    "corpus/lexicon.py",
    "modeling/rankers/neural/__main__.py",
    "modeling/rankers/neural/running.py",
    "modeling/selectors/this_machine.py",
}
FILES = [
    *sorted((ROOT / "templates").rglob("*.html")),
    *sorted((ROOT / "templates").rglob("*.txt")),
    *sorted(p for app in APPS for p in (ROOT / app).rglob("*.py") if "migrations" not in p.parts),
]
FILES = [path for path in FILES if str(path.relative_to(ROOT)) not in TERMS]


def faults(path: Path) -> Iterator[str]:
    texts = python_words(path) if path.suffix == ".py" else [template_words(path)]
    for text in texts:
        for words, better in BANNED.items():
            yield from (
                f"{path.relative_to(ROOT)}: “{match[0]}”; write: {better}" for match in re.finditer(words, text)
            )


def test_nobody_has_to_read_a_label_twice():
    assert [fault for path in FILES for fault in faults(path)] == []
