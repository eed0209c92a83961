"""Files of a release with marks in texts. They hold what the release says together, or the reviewers' own answer.

Offsets count Unicode code points everywhere. Label Studio counts them too: earlier versions counted UTF-16 code units.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from annotation.parts.span_files.brat import Brat
from annotation.parts.span_files.conll import ConllBio
from annotation.parts.span_files.json_lines import MarkLines
from annotation.parts.span_files.label_studio import LabelStudio
from annotation.parts.span_files.released import ItemTexts
from annotation.parts.span_files.spacy_lines import SpacyLines
from annotation.parts.span_files.token_folder import TokenFolder
from annotation.releasing.exports.base import Format


def span_formats(uses: Sequence[Any], texts: ItemTexts) -> Sequence[Format]:
    """Return the formats for a task with these parts of spans, in the order of the page."""
    kinds = (MarkLines, SpacyLines, LabelStudio, ConllBio, Brat, TokenFolder)
    return [kind(uses, texts) for kind in kinds]
