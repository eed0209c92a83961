"""Where the names of a corpus come from: its publisher's tags, or a pipeline that recognizes names in the text."""

from __future__ import annotations

from enum import StrEnum


class NamesFrom(StrEnum):
    """What the names of an instance came from. Values are stored and exported: never rename one."""

    TAGS = "tags"
    RECOGNITION = "recognition"


class NamesSetting(StrEnum):
    """What the searches of a corpus take names from. Values are stored: never rename one."""

    TAGS = "tags"
    TAGS_OR_RECOGNITION = "tags_or_recognition"  # recognition in articles without tags
    RECOGNITION = "recognition"  # tags are ignored


AUTOMATIC = ""  # nobody has chosen: each search decides
LABELS = {
    AUTOMATIC: "Automatic",
    NamesSetting.TAGS: "Tags only",
    NamesSetting.TAGS_OR_RECOGNITION: "Tags, and recognition where there are none",
    NamesSetting.RECOGNITION: "Recognition",
}
RULE = "Automatic: tags only if any article has a tag, recognition if none has."
COST = "Recognition takes about ten times as long as tags, and more of its names are wrong."


def setting_for(chosen: str, *, has_tags: bool) -> NamesSetting:
    """Return the setting of a search: the chosen one, or what suits a corpus with or without tags."""
    if chosen:
        return NamesSetting(chosen)
    return NamesSetting.TAGS if has_tags else NamesSetting.RECOGNITION
