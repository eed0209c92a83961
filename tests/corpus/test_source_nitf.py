from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from corpus.articles import EntityType, SourceArticle, Tag
from corpus.sources.base import Document, Problem, read_all
from corpus.sources.nitf import NITF, parse_nitf
from corpus.sources.texts import clean
from kernel.errors import InvalidInput
from tests.corpus.nitf_documents import DOCTYPE, make_nitf, make_nitf_body

words = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]), max_size=40).map(clean)
some_words = words.filter(bool).filter(lambda text: not text.startswith("LEAD:"))


def parse(content: bytes, name: str = "1994/05/06/1000001") -> SourceArticle:
    return parse_nitf(Document(name, "somewhere.xml", content))


def refusal(content: bytes) -> str:
    with pytest.raises(InvalidInput) as caught:
        parse(content)
    return caught.value.problem


def test_every_field_of_an_article_is_read():
    article = parse(
        make_nitf(
            source_id="42",
            title="Lamps; Three Lighthouses Relit",
            paragraphs=["The lamps\n burn again.", "Keepers came."],
            abstract="Three lighthouses are lit again (M)",
            headline="Three Lighthouses Relit",
            byline="By ADA SALTMARSH",
            desk="Coast Desk",
            day=(1994, 5, 6),
            tags=[
                ("person", "indexing_service", "SALTMARSH, ADA"),
                ("person", "online_producer", "Saltmarsh, Ada"),
                ("location", "indexing_service", "Gull Rock (Isle)"),
                ("org", "indexing_service", "Lamp Keepers Guild"),
                ("object.title", "indexing_service", "LAMPS (BOOK)"),
            ],
        )
    )

    assert article == SourceArticle(
        source_id="42",
        title="Lamps; Three Lighthouses Relit",
        paragraphs=("The lamps burn again.", "Keepers came."),
        abstract="Three lighthouses are lit again (M)",
        headline="Three Lighthouses Relit",
        lead="The lamps burn again.",
        byline="By ADA SALTMARSH",
        desk="Coast Desk",
        published=date(1994, 5, 6),
        tags=(
            Tag("SALTMARSH, ADA", EntityType.PERSON, "indexing_service"),
            Tag("Saltmarsh, Ada", EntityType.PERSON, "online_producer"),
            Tag("Gull Rock (Isle)", EntityType.LOCATION, "indexing_service"),
            Tag("Lamp Keepers Guild", EntityType.ORGANIZATION, "indexing_service"),
        ),
    )
    assert article.where == "somewhere.xml"


@given(
    title=some_words,
    paragraphs=st.lists(some_words, max_size=4),
    abstract=words,
    byline=words,
    day=st.dates(),
    tag=st.tuples(st.sampled_from(["person", "location", "org"]), st.just("indexing_service"), some_words),
)
def test_what_was_written_as_nitf_is_read_back(title, paragraphs, abstract, byline, day, tag):
    article = parse(
        make_nitf(
            title=title,
            paragraphs=paragraphs,
            abstract=abstract,
            byline=byline,
            day=(day.year, day.month, day.day),
            tags=[tag],
        )
    )

    assert (article.title, list(article.paragraphs)) == (title, paragraphs)
    assert (article.abstract, article.byline, article.published) == (abstract, byline, day)
    assert [article_tag.text for article_tag in article.tags] == [tag[2]]


def test_a_namespace_changes_nothing():
    plain = make_nitf()
    spaced = plain.replace(b"<nitf ", b'<nitf xmlns="http://iptc.invalid/nitf" ')
    prefixed = (
        plain.replace(b"</", b"\1").replace(b"<", b"<n:").replace(b"\1", b"</n:").replace(b"<n:?", b"<?")
        .replace(b"<n:!", b"<!").replace(b"<n:nitf ", b'<n:nitf xmlns:n="http://iptc.invalid/nitf" ')
    )  # fmt: skip

    assert parse(spaced) == parse(plain) == parse(prefixed)


def test_the_lead_stands_once_in_the_body():
    lead = ["Fog fell.", "Boats stayed in."]

    article = parse(make_nitf(lead=lead, paragraphs=[*lead, "By noon it lifted."]))

    assert article.lead == "Fog fell. Boats stayed in."
    assert article.paragraphs == ("Fog fell.", "Boats stayed in.", "By noon it lifted.")


def test_a_lead_that_nothing_repeats_is_the_start_of_the_body():
    lead = '<block class="lead_paragraph"><p>Fog fell.</p></block>'

    assert parse(make_nitf_body(lead)).paragraphs == ("Fog fell.",)
    assert parse(make_nitf_body(f"{lead}<p>It lifted.</p>")).paragraphs == ("Fog fell.", "It lifted.")
    assert parse(make_nitf_body(f"{lead}<p>Fog fell.</p><p>It lifted.</p>")).paragraphs == ("Fog fell.", "It lifted.")


