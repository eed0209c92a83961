"""The parameters of the neural rankers. Imports nothing heavy: web processes check with it.

Two general rankers, and the paper's three as presets of them (appendix D): a preset differs only in its defaults.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from kernel.errors import InvalidInput
from modeling.text_formats import FORMATS

PRECISIONS = ("auto", "fp32", "bf16", "fp16")  # auto: bf16 on a GPU, fp32 on a CPU
LONGEST = 1024  # positions of BART
TRANSFORMERS, FAIRSEQ = BACKENDS = ("transformers", "fairseq")  # which library's layout and rules train and score
GENERATE = ("beams", "samples", "nothing")
MOST_HYPOTHESES = 100
PUBLISHED = "bart.large.cnn"  # the checkpoint that the paper's models start from


@dataclass(frozen=True)
class NeuralSettings:
    """What both rankers share. A limit of 0 means none; `evaluate_every` 0 validates after each epoch."""

    checkpoint: str = "tiny"  # a preset made in code, or the name of a checkpoint folder
    backend: str = TRANSFORMERS
    text_format: str = "v0"
    epochs: int = 6  # 0: score with the checkpoint as it is
    learning_rate: float = 2e-5
    warmup_share: float = 0.06
    beta1: float = 0.9
    beta2: float = 0.98
    epsilon: float = 1e-8
    weight_decay: float = 0.01
    clip_norm: float = 0.0
    dropout: float = 0.1
    attention_dropout: float = 0.1
    max_sentences: int = 8
    max_tokens: int = 4400  # sentences of a batch times its longest, as fairseq counts
    accumulate: int = 1  # batches per update
    max_length: int = LONGEST  # tokens of one sequence
    precision: str = "auto"
    evaluate_every: int = 0  # updates
    patience: int = 0  # validations without a better one before training ends
    checkpoint_minutes: float = 10.0
    loss: str = "two-class"

    kind = "cross-encoder"
    losses = ("two-class", "listwise")

    def __post_init__(self) -> None:
        if self.backend not in BACKENDS:
            raise InvalidInput(f"unknown backend; known: {', '.join(BACKENDS)}", field="backend")
        if self.backend == FAIRSEQ:
            self._check_fairseq()
        if self.text_format not in FORMATS:
            raise InvalidInput(f"unknown text format; known: {', '.join(FORMATS)}", field="text_format")
        if self.precision not in PRECISIONS:
            raise InvalidInput(f"unknown precision; known: {', '.join(PRECISIONS)}", field="precision")
        if self.loss not in self.losses:
            raise InvalidInput(f"this method learns by {' or '.join(self.losses)}", field="loss")
        for name in (
            "epochs",
            "weight_decay",
            "clip_norm",
            "max_sentences",
            "max_tokens",
            "evaluate_every",
            "patience",
        ):
            if getattr(self, name) < 0:
                raise InvalidInput("must not be negative", field=name)
        for name in ("learning_rate", "epsilon", "accumulate", "checkpoint_minutes"):
            if getattr(self, name) <= 0:
                raise InvalidInput("must be above zero", field=name)
        for name in ("warmup_share", "beta1", "beta2", "dropout", "attention_dropout"):
            if not 0 <= getattr(self, name) < 1:
                raise InvalidInput("must be at least 0 and below 1", field=name)
        if not (self.max_sentences or self.max_tokens):
            raise InvalidInput("max_sentences and max_tokens must not both be 0: batches need a limit")
        if not 16 <= self.max_length <= LONGEST:
            raise InvalidInput(f"must be between 16 and {LONGEST}", field="max_length")

    def _check_fairseq(self) -> None:
        """Raise InvalidInput if fairseq's commands cannot do what the settings say."""
        instead = f"choose the backend {TRANSFORMERS} for it"
        if self.loss == "listwise":
            raise InvalidInput(f"fairseq has no listwise loss: {instead}", field="loss")
        if self.precision == "bf16":
            raise InvalidInput(f"fairseq computes in bf16 on TPUs only: choose auto, or {instead}", field="precision")
        if self.evaluate_every:
            raise InvalidInput(f"with fairseq, validation follows each epoch: {instead}", field="evaluate_every")


@dataclass(frozen=True)
class CrossEncoderSettings(NeuralSettings):
    """Reads text and candidate together and gives the probability that the candidate is an aggregation."""


@dataclass(frozen=True)
class Seq2SeqSettings(NeuralSettings):
    """Gives the likelihood of the candidate after the text.

    `score` "original" trains on targets without `<s>` and scores with it, as the original did; "corrected" puts `<s>`
    before the candidate in both and never counts it. Then it writes phrases of its own: `generate` says how; lengths
    are in tokens, with `<s>` and without `</s>`; `no_repeat` 2 forbids that two tokens follow each other twice.
    """

    learning_rate: float = 5e-6
    warmup_share: float = 0.03
    beta2: float = 0.999
    clip_norm: float = 0.1
    max_sentences: int = 0
    max_tokens: int = 1024
    loss: str = "cross-entropy"
    label_smoothing: float = 0.1
    score: str = "corrected"
    generate: str = "beams"
    hypotheses: int = 10
    shortest_phrase: int = 1
    longest_phrase: int = 100
    no_repeat: int = 2
    length_penalty: float = 1.0
    temperature: float = 1.0  # of samples
    top_p: float = 1.0

    kind = "seq2seq"
    losses = ("cross-entropy", "listwise")

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.label_smoothing < 1:
            raise InvalidInput("must be at least 0 and below 1", field="label_smoothing")
        if self.score not in ("original", "corrected"):
            raise InvalidInput("must be original or corrected", field="score")
        self._check_generation()

    def _check_fairseq(self) -> None:
        super()._check_fairseq()
        if self.generate == "samples":
            raise InvalidInput(
                f"fairseq generates beams here: choose the backend {TRANSFORMERS} for samples", field="generate"
            )

    def _check_generation(self) -> None:
        if self.generate not in GENERATE:
            raise InvalidInput(f"must be {', '.join(GENERATE[:-1])} or {GENERATE[-1]}", field="generate")
        if not 1 <= self.hypotheses <= MOST_HYPOTHESES:
            raise InvalidInput(f"must be between 1 and {MOST_HYPOTHESES}", field="hypotheses")
        if not 2 <= self.longest_phrase < LONGEST:
            raise InvalidInput(f"must be at least 2 and below {LONGEST}", field="longest_phrase")
        if not 0 <= self.shortest_phrase <= self.longest_phrase:
            raise InvalidInput("must be between 0 and longest_phrase", field="shortest_phrase")
        if self.no_repeat < 0:
            raise InvalidInput("must not be negative", field="no_repeat")
        if self.temperature <= 0:
            raise InvalidInput("must be above zero", field="temperature")
        if not 0 < self.top_p <= 1:
            raise InvalidInput("must be above 0 and at most 1", field="top_p")


@dataclass(frozen=True)
class PretrainedSettings(Seq2SeqSettings):
    checkpoint: str = PUBLISHED
    epochs: int = 0
    score: str = "original"


@dataclass(frozen=True)
class GenerativeSettings(Seq2SeqSettings):
    checkpoint: str = PUBLISHED
    score: str = "original"


@dataclass(frozen=True)
class DiscriminativeSettings(CrossEncoderSettings):
    checkpoint: str = PUBLISHED


SETTINGS: Mapping[str, type[NeuralSettings]] = {
    "seq2seq": Seq2SeqSettings,
    "cross-encoder": CrossEncoderSettings,
    "bart-pretrained": PretrainedSettings,
    "bart-generative": GenerativeSettings,
    "bart-discriminative": DiscriminativeSettings,
}
