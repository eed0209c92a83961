"""Which document of the response belongs to which of the key.

Documents of the same name belong together. One format names a document inside its file and another by the file, so a
document whose name the other side lacks is also looked for by its file and by the last part of its name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from annotation.task_types.coreference.document import CorefDocument
from kernel.errors import InvalidInput

SHOWN = 5  # names in a message


class DocumentPair(NamedTuple):
    key: CorefDocument
    response: CorefDocument | None


@dataclass(frozen=True)
class _Side:
    """The documents of a side by name, with the further names of each."""

    documents: dict[str, CorefDocument]
    files: Counter[str]  # how many documents each file holds

    def names(self, document: CorefDocument) -> set[str]:
        source = document.source
        further = [source.file.rsplit(".", 1)[0]] if source and self.files[source.file] == 1 else []
        return {_last_part(name) for name in (document.name, *further) if name}


def paired(
    key: Iterable[CorefDocument], response: Iterable[CorefDocument], *, missing_is_empty: bool = False
) -> list[DocumentPair]:
    """Return each document of the key with its response; None only with `missing_is_empty`.

    If both sides have a single document, they belong together whatever they are called.
    """
    keys, responses = _side(key, "key"), _side(response, "response")
    response_of = {name: responses.documents[name] for name in keys.documents if name in responses.documents}
    open_keys = [document for name, document in keys.documents.items() if name not in response_of]
    rest = [document for name, document in responses.documents.items() if name not in response_of]
    if len(keys.documents) == len(responses.documents) == 1 and rest:
        response_of[open_keys[0].name] = rest[0]
    else:
        response_of |= _by_further_names(keys, open_keys, responses, rest)
    taken = {document.name for document in response_of.values()}
    missing = [name for name in keys.documents if name not in response_of]
    extra = [name for name in responses.documents if name not in taken]
    _check_names(keys.documents, [] if missing_is_empty else missing, extra)
    return [DocumentPair(document, response_of.get(name)) for name, document in keys.documents.items()]


def _by_further_names(
    keys: _Side, open_keys: Sequence[CorefDocument], responses: _Side, rest: Sequence[CorefDocument]
) -> dict[str, CorefDocument]:
    """Return the pairs that share a further name with each other and with nobody else."""
    owners: dict[str, list[CorefDocument]] = {}
    for document in rest:
        for name in responses.names(document):
            owners.setdefault(name, []).append(document)
    claims = {
        document.name: {owner.name: owner for name in keys.names(document) for owner in owners.get(name, [])}
        for document in open_keys
    }
    wanted = Counter(name for owned in claims.values() for name in owned)
    return {
        key: owner
        for key, owned in claims.items()
        if len(owned) == 1
        for name, owner in owned.items()
        if wanted[name] == 1
    }


def _side(documents: Iterable[CorefDocument], side: str) -> _Side:
    by_name: dict[str, CorefDocument] = {}
    files: Counter[str] = Counter()
    for document in documents:
        if document.name in by_name:
            raise InvalidInput(
                f"the {side} has two documents of this name. Give each its own name", where=document.name
            )
        by_name[document.name] = document
        files[document.source.file if document.source else ""] += 1
    return _Side(by_name, files)


def _last_part(name: str) -> str:
    return name.replace("\\", "/").rstrip("/").rsplit("/", 1)[-1]


def _check_names(keys: dict[str, CorefDocument], missing: Sequence[str], extra: Sequence[str]) -> None:
    """Raise unless key and response have documents of the same names, but for those missing that are allowed."""
    if not keys:
        raise InvalidInput("the key has no documents. Choose a key with at least one")
    problems = []
    if missing:
        problems.append(f"the response lacks documents of the key ({_listed(missing)})")
    if extra:
        problems.append(f"the response has documents that the key lacks ({_listed(extra)})")
    if problems:
        raise InvalidInput(f"{' and '.join(problems)}. Give both sides the same documents")


def _listed(names: Sequence[str]) -> str:
    rest = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return f"{', '.join(names[:SHOWN])}{rest}"
