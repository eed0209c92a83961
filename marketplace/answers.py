"""A submitted form as the XML that requesters read (QuestionFormAnswers)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from lxml import etree

NAMESPACE = "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2005-10-01/QuestionFormAnswers.xsd"
RESERVED = {"assignmentId", "hitId", "workerId", "turkSubmitTo"}
MOST_FIELDS = 1000
MOST_BYTES = 1_000_000
FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")  # characters XML 1.0 cannot contain


class BadForm(Exception):
    """A form that cannot be stored; the text is for the person who sent it."""


def answer_xml(fields: Sequence[tuple[str, str]]) -> str:
    """Return the answer. Reserved names are left out; characters that XML forbids become U+FFFD."""
    own = [(name, value) for name, value in fields if name not in RESERVED]
    if len(own) > MOST_FIELDS or sum(len(name) + len(value) for name, value in own) > MOST_BYTES:
        raise BadForm(f"The form has more than {MOST_FIELDS} fields or {MOST_BYTES:,} characters.")
    root = etree.Element("QuestionFormAnswers", nsmap={None: NAMESPACE})  # type: ignore[dict-item]
    for name, value in own:
        answer = etree.SubElement(root, "Answer")
        etree.SubElement(answer, "QuestionIdentifier").text = FORBIDDEN.sub("\ufffd", name)
        etree.SubElement(answer, "FreeText").text = FORBIDDEN.sub("\ufffd", value)
    return etree.tostring(root, encoding="unicode", xml_declaration=False)
