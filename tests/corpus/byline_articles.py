"""Invented articles that name their writers in every way newspapers do. All people and places are made up.

Each tells of the same two people. The writers are tagged in the index beside them, as newspapers do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from corpus.articles import SourceArticle
from corpus.sources.base import Document
from corpus.sources.nitf import parse_nitf
from tests.corpus.nitf_documents import make_nitf

SUBJECTS = ("Amos Quillfeather", "Beatrix Larch")
PROSE = (
    "Amos Quillfeather drew the new bridge over the Esker, and Beatrix Larch paid for it with the money of a mill.",
    "Mr. Quillfeather said that it would stand for a century. Ms. Larch said that she would settle for half of one.",
)
HALE, CORVO, LIND = ("Walter Hale", "Hale, Walter"), ("Ida Corvo", "Corvo, Ida"), ("Tove Lind", "Lind, Tove")


@dataclass(frozen=True)
class Form:
    """One way to say who wrote: texts of the article, and the writers as (name, index name)."""

    byline: str = ""
    before: tuple[str, ...] = ()  # paragraphs before the prose
    after: tuple[str, ...] = ()  # behind it
    abstract: str = ""
    writers: tuple[tuple[str, str], ...] = (HALE,)
    is_xml: bool = False  # the byline is mark-up


def _of(name: str, index: str) -> tuple[tuple[str, str], ...]:
    return ((name, index),)


BYLINES = (
    Form("By WALTER HALE"),
    Form("By Walter Hale"),
    Form("by walter hale"),
    Form("WALTER HALE"),
    Form("By WALTER F. HALE", abstract="Walter F. Hale on Beatrix Larch, who pays for a bridge"),
    Form("By WALTER FENN HALE", after=("WALTER FENN HALE",), writers=_of("Walter F. Hale", "Hale, Walter F")),
    Form("By W. F. HALE", after=("W. F. HALE",), writers=_of("Walter F. Hale", "HALE, WALTER F")),
    Form("HALE, WALTER F"),
    Form("By WALTER HALE, Special to The Harbour Gazette"),
    Form("By WALTER HALE Special to The Harbour Gazette"),
    Form("By WALTER HALE and IDA CORVO", writers=(HALE, CORVO)),
    Form("By Walter Hale, Ida Corvo and Tove Lind", writers=(HALE, CORVO, LIND)),
    Form("By WALTER HALE, IDA CORVO, and TOVE LIND", writers=(HALE, CORVO, LIND)),
    Form("By Walter Hale with Ida Corvo", writers=(HALE, CORVO)),
    Form("By WALTER HALE; Compiled by Ida Corvo", writers=(HALE, CORVO)),
    Form("Text by Walter Hale; Photographs by Ida Corvo", writers=(HALE, CORVO)),
    Form("HALE, WALTER F; CORVO, IDA", writers=(HALE, CORVO)),
    Form("By Ida Corvo, as told to Walter Hale", writers=(HALE, CORVO)),
    Form("By Dr. WALTER HALE", after=("Dr. WALTER HALE",)),
    Form("By WALTER HALE Jr.", after=("WALTER HALE Jr.",), writers=_of("Walter Hale Jr.", "HALE, WALTER JR")),
    Form("By Walter Hale 3d", after=("WALTER HALE 3d",), writers=_of("Walter Hale III", "Hale, Walter 3d")),
    Form('By WALTER "BUD" HALE', after=('WALTER "BUD" HALE',)),
    Form("By Walter Hale, M.D.", after=("Walter Hale, M.D.",)),
    Form("By JOSÉ NÚÑEZ-LIND", after=("JOSÉ NÚÑEZ-LIND",), writers=_of("Jose Nunez-Lind", "NUNEZ-LIND, JOSE")),
    Form("By ANNA VAN DER MEER", after=("ANNA VAN DER MEER",), writers=_of("Anna van der Meer", "Van der Meer, Anna")),
    Form("By Mary O’Dell", after=("MARY O’DELL",), writers=_of("Mary O'Dell", "O'Dell, Mary")),
    Form("Interview by Walter Hale"),
    Form("By <person>Walter Hale</person><byttl>Staff Writer</byttl>", after=("WALTER HALE",), is_xml=True),
    Form("<person>Walter Hale</person><person>Ida Corvo</person>", writers=(HALE, CORVO), is_xml=True),
    Form('By Walter Hale</byline><byline class="print_byline">By Ida Corvo', writers=(HALE, CORVO), is_xml=True),
)
SIGNATURES = (
    Form("By WALTER HALE", after=("WALTER HALE",)),
    Form("By WALTER HALE", after=("Walter Hale",)),
    Form("By WALTER HALE", after=("walter hale",)),
    Form("By WALTER HALE", after=("-- Walter Hale",)),
    Form("By WALTER HALE", after=("Walter Hale.",)),
    Form("By WALTER HALE", after=("The crowd went home over the bridge in the rain when it was dark. WALTER HALE",)),
    Form(after=("WALTER F. HALE",)),
    Form(after=("Walter Hale and Ida Corvo",), writers=(HALE, CORVO)),
    Form(after=("WALTER HALE", *PROSE[:1], "IDA CORVO"), writers=(HALE, CORVO)),
    Form(before=("By WALTER HALE",)),
    Form(before=("By Walter Hale, Ida Corvo and Tove Lind",), writers=(HALE, CORVO, LIND)),
    Form(before=("By Walter Hale.",)),
)
CREDITS = (
    Form(after=("Walter Hale contributed reporting from Arden.",)),
    Form(after=("Walter Hale reported from Arden, and Ida Corvo from Brandt.",), writers=(HALE, CORVO)),
    Form(after=("This article was reported by Walter Hale and Ida Corvo and written by Mr. Hale.",),
         writers=(HALE, CORVO)),
    Form(after=("Reporting was contributed by Walter Hale, Ida Corvo and Tove Lind.",), writers=(HALE, CORVO, LIND)),
    Form(after=("Additional reporting by Walter Hale in Arden.",)),
    Form(after=("Compiled by Walter Hale",)),
    Form(after=("Photographs by Ida Corvo",), writers=(CORVO,)),
)  # fmt: skip
NOTES = (
    Form("By Walter Hale", after=("Walter Hale writes book reviews for The Harbour Gazette.",)),
    Form("By Walter Hale", after=("Walter Hale is the author of “Lamps of the Esker.”",)),
    Form("By WALTER F. HALE", after=("Walter Hale, a professor of history at Arden College, is writing a book.",)),
    Form("By Walter Hale", after=("Walter Hale’s most recent book is “Lamps of the Esker.”",)),
    Form(after=("Walter Hale writes about rivers for The Harbour Gazette.",)),
    Form("By WALTER HALE", after=("MUSIC Walter Hale’s last article for the section was about organs.",)),
    Form(after=("ARTS & LEISURE Walter Hale’s last article for the section was about organs.",)),
    Form("By Walter Hale", after=("Walter Hale last wrote for the magazine about the lamps of Port Esker.",)),
    Form(after=("Walter Hale, a critic in Arden, last wrote for the magazine about lamps.",)),
)
LETTERS = (
    Form(before=("To the Editor:",), after=("WALTER HALE Arden, Jan. 3, 2006",)),
    Form(before=("To the Editor:",), after=("Walter Hale Port Esker, Jan. 3",)),
    Form(before=("To the Editor:",),
         after=("WALTER F. HALE Arden, Jan. 3, 2006 The writer is president of the Arden Bridge Club.",)),
    Form(after=("WALTER HALE Arden, Conn.", *PROSE[1:], "(Rev.) IDA CORVO Brandt, Jan. 4, 2006"),
         writers=(HALE, CORVO)),
    Form(abstract="Letter from Walter Hale says Beatrix Larch paid for bridge that Amos Quillfeather drew"),
    Form(abstract="Walter Hale reviews the bridge that Amos Quillfeather drew; Beatrix Larch comments on it"),
)  # fmt: skip
FORMS = BYLINES + SIGNATURES + CREDITS + NOTES + LETTERS


def articles() -> Iterator[tuple[Form, SourceArticle]]:
    for number, form in enumerate(FORMS):
        yield form, make_article(form, str(number))


def make_article(form: Form, source_id: str = "1") -> SourceArticle:
    tags = [("person", "indexing_service", index) for _, index in form.writers]
    tags += [("person", "indexing_service", index) for index in ("Quillfeather, Amos", "Larch, Beatrix")]
    content = make_nitf(
        source_id=source_id,
        title="A Bridge Is Opened",
        paragraphs=[*form.before, *PROSE, *form.after],
        abstract=form.abstract,
        byline="BYLINE" if form.is_xml else form.byline,
        tags=tags,
    )
    return parse_nitf(Document(source_id, f"{source_id}.xml", content.replace(b"BYLINE", form.byline.encode())))
