"""Index names of organizations: a founder's name inverted, a body under its subject, a legal form at the end.

FREUD, SIGMUND, MUSEUM (VIENNA)     Sigmund Freud Museum
EDUCATION, DEPARTMENT OF            Department of Education
MICROSOFT CORP                      Microsoft Corp., also Microsoft
Vantor Mining Co ("Vantor")         Vantor Mining Co., also Vantor
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from corpus.articles import EntityType
from corpus.folding import fold
from corpus.lexicon import word_set
from corpus.name_tree import is_initial
from corpus.names.casing import SMALL_WORDS, open_large, titled
from corpus.names.persons import SUFFIXES, dotted
from corpus.names.values import Name, build_name, split_commas

# Legal forms as printed, then as spelt out. They end the name of a company and are often left out.
LEGAL_FORMS = {
    "co": ("Co.", "Company"),
    "cos": ("Cos.", "Companies"),
    "corp": ("Corp.", "Corporation"),
    "inc": ("Inc.", "Incorporated"),
    "ltd": ("Ltd.", "Limited"),
    "company": ("Company", "Co."),
    "companies": ("Companies", "Cos."),
    "corporation": ("Corporation", "Corp."),
    "incorporated": ("Incorporated", "Inc."),
    "limited": ("Limited", "Ltd."),
    "llc": ("LLC", "L.L.C."),
    "llp": ("LLP", "L.L.P."),
    "plc": ("PLC", "P.L.C."),
    "ag": ("AG", "A.G."),
    "sa": ("SA", "S.A."),
    "nv": ("NV", "N.V."),
}
SAME_FORM = {"company": "co", "companies": "cos", "corporation": "corp", "incorporated": "inc", "limited": "ltd"}

# Abbreviations in an index that a page spells out.
SPELT_OUT = {
    "assn": "Association",
    "bros": "Brothers",
    "dept": "Department",
    "inst": "Institute",
    "intl": "International",
    "natl": "National",
    "univ": "University",
}

# What follows the name of a founder: "Freud, Sigmund, Museum". Otherwise commas separate the partners of a firm.
INSTITUTIONS = word_set(
    "agency airport archives associates association ballet band bank brigade brothers center centre chapel church "
    "clinic co collection college committee company conservatory corp dance ensemble enterprises estate fellowship "
    "foundation fund gallery group home hospital house inc industries institute laboratories laboratory library "
    "ltd medical memorial museum observatory orchestra park press productions quartet school schools society "
    "stadium stores studio studios theater theatre trio trust university"
)
ENDS_OPEN = word_set("of for on in to the")  # "Education, Board of"
AND = re.compile(r" ?[&/] ?")  # Quill & Larch, Quill/Larch and Quill and Larch are the same
JOINERS = frozenset({"&", "and"})
QUOTED = re.compile(r'"[^"]+"')  # in brackets: what the body is called for short


def read_organization(outside: str, groups: tuple[str, ...]) -> Name:
    """Return the Name of an organization from the text outside the brackets and the groups inside."""
    short = {group.strip('"') for group in groups if QUOTED.fullmatch(group)}
    groups = tuple(group for group in groups if not QUOTED.fullmatch(group))
    words = _arranged([_spelt_out(part) for part in split_commas(titled(outside, acronyms=True))]).split()
    start = _legal_start(words)
    words[start:] = map(_printed, words[start:])
    return build_name(
        " ".join(words),
        EntityType.ORGANIZATION,
        strict={*_other_names(words, start), *_acronyms(words, start, groups), *short},
        loose=[" ".join(words[:-1])] if words[-1:] == ["University"] else (),
        information=groups,
        family=fold(AND.sub(" and ", " ".join(words[:start]))),
        detail=tuple(SAME_FORM.get(form, form) for word in words[start:] if (form := _legal(word))),
    )


def _spelt_out(part: str) -> str:
    return " ".join(SPELT_OUT.get(word.lower().rstrip("."), word) for word in part.split())


def _arranged(parts: list[str]) -> str:
    """Return the parts in natural order; the partners of a firm keep their commas."""
    if len(parts) in {3, 4} and _is_institution(parts[2].split()):
        where = f", {parts[3]}" if parts[3:] else ""
        return f"{founded(parts[0], parts[1])} {parts[2]}{where}"
    if len(parts) > 1 and all(_legal(word) for word in parts[-1].split()):
        return f"{_arranged(parts[:-1])} {parts[-1]}"
    if len(parts) == 2:
        return _turned(parts[0], parts[1].split())
    return ", ".join(parts)


def _turned(first: str, words: list[str]) -> str:
    """Return "Education, Board of" and "Macy, R H & Co" in natural order; two partners of a firm unchanged."""
    if fold(words[-1]) in ENDS_OPEN:
        return f"{open_large(' '.join(words))} {first}"
    end = next((at for at, word in enumerate(words) if word in JOINERS or _is_institution([word])), len(words))
    given_names, rest = words[:end], words[end:]
    is_body = _is_institution(rest) if rest else all(map(is_initial, given_names))
    if given_names and is_initial(given_names[0]) and is_body:
        return " ".join((_founder(given_names), first, *rest))
    return f"{first}, {' '.join(words)}"


def founded(surname: str, given_names: str) -> str:
    """Return the name of a founder in natural order: "Walter F. Hale Jr."."""
    words = given_names.replace(".", " ").split()
    suffix = SUFFIXES.get(words[-1].lower(), ()) if len(words) > 1 else ()
    return " ".join((_founder(words[:-1] if suffix else words), surname, *suffix[:1]))


def _founder(given_names: list[str]) -> str:
    return " ".join(map(dotted, " ".join(given_names).replace(".", " ").split()))


def _is_institution(words: list[str]) -> bool:
    """Return whether words name a kind of body: "Medical Center", "& Co", "Library of Arden"."""
    kinds = [fold(word) for word in words if word not in JOINERS]
    end = next((at for at, kind in enumerate(kinds) if at and kind in ENDS_OPEN | {"at"}), len(kinds))
    kinds = kinds[:end]
    return bool(kinds) and (INSTITUTIONS.issuperset(kinds) or kinds[-1] in INSTITUTIONS - LEGAL_FORMS.keys())


def _legal(word: str) -> str:
    """Return the key of a legal form, or "". Two-letter forms count only in capitals: "SA", not "Sa"."""
    key = word.lower().replace(".", "")
    return key if key in LEGAL_FORMS and (len(key) > 2 or key == "co" or word[:2].isupper()) else ""


def _printed(word: str) -> str:
    """Return a legal form as it is printed; "Plc" and "PLC" are both in use and stay as they are."""
    form = LEGAL_FORMS.get(_legal(word), (word,))[0]
    return form if word.isupper() or not form.isupper() else word


def _legal_start(words: list[str]) -> int:
    """Return where the legal forms at the end begin; a name never consists only of them."""
    start = len(words)
    while start > 1 and _legal(words[start - 1]):
        start -= 1
    while 1 < start < len(words) and words[start - 1] in JOINERS:
        start -= 1
    return start if words[:start] != ["The"] else len(words)


def _other_names(words: list[str], start: int) -> Iterator[str]:
    """Yield the name without its legal form, with the form's other spelling, and each without "The"."""
    names = [" ".join(words), " ".join(words[:start])]
    if start < len(words):
        names.append(" ".join((*words[:-1], LEGAL_FORMS[_legal(words[-1])][1])))
    for name in names:
        yield name
        yield name.removeprefix("The ")


def _acronyms(words: list[str], start: int, groups: tuple[str, ...]) -> Iterator[str]:
    """Yield the groups in brackets that are the initials of the name: "(NATO)"."""
    small = [word for word in words if word.lower() not in SMALL_WORDS]
    initials = {"".join(word[0] for word in some).upper() for some in (words, words[:start], small)}
    for group in groups:
        letters = group.replace(".", "").upper()
        if len(letters) > 1 and letters in initials:
            yield letters
