"""Invented NITF for tests: a whole article as the Times writes it, or any part of one."""

from __future__ import annotations

from collections.abc import Sequence
from xml.sax.saxutils import escape, quoteattr

DOCTYPE = '<!DOCTYPE nitf SYSTEM "http://dtd.invalid/nitf-3-3.dtd">'


def make_nitf(
    *,
    source_id: str = "1000001",
    title: str = "Three Lighthouses Relit",
    paragraphs: Sequence[str] = ("The lamps burn again.", "Keepers came from three islands."),
    lead: Sequence[str] | None = None,
    abstract: str = "",
    headline: str = "",
    byline: str = "",
    desk: str = "",
    day: tuple[int, int, int] | None = (1994, 5, 6),
    tags: Sequence[tuple[str, str, str]] = (),  # element, class, text
) -> bytes:
    """Return one NITF document; the lead defaults to the first paragraph, and is repeated in the full text."""
    lead = list(paragraphs[:1]) if lead is None else lead
    names = ("publication_year", "publication_month", "publication_day_of_month")
    metas = {name: str(part) for name, part in zip(names, day or (), strict=False)} | {"dsk": desk}
    index = "".join(f"<{element} class={quoteattr(by)}>{escape(text)}</{element}>" for element, by, text in tags)
    return f"""<?xml version="1.0" encoding="UTF-8"?>
{DOCTYPE}
<nitf change.date="June 10, 2005" change.time="19:30" version="-//IPTC//DTD NITF 3.3//EN">
  <head>
    <title>{escape(title)}</title>
    {"".join(f"<meta content={quoteattr(value)} name={quoteattr(name)}/>" for name, value in metas.items())}
    <docdata>
      <doc-id id-string={quoteattr(source_id)}/>
      <identified-content>
        <classifier class="indexing_service" type="descriptor">LIGHTHOUSES</classifier>{index}
      </identified-content>
    </docdata>
    <pubdata name="The Harbour Gazette"/>
  </head>
  <body>
    <body.head>
      <hedline><hl1>{escape(headline)}</hl1></hedline>
      <byline class="print_byline">{escape(byline)}</byline>
      <abstract><p>{escape(abstract)}</p></abstract>
    </body.head>
    <body.content>
      <block class="lead_paragraph">{_paragraphs(lead)}</block>
      <block class="full_text">{_paragraphs(paragraphs)}</block>
    </body.content>
  </body>
</nitf>""".encode()


def make_nitf_body(content: str, head: str = "<title>Three Lighthouses Relit</title>") -> bytes:
    """Return a document whose body.content, and head, are exactly this XML."""
    return f"{DOCTYPE}<nitf><head>{head}</head><body><body.content>{content}</body.content></body></nitf>".encode()


def _paragraphs(texts: Sequence[str]) -> str:
    return "".join(f"<p>{escape(text)}</p>" for text in texts)
