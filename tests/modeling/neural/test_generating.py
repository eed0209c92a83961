"""Generated phrases against transformers' `generate`, against every possible phrase, and against the ranking scores."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
import torch
from transformers import BartConfig, BartForConditionalGeneration

from modeling.rankers.neural import decoding
from modeling.rankers.neural.attention import Segments
from modeling.rankers.neural.bart import Bart, Rates, Weights, from_hugging_face, shapes_of
from modeling.rankers.neural.checkpoint_folders import BartShape
from modeling.rankers.neural.generating import BeamSearch, Options, generate
from modeling.rankers.neural.kinds import Seq2Seq
from modeling.rankers.neural.settings import Seq2SeqSettings
from modeling.rankers.neural.texts import END, START, TaskIds

pytestmark = pytest.mark.neural

CPU = torch.device("cpu")
SHAPE = BartShape(60, 32, 2, 2, 4, 4, 48, 48, 64)
TEXTS = [np.random.default_rng(n).integers(4, 60, size) for n, size in enumerate((9, 1, 30))]


def make_pair(shape: BartShape = SHAPE, *, end_bias: float = 0.0) -> tuple[BartForConditionalGeneration, Bart]:
    """Return transformers' model and ours with the same random weights; a bias makes `</s>` more likely."""
    torch.manual_seed(0)
    config = BartConfig(**shape.to_config(), dropout=0.0, attention_dropout=0.0)
    config.forced_eos_token_id = None
    theirs = BartForConditionalGeneration(config).eval()
    for name, parameter in theirs.named_parameters():
        parameter.data.normal_("norm" in name and name.endswith("weight"), 0.4)
    theirs.model.shared.weight.data[END] += end_bias * theirs.model.decoder.layers[-1].final_layer_norm.bias.data
    weights = Weights(shapes_of(shape, has_head=False), dtype=torch.float32, device=CPU)
    weights.fill(from_hugging_face({name: tensor.detach() for name, tensor in theirs.state_dict().items()}))
    return theirs, Bart(shape, weights)


class AsFairseq:
    """Forces `<s>` first and `</s>` last, but leaves them their own probability."""

    def __init__(self, last: int) -> None:
        self.last = last

    def __call__(self, input_ids, scores):
        forced = {1: START, self.last: END}.get(input_ids.shape[1])
        if forced is None:
            return scores.index_fill(1, torch.tensor([1]), -math.inf)
        only = torch.full_like(scores, -math.inf)
        only[:, forced] = scores[:, forced]
        return only


def keep_the_best(self, is_end, ids, scores, step):
    """Keep hypotheses as transformers does: a later one replaces a worse one."""
    is_new = is_end & (self.count < self.beams)[:, None]
    scores = torch.where(is_new, self._normalised(scores, step), -torch.inf)
    every = torch.cat((self.ended_scores[:, : self.beams], scores), 1)
    best, places = every.topk(self.beams, dim=1)
    old = torch.arange(self.texts)[:, None]
    lengths = torch.cat((self.ended_lengths[:, : self.beams], torch.full_like(is_end, step + 1, dtype=torch.int64)), 1)
    self.ended[:, : self.beams] = torch.cat((self.ended[:, : self.beams], ids), 1)[old, places]
    self.ended_lengths[:, : self.beams], self.ended_scores[:, : self.beams] = lengths[old, places], best
    self.count = (best > -torch.inf).sum(1)


def theirs_of(model, text: np.ndarray, options: Options) -> list[tuple[tuple[int, ...], float]]:
    ids = torch.from_numpy(np.concatenate(([START], text, [END])))[None]
    output = model.generate(
        ids, attention_mask=torch.ones_like(ids), num_beams=options.beams, num_return_sequences=options.beams,
        max_length=options.longest + 2, min_length=options.shortest + 1, early_stopping=True, do_sample=False,
        length_penalty=options.length_penalty, no_repeat_ngram_size=options.no_repeat,
        logits_processor=[AsFairseq(options.longest + 1)], return_dict_in_generate=True, output_scores=True,
    )  # fmt: skip
    rows = [[*itertools.takewhile(lambda token: token != END, row[2:])] for row in output.sequences.tolist()]
    return [(tuple(row), score) for row, score in zip(rows, output.sequences_scores.tolist(), strict=True)]


VARIANTS = [
    {"no_repeat": 0},
    {"no_repeat": 2, "shortest": 5},
    {"no_repeat": 3, "length_penalty": 2.0},
    {"no_repeat": 0, "length_penalty": 0.5},
    {"beams": 2, "longest": 2},
]