def test_the_online_lead_is_used_only_where_there_is_no_other():
    online = '<block class="online_lead_paragraph"><p>‘Fog’ fell.</p></block>'
    printed = "<block class=\"lead_paragraph\"><p>'Fog' fell.</p></block>"
    text = "<block class=\"full_text\"><p>'Fog' fell.</p></block>"

    both = parse(make_nitf_body(printed + online + text))

    assert (both.lead, both.paragraphs) == ("'Fog' fell.", ("'Fog' fell.",))

    alone = parse(make_nitf_body(online + text))

    assert (alone.lead, alone.paragraphs) == ("‘Fog’ fell.", ("'Fog' fell.",))


def test_a_lead_marked_as_such_is_not_kept_twice():
    marked = ["LEAD: FOG fell. Boats stayed in.", "Fog fell.", "Boats stayed in.", "It lifted."]
    alone = ["LEAD: Fog fell.", "It lifted."]

    assert parse(make_nitf(paragraphs=marked)).paragraphs == ("Fog fell.", "Boats stayed in.", "It lifted.")
    assert parse(make_nitf(paragraphs=marked)).lead == "FOG fell. Boats stayed in."
    assert parse(make_nitf(paragraphs=alone)).paragraphs == ("Fog fell.", "It lifted.")


def test_corrections_pictures_tables_and_footnotes_are_not_text():
    article = parse(
        make_nitf_body(
            '<block class="correction_text"><p>We misspelt a rock.</p></block>'
            "<media><media-caption>A lamp.</media-caption></media><table><tr><td>7</td></tr></table>"
            '<block class="full_text"><p>Fog fell<fn><fn-value>note</fn-value></fn>.</p></block>'
        )
    )

    assert article.paragraphs == ("Fog fell.",)


def test_lists_quotations_and_line_breaks_are_text():
    article = parse(
        make_nitf_body("<ul><li>One lamp</li><li>Two</li></ul><bq><block>Light is kind.</block></bq><p>a<br/>b</p>")
    )

    assert article.paragraphs == ("One lamp", "Two", "Light is kind.", "a b")


@pytest.mark.parametrize(
    ("content", "paragraphs"),
    [
        ("<block>Stray words<p>Fog fell.</p><p>It lifted.</p></block>", ("Stray words", "Fog fell.", "It lifted.")),
        ("<block><org>The Guild</org> met.</block>", ("The Guild met.",)),
        ("<block><block><p>Fog fell.</p></block></block>", ("Fog fell.",)),
        ("<p>Seen:<ul><li>one lamp</li><li>two</li></ul></p>", ("Seen: one lamp two",)),
    ],
)
def test_text_is_found_however_blocks_are_nested(content, paragraphs):
    assert parse(make_nitf_body(content)).paragraphs == paragraphs


def test_an_abstract_needs_no_paragraphs():
    head = "<body.head><abstract><em>Fog</em> fell (S)</abstract></body.head>"

    article = parse(f"<nitf><head><title>t</title></head><body>{head}</body></nitf>".encode())

    assert article.abstract == "Fog fell (S)"


def test_names_marked_in_running_text_are_flattened_and_become_tags_behind_the_index():
    article = parse(
        make_nitf_body(
            "<p>At <location>Gull <em>Rock</em></location><!-- ? -->, <org>the Guild</org>’s <person>Ida Lind</person>."
            "</p><p><person>Lind</person> left <location>Gull Rock</location>.</p>",
            "<title>x</title><docdata><identified-content><org>Lamp Guild</org></identified-content></docdata>",
        )
    )

    assert article.paragraphs == ("At Gull Rock, the Guild’s Ida Lind.", "Lind left Gull Rock.")
    assert article.tags == (
        Tag("Lamp Guild", EntityType.ORGANIZATION, "nitf"),
        Tag("Gull Rock", EntityType.LOCATION, "inline"),
        Tag("Guild", EntityType.ORGANIZATION, "inline"),
        Tag("Ida Lind", EntityType.PERSON, "inline"),
    )


def test_names_marked_in_an_abstract_count_and_those_of_bylines_captions_and_tables_do_not():
    article = parse(
        b"<nitf><head><title>t</title></head><body><body.head><byline>By <person>Ada Saltmarsh</person></byline>"
        b"<dateline><location>Arden</location></dateline><abstract><p>On <location>Gull Rock</location></p></abstract>"
        b"</body.head><body.content><block><byline><person>Ben Tull</person></byline><p>Fog.</p></block>"
        b"<media><media-caption><org>Guild</org></media-caption></media></body.content></body></nitf>"
    )

    assert [tag.text for tag in article.tags] == ["Gull Rock"]


