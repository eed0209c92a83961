"""Texts as token numbers, cut so that a sequence fits and the entity names and the candidate stay whole."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from kernel.errors import InvalidInput
from modeling.rankers.neural.request import TaskText

Ids = NDArray[np.int64]
SPECIALS = ("<s>", "<pad>", "</s>", "<unk>")
START, END = 0, 2  # <s> and </s>, in every BART


@dataclass(frozen=True, eq=False)
class TaskIds:
    """A ranking task as token numbers, without `<s>` and `</s>`."""

    part: str
    key: str
    text: Ids
    candidates: tuple[Ids, ...]
    labels: tuple[int, ...]
    cut: int  # tokens that were cut from the beginning of the text


def load_tokenizer(folder: Path, vocabulary: int) -> Tokenizer:
    """Return the tokenizer of a checkpoint folder; raise InvalidInput if it does not fit the weights."""
    if (folder / "tokenizer.json").exists():
        try:
            tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        except Exception as error:  # the library raises plain Exception
            raise InvalidInput("this is not a tokenizer", where=f"{folder.name}/tokenizer.json") from error
    else:
        tokenizer = byte_level(models.BPE.from_file(str(folder / "vocab.json"), str(folder / "merges.txt")))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    if tokenizer.get_vocab_size() > vocabulary:
        size = tokenizer.get_vocab_size()
        raise InvalidInput(
            f"{folder.name}: the tokenizer has {size:,} tokens, but the weights have rows for {vocabulary:,}"
        )
    if (tokenizer.token_to_id("<s>"), tokenizer.token_to_id("</s>")) != (START, END):
        raise InvalidInput(f"{folder.name}: <s> and </s> are not the tokens 0 and 2, so this is not a BART tokenizer")
    return tokenizer


def byte_level(model: models.BPE) -> Tokenizer:
    tokenizer = Tokenizer(model)
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def learn_tokenizer(texts: Iterable[str], vocabulary: int) -> Tokenizer:
    """Return a byte-level vocabulary of our own, learned from the texts: for models that are made in code."""
    tokenizer = byte_level(models.BPE(unk_token="<unk>"))  # noqa: S106  (a token of a vocabulary)
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        special_tokens=[*SPECIALS],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def encode_tasks(rows: Sequence[TaskText], tokenizer: Tokenizer, *, longest: int, has_pairs: bool) -> list[TaskIds]:
    """Return the tasks as token numbers.

    A sequence has `longest` tokens at most. With pairs (text and candidate in one sequence) a text leaves room for its
    longest candidate. The beginning of a text is cut: first backgrounds, then the article, never the entity names.
    """
    phrases = sorted({phrase for row in rows for phrase, _ in row.candidates})
    known = {phrase: ids for phrase, (ids, _) in zip(phrases, _encoded(tokenizer, phrases), strict=True)}
    tasks = []
    for row, (ids, starts) in zip(rows, _encoded(tokenizer, [row.text for row in rows]), strict=True):
        candidates = tuple(known[phrase] for phrase, _ in row.candidates)
        widest = max(map(len, candidates), default=0)
        room = longest - 2 - (widest + 1 if has_pairs else 0)
        cut = max(len(ids) - room, 0)
        if widest + 2 > longest or room < 1 or (cut and starts[cut] > len(row.text) - len(row.names)):
            problem = f"its entity names and its longest candidate do not fit into {longest} tokens"
            raise InvalidInput(f"the task {row.key} is too long: {problem}")
        tasks.append(TaskIds(row.part, row.key, ids[cut:], candidates, tuple(row.labels), cut))
    return tasks


def _encoded(tokenizer: Tokenizer, texts: Sequence[str]) -> list[tuple[Ids, list[int]]]:
    encodings = tokenizer.encode_batch([*texts], add_special_tokens=False)
    return [
        (np.array(encoding.ids, dtype=np.int64), [start for start, _ in encoding.offsets]) for encoding in encodings
    ]