def log_probabilities(bart: Bart, text: np.ndarray, begin: list[int]) -> torch.Tensor:
    """Return the log-probability of each token after the beginning, computed without a cache."""
    source = torch.from_numpy(np.concatenate(([START], text, [END])))
    read, segments = Segments.of([len(source)], CPU), Segments.of([len(begin)], CPU)
    memory = bart.encode(source, read, Rates())
    states = bart.decode(torch.tensor(begin), segments, memory, read, segments, Rates())
    return bart.logits(states)[-1].log_softmax(-1)


def has_repeat(ids: list[int], size: int) -> bool:
    grams = [tuple(ids[at : at + size]) for at in range(len(ids) - size + 1)]
    return bool(size) and len({*grams}) < len(grams)


def slow_beam_search(bart: Bart, text: np.ndarray, options: Options) -> list[tuple[tuple[int, ...], float]]:
    """Return the hypotheses by fairseq's rules, one list operation at a time."""
    ended: list[tuple[tuple[int, ...], float]] = []
    start = float(log_probabilities(bart, text, [END])[START])
    beams = [([END, START], start)]
    for step in range(1, options.longest + 1):
        candidates = []
        for ids, score in beams:
            values = log_probabilities(bart, text, ids).tolist()
            for token, value in enumerate(values):
                is_allowed = token != 1 and (token == END or step < options.longest)
                is_allowed &= token != END or step >= options.shortest
                if is_allowed and (token == END or not has_repeat([*ids, token], options.no_repeat)):
                    candidates.append(([*ids, token], score + value))
        candidates.sort(key=lambda candidate: -candidate[1])
        candidates = candidates[: 2 * options.beams]
        for ids, score in candidates[: options.beams]:
            if ids[-1] == END and len(ended) < options.beams:
                ended.append((tuple(ids[2:-1]), score / (step + 1) ** options.length_penalty))
        beams = [candidate for candidate in candidates if candidate[0][-1] != END][: options.beams]
        if len(ended) == options.beams:
            break
    return ended


@pytest.mark.parametrize("changes", VARIANTS, ids=str)
def test_beams_and_scores_are_those_of_transformers(monkeypatch, changes):
    theirs, ours = make_pair(end_bias=2.0)
    options = Options(**{"beams": 10, "longest": 10, **changes})
    monkeypatch.setattr(BeamSearch, "_keep", keep_the_best)

    generated = generate(ours, TEXTS, options)

    for text, hypotheses in zip(TEXTS, generated, strict=True):
        expected = dict(theirs_of(theirs, text, options))
        assert {hypothesis.ids: hypothesis.score for hypothesis in hypotheses} == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("changes", VARIANTS, ids=str)
def test_beams_end_as_fairseq_ends_them(changes):
    _, ours = make_pair(end_bias=2.0)
    options = Options(**{"beams": 4, "longest": 10, **changes})

    generated = generate(ours, TEXTS, options)

    for text, hypotheses in zip(TEXTS, generated, strict=True):
        expected = dict(slow_beam_search(ours, text, options))
        assert {hypothesis.ids: hypothesis.score for hypothesis in hypotheses} == pytest.approx(expected, abs=1e-4)
        assert [hypothesis.score for hypothesis in hypotheses] == sorted(
            (hypothesis.score for hypothesis in hypotheses), reverse=True
        )


@pytest.mark.parametrize("no_repeat", [0, 1, 2])
def test_with_enough_beams_every_possible_phrase_is_found(no_repeat):
    _, ours = make_pair(replace(SHAPE, vocabulary=7))
    options = Options(beams=160, longest=4, shortest=0, no_repeat=no_repeat, length_penalty=0.7)
    text = np.array([4, 5, 6])
    known = cache(lambda begin: log_probabilities(ours, text, [*begin]).tolist())

    hypotheses = generate(ours, [text, np.array([6])], options)[0]

    expected = {}
    for ids in itertools.chain.from_iterable(itertools.product((0, 3, 4, 5, 6), repeat=size) for size in range(4)):
        if not has_repeat([END, START, *ids], no_repeat):
            whole = (END, START, *ids, END)
            steps = range(1, len(whole))
            expected[ids] = sum(known(whole[:at])[whole[at]] for at in steps) / len(steps) ** 0.7
    assert {hypothesis.ids: hypothesis.score for hypothesis in hypotheses} == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("is_sampled", [False, True], ids=["beams", "samples"])