@pytest.mark.parametrize(
    ("xml", "byline"),
    [
        ("By <person>Ada Saltmarsh</person><byttl>Staff Writer</byttl>", "By Ada Saltmarsh, Staff Writer"),
        (
            "By <person>Ada Saltmarsh</person> <byttl>Editor</byttl> <org>Gazette</org> <location>Arden</location>",
            "By Ada Saltmarsh, Editor, Gazette, Arden",
        ),
        ("By Ada Saltmarsh<byttl>Staff Writer</byttl>", "By Ada Saltmarsh, Staff Writer"),
        ("By Ada Saltmarsh, <byttl>Staff Writer</byttl>", "By Ada Saltmarsh, Staff Writer"),
        ("<person>Ada Saltmarsh</person><person>Ben Tull</person>", "Ada Saltmarsh, Ben Tull"),
        ("By <person>Ada Saltmarsh</person> and <person>Ben Tull</person>", "By Ada Saltmarsh and Ben Tull"),
        ("By <em>Ada</em> Saltmarsh &amp; co&mdash;s", "By Ada Saltmarsh & co—s"),
        ("By Ada Saltmarsh</byline><byline>By Ben Tull", "By Ada Saltmarsh; By Ben Tull"),
        ("", ""),
    ],
)
def test_the_parts_of_a_byline_are_not_glued_together(xml, byline):
    document = (
        f"{DOCTYPE}<nitf><head><title>t</title></head><body><body.head><byline>{xml}</byline></body.head></body></nitf>"
    )

    assert parse(document.encode()).byline == byline


def test_an_index_entry_made_of_parts_is_read_with_spaces():
    head = "<title>x</title><docdata><identified-content><location><city>Gull</city><country>Isle</country></location>"

    article = parse(make_nitf_body("<p>y</p>", f"{head}</identified-content></docdata>"))

    assert article.tags == (Tag("Gull Isle", EntityType.LOCATION, "nitf"),)


def test_characters_that_only_the_remote_dtd_defines_are_still_understood():
    article = parse(make_nitf_body("<p>Fog &mdash; caf&eacute; &unknown; &amp;lt;</p>"))

    assert article.paragraphs == ("Fog — café &unknown; &lt;",)


@pytest.mark.parametrize(
    ("head", "published"),
    [
        ('<pubdata date.publication="19940506T000000"/>', date(1994, 5, 6)),
        ('<pubdata date.publication="1994-05-06"/>', date(1994, 5, 6)),
        ('<docdata><date.issue norm="19940506"/></docdata>', date(1994, 5, 6)),
        ('<docdata><date.issue norm="soon"/><date.release norm="19940506"/></docdata>', date(1994, 5, 6)),
        ('<docdata><date.release norm="99999999"/></docdata>', None),
        ('<meta name="publication_year" content="1994"/>', None),
        ("", None),
    ],
)
def test_the_date_is_found_where_each_agency_puts_it(head, published):
    assert parse(make_nitf_body("<p>x</p>", f"<title>t</title>{head}")).published == published


def test_what_is_missing_is_empty():
    article = parse(b"<nitf><body><body.head><headline><hl1>Fog</hl1></headline></body.head></body></nitf>")

    assert article == SourceArticle("1000001", "Fog", (), headline="Fog")


def test_a_normalized_byline_serves_where_no_printed_one_is():
    head = '<byline class="normalized_byline">SALTMARSH, ADA</byline>'
    both = f'{head}<byline class="print_byline">By Ada\n Saltmarsh</byline>'

    def byline(xml: str) -> str:
        return parse(
            f"<nitf><head><title>t</title></head><body><body.head>{xml}</body.head></body></nitf>".encode()
        ).byline

    assert byline(head) == "SALTMARSH, ADA"
    assert byline(both) == "By Ada Saltmarsh"


BOMB = '<!DOCTYPE nitf [<!ENTITY a "lol">' + "".join(
    f'<!ENTITY {new} "{f"&{old};" * 10}">' for old, new in zip("abcdefghi", "bcdefghij", strict=True)
)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("place", ["<p>&j;</p>", '<p id="&j;">x</p>'])
def test_an_xml_bomb_is_refused(encoding, place):
    bomb = f"{BOMB}]><nitf><body><body.content>{place}</body.content></body></nitf>".encode(encoding)

    assert refusal(bomb) == "the file declares XML entities, which are never expanded"


def in_utf_7(text: str) -> bytes:
    """Return XML in which no byte shows where a declaration begins."""
    return b'<?xml version="1.0" encoding="UTF-7"?>' + text.replace("<!", "+ADwAIQ-").encode("ascii")


