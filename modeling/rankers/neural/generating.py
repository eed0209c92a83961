"""Phrases that a model writes itself: beam search as fairseq does it, and sampling.

Every phrase begins with `<s>`, which is forced. fairseq's rules: a text is finished when it has as many hypotheses as
there are beams, the first that ended count, and a score is the sum of log-probabilities divided by length to the power
of the length penalty. Hugging Face replaces worse hypotheses by later ones and gives forced tokens the probability 1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from modeling.rankers.neural.bart import Bart
from modeling.rankers.neural.decoding import Decoder
from modeling.rankers.neural.settings import Seq2SeqSettings
from modeling.rankers.neural.texts import END, START, Ids

PAD = 1
NEVER = -torch.inf
LOOK = 4  # tokens between two looks at whether all texts are finished: on a GPU a look waits for it


@dataclass(frozen=True)
class Options:
    """How to generate. Lengths are in tokens with `<s>` and without `</s>`, as fairseq counts them."""

    beams: int = 10
    length_penalty: float = 1.0
    shortest: int = 1
    longest: int = 100
    no_repeat: int = 2  # no sequence of this many tokens appears twice; 0 allows it
    counts_start: bool = True  # `<s>` counts in score and length
    is_sampled: bool = False
    temperature: float = 1.0
    top_p: float = 1.0
    seed: int = 1


@dataclass(frozen=True)
class Hypothesis:
    """Token numbers without `<s>` and `</s>`, and the normalised log-probability."""

    ids: tuple[int, ...]
    score: float


def options_of(settings: Seq2SeqSettings, seed: int) -> Options:
    return Options(
        beams=settings.hypotheses,
        length_penalty=settings.length_penalty,
        shortest=settings.shortest_phrase,
        longest=settings.longest_phrase,
        no_repeat=settings.no_repeat,
        counts_start=settings.score == "original",
        is_sampled=settings.generate == "samples",
        temperature=settings.temperature,
        top_p=settings.top_p,
        seed=seed,
    )


def generate(bart: Bart, texts: Sequence[Ids], options: Options) -> list[list[Hypothesis]]:
    """Return the hypotheses of each text, the best first."""
    with torch.no_grad():
        search = Sampling(bart, texts, options) if options.is_sampled else BeamSearch(bart, texts, options)
        return search.run()


class Search:
    """What beam search and sampling share: the decoder, the texts so far, and the finished hypotheses."""

    def __init__(self, bart: Bart, texts: Sequence[Ids], options: Options) -> None:
        self.options, self.device = options, bart.device
        self.texts, self.beams = len(texts), options.beams
        self.longest = min(options.longest, bart.shape.positions - 1)
        self.decoder = Decoder(bart, texts)
        shape = (self.texts, self.beams + 1)  # the last one takes what is not kept
        self.tokens = torch.full((*shape[:1], 1, self.longest + 2), PAD, device=self.device)
        self.ended = torch.full((*shape, self.longest + 2), PAD, device=self.device)
        self.ended_scores = torch.full(shape, NEVER, device=self.device)
        self.ended_lengths = torch.zeros(shape, dtype=torch.int64, device=self.device)
        self.count = torch.zeros(self.texts, dtype=torch.int64, device=self.device)  # of finished hypotheses

    def run(self) -> list[list[Hypothesis]]:
        self._begin()
        for step in range(1, self.longest + 1):
            logits = self.decoder.step(self.tokens[:, :, step].flatten())
            self._advance(step, logits)
            if (step % LOOK == 0 or self.device.type == "cpu") and bool((self.count >= self.beams).all()):
                break
        return self._results()

    def _begin(self) -> None:
        """Read `</s> <s>`, the beginning of every hypothesis."""
        self.tokens[:, :, 0], self.tokens[:, :, 1] = END, START
        logits = self.decoder.step(self.tokens[:, 0, 0])
        start = logits[:, START] - logits.logsumexp(-1)
        self.scores = (start if self.options.counts_start else torch.zeros_like(start))[:, None]  # texts × hypotheses

    def _advance(self, step: int, logits: Tensor) -> None:
        """Choose the tokens that follow the one at `step`."""
        raise NotImplementedError

    def _restrict(self, step: int, logits: Tensor) -> Tensor:
        """Make tokens impossible that must not follow."""
        if step >= self.longest:
            only = torch.full_like(logits, NEVER)
            only[:, END] = logits[:, END]
            return only
        logits[:, PAD] = NEVER
        if step < self.options.shortest:
            logits[:, END] = NEVER
        if self.options.no_repeat:
            self._forbid_repeats(step, logits)
        return logits

    def _forbid_repeats(self, step: int, logits: Tensor) -> None:
        size = self.options.no_repeat
        history = self.tokens.flatten(0, 1)[:, : step + 1]
        if history.shape[1] < size:
            return
        following = history[:, size - 1 :]
        is_same = torch.ones_like(following, dtype=torch.bool)
        for back in range(1, size):  # the token `back` before the following one, and before the next one
            is_same &= history[:, size - 1 - back : history.shape[1] - back] == history[:, -back, None]
        banned = torch.where(is_same & (following != END), following, PAD)  # PAD is impossible anyway
        logits.scatter_(1, banned, NEVER)

    def _normalised(self, scores: Tensor, step: int) -> Tensor:
        length = step + self.options.counts_start  # with `</s>`
        return scores / length**self.options.length_penalty

    def _keep(self, is_end: Tensor, ids: Tensor, scores: Tensor, step: int) -> None:
        """Keep hypotheses that ended, in their order, as long as there is room."""
        slots = self.count[:, None] + is_end.cumsum(1) - 1
        slots = torch.where(is_end & (slots < self.beams), slots, self.beams)
        self.ended.scatter_(1, slots[:, :, None].expand_as(ids), ids)
        self.ended_scores.scatter_(1, slots, self._normalised(scores, step))
        self.ended_lengths.scatter_(1, slots, torch.full_like(slots, step + 1))
        self.count = (self.count + is_end.sum(1)).clamp(max=self.beams)

    def _results(self) -> list[list[Hypothesis]]:
        scores, order = self.ended_scores[:, : self.beams].sort(dim=1, descending=True, stable=True)
        ids = self.ended.gather(1, order[:, :, None].expand(-1, -1, self.ended.shape[2])).tolist()
        lengths = self.ended_lengths.gather(1, order).tolist()
        return [
            [
                Hypothesis(tuple(row[2:length]), score)
                for row, length, score in zip(*three, strict=True)
                if score > NEVER
            ]
            for three in zip(ids, lengths, scores.double().tolist(), strict=True)
        ]


class BeamSearch(Search):
    def _advance(self, step: int, logits: Tensor) -> None:
        values, beams, tokens = self._candidates(step, logits)
        ids = self.tokens.gather(1, beams[:, :, None].expand(-1, -1, self.tokens.shape[2]))
        is_end = (tokens == END) & (values > NEVER)
        first = slice(self.beams)  # an end below the best `beams` candidates is dropped
        self._keep(is_end[:, first], ids[:, first], values[:, first], step)
        places = torch.arange(values.shape[1], device=self.device) + is_end * values.shape[1]
        places = places.topk(self.beams, dim=1, largest=False).indices  # the best that go on
        width, chosen = self.scores.shape[1], beams.gather(1, places)
        self.scores = values.gather(1, places)
        self.tokens = ids.gather(1, places[:, :, None].expand(-1, -1, ids.shape[2]))
        if step < self.longest:
            self.tokens[:, :, step + 1] = tokens.gather(1, places)
            rows = torch.arange(self.texts, device=self.device)[:, None] * width + chosen
            self.decoder.reorder(rows.flatten())

    def _candidates(self, step: int, logits: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the best 2 × beams continuations of each text, best first: score, hypothesis and token."""
        wanted, width = 2 * self.beams, self.scores.shape[1]
        total = logits.logsumexp(-1, keepdim=True)
        best, tokens = self._restrict(step, logits).topk(min(wanted, logits.shape[1]), dim=1)
        values = (best - total).unflatten(0, (self.texts, width)) + self.scores[:, :, None]
        each = values.shape[2]
        values, tokens = values.flatten(1), tokens.reshape(self.texts, -1)
        if missing := max(wanted - values.shape[1], 0):  # a tiny vocabulary
            values = torch.nn.functional.pad(values, (0, missing), value=NEVER)
            tokens = torch.nn.functional.pad(tokens, (0, missing), value=PAD)
        values, places = values.topk(wanted, dim=1)
        beams = (places // each).clamp(max=width - 1)
        return values, beams, tokens.gather(1, places)


class Sampling(Search):
    """Hypotheses drawn at random. The score is the model's own likelihood, whatever the temperature."""

    def _begin(self) -> None:
        super()._begin()
        self.random = torch.Generator(self.device).manual_seed(self.options.seed)
        self.decoder.reorder(torch.arange(self.texts, device=self.device).repeat_interleave(self.beams))
        self.tokens = self.tokens.repeat(1, self.beams, 1)
        self.scores = self.scores.repeat(1, self.beams)
        self.goes_on = torch.ones_like(self.scores, dtype=torch.bool)

    def _advance(self, step: int, logits: Tensor) -> None:
        total = logits.logsumexp(-1, keepdim=True)
        logits = self._restrict(step, logits)
        drawn = torch.multinomial(self._shares(logits), 1, generator=self.random)
        self.scores = self.scores + (logits.gather(1, drawn) - total).view_as(self.scores)
        tokens = drawn.view_as(self.scores)
        self._keep(self.goes_on & (tokens == END), self.tokens, self.scores, step)
        self.goes_on &= tokens != END
        if step < self.longest:
            self.tokens[:, :, step + 1] = tokens

    def _shares(self, logits: Tensor) -> Tensor:
        """Return the probability of each token among the smallest set whose sum reaches `top_p`."""
        shares = (logits / self.options.temperature).softmax(-1)
        if self.options.top_p >= 1:
            return shares
        ranked, order = shares.sort(-1, descending=True)
        is_out = ranked.cumsum(-1) - ranked >= self.options.top_p
        return shares.scatter(1, order, ranked.masked_fill(is_out, 0.0))