@pytest.mark.parametrize("score", ["original", "corrected"])
def test_the_score_of_a_phrase_is_the_one_it_gets_as_a_candidate(score, is_sampled):
    _, ours = make_pair(end_bias=2.0)
    kind = Seq2Seq(Seq2SeqSettings(score=score))
    options = Options(longest=8, counts_start=kind.counts_start, is_sampled=is_sampled, temperature=0.5, top_p=0.9)

    generated = generate(ours, TEXTS, options)

    phrases = [tuple(np.array(hypothesis.ids, dtype=np.int64) for hypothesis in row) for row in generated]
    tasks = [TaskIds("test", "", text, row, (), 0) for text, row in zip(TEXTS, phrases, strict=True)]
    expected = kind.scores(ours, tasks)
    assert [hypothesis.score for row in generated for hypothesis in row] == pytest.approx(
        [*itertools.chain(*expected)], abs=1e-4
    )


def test_a_text_has_the_same_hypotheses_alone_and_among_others():
    _, ours = make_pair(end_bias=2.0)

    together = generate(ours, TEXTS, Options(longest=9))

    for text, row in zip(TEXTS, together, strict=True):
        alone = generate(ours, [text], Options(longest=9))[0]
        assert {hypothesis.ids: hypothesis.score for hypothesis in alone} == pytest.approx(
            {hypothesis.ids: hypothesis.score for hypothesis in row}, abs=1e-5
        )


def test_small_buffers_and_small_passes_of_the_encoder_change_nothing(monkeypatch):
    _, ours = make_pair(end_bias=1.0)
    expected = generate(ours, TEXTS, Options(longest=9))

    monkeypatch.setattr(decoding, "BLOCK", 2)
    monkeypatch.setattr(decoding, "ENCODED", 12)

    for row, wanted in zip(generate(ours, TEXTS, Options(longest=9)), expected, strict=True):
        assert {hypothesis.ids: hypothesis.score for hypothesis in row} == pytest.approx(
            {hypothesis.ids: hypothesis.score for hypothesis in wanted}, abs=1e-5
        )


def test_a_model_with_few_positions_generates_no_longer_phrases():
    _, ours = make_pair(replace(SHAPE, positions=40))

    generated = generate(ours, TEXTS[:1], Options(beams=2, longest=100))

    assert {len(hypothesis.ids) for hypothesis in generated[0]} == {38}  # 40 with <s> and </s>


def test_samples_depend_on_the_seed_alone():
    _, ours = make_pair(end_bias=2.0)
    options = Options(longest=6, is_sampled=True)

    first, again, other = (generate(ours, TEXTS, replace(options, seed=seed)) for seed in (1, 1, 2))

    assert first == again != other
    assert all(len(row) == options.beams for row in first)


def test_samples_of_the_likeliest_token_alone_are_the_greedy_phrase():
    _, ours = make_pair(end_bias=2.0)
    ids = [END, START]
    while ids[-1] != END and len(ids) < 9:
        ids.append(int(log_probabilities(ours, TEXTS[0], ids).argmax()))

    for options in (Options(top_p=1e-6), Options(temperature=1e-3)):
        sampled = generate(ours, TEXTS[:1], replace(options, longest=8, no_repeat=0, is_sampled=True))[0]

        assert {hypothesis.ids for hypothesis in sampled} == {tuple(token for token in ids[2:] if token != END)}


def test_tokens_are_drawn_as_often_as_temperature_and_top_p_say():
    _, ours = make_pair()
    many = 20_000
    options = Options(beams=many, longest=2, shortest=2, no_repeat=0, is_sampled=True, temperature=1.5, top_p=0.8)

    sampled = generate(ours, TEXTS[:1], options)[0]

    shares = (log_probabilities(ours, TEXTS[0], [END, START]) / 1.5).softmax(-1)
    shares[[1, END]] = 0  # padding is never drawn; a phrase has one token at least
    ranked, order = (shares / shares.sum()).sort(descending=True)
    kept = int((ranked.cumsum(0) < 0.8).sum()) + 1
    expected = ranked[:kept] / ranked[:kept].sum()
    counts = np.bincount([hypothesis.ids[0] for hypothesis in sampled], minlength=60)
    assert counts.sum() == counts[order[:kept]].sum() == many
    assert counts[order[:kept]] / many == pytest.approx(expected.numpy(), abs=0.02)