def in_other_encodings(text: str) -> dict[str, bytes]:
    wide = {name: text.encode(name) for name in ("utf-16-le", "utf-16-be", "utf-32")}
    named = {
        name: f'<?xml version="1.0" encoding="{name}"?>{text}'.encode(name)
        for name in ("cp037", "cp1026", "iso-2022-jp", "utf-16-le", "utf-32-be", "gb18030")
    }
    return {**wide, **{f"{name} that says so": content for name, content in named.items()}, "utf-7": in_utf_7(text)}


ENTITY = '<!DOCTYPE nitf [<!ENTITY a "lol">]><nitf><head><title>&a;</title></head></nitf>'


@pytest.mark.parametrize("encoding", in_other_encodings(ENTITY))
def test_a_declared_entity_is_noticed_in_every_encoding(encoding):
    problem = refusal(in_other_encodings(ENTITY)[encoding])

    assert problem == "the file declares XML entities, which are never expanded" or "not well-formed XML" in problem


def test_an_entity_declared_in_utf_7_is_never_expanded():
    assert refusal(in_utf_7(ENTITY)) == "the file declares XML entities, which are never expanded"


@pytest.mark.parametrize("place", ["<p>&j;</p>", '<p id="&j;">x</p>'])
def test_an_xml_bomb_in_utf_7_is_refused(place):
    problem = refusal(in_utf_7(f"{BOMB}]><nitf><body><body.content>{place}</body.content></body></nitf>"))

    assert problem == "the file declares XML entities, which are never expanded" or "not well-formed XML" in problem


@pytest.mark.parametrize("declaration", ['x SYSTEM "file:///{}"', '% x SYSTEM "file:///{}"> %x; <!ENTITY y "z"'])
def test_an_external_entity_is_never_opened(tmp_path, declaration):
    secret = tmp_path / "secret.txt"
    secret.write_text("the keeper's password")
    document = f"<!DOCTYPE nitf [<!ENTITY {declaration.format(secret)}>]><nitf><p>&x;</p></nitf>"

    assert "never expanded" in refusal(document.encode())


def test_the_remote_dtd_is_never_fetched(tmp_path):
    (tmp_path / "nitf.dtd").write_text('<!ENTITY secret "opened">')
    content = make_nitf_body("<p>&secret;</p>").replace(
        b"http://dtd.invalid/nitf-3-3.dtd", b"file://%b/nitf.dtd" % bytes(tmp_path)
    )

    assert parse(content).paragraphs == ("&secret;",)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b" \n", "empty"),
        (make_nitf()[:900], "not well-formed XML"),
        (make_nitf().replace(b"lamps", b"l\0mps"), "not well-formed XML"),
        (make_nitf().replace(b"lamps", b"l\xe9mps"), "not well-formed XML"),
        (make_nitf().replace(b"UTF-8", b"KOI-99"), "not well-formed XML"),
        (b"<a>" * 1_000, "not well-formed XML"),
        (b"\x89PNG\r\n\x1a\n\0\0", "not well-formed XML"),
        (b"<article><title>Fog</title></article>", "this is not NITF: its outermost element is <article>, not <nitf>"),
        (b"<nitf><head/><body/></nitf>", "neither a title nor text"),
        (DOCTYPE.encode(), "not well-formed XML"),
    ],
)
def test_what_is_not_nitf_is_refused_in_one_sentence(content, words):
    problem = refusal(content)

    assert words in problem
    assert "\n" not in problem


def test_other_encodings_that_say_so_are_read():
    latin = make_nitf(title="Café").decode().replace("UTF-8", "ISO-8859-1").encode("latin-1")

    assert parse(latin).title == "Café"


@given(st.binary(max_size=300))
def test_random_bytes_are_refused_and_never_crash(content):
    with pytest.raises(InvalidInput):
        parse(content)


@given(st.data())
def test_a_damaged_article_is_read_or_refused_and_never_crashes(data):
    content = bytearray(make_nitf(tags=[("person", "indexing_service", "X")]))
    for _ in range(data.draw(st.integers(1, 8))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))

    try:
        article = parse(bytes(content))
    except InvalidInput:
        return
    assert article.title or article.paragraphs


def test_a_broken_article_is_reported_and_the_rest_is_read(tmp_path: Path):
    day = tmp_path / "data/1994/05/06"
    day.mkdir(parents=True)
    for number in (1, 3):
        (day / f"100000{number}.xml").write_bytes(make_nitf(source_id=f"100000{number}"))
    (day / "1000002.xml").write_bytes(make_nitf()[:500])

    first, problem, third = read_all(NITF, tmp_path)

    assert isinstance(first, SourceArticle)
    assert isinstance(third, SourceArticle)
    assert (first.source_id, third.source_id) == ("1000001", "1000003")
    assert isinstance(problem, Problem)
    assert problem.where == str(day / "1000002.xml")
